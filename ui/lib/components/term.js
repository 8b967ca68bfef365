// A word that not everybody knows, with what it means: shown to who points at it, or comes to it with Tab.
import { meaningOf } from '../parts/terms.js';
import { h } from './component.js';

/**
 * @param {string} name one of terms.js
 * @param {string} words as the page writes it
 */
export const term = (name, words) =>
  h('abbr', { class: 'dl-term', tabIndex: 0, title: meaningOf(name), 'data-means': meaningOf(name) }, words);
