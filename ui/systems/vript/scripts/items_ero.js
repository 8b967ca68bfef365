// Vript-ERO: three scenes in a shuffled order, the order that was read out of the reply, and the right one.
import { h } from '../../../lib/components/component.js';
import { badge, hint, mark } from '../../../lib/components/small_components.js';
import { part, replyPart } from '../../../lib/components/item_parts.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['OrderItem']} Item */

export const counts = 'order';

/** @param {Item} d */
export const verdict = (d) => {
  if (!d.label || d.label === 'none')
    return mark(d.state === 'done' ? 'missing' : d.state, d.label === 'none' ? 'names no order' : d.state);
  return [
    mark(
      d.flag ? 'flagged' : d.answer ? (d.label === d.answer ? 'yes' : 'no') : 'done',
      [...d.label].join(' '),
    ),
    d.answer && d.hits !== null && h('span', null, `${d.hits} of 3 in place`),
  ];
};

/** @param {Item} d */
export function draw(d) {
  const nodes = [
    scenes(d),
    d.answer && part('right order', h('p', { class: 'dl-order' }, letters(d.answer))),
    d.hidden
      ? null
      : part(
          'read',
          compared(d),
          badge(d.rule === 'scene' ? 'first three “Scene (X)”' : 'first three capital letters'),
        ),
  ];
  return { nodes, below: replyPart(d) };
}

/** @param {Item} d */
function scenes(d) {
  const each = Object.entries(d.scenes || {});
  if (!each.length) return d.question ? part('scenes', h('p', { class: 'dl-caption' }, d.question)) : null;
  return part(
    'scenes, as they were shown',
    h(
      'ol',
      { class: 'dl-scenes-shown' },
      each.map(([letter, words]) => h('li', null, h('b', null, letter), h('span', null, words))),
    ),
  );
}

/** @param {string} order */
const letters = (order) => [...order].map((letter) => h('b', { class: 'dl-slot' }, letter));

/**
 * The machine's reading, place by place: a shape says whether it is right.
 * @param {Item} d
 */
function compared(d) {
  const order = d.machine?.label || '';
  if (!order) return hint(mark('unparsed', 'no order can be read out of the reply'));
  return [
    h(
      'p',
      { class: 'dl-order' },
      [...order].map((letter, n) =>
        h(
          'b',
          {
            class: `dl-slot ${d.answer ? (letter === d.answer[n] ? 'dl-slot-right' : 'dl-slot-wrong') : ''}`,
          },
          letter,
          d.answer && h('span', { class: 'dl-unseen' }, letter === d.answer[n] ? ' right' : ' wrong'),
        ),
      ),
    ),
    d.machine_flag && d.corrected && hint(mark('flagged', d.machine_flag)),
  ];
}
