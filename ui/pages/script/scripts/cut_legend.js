// A line as it stands on the lane of scenes, with its word.
import { h } from '../../../lib/components/component.js';

/** @param {{kind: string, words: string}} props */
export const Legend = ({ kind, words }) =>
  h(
    'span',
    { class: 'dl-cutlegend' },
    h('i', { class: `dl-cut dl-cut-${kind}`, 'aria-hidden': true }),
    words,
  );
