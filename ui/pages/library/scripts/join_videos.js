// Two records of one video: the dialog that offers what a video may be joined with, and joining.
import { debounce } from '../../../lib/page/open_page.js';
import { h, signal } from '../../../lib/components/component.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { button } from '../../../lib/components/small_components.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { wanted } from '../../../lib/keys/typing_ahead.js';
import { decided } from '../../../lib/editor/undo.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['JoinChoices']} JoinChoices */
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
  const found = signal(others);
  const chosen = signal(others[0]?.id ?? '');
  const said = signal('');
  const sending = signal(false);

  const find = debounce(async (/** @type {HTMLInputElement} */ words) => {
    const asked = words.value;
    try {
      /** @type {JoinChoices} */
      const answer = await api(`${at}?${new URLSearchParams({ q: asked })}`);
      if (asked !== words.value) return;
      found.value = answer.others;
      const ids = answer.others.map((one) => one.id);
      if (!ids.includes(chosen.value)) chosen.value = ids[0] ?? '';
    } catch (error) {
      report(error);
    }
  }, 200);

  async function send() {
    sending.value = true;
    said.value = '';
    try {
      await joinVideos(id, chosen.value);
      dialog.close();
      await done();
    } catch (error) {
      said.value = error.message;
      sending.value = false;
    }
  }

  const Choices = () =>
    h(
      'ul',
      { class: 'dl-joins', 'aria-label': 'Videos' },
      found.value.map((one) =>
        h(
          'li',
          { key: one.id },
          h(
            'label',
            null,
            h('input', {
              type: 'radio',
              name: 'dl-join',
              value: one.id,
              'aria-label': one.title,
              checked: one.id === chosen.value,
              onChange: () => {
                chosen.value = one.id;
              },
            }),
            h('b', null, one.title),
            h('span', null, [one.why, one.file ? '' : 'no file'].filter(Boolean).join(' · ')),
          ),
        ),
      ),
      found.value.length
        ? null
        : h('li', { class: 'dl-hint' }, 'None has the same bytes or name; find it by its title.'),
    );
  const Said = () => h('p', { class: 'dl-importerror', role: 'alert' }, said.value);
  const Join = () =>
    button(['Join', h('kbd', null, 'Enter')], send, {
      kind: 'main',
      name: 'join',
      disabled: sending.value || !chosen.value,
    });
  const dialog = openDialog(
    `Join “${video.title}” with`,
    [
      h(
        'p',
        null,
        'Results, verdicts and people’s work of both become those of one video. Its name is that of the one with a file; the other can still be found by the names that datasets give it.',
      ),
      h(Choices, {}),
      h('input', {
        type: 'text',
        class: 'dl-input',
        'aria-label': 'Find another video',
        placeholder: 'find another video by title, id or alias',
        autocomplete: 'off',
        onInput: (event) => find(event.currentTarget),
      }),
      h(Said, {}),
    ],
    h(Join, {}),
  );
  dialog.node.querySelector('input').focus();
}
