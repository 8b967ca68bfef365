// Progress: how many videos are in which state, who did how much in what time, how far the writers agree.
import { h, mount, signal } from '../../../lib/components/component.js';
import { button, empty, hint, toLibrary } from '../../../lib/components/small_components.js';
import { column, table } from '../../../lib/components/table.js';
import { address } from '../../../lib/page/address.js';
import { pageSignal } from '../../../lib/page/open_page.js';
import { h as element } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { stateOfVideo, workOf } from './aspects_view.js';

/** @typedef {import('../../../lib/components/component.js').Children} Children */
/** @typedef {import('../../../lib/components/component.js').Drawn} Drawn */
/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Likeness']} Agreement */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['AspectsProgress']} Progress */

const PAGE = 100;
/** @type {Object<string, string>} */
const TASKS = { aspects: 'writes', merge: 'merges', split: 'splits' };
const DONE = ['done', 'approved'];
/** @param {number | undefined} value */
const share = (value) => (value === undefined ? '–' : value.toFixed(2));
/** @type {Object<string, string>} the tab on which a video of a state goes on */
const TABS = { given: 'write', writing: 'write', returned: 'write', done: 'merge', merged: 'merge' };

/** @param {Page} page */
export const open = (page) => new ProgressView(page);

class ProgressView {
  /** @type {import('../../../lib/components/component.js').Signal<Progress | null>} */
  answer = signal(null);
  offset = 0;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.node = element('div', { class: 'dl-as-progress dl-pane' });
    mount(this.node, h(Overview, { view: this }), pageSignal());
    this.keys = { next: () => this.#step(1), previous: () => this.#step(-1) };
  }

  get data() {
    return this.answer.value;
  }

  /** @param {string} id */
  async shown(id) {
    const { offset } = this;
    const [data, { videos }] = await Promise.all([
      api(`/api/aspects/progress?offset=${offset}&limit=${PAGE}`),
      api(`/api/library?${new URLSearchParams({ q: id, limit: '1' })}`),
    ]);
    this.page.bar.named(videos[0]?.title || 'Video');
    if (offset === this.offset) this.answer.value = data; // else another page was asked for since
  }

  async changed() {
    await this.shown(this.page.bar.id);
  }

  /**
   * So many videos further in the list.
   * @param {number} by
   */
  turn(by) {
    this.offset += by;
    this.shown(this.page.bar.id).catch(report);
  }

  /** @param {number} by */
  #step(by) {
    const links = [...this.node.querySelectorAll('[aria-label=Videos] a')];
    const at = links.findIndex((link) => link.matches(':focus'));
    links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
  }
}

// --- drawing --------------------------------------------------------------------------

/** @type {(label: string, heads: (string | Drawn)[], rows: Children) => Drawn} */
const scrolled = (label, heads, rows) =>
  h('div', { class: 'dl-as-scroll' }, table({ class: 'dl-as-table', 'aria-label': label }, heads, rows));

/** @type {(key: string, head: Children, cells: Children[], id?: string) => Drawn} */
const line = (key, head, cells, id = null) =>
  h(
    'tr',
    { key, 'data-id': id },
    h('th', { scope: 'row' }, head),
    cells.map((cell) => h('td', null, cell)),
  );

/** @param {{view: ProgressView}} props */
function Overview({ view }) {
  const { data } = view;
  if (!data) return null;
  if (!data.of)
    return empty(
      'No video was given to anybody to write its four parts yet.',
      hint(
        'In the Library, select videos and press Assign: task “aspects” for two annotators, “merge” for an expert, “split” for whoever splits the full caption.',
      ),
      toLibrary(),
    );
  return [
    h(States, { data }),
    h('div', { class: 'dl-as-two' }, h(People, { data }), h(Agreements, { data })),
    h(Videos, { view }),
  ];
}

/** @param {{data: Progress}} props */
const States = ({ data: { states, of } }) =>
  h(
    'section',
    null,
    h('h2', null, 'Videos'),
    h(
      'ol',
      { class: 'dl-as-steps', 'aria-label': 'Videos by state' },
      states.map(({ state, n }) =>
        h(
          'li',
          { key: state, class: n ? '' : 'dl-as-none' },
          stateOfVideo(state),
          h('b', null, n),
          h('small', null, `of ${of}`),
          h('i', { 'aria-hidden': true }, h('b', { style: { width: `${(n / of) * 100}%` } })),
        ),
      ),
    ),
  );

/** @param {{data: Progress}} props */
function People({ data: { people, how } }) {
  /** @param {{n: number, mean?: number | null} | null | undefined} some */
  const mean = (some) => (some?.n ? `${some.mean} (n ${some.n})` : '–');
  const heads = ['person', 'task', 'done', 'returned', 'flagged', 'left', 'words per video'];
  const rows = people.map((p) => {
    /** @param {string[]} states */
    const n = (...states) => states.reduce((sum, state) => sum + (p.states[state] || 0), 0);
    return line(`${p.name} ${p.task}`, p.name, [
      TASKS[p.task],
      `${n(...DONE)} of ${p.of}`,
      n('returned'),
      n('flagged', 'skipped'),
      n('open', 'working'),
      mean(p.words),
      mean(p.minutes),
    ]);
  });
  return h(
    'section',
    null,
    h('h2', null, 'People'),
    scrolled('People', [...heads, column('minutes per video', how.minutes)], rows),
    hint(how.minutes),
  );
}

/** @param {{data: Progress}} props */
const Agreements = ({ data: { parts, agreement, how } }) =>
  h(
    'section',
    null,
    h('h2', null, 'Agreement'),
    scrolled(
      'Agreement',
      ['part', 'ROUGE-L', 'shared words', 'videos'],
      parts.map(([name, words]) => {
        const m = agreement[name];
        return line(name, words, [share(m?.rouge_l), share(m?.shared), m?.n || 0]);
      }),
    ),
    hint(how.agreement),
  );

/** @param {{view: ProgressView}} props */
function Videos({ view }) {
  const { videos, of, offset } = view.data;
  const last = offset + videos.length;
  return h(
    'section',
    null,
    h(
      'div',
      { class: 'dl-row' },
      h('h2', null, 'Video by video'),
      h('span', { class: 'dl-hint' }, `${offset + 1} to ${last} of ${of}, in the order of the work`),
      offset ? button('Before', () => view.turn(-PAGE)) : null,
      last < of ? button('More', () => view.turn(PAGE)) : null,
    ),
    scrolled(
      'Videos',
      [
        'video',
        'state',
        'who',
        column('ROUGE-L', 'mean over the parts'),
        column('shared words', 'mean over the parts'),
      ],
      videos.map((v) =>
        line(
          v.id,
          h('a', { href: address.to('split', { video: v.id, tab: TABS[v.state] || 'split' }) }, v.title),
          [
            stateOfVideo(v.state),
            h(
              'ul',
              { class: 'dl-work' },
              v.work.map((w) =>
                h(
                  'li',
                  { key: `${w.person} ${w.task}` },
                  workOf(w, w.person, w.task),
                  w.words
                    ? h('small', null, ` ${plural(w.words, 'word')}${w.minutes ? `, ${w.minutes} min` : ''}`)
                    : null,
                ),
              ),
            ),
            mean(v.agreement, 'rouge_l'),
            mean(v.agreement, 'shared'),
          ],
          v.id,
        ),
      ),
    ),
  );
}

/**
 * @param {Object<string, Agreement>} agreement
 * @param {'rouge_l' | 'shared'} name
 */
function mean(agreement, name) {
  const values = Object.values(agreement).map((both) => both[name]);
  return values.length ? share(values.reduce((sum, value) => sum + value, 0) / values.length) : '–';
}
