// An event of the reference, and the caption in which it was looked for.
import { h } from '../../../lib/components/component.js';
import { part } from '../../../lib/components/item_parts.js';

export const counts = 'event';

export function draw(d) {
  return [
    part('event', h('p', { class: 'dl-toy-event' }, d.event)),
    part('caption', h('p', { class: 'dl-caption' }, d.caption)),
    d.hidden ? null : part('reason', h('p', null, d.reason)),
  ];
}
