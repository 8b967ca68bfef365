// What stands where there is nothing to show yet.
import { h } from './elements.js';

/** @typedef {import('./elements.js').Content} Content */

/**
 * @param {Content} words why there is nothing, and what to do about it
 * @param {...Content} more such as the button for it
 */
export const empty = (words, ...more) => h('div', { class: 'dl-empty' }, h('p', {}, words), more);

export const toLibrary = (words = 'To the Library') =>
  h('a', { class: 'dl-button dl-button-main', href: '/' }, words);
