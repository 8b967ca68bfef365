// A table: its columns by their headings, the rows, and a line below them.
import { h } from './elements.js';

/** @typedef {import('./elements.js').Attributes} Attributes */
/** @typedef {import('./elements.js').Content} Content */

/** @type {(words: Content, title?: string) => HTMLElement} the heading of a column */
export const column = (words, title = '') => h('th', { scope: 'col', title: title || null }, words);

/**
 * @param {Attributes} attributes
 * @param {(string | HTMLElement)[]} heads of the columns: their words, or a cell
 * @param {Content} rows
 * @param {{caption?: string | HTMLElement, foot?: string}} [more] `caption`: as words it is heard alone; `foot`: one line
 *   below all columns
 */
export const table = (attributes, heads, rows, { caption, foot } = {}) =>
  h(
    'table',
    attributes,
    typeof caption === 'string' ? h('caption', { class: 'dl-unseen' }, caption) : caption,
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        heads.map((head) => (typeof head === 'string' ? column(head) : head)),
      ),
    ),
    h('tbody', {}, rows),
    foot
      ? h('tfoot', {}, h('tr', {}, h('td', { colspan: String(heads.length), class: 'dl-hint' }, foot)))
      : null,
  );
