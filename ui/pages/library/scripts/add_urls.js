// The dialog that adds videos by URL: the server fetches them, from the places that its settings allow.
import { api, button, clear, h, plural, report } from '../../../lib/parts/core.js';
import { openDialog } from '../../../lib/parts/dialog.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['UrlsTaken']} UrlsTaken */

/**
 * `done(job)` is called when at least one URL was taken; the files themselves come later, in the job.
 * @param {(job: import('../../../lib/shell/job_list.js').Job) => unknown} done
 */
export async function showAddUrls(done) {
  const { allow } = await api('/api/remote');
  const urls = h('textarea', {
    class: 'dl-urls',
    rows: '5',
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-label': 'URLs, one a line',
    'aria-describedby': 'dl-urlplaces',
    placeholder: allow.length ? `${allow[0].replace(/\/?$/, '/')}name.mp4` : '',
    disabled: !allow.length,
  });
  const said = h('ul', { class: 'dl-urlproblems', role: 'alert' });
  const add = button('Add and run', () => send().catch(report), {
    kind: 'main',
    name: 'add-urls',
    key: 'Ctrl Enter',
  });
  add.disabled = !allow.length;

  async function send() {
    const wanted = urls.value
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
    if (!wanted.length || add.disabled) {
      urls.focus();
      return;
    }
    add.disabled = true;
    try {
      /** @type {UrlsTaken} */
      const { files, job } = await api('/api/remote', { urls: wanted });
      if (job) done(job);
      tell(files, wanted);
    } catch (error) {
      clear(said, h('li', {}, error.message));
    } finally {
      add.disabled = false;
    }
  }

  /**
   * What was refused stays in the field, with the reasons below; the dialog closes when nothing was.
   * @param {{url: string, error?: string}[]} files
   * @param {string[]} wanted
   */
  function tell(files, wanted) {
    const refused = files.filter((file) => file.error);
    if (!refused.length) {
      dialog.close();
      return;
    }
    const distinct = [...new Set(wanted)];
    urls.value = distinct.filter((_, n) => files[n].error).join('\n');
    const taken = files.length - refused.length;
    clear(
      said,
      taken ? h('li', { class: 'dl-urltaken' }, `${plural(taken, 'URL')} taken; these are not:`) : null,
      refused.map((file) => h('li', {}, h('b', {}, file.url), ` ${file.error}`)),
    );
    urls.focus();
  }

  const dialog = openDialog('Add videos by URL', [urls, said, places(allow)], [add], { cancel: 'Close' });
  (allow.length ? urls : dialog.node.querySelector('footer button')).focus();
}

/** @param {string[]} allow */
function places(allow) {
  if (allow.length)
    return h(
      'div',
      { class: 'dl-urlplaces', id: 'dl-urlplaces' },
      h('p', {}, 'The server fetches each file once. Allowed places:'),
      h(
        'ul',
        {},
        allow.map((place) => h('li', {}, h('code', {}, place))),
      ),
    );
  return h(
    'div',
    { class: 'dl-urlplaces', id: 'dl-urlplaces' },
    h(
      'p',
      {},
      'No place is allowed yet. Whoever runs the server writes into settings.toml of the workspace, and starts it again:',
    ),
    h('pre', {}, '[remote]\nallow = ["https://videos.example.org/clips/"]'),
  );
}
