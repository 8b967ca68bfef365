// What the Verdicts page shows and in which order: the choices, the address that holds them, the query of the list.
import { batch, h, signal, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { button, choice } from '../../../lib/components/small_components.js';
import { among, VIDEO_SORTS } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { debounce } from '../../../lib/page/open_page.js';
import { aspectName } from '../../../lib/parts/words.js';
import { OneVideo } from './list_head.js';

/** @typedef {import('../../../lib/components/component.js').Children} Children */
/** @typedef {{facets?: Object<string, string[]>, blind?: boolean, sort: string, evaluation?: string}} Known what the server says there is to choose from */

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
/** @type {Object<string, string>} */
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
 * The route of a verdict, with the same question in the evaluations beside it.
 * @param {string} id
 */
export const verdictPath = (id) =>
  `/api/verdicts/${encodeURIComponent(id)}?${new URLSearchParams(beside().map((other) => ['with', other]))}`;

/** What the address holds of the filters. */
const inAddress = () =>
  Object.fromEntries([...IN_ADDRESS, ...MORE, 'only', 'sort'].map((name) => [name, address.get(name)]));

export class VerdictFilters {
  /** Whether the panel with more of them is open. */
  more = signal(false);
  /** What is typed of a category. */
  category = signal(address.get('category'));
  /** @type {import('../../../lib/components/component.js').Signal<Known>} */
  known = signal({ facets: {}, blind: false, sort: address.get('sort') || 'mean' });

  /**
   * @param {import('../../../lib/shell/top_bar.js').Frame} frame
   * @param {() => unknown} changed draws the list anew
   */
  constructor(frame, changed) {
    this.frame = frame;
    this.changed = changed;
    address.set({ only: address.get('only') || (address.get('qa') ? '' : address.get('video')) });
    this.chosen = signal(inAddress());
    this.categoryTyped = debounce(() => this.set({ category: this.category.value }), 250);
  }

  /** @param {Object<string, string>} values */
  set(values) {
    address.set({ qa: '', ...values });
    batch(() => {
      this.chosen.value = inAddress();
      if ('sort' in values) this.known.value = { ...this.known.value, sort: values.sort || 'mean' };
    });
    this.changed();
  }

  /**
   * Only the questions of one video; empty: of all.
   * @param {string} video
   */
  narrow(video) {
    address.set({ only: video });
    this.chosen.value = inAddress();
  }

  /**
   * The `n`th of the evaluations beside the one that is open.
   * @param {number} n
   * @param {string} id
   */
  compare(n, id) {
    const others = beside();
    others[n] = id;
    this.set({ with: others.filter(Boolean).join(','), qa: address.get('qa') });
  }

  clear() {
    const names = [...MORE, 'state', 'aspect', 'q', 'only', ...(address.get('only') ? ['video'] : [])];
    this.category.value = '';
    this.frame.search.value = '';
    this.set(Object.fromEntries(names.map((name) => [name, ''])));
  }

  /** @param {Known} page */
  show({ facets, blind, sort, evaluation }) {
    batch(() => {
      this.known.value = { facets: { ...this.known.value.facets, ...facets }, blind, sort, evaluation };
      this.chosen.value = inAddress();
    });
  }

  /** Of the list: everything but the page. The address holds it all, also what is not to be chosen from yet. */
  query() {
    const query = new URLSearchParams({ sort: among(SORTS, address.get('sort'), 'mean') });
    for (const name of IN_ADDRESS) if (address.get(name)) query.append(name, address.get(name));
    if (address.get('only')) query.append('video', address.get('only'));
    if (address.get('differs') && beside().length) query.append('differs', 'true');
    for (const id of beside()) query.append('with', id);
    return query;
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{filters: VerdictFilters}} props */
export function Filters({ filters }) {
  const chosen = filters.chosen.value;
  const more = filters.more.value;
  const set = MORE.filter((name) => chosen[name]).length;
  return h(
    'div',
    { class: 'dl-filters' },
    h(Select, { filters, label: 'Show', name: 'state', options: STATES }),
    h(Facet, { filters, label: 'Aspect', name: 'aspect' }),
    h(Select, { filters, label: 'Sort', name: 'sort', options: SORTS }),
    h(
      'button',
      {
        type: 'button',
        class: 'dl-button',
        'data-name': 'more-filters',
        'aria-expanded': more,
        onClick: () => {
          filters.more.value = !more;
        },
      },
      'filters',
      set ? h('b', null, ` · ${set}`) : null,
    ),
    chosen.only
      ? h(OneVideo, {
          widen: () => {
            filters.narrow('');
            filters.set({ video: '' });
          },
        })
      : null,
    h(MoreFilters, { filters, set }),
  );
}

/** @param {{filters: VerdictFilters, label: string, name: string, options: string[][]}} props */
function Select({ filters, label, name, options }) {
  const { blind, sort } = filters.known.value;
  const open = options
    .filter(([value]) => !blind || !BLIND[name] || BLIND[name].includes(value))
    .map(([value, words, title]) => [value, (blind && BLIND_WORDS[value]) || words, title]);
  const chosen = name === 'sort' ? sort : filters.chosen.value[name];
  /** @param {string} value */
  const set = (value) => filters.set({ [name]: name === 'sort' && value === 'mean' ? '' : value });
  return choice(label, open, among(open, chosen, open[0][0]), set, name);
}

/** @param {{filters: VerdictFilters, label: string, name: string}} props */
function Facet({ filters, label, name }) {
  const words = filters.known.value.facets[name] || [];
  const chosen = filters.chosen.value[name];
  return choice(
    label,
    [['', FACETS[name]], ...words.map((word) => [word, name === 'aspect' ? aspectName(word) : word])],
    words.find((word) => [word, word.replace(/^\w+:/, '')].includes(chosen)) ?? '',
    (value) => filters.set({ [name]: value }),
    name,
  );
}

/** @param {{filters: VerdictFilters, set: number}} props `set`: how many of them are */
function MoreFilters({ filters, set }) {
  const node = useRef(/** @type {HTMLDivElement | null} */ (null));
  const open = filters.more.value;
  useLayoutEffect(() => {
    if (open) /** @type {HTMLElement} */ (node.current.querySelector('select, input')).focus();
  }, [open]);
  const { facets, blind } = filters.known.value;
  const shown = blind ? BLIND.more : MORE;
  /** @type {(name: string, words: string, control: () => Children, there?: boolean) => Children} */
  const line = (name, words, control, there = true) =>
    there && shown.includes(name) ? h('label', { key: words }, h('span', null, words), control()) : null;
  return h(
    'div',
    { ref: node, class: 'dl-morefilters', hidden: !open },
    line('category', 'category', () => h(Category, { filters })),
    line(
      'source',
      'source',
      () => h(Facet, { filters, label: 'Source', name: 'source' }),
      facets.source?.length > 0,
    ),
    line(
      'discipline',
      'discipline',
      () => h(Facet, { filters, label: 'Discipline', name: 'discipline' }),
      facets.discipline?.length > 0,
    ),
    line('error_source', 'error source', () =>
      h(Select, { filters, label: 'Error source', name: 'error_source', options: WITH_ERROR_SOURCE }),
    ),
    line('flag', 'question', () => h(Select, { filters, label: 'Flag', name: 'flag', options: FLAGS })),
    shown.includes('with') ? h(Others, { filters }) : null,
    set ? button('Clear filters', () => filters.clear(), { kind: 'quiet', name: 'clear-filters' }) : null,
  );
}

/** @param {{filters: VerdictFilters}} props */
const Category = ({ filters }) =>
  h('input', {
    type: 'search',
    class: 'dl-input',
    placeholder: 'category',
    'aria-label': 'Category',
    value: filters.category.value,
    onInput: (event) => {
      filters.category.value = event.currentTarget.value;
      filters.categoryTyped();
    },
  });

/**
 * The evaluations beside the one that is open: up to two.
 * @param {{filters: VerdictFilters}} props
 */
function Others({ filters }) {
  const all = filters.frame.evaluation.all;
  const others = filters.chosen.value.with ? beside() : [];
  const chosen = [0, 1].map((n) => all.find(({ id }) => id === others[n])?.id || '');
  const lines = ['Second evaluation', 'Third evaluation'].slice(0, chosen[0] ? 2 : 1).map((label, n) => {
    const open = all.filter(({ id }) => id !== filters.known.value.evaluation && id !== chosen[1 - n]);
    const options = [['', 'none'], ...open.map(({ id, name }) => [id, name])];
    return open.length
      ? h(
          'label',
          { key: label },
          h('span', null, n ? 'and' : 'beside'),
          choice(label, options, chosen[n], (id) => filters.compare(n, id)),
        )
      : null;
  });
  return [
    lines,
    chosen[0]
      ? h(
          'label',
          { class: 'dl-check' },
          h('input', {
            type: 'checkbox',
            checked: Boolean(filters.chosen.value.differs),
            onChange: (event) => filters.set({ differs: event.currentTarget.checked ? '1' : '' }),
          }),
          h('span', null, 'only where they differ'),
        )
      : null,
  ];
}
