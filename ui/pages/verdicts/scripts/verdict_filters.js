// What the Verdicts page shows and in which order: the choices, the address that holds them, the query of the list.
import { among, choice, fill, VIDEO_SORTS } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { debounce } from '../../../lib/page/open_page.js';
import { button, clear, h } from '../../../lib/parts/elements.js';
import { aspectName } from '../../../lib/parts/words.js';

const STATES = [
  ['', 'all'],
  ['open', 'open'],
  ['no', 'no'],
  ['yes', 'yes'],
  ['unparsed', 'unparsed'],
  ['failed', 'failed'],
  ['missing', 'missing'],
  ['stale', 'stale'],
  ['corrected', 'corrected'],
  ['confirmed', 'confirmed'],
  ['labelled', 'corrected or confirmed'],
  ['error_source', 'with error source'],
  ['disputed', 'people differ'],
  ['contradicts', 'contradicts itself'],
];
const SORTS = [
  ...VIDEO_SORTS,
  ['verdict', '“no” first, then by score'],
  ['newest', 'newest verdict first'],
  ['unsure', 'score in the middle (2 to 3)'],
  ['inconsistent', 'judge unsure (its repeats differ)'],
  ['differs', 'most different'],
];
/** [value, words] of each, in the order of their keys. */
export const ERROR_SOURCES = [
  ['caption_omits', 'caption omits it'],
  ['caption_wrong', 'caption is wrong'],
  ['extraction', 'extraction'],
  ['judge', 'judge'],
  ['question', 'question'],
];
const WITH_ERROR_SOURCE = [
  ['', 'any error source or none'],
  ['any', 'with one'],
  ['none', 'without one'],
  ...ERROR_SOURCES,
  ...ERROR_SOURCES.map(([value, words]) => [`proposed:${value}`, `proposed: ${words}`]),
  ['proposed:none', 'nothing proposed'],
];
const FLAGS = [
  ['', 'sound and flagged'],
  ['suspect', 'flagged or excluded'],
  ['excluded', 'excluded'],
  ['sound', 'sound only'],
];
const MORE = ['category', 'source', 'discipline', 'error_source', 'flag', 'differs', 'with'];
const IN_ADDRESS = [
  'state',
  'aspect',
  'q',
  'evaluation',
  'category',
  'source',
  'discipline',
  'error_source',
  'flag',
];
const FACETS = { aspect: 'all aspects', source: 'all sources', discipline: 'all disciplines' };
const BLIND = {
  state: ['', 'open', 'corrected'],
  sort: ['title'],
  more: ['category', 'source', 'discipline'],
};
const BLIND_WORDS = { corrected: 'labelled by me', open: 'not labelled yet' };

/** The evaluations that are shown beside the one that is open. */
export const beside = () =>
  address
    .get('with')
    .split(',')
    .filter((id) => id && id !== address.get('evaluation'))
    .slice(0, 2);

/**
 * @typedef {import('../../../lib/parts/elements.js').Made<'select'> & {options_: string[][], otherwise: string}} Choice
 *   with all options, also those that are not shown
 */

export class VerdictFilters {
  /**
   * @param {import('../../../lib/shell/top_bar.js').Frame} frame
   * @param {() => unknown} changed draws the list anew
   */
  constructor(frame, changed) {
    this.frame = frame;
    this.changed = changed;
    this.blind = false;
    this.state = this.#select('Show', STATES, 'state');
    this.sort = this.#select('Sort', SORTS, 'sort', 'mean');
    this.aspect = this.#select('Aspect', [['', FACETS.aspect]], 'aspect');
    this.source = this.#select('Source', [['', FACETS.source]], 'source');
    this.discipline = this.#select('Discipline', [['', FACETS.discipline]], 'discipline');
    this.errorSource = this.#select('Error source', WITH_ERROR_SOURCE, 'error_source');
    this.flag = this.#select('Flag', FLAGS, 'flag');
    this.category = h('input', {
      type: 'search',
      class: 'dl-input',
      placeholder: 'category',
      'aria-label': 'Category',
      value: address.get('category'),
      oninput: debounce(() => this.#set({ category: this.category.value }), 250),
    });
    this.differs = h('input', {
      type: 'checkbox',
      checked: Boolean(address.get('differs')),
      onchange: () => this.#set({ differs: this.differs.checked ? '1' : '' }),
    });
    this.others = [0, 1].map((n) =>
      choice(n ? 'Third evaluation' : 'Second evaluation', [['', 'none']], '', () =>
        this.#set({ with: this.others.flatMap(({ value }) => value || []).join(','), qa: address.get('qa') }),
      ),
    );
    this.onlyVideo = address.get('only') || (address.get('qa') ? '' : address.get('video'));
    address.set({ only: this.onlyVideo });
    this.chip = h(
      'span',
      { class: 'dl-chip' },
      h('span', {}, 'one video'),
      h(
        'button',
        {
          type: 'button',
          'aria-label': 'Show all videos',
          onclick: () => {
            this.narrow('');
            this.#set({ video: '' });
          },
        },
        '×',
      ),
    );
    this.moreButton = h('button', {
      type: 'button',
      class: 'dl-button',
      'data-name': 'more-filters',
      'aria-expanded': 'false',
      onclick: () => this.#toggle(),
    });
    this.panel = h('div', { class: 'dl-morefilters', hidden: true });
    this.node = h(
      'div',
      { class: 'dl-filters' },
      this.state,
      this.aspect,
      this.sort,
      this.moreButton,
      this.chip,
      this.panel,
    );
    frame.evaluation.onchange(() => this.#drawOthers());
    this.#draw();
  }

  /**
   * @param {string} label
   * @param {string[][]} options [value, words] of each
   * @param {string} name in the address
   * @param {string} [otherwise] the value where the address has none
   */
  #select(label, options, name, otherwise = '') {
    const set = (/** @type {string} */ value) => this.#set({ [name]: value === otherwise ? '' : value });
    const select = choice(label, options, address.get(name) || otherwise, set, name);
    return Object.assign(select, { options_: options, otherwise });
  }

  /** @param {Object<string, string>} values */
  #set(values) {
    address.set({ qa: '', ...values });
    this.#draw();
    this.changed();
  }

  /**
   * Only the questions of one video; empty: of all.
   * @param {string} video
   */
  narrow(video) {
    this.onlyVideo = video;
    address.set({ only: video });
    this.#draw();
  }

  #toggle() {
    this.panel.hidden = !this.panel.hidden;
    this.moreButton.setAttribute('aria-expanded', String(!this.panel.hidden));
    if (!this.panel.hidden) this.panel.querySelector('select, input').focus();
  }

  #draw() {
    this.chip.hidden = !this.onlyVideo;
    const set = MORE.filter((name) => address.get(name)).length;
    clear(this.moreButton, 'filters', set ? h('b', {}, ` · ${set}`) : '');
    this.#drawOthers();
    const line = (words, ...nodes) => h('label', {}, h('span', {}, words), ...nodes);
    const open = this.blind ? BLIND.more : MORE;
    const lines = {
      category: line('category', this.category),
      source: this.source.options.length > 1 ? line('source', this.source) : null,
      discipline: this.discipline.options.length > 1 ? line('discipline', this.discipline) : null,
      error_source: line('error source', this.errorSource),
      flag: line('question', this.flag),
      with:
        this.others[0].options.length > 1
          ? [
              line('beside', this.others[0]),
              this.others[1].options.length > 1 ? line('and', this.others[1]) : null,
            ]
          : null,
      differs: this.others[0].value
        ? h('label', { class: 'dl-check' }, this.differs, h('span', {}, 'only where they differ'))
        : null,
    };
    if (!this.panel.contains(document.activeElement) || this.drawnOthers !== address.get('with')) {
      clear(
        this.panel,
        ['category', 'source', 'discipline', 'error_source', 'flag', 'with', 'differs']
          .filter((name) => open.includes(name))
          .map((name) => lines[name]),
        set ? button('Clear filters', () => this.clear(), { kind: 'quiet', name: 'clear-filters' }) : null,
      );
      this.drawnOthers = address.get('with');
    }
  }

  #drawOthers() {
    const chosen = beside();
    const picker = /** @type {HTMLSelectElement} */ (this.frame.evaluation.node.querySelector('select'));
    const now = picker.value;
    this.others.forEach((select, n) => {
      const open = this.frame.evaluation.all.filter((e) => e.id !== now && e.id !== chosen[1 - n]);
      const words = n && !chosen[0] ? [] : open;
      fill(select, [['', 'none'], ...words.map((e) => [e.id, e.name])], chosen[n] || '');
    });
  }

  clear() {
    const names = [...MORE, 'state', 'aspect', 'q', 'qa', 'only', ...(this.onlyVideo ? ['video'] : [])];
    address.set(Object.fromEntries(names.map((name) => [name, ''])));
    this.onlyVideo = '';
    for (const select of [this.state, this.aspect, this.source, this.discipline, this.errorSource, this.flag])
      select.value = '';
    this.category.value = '';
    this.differs.checked = false;
    this.frame.search.value = '';
    this.#draw();
    this.changed();
  }

  /**
   * What the server says there is to choose from, and whether this person is blind.
   * @param {{facets?: Object<string, string[]>, blind?: boolean, sort: string}} page
   */
  show({ facets, blind, sort }) {
    for (const [name, all] of Object.entries(FACETS))
      if (facets?.[name])
        fill(
          this[name],
          [['', all], ...facets[name].map((word) => [word, name === 'aspect' ? aspectName(word) : word])],
          facets[name].find((word) => [word, word.replace(/^\w+:/, '')].includes(address.get(name))) ?? '',
        );
    this.blind = Boolean(blind);
    for (const name of ['state', 'sort']) {
      const options = this[name].options_
        .filter(([value]) => !blind || BLIND[name].includes(value))
        .map(([value, words]) => [value, (blind && BLIND_WORDS[value]) || words]);
      fill(this[name], options, name === 'sort' ? sort : address.get(name));
    }
    this.#draw();
  }

  /** Of the list: everything but the page. The address holds it all, also what is not to be chosen from yet. */
  query() {
    const query = new URLSearchParams({ sort: among(SORTS, address.get('sort'), this.sort.otherwise) });
    for (const name of IN_ADDRESS) if (address.get(name)) query.append(name, address.get(name));
    if (this.onlyVideo) query.append('video', this.onlyVideo);
    if (address.get('differs') && beside().length) query.append('differs', 'true');
    for (const id of beside()) query.append('with', id);
    return query;
  }
}
