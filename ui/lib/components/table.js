// A table: its columns by their headings, the rows, and a line below them.
import { h } from './component.js';

/** @typedef {import('./component.js').Children} Children */
/** @typedef {import('./component.js').Drawn} Drawn */

/** @type {(words: Children, title?: string) => Drawn} the heading of a column */
export const column = (words, title = undefined) => h('th', { scope: 'col', title }, words);

/**
 * @param {{class: string, style?: Record<string, string>, 'aria-label'?: string}} attributes
 * @param {(string | Drawn)[]} heads of the columns: their words, or a cell
 * @param {Children} rows
 * @param {Drawn | string | null} [caption] as words it is only read aloud
 * @param {string} [foot] one line below all columns
 */
export const table = (attributes, heads, rows, caption = null, foot = '') =>
  h(
    'table',
    attributes,
    typeof caption === 'string' ? h('caption', { class: 'dl-unseen' }, caption) : caption,
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        heads.map((head) => (typeof head === 'string' ? column(head) : head)),
      ),
    ),
    h('tbody', null, rows),
    foot ? h('tfoot', null, h('tr', null, h('td', { colSpan: heads.length, class: 'dl-hint' }, foot))) : null,
  );
