// One choice among several: a list that opens, with its label.
import { h } from './elements.js';

/** @typedef {string | (string | number)[]} Option [value, words, title], or a value that is its own words */

/**
 * Shows these options; the first is chosen where `chosen` is none of them.
 * @param {HTMLSelectElement} select
 * @param {Option[]} options
 * @param {string | number} chosen
 */
export function fill(select, options, chosen) {
  select.replaceChildren(
    ...options.map((option) => {
      const [value, words = value, title = null] = [option].flat();
      return h('option', { value, title }, words);
    }),
  );
  select.value = String(chosen);
  if (select.selectedIndex < 0) select.selectedIndex = 0;
}

/**
 * @param {string} label
 * @param {Option[]} options
 * @param {string | number} [chosen]
 * @param {(value: string) => unknown} [act] when a person has chosen
 * @param {string} [name] for style sheets and tests
 */
export function choice(label, options, chosen = '', act = null, name = '') {
  const select = h('select', {
    class: 'dl-select',
    'aria-label': label,
    'data-name': name || null,
    onchange: () => act?.(select.value),
  });
  fill(select, options, chosen);
  return select;
}

/**
 * The value where it is one of the options, else `otherwise`: an address may hold one of an earlier version.
 * @param {string[][]} options
 * @param {string} value
 * @param {string} otherwise
 */
export const among = (options, value, otherwise) =>
  options.some(([one]) => one === value) ? value : otherwise;

/** Orders of videos, the same on every page: `annotation/store/verdicts/video_order.py`. */
export const VIDEO_SORTS = [
  ['need', 'needs review first', 'videos of which a stage failed, then the lowest mean'],
  ['mean', 'lowest mean first', 'the video with the lowest mean score of its verdicts first'],
  ['aspect', 'lowest aspect first', 'the video with the lowest mean of an aspect first'],
  ['title', 'by title'],
];

/**
 * [value, words] of evaluations.
 * @param {{id: string, name: string, baseline: boolean}[]} evaluations
 */
export const named = (evaluations) =>
  evaluations.map(({ id, name, baseline }) => [
    id,
    baseline && !name.includes('baseline') ? `${name} (baseline)` : name,
  ]);
