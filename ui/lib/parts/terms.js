// Words that not everybody knows, each with what it means: shown to who points at it, or comes to it with Tab.
import { h } from './elements_and_requests.js';

/** @type {Object<string, string>} */
const MEANING = {
  kappa:
    'Cohen’s kappa: how far two judges agree beyond what chance alone would give. 1 is always, 0 no more than chance.',
  ac1: 'Gwet’s AC1: agreement beyond chance, as kappa, but steady where nearly all verdicts are the same.',
  policy:
    'A rule (policy) says which verdicts are counted and how: each column is the rule of one peer, or of ours. Point at its name to read it.',
  ceiling:
    'What the reference captions themselves reach with the same questions and judge: no caption can be asked for more.',
};

/**
 * @param {string} name
 * @param {string} words as the page writes it
 */
export const term = (name, words) =>
  h('abbr', { class: 'dl-term', tabindex: '0', title: MEANING[name], 'data-means': MEANING[name] }, words);
