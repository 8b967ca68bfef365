// The dialog that adds videos by URL, one or a pasted list: the server fetches them, from the places that its settings
// allow.
import { h, signal } from '../../../lib/components/component.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { button } from '../../../lib/components/small_components.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { wanted } from '../../../lib/keys/typing_ahead.js';

const AT_ONCE = 1000; // lines that the server takes

/** @typedef {import('../../../lib/components/component.js').Children} Children */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['UrlsTaken']} UrlsTaken */

/**
 * `done(job)` is called when at least one URL was taken; the files themselves come later, in the job.
 * @param {(job: import('../../../lib/shell/job_list.js').Job) => unknown} done
 */
export async function showAddUrls(done) {
  const still = wanted();
  /** @type {{allow: string[]}} */
  const { allow } = await api('/api/remote');
  if (!still()) return;
  const said = signal(/** @type {Children} */ (null));
  const sending = signal(false);

  async function send() {
    const lines = urls.value.split('\n').map((line) => line.trim());
    const all = [...new Set(lines.filter((line) => line && !line.startsWith('#')))];
    const now = all.slice(0, AT_ONCE);
    if (!now.length || sending.value) {
      urls.focus();
      return;
    }
    sending.value = true;
    try {
      /** @type {UrlsTaken} */
      const { files, job } = await api('/api/remote', { urls: now });
      if (job) done(job);
      tell(files, now, all.slice(AT_ONCE));
    } catch (error) {
      said.value = h('li', null, error.message);
    } finally {
      sending.value = false;
    }
  }

  /**
   * What was refused stays in the field, with the reasons below, and so does what is still to be sent; the dialog
   * closes when nothing is left.
   * @param {{url: string, error?: string}[]} files
   * @param {string[]} sent
   * @param {string[]} later
   */
  function tell(files, sent, later) {
    const refused = files.filter((file) => file.error);
    if (!refused.length && !later.length) {
      dialog.close();
      return;
    }
    urls.value = [...sent.filter((_, n) => files[n].error), ...later].join('\n');
    const taken = files.length - refused.length;
    const first = refused.length ? 'these are not:' : `${plural(later.length, 'line')} left: press it again`;
    said.value = [
      taken ? h('li', { class: 'dl-urltaken' }, `${plural(taken, 'URL')} taken; ${first}`) : null,
      refused.map((file) => h('li', { key: file.url }, h('b', null, file.url), ` ${file.error}`)),
    ];
    urls.focus();
  }

  const Said = () => h('ul', { class: 'dl-urlproblems', role: 'alert' }, said.value);
  const Add = () =>
    button(['Add and run', h('kbd', null, 'Ctrl Enter')], send, {
      kind: 'main',
      name: 'add-urls',
      disabled: sending.value || !allow.length,
    });
  const dialog = openDialog(
    'Add videos by URL',
    [
      h('textarea', {
        class: 'dl-urls',
        rows: 5,
        spellcheck: false,
        autocomplete: 'off',
        'aria-label': 'URLs, one a line',
        'aria-describedby': 'dl-urlplaces',
        placeholder: allow.length ? `${allow[0].replace(/\/?$/, '/')}name.mp4` : '',
        disabled: !allow.length,
      }),
      h(Said, {}),
      places(allow),
    ],
    h(Add, {}),
    { cancel: 'Close' },
  );
  const urls = /** @type {HTMLTextAreaElement} */ (dialog.node.querySelector('textarea'));
  (allow.length ? urls : dialog.node.querySelector('footer button')).focus();
}

/** @param {string[]} allow */
const places = (allow) =>
  h(
    'div',
    { class: 'dl-urlplaces', id: 'dl-urlplaces' },
    allow.length
      ? [
          h(
            'p',
            null,
            'One URL a line, or the name of the video, a tab, and its URL; # begins a comment. The server fetches each file once. Paths of its own disk are not taken from a page: drop the files, or type on the server ',
            h('code', null, 'python app.py import --videos LIST.txt'),
            '. Allowed places:',
          ),
          h(
            'ul',
            null,
            allow.map((place) => h('li', { key: place }, h('code', null, place))),
          ),
        ]
      : [
          h(
            'p',
            null,
            'No place is allowed yet. Whoever runs the server writes into settings.toml of the workspace, and starts it again:',
          ),
          h('pre', null, '[remote]\nallow = ["https://videos.example.org/clips/"]'),
        ],
  );
