// Progress: how many videos are in which state, who did how much in what time, how far the writers agree.
import { address } from '../../../lib/page/address.js';
import { button, clear, h } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { empty, toLibrary } from '../../../lib/parts/empty.js';
import { stateOfVideo } from './aspects_view.js';
import { column, table } from '../../../lib/parts/table.js';
import { workMark } from '../../../lib/shell/assignment_bar.js';

/** @typedef {import('../../../lib/parts/elements.js').Content} Content */
/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Likeness']} Agreement */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['AspectsProgress']} Progress */

const PAGE = 100;
/** @type {Object<string, string>} */
const TASKS = { aspects: 'writes', merge: 'merges', split: 'splits' };
const DONE = ['done', 'approved'];
/** @param {number | undefined} value */
const share = (value) => (value === undefined ? '–' : value.toFixed(2));
/** @type {(label: string, heads: (string | HTMLElement)[], rows: Content) => HTMLElement} */
const scrolled = (label, heads, rows) =>
  h('div', { class: 'dl-as-scroll' }, table({ class: 'dl-as-table', 'aria-label': label }, heads, rows));

/** @param {Page} page */
export const open = (page) => new ProgressView(page);

class ProgressView {
  /** @type {Progress} */
  data;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.node = h('div', { class: 'dl-as-progress dl-pane' });
    this.keys = { next: () => this.#step(1), previous: () => this.#step(-1) };
    this.offset = 0;
  }

  /** @param {string} id */
  async shown(id) {
    const { offset } = this;
    const [data, { videos }] = await Promise.all([
      api(`/api/aspects/progress?offset=${offset}&limit=${PAGE}`),
      api(`/api/library?${new URLSearchParams({ q: id, limit: '1' })}`),
    ]);
    this.page.bar.named(videos[0]?.title || 'Video');
    if (offset !== this.offset) return; // another page was asked for since
    this.data = data;
    this.#draw();
  }

  async changed() {
    await this.shown(this.page.bar.id);
  }

  #draw() {
    const { data } = this;
    if (!data.of) {
      clear(this.node, this.#nothing());
      return;
    }
    clear(
      this.node,
      this.#states(),
      h('div', { class: 'dl-as-two' }, this.#people(), this.#agreement()),
      this.#videos(),
    );
  }

  #nothing() {
    return empty(
      'No video was given to anybody to write its four parts yet.',
      h(
        'p',
        { class: 'dl-hint' },
        'In the Library, select videos and press Assign: task “aspects” for two annotators, “merge” for an expert, “split” for whoever splits the full caption.',
      ),
      toLibrary(),
    );
  }

  #states() {
    const { states, of } = this.data;
    return h(
      'section',
      {},
      h('h2', {}, 'Videos'),
      h(
        'ol',
        { class: 'dl-as-steps', 'aria-label': 'Videos by state' },
        states.map(({ state, n }) =>
          h(
            'li',
            { class: n ? '' : 'dl-as-none' },
            stateOfVideo(state),
            h('b', {}, String(n)),
            h('small', {}, `of ${of}`),
            h('i', { 'aria-hidden': 'true' }, h('b', { style: { width: `${(n / of) * 100}%` } })),
          ),
        ),
      ),
    );
  }

  #people() {
    const rows = this.data.people.map((p) => {
      /** @param {string} state */
      const n = (state) => p.states[state] || 0;
      const done = DONE.reduce((sum, state) => sum + n(state), 0);
      return h(
        'tr',
        {},
        h('th', { scope: 'row' }, p.name),
        h('td', {}, TASKS[p.task]),
        h('td', {}, `${done} of ${p.of}`),
        h('td', {}, String(n('returned'))),
        h('td', {}, String(n('flagged') + n('skipped'))),
        h('td', {}, String(n('open') + n('working'))),
        h('td', {}, p.words?.n ? `${p.words.mean} (n ${p.words.n})` : '–'),
        h('td', {}, p.minutes?.n ? `${p.minutes.mean} (n ${p.minutes.n})` : '–'),
      );
    });
    return h(
      'section',
      {},
      h('h2', {}, 'People'),
      scrolled(
        'People',
        [
          'person',
          'task',
          'done',
          'returned',
          'flagged',
          'left',
          'words per video',
          column('minutes per video', this.data.how.minutes),
        ],
        rows,
      ),
      h('p', { class: 'dl-hint' }, this.data.how.minutes),
    );
  }

  #agreement() {
    const { parts, agreement, how } = this.data;
    const rows = parts.map(([name, words]) => {
      const m = agreement[name];
      return h(
        'tr',
        {},
        h('th', { scope: 'row' }, words),
        h('td', {}, share(m?.rouge_l)),
        h('td', {}, share(m?.shared)),
        h('td', {}, String(m?.n || 0)),
      );
    });
    return h(
      'section',
      {},
      h('h2', {}, 'Agreement'),
      scrolled('Agreement', ['part', 'ROUGE-L', 'shared words', 'videos'], rows),
      h('p', { class: 'dl-hint' }, how.agreement),
    );
  }

  #videos() {
    const { videos, of } = this.data;
    const rows = videos.map((v) =>
      h(
        'tr',
        { 'data-id': v.id },
        h(
          'th',
          { scope: 'row' },
          h('a', { href: address.to('split', { video: v.id, tab: this.#tab(v.state) }) }, v.title),
        ),
        h('td', {}, stateOfVideo(v.state)),
        h(
          'td',
          {},
          h(
            'ul',
            { class: 'dl-work' },
            v.work.map((w) =>
              h(
                'li',
                {},
                workMark(w, w.person),
                w.words
                  ? h('small', {}, ` ${plural(w.words, 'word')}${w.minutes ? `, ${w.minutes} min` : ''}`)
                  : null,
              ),
            ),
          ),
        ),
        h('td', {}, this.#mean(v.agreement, 'rouge_l')),
        h('td', {}, this.#mean(v.agreement, 'shared')),
      ),
    );
    const at = this.offset;
    /** @param {number} by */
    const turn = (by) => {
      this.offset = at + by;
      this.shown(this.page.bar.id).catch(report);
    };
    return h(
      'section',
      {},
      h(
        'div',
        { class: 'dl-row' },
        h('h2', {}, 'Video by video'),
        h(
          'span',
          { class: 'dl-hint' },
          `${this.offset + 1} to ${this.offset + videos.length} of ${of}, in the order of the work`,
        ),
        this.offset ? button('Before', () => turn(-PAGE)) : null,
        this.offset + videos.length < of ? button('More', () => turn(PAGE)) : null,
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
        rows,
      ),
    );
  }

  /**
   * @param {Object<string, Agreement>} agreement
   * @param {'rouge_l' | 'shared'} name
   */
  #mean(agreement, name) {
    const values = Object.values(agreement).map((both) => both[name]);
    return values.length ? share(values.reduce((sum, value) => sum + value, 0) / values.length) : '–';
  }

  /** @param {string} state */
  #tab(state) {
    return (
      { given: 'write', writing: 'write', returned: 'write', done: 'merge', merged: 'merge' }[state] ||
      'split'
    );
  }

  /** @param {number} by */
  #step(by) {
    const links = [...this.node.querySelectorAll('[aria-label=Videos] a')];
    const at = links.indexOf(/** @type {HTMLElement | null} */ (document.activeElement));
    links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus();
  }
}
