// A table: its columns by their headings, and the rows.
import { h } from './component.js';

/** @typedef {import('./component.js').Children} Children */
/** @typedef {import('./component.js').Drawn} Drawn */

/** @type {(words: Children, title?: string) => Drawn} the heading of a column */
export const column = (words, title = undefined) => h('th', { scope: 'col', title }, words);

/**
 * @param {{class: string, style?: Record<string, string>, 'aria-label'?: string}} attributes
 * @param {(string | Drawn)[]} heads of the columns: their words, or a cell
 * @param {Children} rows
 * @param {Drawn | null} [caption]
 */
export const table = (attributes, heads, rows, caption = null) =>
  h(
    'table',
    attributes,
    caption,
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
  );
