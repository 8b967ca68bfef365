// Two records of one video: the dialog that offers what a video may be joined with, and joining.
import { debounce } from '../../../lib/page/open_page.js';
import { button, clear, h } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { wanted } from '../../../lib/keys/pending_keys.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { decided } from '../../../lib/editor/undo.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['JoinChoices']} JoinChoices */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['JoinChoice']} JoinChoice */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VideosJoined']} VideosJoined */

/**
 * One decision, which Ctrl+Z takes back.
 * @param {string} first the video that stays, unless the other one alone has a file
 * @param {string} second
 */
export async function joinVideos(first, second) {
  /** @type {VideosJoined} */
  const made = await api('/api/join', { first, second });
  decided(`${made.joined} is one with ${made.title} now`);
}

/**
 * @param {string} id of the video
 * @param {() => unknown} done
 */
export async function showJoin(id, done) {
  const at = `/api/videos/${encodeURIComponent(id)}/join`;
  const still = wanted();
  /** @type {JoinChoices} */
  const { video, others } = await api(at);
  if (!still()) return;
  const list = h('ul', { class: 'dl-joins', 'aria-label': 'Videos' });
  const said = h('p', { class: 'dl-importerror', role: 'alert' });
  const words = h('input', {
    type: 'text',
    class: 'dl-input',
    'aria-label': 'Find another video',
    placeholder: 'find another video by title, id or alias',
    autocomplete: 'off',
    oninput: debounce(() => find().catch(report), 200),
  });
  const join = button('Join', () => send(), { kind: 'main', name: 'join', key: 'Enter' });
  const chosen = () =>
    /** @type {HTMLInputElement | null} */ (list.querySelector('input:checked'))?.value || '';

  /** @param {JoinChoice[]} found */
  function draw(found) {
    const before = chosen();
    clear(
      list,
      found.map((one) => line(one)),
      found.length
        ? null
        : h('li', { class: 'dl-hint' }, 'None has the same bytes or name; find it by its title.'),
    );
    const boxes = /** @type {HTMLInputElement[]} */ ([...list.querySelectorAll('input')]);
    const first = boxes.find((box) => box.value === before) || boxes[0];
    if (first) first.checked = true;
    join.disabled = !first;
  }

  /** @param {JoinChoice} one */
  function line(one) {
    const facts = [one.why, one.file ? '' : 'no file'].filter(Boolean).join(' · ');
    const box = h('input', { type: 'radio', name: 'dl-join', value: one.id, 'aria-label': one.title });
    return h('li', {}, h('label', {}, box, h('b', {}, one.title), h('span', {}, facts)));
  }

  async function find() {
    const asked = words.value;
    /** @type {JoinChoices} */
    const found = await api(`${at}?${new URLSearchParams({ q: asked })}`);
    if (asked === words.value) draw(found.others);
  }

  async function send() {
    const other = chosen();
    if (!other || join.disabled) return;
    join.disabled = true;
    clear(said);
    try {
      await joinVideos(id, other);
      dialog.close();
      await done();
    } catch (error) {
      clear(said, error.message);
      join.disabled = false;
    }
  }

  const dialog = openDialog(
    `Join “${video.title}” with`,
    [
      h(
        'p',
        {},
        'Results, verdicts and people’s work of both become those of one video. Its name is that of the one with a file; the other can still be found by the names that datasets give it.',
      ),
      list,
      words,
      said,
    ],
    [join],
  );
  draw(others);
  (list.querySelector('input') || words).focus();
}
