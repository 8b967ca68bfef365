// Small things that every page shows: icons, marks, badges, buttons, keys, choices. They keep nothing, so they are
// plain functions that give what a component draws.
import { showKey } from '../keys/keymap.js';
import { h } from './component.js';
import { iconMarkup } from '../parts/icons.js';

/** @typedef {import('./component.js').Children} Children */

/** @param {string} name of SHAPES; another gives an empty one */
export const icon = (name) =>
  h('span', { class: 'dl-icon', dangerouslySetInnerHTML: { __html: iconMarkup(name) } });

/**
 * A state as colour, shape and words; where `words` is empty, the state is only read aloud.
 * @param {string} state
 * @param {string} [words]
 * @param {string} [title]
 */
export const mark = (state, words = state, title = undefined) =>
  h(
    'span',
    { class: `dl-mark dl-is-${state}`, title },
    icon(state),
    words ? h('span', null, words) : h('span', { class: 'dl-unseen' }, state),
  );

/**
 * @param {Children} words
 * @param {string} [kind]
 * @param {string} [title]
 */
export const badge = (words, kind = '', title = undefined) =>
  h('span', { class: `dl-badge ${kind ? `dl-badge-${kind}` : ''}`, title }, words);

export const baselineBadge = () =>
  badge('baseline', 'baseline', 'made by the embedded baseline from measurements and speech, not by a model');

/** @param {...Children} words */
export const hint = (...words) => h('p', { class: 'dl-hint' }, words);

/**
 * What stands where there is nothing to show yet: why, and what to do about it.
 * @param {string} words
 * @param {...Children} more such as the button for it
 */
export const empty = (words, ...more) => h('div', { class: 'dl-empty' }, h('p', null, words), more);

export const toLibrary = (words = 'To the Library') =>
  h('a', { class: 'dl-button dl-button-main', href: '/' }, words);

/**
 * The key of a row of the keymap; it follows when the person changes it.
 * @param {string} id
 */
export const keyHint = (id) =>
  h('kbd', { 'data-key': id, ref: (node) => node && showKey(/** @type {HTMLElement} */ (node)) });

/**
 * `hint` is the row of the keymap whose key is shown; `name` is for style sheets and tests.
 * @param {Children} words
 * @param {(event: MouseEvent) => unknown} act
 * @param {{kind?: string, title?: string, name?: string, hint?: string, pressed?: boolean, disabled?: boolean, key?: string | number}} [options]
 */
export const button = (words, act, { kind = '', title, name, hint, pressed, disabled, key } = {}) =>
  h(
    'button',
    {
      key,
      type: 'button',
      class: `dl-button ${kind ? `dl-button-${kind}` : ''}`,
      title,
      'data-name': name,
      'aria-pressed': pressed,
      disabled,
      onClick: act,
    },
    words,
    hint ? keyHint(hint) : null,
  );

/**
 * One choice among several.
 * @param {string} label
 * @param {string[][]} options [value, words, title], or a value that is its own words
 * @param {string} chosen
 * @param {(value: string, select: HTMLSelectElement) => unknown} act
 * @param {string} [name] for style sheets and tests
 * @param {boolean} [disabled]
 */
export const choice = (label, options, chosen, act, name = undefined, disabled = false) =>
  h(
    'select',
    {
      class: 'dl-select',
      'aria-label': label,
      'data-name': name,
      disabled,
      value: chosen,
      onChange: (event) => act(event.currentTarget.value, event.currentTarget),
    },
    options.map(([value, words = value, title]) => h('option', { key: value, value, title }, words)),
  );

/**
 * A control with its label.
 * @param {string} words
 * @param {Children} control
 * @param {string} [kind] its class
 */
export const field = (words, control, kind = 'dl-field') =>
  h('label', { key: words, class: kind }, h('span', null, words), control);

/**
 * Whose words are shown, and who corrected them: the model, the reference, "written by ana". Words of a person in the
 * place of the baseline's are that person's.
 * @param {{author: string, person: string | null, model?: string, baseline?: boolean, corrected: boolean, corrected_by?: string}} text
 */
export function authorMarks(text) {
  if (text.baseline) return text.corrected ? correctedMark(text) : baselineBadge();
  const name = text.person ? `written by ${text.author}` : text.model || text.author;
  return [
    name ? badge(name, text.author === 'reference' ? 'reference' : '') : null,
    text.corrected ? correctedMark(text) : null,
  ];
}

/** @param {{corrected_by?: string, baseline?: boolean}} text */
export const correctedMark = ({ corrected_by: by, baseline }) =>
  mark(
    'corrected',
    by ? `corrected by ${by}` : 'corrected',
    baseline ? 'in the place of words by the embedded baseline' : undefined,
  );

/**
 * An element that is drawn without components, such as the editor of a text.
 * @param {Element} node
 * @param {boolean} [within] it is laid out as if it stood here without anything around it
 */
export const held = (node, within = false) =>
  h('div', {
    style: within ? { display: 'contents' } : undefined,
    ref: (host) => host && host.firstChild !== node && host.replaceChildren(node),
  });
