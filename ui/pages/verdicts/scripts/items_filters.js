// What the list of items shows and in which order: the choices, the address that holds them, the query of the list.
import { among, choice, fill, VIDEO_SORTS } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { h } from '../../../lib/parts/elements.js';

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

export class ItemFilters {
  /** @param {() => unknown} changed draws the list anew */
  constructor(changed) {
    this.changed = changed;
    this.onlyVideo = address.get('only') || (address.get('item') ? '' : address.get('video'));
    address.set({ only: this.onlyVideo });
    this.state = this.#select('Show', 'state', STATES);
    this.sort = this.#select('Sort', 'sort', SORTS, 'verdict');
    this.facets = h('div', { class: 'dl-filters-facets' });
    this.chip = h(
      'span',
      { class: 'dl-chip' },
      h('span', {}, 'one video'),
      h('button', { type: 'button', 'aria-label': 'Show all videos', onclick: () => this.narrow('') }, '×'),
    );
    this.node = h('div', { class: 'dl-filters' }, this.state, this.sort, this.facets, this.chip);
    this.chip.hidden = !this.onlyVideo;
  }

  /**
   * @param {string} label
   * @param {string} name in the address
   * @param {string[][]} options [value, words] of each
   * @param {string} [otherwise] the value where the address has none
   */
  #select(label, name, options, otherwise = '') {
    const set = (/** @type {string} */ value) => this.#set({ [name]: value === otherwise ? '' : value });
    return choice(label, options, address.get(name) || otherwise, set, name);
  }

  /** @param {Object<string, string>} values */
  #set(values) {
    address.set({ ...values, item: '' });
    this.changed();
  }

  /** @param {string} video its id; empty: all */
  narrow(video) {
    this.onlyVideo = video;
    address.set({ only: video });
    this.chip.hidden = !video;
    this.#set({ video });
  }

  clear() {
    address.set({ state: '', q: '', facet: '', item: '' });
    this.narrow('');
  }

  /**
   * What the server says there is to choose from.
   * @param {{counts: Object<string, number>, facets: Object<string, string[]>, blind: boolean, sort: string}} page
   */
  show({ counts, facets, blind, sort }) {
    const there = STATES.filter(([state]) => !state || counts[state] || state === address.get('state'));
    fill(this.state, blind ? BLIND : there, address.get('state'));
    fill(this.sort, blind ? SORTS.filter(([value]) => value === 'title') : SORTS, sort);
    const chosen = chosenFacets();
    this.facets.replaceChildren(
      ...Object.entries(facets).map(([name, values]) => {
        const others = () => chosenFacets().filter(([other]) => other !== name);
        const set = (/** @type {string} */ value) =>
          this.#set({
            facet: [...others(), ...(value ? [[name, value]] : [])].map((pair) => pair.join(':')).join('|'),
          });
        return choice(
          name,
          [['', `any ${name}`], ...values.map((value) => [value, value])],
          chosen.find(([other]) => other === name)?.[1],
          set,
          `facet-${name}`,
        );
      }),
    );
    this.facets.hidden = !Object.keys(facets).length;
  }

  query() {
    const query = new URLSearchParams({ sort: among(SORTS, address.get('sort'), 'verdict') });
    for (const name of ['state', 'q', 'evaluation'])
      if (address.get(name)) query.set(name, address.get(name));
    if (this.onlyVideo) query.set('video', this.onlyVideo);
    for (const pair of chosenFacets()) query.append('facet', pair.join(':'));
    return query;
  }
}

const chosenFacets = () =>
  address
    .get('facet')
    .split('|')
    .filter(Boolean)
    .map((pair) => {
      const [name, ...rest] = pair.split(':');
      return [name, rest.join(':')];
    });
