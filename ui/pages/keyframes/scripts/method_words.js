// How methods, their reasons and the verdicts on neighbours are called on the Keyframes page.
import { h } from '../../../lib/components/component.js';
import { icon, mark } from '../../../lib/components/small_components.js';
import { frameName } from '../../../lib/parts/words.js';

/** @typedef {import('./keyframes_state.js').Pair} Pair */
/** @typedef {import('./keyframes_state.js').MethodRow} MethodRow */

/** @type {Object<string, string>} */
export const METHODS = {
  progression:
    'A frame is kept when the action has moved on since the frame before it; the first is always kept.',
  'as judged': 'What the judge’s own verdicts would keep, without people’s corrections.',
  uniform: 'The middles of equal stretches.',
  clusters:
    'One frame per group of frames that look alike (k-means; its own number of groups is 3 to 6, by silhouette).',
};

/**
 * The verdict on a pair of neighbours: yes, no, uncertain, or why there is none.
 * @param {Pair | undefined} pair
 */
export function pairMark(pair) {
  if (!pair) return mark('missing', 'none');
  if (pair.state !== 'done' && !pair.by) return mark(pair.state);
  const label = mark({ yes: 'yes', no: 'no' }[pair.label] || 'neutral', pair.label);
  return pair.by
    ? h('span', { class: 'dl-kf-put' }, icon(pair.confirmed ? 'confirmed' : 'corrected'), label)
    : label;
}

/** @param {boolean} kept */
export const keepWords = (kept) => (kept ? mark('done', 'kept') : mark('missing', 'dropped'));

/**
 * `frame 30` of a reason as people read it.
 * @param {string | undefined} why
 */
export const readable = (why) => why?.replace(/frame (\d+)/g, (_, i) => frameName(Number(i)));

/**
 * What a row is called, of METHODS or by a person.
 * @param {MethodRow} row
 */
export const methodOf = (row) => (row.key === 'as judged' ? row.key : row.method);
