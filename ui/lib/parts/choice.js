// One choice among several: a list that opens, with its label.
import { h } from './core.js';

/**
 * Shows these options; the first is chosen where `chosen` is none of them.
 * @param {HTMLSelectElement} select
 * @param {(string | number)[][]} options [value, words] of each
 * @param {string | number} chosen
 */
export function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, words]) => h('option', { value }, words)));
  select.value = String(chosen);
  if (select.selectedIndex < 0) select.selectedIndex = 0;
}

/**
 * @param {string} label
 * @param {(string | number)[][]} options [value, words] of each
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
 * @param {string} words
 * @param {HTMLElement} control
 */
export const field = (words, control) => h('label', { class: 'dl-field' }, h('span', {}, words), control);
