// The Export dialog: which format, whose texts or which evaluation, and what the file would hold.
import { computed, h, signal } from '../components/component.js';
import { icon } from '../components/small_components.js';
import { named } from '../parts/choice.js';
import { report } from '../parts/notices.js';
import { api } from '../requests/requests.js';
import { download } from '../parts/download.js';
import { openDialog } from '../parts/dialog.js';

/** @typedef {import('../wire.d.ts').components['schemas']['ExportFormat']} Format */
/** @typedef {import('../wire.d.ts').components['schemas']['ExportPreview']} Preview */
/** @typedef {import('../wire.d.ts').components['schemas']['PreviewCell']} Cell */
/** @typedef {import('../components/component.js').Children} Children */
/** @typedef {{id: string, name: string}[]} People */

const VALUES = [
  ['current', 'current, with corrections'],
  ['machine', 'machine, as it was written'],
];
const COUNTING_MS = 300; // an answer that comes sooner needs no words before it

/** @param {import('./top_bar.js').Frame} frame */
export async function showExport(frame) {
  const { formats, people } = await api('/api/formats');
  const picker = /** @type {HTMLSelectElement | null} */ (frame.evaluation.node.querySelector('select'));
  const state = new Export(formats, people, `evaluation=${picker?.value || ''}`);
  const { node } = openDialog('Export', h(Choices, { state }), h(Download, { state }), {
    cancel: 'Close',
    name: 'dl-export',
  });
  node.querySelector('select').focus();
}

class Export {
  /** @type {import('../components/component.js').Signal<{preview?: Preview | 'counting', problem?: string}>} */
  found = signal({});
  busy = signal(false);
  #asked = 0;

  /** @param {Format[]} formats @param {People} people @param {string} evaluation on the page */
  constructor(formats, people, evaluation) {
    this.formats = formats;
    /** `texts` and `evaluation`: the last choice among each. */
    this.chosen = signal({ name: formats[0].name, texts: '', evaluation, values: 'current' });
    this.facts = computed(() => {
      const chosen = this.chosen.value;
      const format = formats.find((f) => f.name === chosen.name);
      const kind = /** @type {'texts' | 'evaluation'} */ (format.texts ? 'texts' : 'evaluation');
      const offered = choices(format, people);
      const wanted = [chosen[kind], evaluation].find((one) => offered.some(([query]) => query === one));
      const whose = wanted ?? offered[0]?.[0] ?? '';
      const hasValues = !whose.startsWith('whose=') || whose.endsWith('=references');
      const query = new URLSearchParams(hasValues ? `${whose}&values=${chosen.values}` : whose);
      const lacking = !offered.length && format.evaluation !== 'none';
      return { format, kind, offered, whose, hasValues, lacking, query };
    });
    this.choose({});
  }

  /** The address of the file; undefined where it would hold nothing. */
  get href() {
    const { preview } = this.found.value;
    const nothing = typeof preview === 'object' && preview.fields.length && !preview.rows.length;
    return this.facts.value.lacking || nothing ? undefined : this.#path();
  }

  #path(more = '') {
    const { format, query } = this.facts.value;
    return `/api/export/${encodeURIComponent(format.name)}${more}?${query}`;
  }

  /** @param {Partial<Record<'name' | 'texts' | 'evaluation' | 'values', string>>} what */
  choose(what) {
    this.chosen.value = { ...this.chosen.value, ...what };
    const { lacking } = this.facts.value;
    this.found.value = lacking
      ? { problem: 'There is no evaluation yet. Run a video or import an evaluation first.' }
      : {};
    if (!lacking) void this.#count();
  }

  async #count() {
    const mine = ++this.#asked;
    /** @param {Export['found']['value']} found */
    const show = (found) => {
      if (mine === this.#asked) this.found.value = { ...this.found.value, ...found }; // a refused download stays
    };
    const timer = setTimeout(() => show({ preview: 'counting' }), COUNTING_MS);
    try {
      show({ preview: await api(this.#path('/preview')) });
    } catch (error) {
      show({ preview: undefined, problem: error.message });
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * A plain link would save the server's refusal as a file; so the answer is looked at first.
   * @param {MouseEvent} event
   */
  async download(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { href } = this;
    if (!href) return;
    this.busy.value = true;
    try {
      this.found.value = { ...this.found.value, problem: '' };
      await download(href);
    } catch (error) {
      this.found.value = { ...this.found.value, problem: error.message };
      if (!error.message) report(error);
    } finally {
      this.busy.value = false;
    }
  }
}

/**
 * What can be chosen for a format: [the query, its words].
 * @param {Format} format
 * @param {People} people
 * @returns {[string, string][]}
 */
function choices(format, people) {
  const some = named(format.evaluations).map(
    ([id, words]) =>
      /** @type {[string, string]} */ ([
        `evaluation=${id}`,
        format.texts ? `evaluation: ${words}` : `${words}`,
      ]),
  );
  const datasets = format.evaluation === 'optional' && !format.benchmark;
  if (!format.texts) return datasets ? [['', 'none: what the datasets hold'], ...some] : some;
  return [
    ['', 'what counts now'],
    ['whose=references', 'references: without what a machine began'],
    ...people.map(({ id, name }) => /** @type {[string, string]} */ ([`whose=${id}`, `one person: ${name}`])),
    ...some,
  ];
}

// --- drawing --------------------------------------------------------------------------

/** @param {{state: Export}} props */
function Choices({ state }) {
  const { format, kind, offered, whose, hasValues } = state.facts.value;
  const { name, values } = state.chosen.value;
  const { preview, problem } = state.found.value;
  /** @type {(words: string, label: string, value: string, key: keyof typeof state.chosen.value, options: Children) => Children} */
  const field = (words, label, value, key, options) =>
    h(
      'label',
      { key, class: 'dl-field' },
      h('span', null, words),
      h(
        'select',
        {
          class: 'dl-select',
          'aria-label': label,
          value,
          onChange: (event) => state.choose({ [key]: event.currentTarget.value }),
        },
        options,
      ),
    );
  const groups = [...Map.groupBy(state.formats, (one) => one.group)].map(([group, formats]) =>
    h(
      'optgroup',
      { key: group, label: group },
      formats.map((one) => option([one.name, one.name])),
    ),
  );
  return [
    field('format', 'Format', name, 'name', groups),
    h(
      'div',
      { class: 'dl-formatnote' },
      h('p', null, format.what),
      h('p', { class: 'dl-hint' }, h('b', null, 'cannot hold:'), h('span', null, format.cannot_hold)),
    ),
    offered.length ? field(kind, 'What to export', whose, kind, offered.map(option)) : null,
    hasValues ? field('values', 'Values', values, 'values', VALUES.map(option)) : null,
    h('div', { class: 'dl-preview', 'aria-live': 'polite', 'data-name': 'preview' }, shown(preview)),
    h('p', { class: 'dl-hint dl-is-failed', role: 'alert' }, problem),
  ];
}

/** @param {string[]} of */
const option = ([value, words]) => h('option', { key: value, value }, words);

/** @param {{state: Export}} props */
function Download({ state }) {
  const { href } = state;
  return h(
    'a',
    {
      class: `dl-button dl-button-main ${href && !state.busy.value ? '' : 'dl-off'}`,
      href,
      download: '',
      'data-name': 'download',
      onClick: (event) => void state.download(event),
    },
    icon('download'),
    'Download',
  );
}

/** @param {Preview | 'counting' | undefined} found */
function shown(found) {
  if (!found) return null;
  if (found === 'counting') return h('p', { class: 'dl-hint' }, 'Counting ...');
  const { says, fields, totals, rows, more } = found;
  const sentences = says.map((words) => h('p', { key: words }, words));
  if (!fields.length) return sentences;
  /** @param {string} name @param {(field: string) => Children} words */
  const line = (name, words) =>
    h(
      'tr',
      null,
      h('th', { scope: 'row' }, name),
      fields.map((one) => h('td', { key: one }, words(one))),
    );
  const heads = ['video', ...fields].map((one) =>
    h('th', { key: one, scope: 'col' }, one.replaceAll('_', ' ')),
  );
  return [
    sentences,
    h(
      'div',
      { class: 'dl-preview-rows', tabIndex: 0, role: 'region', 'aria-label': 'What the file would hold' },
      h(
        'table',
        null,
        h('thead', null, h('tr', null, heads)),
        h(
          'tbody',
          null,
          line('all', (one) => totals[one]),
          rows.map(({ video, cells }) => line(video, (one) => cell(cells[one]))),
        ),
        more
          ? h(
              'tfoot',
              null,
              h(
                'tr',
                null,
                h('td', { colSpan: heads.length, class: 'dl-hint' }, `and ${more.toLocaleString('en')} more`),
              ),
            )
          : null,
      ),
    ),
  ];
}

/** @param {Cell | undefined} found */
function cell(found) {
  if (!found) return h('span', { class: 'dl-hint' }, '-');
  const by = found.by.join(', ');
  if (!by) return `${found.count}`;
  return found.count === 1 ? by : `${found.count} by ${by}`;
}
