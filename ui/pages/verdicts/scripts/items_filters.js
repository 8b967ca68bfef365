// What the list of items shows and in which order: the choices, the address that holds them, the query of the list.
import { h } from '../../../lib/components/component.js';
import { choice } from '../../../lib/components/small_components.js';
import { among, VIDEO_SORTS } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { ListFilters, OneVideo } from './list_filters.js';

/** @typedef {{counts: Object<string, number>, facets: Object<string, string[]>, blind?: boolean}} Known what the server says there is to choose from */

const STATES = [
  ['', 'all'],
  ['open', 'open'],
  ['flagged', 'flagged'],
  ['no', 'wrong'],
  ['yes', 'right'],
  ['neutral', 'neutral'],
  ['contradiction', 'contradicted'],
  ['entailment', 'entailed'],
  ['unparsed', 'unparsed'],
  ['failed', 'failed'],
  ['missing', 'missing'],
  ['corrected', 'corrected'],
  ['confirmed', 'confirmed'],
  ['stale', 'stale'],
];
const BLIND = [
  ['', 'all'],
  ['open', 'not labelled yet'],
  ['corrected', 'labelled by me'],
];
const SORTS = [
  ['verdict', 'lowest verdict first'],
  ...VIDEO_SORTS.filter(([sort]) => ['mean', 'title'].includes(sort)),
];

/** @param {string} text @returns {string[][]} [name, value] of each */
const facetsIn = (text) =>
  text
    .split('|')
    .filter(Boolean)
    .map((pair) => {
      const [name, ...rest] = pair.split(':');
      return [name, rest.join(':')];
    });

/** @augments {ListFilters<Known>} */
export class ItemFilters extends ListFilters {
  /** @param {() => unknown} changed draws the list anew */
  constructor(changed) {
    super('item', ['state', 'facet'], { counts: {}, facets: {} }, changed);
  }

  clear() {
    this.set({ state: '', q: '', facet: '', only: '', video: '' });
  }

  query() {
    const query = new URLSearchParams({ sort: among(SORTS, address.get('sort'), 'verdict') });
    for (const name of ['state', 'q', 'evaluation'])
      if (address.get(name)) query.set(name, address.get(name));
    if (address.get('only')) query.set('video', address.get('only'));
    for (const pair of facetsIn(address.get('facet'))) query.append('facet', pair.join(':'));
    return query;
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{filters: ItemFilters}} props */
export function Filters({ filters }) {
  const { counts, facets, blind } = filters.known.value;
  const { state, facet, sort } = filters.chosen.value;
  const states = blind ? BLIND : STATES.filter(([value]) => !value || counts[value] || value === state);
  const sorts = blind ? SORTS.filter(([value]) => value === 'title') : SORTS;
  const chosen = facetsIn(facet);
  /** @type {(name: string, value: string) => string} the address with another choice of one facet */
  const withFacet = (name, value) =>
    [...chosen.filter(([other]) => other !== name), ...(value ? [[name, value]] : [])]
      .map((pair) => pair.join(':'))
      .join('|');
  return h(
    'div',
    { class: 'dl-filters' },
    choice('Show', states, among(states, state, ''), (value) => filters.set({ state: value }), 'state'),
    choice(
      'Sort',
      sorts,
      among(sorts, sort || 'verdict', sorts[0][0]),
      (value) => filters.set({ sort: value === 'verdict' ? '' : value }),
      'sort',
    ),
    h(
      'div',
      { class: 'dl-filters-facets', hidden: !Object.keys(facets).length },
      Object.entries(facets).map(([name, values]) =>
        choice(
          name,
          [['', `any ${name}`], ...values.map((value) => [value, value])],
          chosen.find(([other, value]) => other === name && values.includes(value))?.[1] || '',
          (value) => filters.set({ facet: withFacet(name, value) }),
          `facet-${name}`,
        ),
      ),
    ),
    h(OneVideo, { filters }),
  );
}
