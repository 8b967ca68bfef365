// Elements that are made and filled by hand, for what is not a component. Text of models and users reaches the page
// through text nodes only, never as HTML.
import { iconMarkup } from './icons.js';

/** @typedef {Content[]} Contents */
/**
 * What stands in an element: lists are flattened, and null, undefined and false are left out.
 * @typedef {Node | string | number | boolean | null | undefined | Contents} Content
 */

/** @typedef {Object<string, any>} Attributes of an element: listeners and properties too */

/**
 * An element that holds HTML only, so that what is looked up in it is typed without a cast.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @typedef {{
 *   readonly children: HTMLCollectionOf<HTMLElement>,
 *   readonly firstElementChild: HTMLElement | null,
 *   readonly lastElementChild: HTMLElement | null,
 *   readonly nextElementSibling: HTMLElement | null,
 *   readonly previousElementSibling: HTMLElement | null,
 *   querySelector(selectors: string): HTMLElement | null,
 *   querySelectorAll(selectors: string): NodeListOf<HTMLElement>,
 * } & HTMLElementTagNameMap[Tag]} Made
 */

/**
 * @param {Content[]} children
 * @returns {(Node | string)[]} numbers among them become text where they are put in
 */
const shown = (children) =>
  /** @type {(Node | string)[]} */ (
    /** @type {unknown[]} */ (children)
      .flat(Infinity)
      .filter((c) => c !== null && c !== undefined && c !== false)
  );

/**
 * Creates an element. `on…` adds a listener, `style` takes an object, and a value that is not a string is set as a
 * property if the element has one.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Content} children
 * @returns {Made<Tag>}
 */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else if (name === 'style') Object.assign(node.style, value);
    else if (name in node && typeof value !== 'string') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...shown(children));
  return /** @type {Made<Tag>} */ (node);
}

/** @param {string} name */
export function icon(name) {
  const holder = document.createElement('span');
  holder.className = 'dl-icon';
  holder.innerHTML = iconMarkup(name);
  return holder;
}

/**
 * @param {string} state
 * @param {Content} [words] empty: the state is only heard
 */
export function mark(state, words = state) {
  return h(
    'span',
    { class: `dl-mark dl-is-${state}` },
    icon(state),
    words ? h('span', {}, words) : h('span', { class: 'dl-unseen' }, state),
  );
}

/**
 * `key` is shown beside the words; `name` is for style sheets and tests.
 * @param {Content} words
 * @param {(event: MouseEvent) => unknown} action
 * @param {{kind?: string, key?: string, title?: string, name?: string}} [options]
 */
export function button(words, action, { kind = '', key = '', title = '', name = '' } = {}) {
  return h(
    'button',
    {
      type: 'button',
      class: `dl-button ${kind ? `dl-button-${kind}` : ''}`,
      onclick: action,
      title: title || null,
      'data-name': name || null,
    },
    words,
    key ? h('kbd', {}, key) : null,
  );
}
