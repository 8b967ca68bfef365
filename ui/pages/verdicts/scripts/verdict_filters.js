// What the Verdicts page shows and in which order: the choices, the address that holds them, the query of the list.
import { h, signal, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { button, choice } from '../../../lib/components/small_components.js';
import { among, VIDEO_SORTS } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { debounce } from '../../../lib/page/open_page.js';
import { aspectName } from '../../../lib/parts/words.js';
import { ListFilters, OneVideo } from './list_filters.js';

/** @typedef {{facets?: Object<string, string[]>, blind?: boolean, evaluation?: string}} Known what the server says there is to choose from */

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
/** @type {Object<string, [label: string, options: string[][]]>} by name in the address; facets get theirs from the server too */
const CHOICES = {
  state: ['Show', STATES],
  aspect: ['Aspect', [['', 'all aspects']]],
  sort: ['Sort', SORTS],
  source: ['Source', [['', 'all sources']]],
  discipline: ['Discipline', [['', 'all disciplines']]],
  error_source: ['Error source', WITH_ERROR_SOURCE],
  flag: ['Flag', FLAGS],
};
/** Those below the others, with the words before them. */
const LINES = { source: 'source', discipline: 'discipline', error_source: 'error source', flag: 'question' };
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

/** @augments {ListFilters<Known>} */
export class VerdictFilters extends ListFilters {
  /** Whether the panel with more of them is open. */
  more = signal(false);
  /** What is typed of a category. */
  category = signal(address.get('category'));
  categoryTyped = debounce(() => this.set({ category: this.category.value }), 250);

  /**
   * @param {import('../../../lib/shell/top_bar.js').Frame} frame
   * @param {() => unknown} changed draws the list anew
   */
  constructor(frame, changed) {
    super('qa', [...IN_ADDRESS, ...MORE], {}, changed);
    this.frame = frame;
  }

  /**
   * [value, words, title] of what can be chosen.
   * @param {string} name of CHOICES
   */
  options(name) {
    const { blind, facets } = this.known.value;
    return CHOICES[name][1]
      .filter(([value]) => !blind || !BLIND[name] || BLIND[name].includes(value))
      .map(([value, words, title]) => [value, (blind && BLIND_WORDS[value]) || words, title])
      .concat((facets?.[name] || []).map((word) => [word, name === 'aspect' ? aspectName(word) : word]));
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
    ['state', 'aspect', 'sort'].map((name) => h(Select, { key: name, filters, name })),
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
    h(OneVideo, { filters }),
    h(MoreFilters, { filters, set }),
  );
}

/** @param {{filters: VerdictFilters, name: string}} props */
function Select({ filters, name }) {
  const options = filters.options(name);
  const otherwise = name === 'sort' ? 'mean' : '';
  const chosen = filters.chosen.value[name] || otherwise;
  // An address may name an aspect without its system.
  const [found] =
    options.find(([value]) => [value, value.replace(/^\w+:/, '')].includes(chosen)) || options[0];
  /** @param {string} value */
  const set = (value) => filters.set({ [name]: value === otherwise ? '' : value });
  return choice(CHOICES[name][0], options, found, set, name);
}

/** @param {{filters: VerdictFilters, set: number}} props `set`: how many of them are */
function MoreFilters({ filters, set }) {
  const node = useRef(/** @type {HTMLDivElement | null} */ (null));
  const open = filters.more.value;
  useLayoutEffect(() => {
    if (open) /** @type {HTMLElement} */ (node.current.querySelector('select, input')).focus();
  }, [open]);
  const shown = filters.known.value.blind ? BLIND.more : MORE;
  return h(
    'div',
    { ref: node, class: 'dl-morefilters', hidden: !open },
    h('label', null, h('span', null, 'category'), h(Category, { filters })),
    Object.entries(LINES)
      .filter(([name]) => shown.includes(name) && filters.options(name).length > 1)
      .map(([name, words]) =>
        h('label', { key: name }, h('span', null, words), h(Select, { filters, name })),
      ),
    shown.includes('with') && h(Others, { filters }),
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
    chosen[0] &&
      h(
        'label',
        { class: 'dl-check' },
        h('input', {
          type: 'checkbox',
          checked: Boolean(filters.chosen.value.differs),
          onChange: (event) => filters.set({ differs: event.currentTarget.checked ? '1' : '' }),
        }),
        h('span', null, 'only where they differ'),
      ),
  ];
}
