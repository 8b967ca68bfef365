// Parts of the panel of an item on Verdicts, and what the panel and the module of a system expect of each other.
import { h, mark } from './elements.js';

/** @typedef {import('./elements.js').Content} Content */
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
 * @property {{can: (action: string) => boolean}} page
 * @property {string} openWord the id of the word that was chosen last, for an item with words
 * @property {(make: (item: Item) => ItemChange | '' | null) => Promise<void>} send saves a correction
 */

/**
 * @typedef {Object} Drawn the evidence on an item, and what its system does itself
 * @property {Content} nodes above what counts
 * @property {Content} [below]
 * @property {boolean} [corrects] it has its own form in `nodes`
 * @property {(n: number) => void} [number]
 * @property {(by: number) => void} [step]
 * @property {() => Promise<void>} [save]
 * @property {() => HTMLElement | null} [field] of its own form, for the key that opens it
 */

/**
 * @typedef {Object} ItemSystem a module items_NAME.js
 * @property {(item: Item, panel: Panel) => Drawn | Content[]} draw
 * @property {string} [counts] the heading of what counts
 * @property {(row: ItemLine) => {label: string}} [row]
 * @property {(item: Item) => Content} [verdict]
 * @property {(item: Item) => {question: string, answer: string}} [asked] the words by which frames are searched
 */

/** @type {(name: Content, content: Content, tools?: Content) => HTMLElement} */
export const part = (name, content, tools = null) =>
  h('section', { class: 'dl-part' }, h('h2', {}, name, h('span', { class: 'dl-grow' }), tools), content);

/**
 * A text with the places [[from, to], ...] marked; places are counted in code points.
 * @param {string} text
 * @param {number[][] | null} spans
 */
export function markedText(text, spans, attributes = {}) {
  const points = [...text];
  /** @type {Content[]} */
  const out = [];
  let at = 0;
  for (const [from, to] of spans || []) {
    out.push(points.slice(at, from).join(''), h('mark', attributes, points.slice(from, to).join('')));
    at = to;
  }
  return [...out, points.slice(at).join('')];
}

/**
 * What the model replied, with what was read of it marked.
 * @param {Pick<Item, 'reply' | 'spans'>} detail
 */
export function replyPart(detail, words = 'reply') {
  const { reply, spans } = detail;
  if (reply?.state !== 'done')
    return part(words, h('p', { class: 'dl-hint' }, mark('missing', 'no reply in the file')));
  return part(
    words,
    h('p', { class: 'dl-caption dl-reply' }, markedText(reply.value, spans, { title: 'what was read' })),
  );
}
