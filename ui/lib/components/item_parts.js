// Parts of the panel of a verdict or an item, and what the panel of an item and the module of its system expect of each
// other.
import { h } from './component.js';
import { hint, keyHint, mark } from './small_components.js';

/** @typedef {import('./component.js').Children} Children */
/** @typedef {import('../wire.d.ts').components['schemas']} Schemas */
/** @typedef {Schemas['ItemRow']} ItemLine */
/**
 * Items of all systems: the types whose `of` names the system (`ItemSource.wire` in ui/lib/item_sources.py).
 * @typedef {{[Name in keyof Schemas]: Schemas[Name] extends {of: string, base_revision: number, choices: object[]} ? Schemas[Name] : never}[keyof Schemas]} SystemItem
 */
/** @typedef {SystemItem & {baseline?: boolean}} Item */
/** @typedef {{target?: string, base_revision?: number, value?: string, reason?: string, cleared?: boolean}} ItemChange */

/**
 * @typedef {Object} Panel the panel of an item, for the module of its system
 * @property {boolean} canEdit
 * @property {{can: (action: string) => boolean, pane: HTMLElement}} page `pane` is where it is drawn
 * @property {import('./component.js').Signal<string>} openWord the id of the word that was chosen last, for an item with words
 * @property {import('./component.js').Signal<Object<string, string>>} typed what is typed in fields of the system, by a name of its own
 * @property {(make: (item: Item) => ItemChange | '' | null) => Promise<void>} send saves a correction
 */

/**
 * @typedef {Object} Drawn the evidence on an item, and what its system does itself
 * @property {Children} nodes above what counts
 * @property {Children} [below]
 * @property {boolean} [corrects] it has its own form in `nodes`
 * @property {(n: number) => void} [number]
 * @property {(by: number) => void} [step]
 * @property {() => Promise<void>} [save]
 * @property {string} [field] of its own form, as a selector, for the key that opens it
 */

/**
 * @typedef {Object} ItemSystem a module items_NAME.js; what it draws follows the signals that it reads
 * @property {(item: Item, panel: Panel) => Drawn | Children[]} draw
 * @property {string} [counts] the heading of what counts
 * @property {(row: ItemLine) => {label: string}} [row]
 * @property {(item: Item) => Children} [verdict]
 * @property {(item: Item) => {question: string, answer: string}} [asked] the words by which frames are searched
 */

/** @type {(name: Children, content: Children, tools?: Children) => import('./component.js').Drawn} */
export const part = (name, content, tools = null) =>
  h('section', { class: 'dl-part' }, h('h2', null, name, h('span', { class: 'dl-grow' }), tools), content);

/**
 * One of several choices that stand side by side; `of` is the row of the keymap whose key takes it.
 * @param {{of: string, value?: string, pressed: boolean, act: () => unknown, kind?: string, title?: string, disabled?: boolean, children?: Children}} props
 */
export const ChoiceButton = ({ of, value, pressed, act, kind = '', title, disabled = false, children }) =>
  h(
    'button',
    {
      type: 'button',
      class: `dl-choice ${kind}`,
      'aria-pressed': pressed,
      'data-value': value,
      title,
      disabled,
      onClick: act,
    },
    keyHint(of),
    children,
  );

/**
 * A text with the places [[from, to], ...] marked; places are counted in code points.
 * @param {string} text
 * @param {number[][] | null} spans
 * @param {string} title of the marks
 */
export function markedText(text, spans, title) {
  const points = [...text];
  /** @type {Children[]} */
  const out = [];
  let at = 0;
  for (const [from, to] of spans || []) {
    out.push(points.slice(at, from).join(''), h('mark', { title }, points.slice(from, to).join('')));
    at = to;
  }
  return [...out, points.slice(at).join('')];
}

/**
 * What the model replied, with what was read of it marked.
 * @param {Pick<Item, 'reply' | 'spans'>} detail
 */
export const replyPart = ({ reply, spans }) =>
  part(
    'reply',
    reply?.state === 'done'
      ? h('p', { class: 'dl-caption dl-reply' }, markedText(reply.value, spans, 'what was read'))
      : hint(mark('missing', 'no reply in the file')),
  );
