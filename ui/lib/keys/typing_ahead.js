// People who know the keys type ahead. What is typed for a field that is being opened goes into a field of its own, and
// from there into the other one; keys that are pressed for what is on its way to the page wait for it in their order.
import { h } from '../parts/elements.js';
import { notice, Refused, report } from '../parts/notices.js';
import { sayIfFull, watchFullFields } from './full_fields.js';
import { composes, edits, isBrowsers, takesKeys, takesText, writes } from './key_owners.js';
import {
  endQuiet,
  endTyping,
  GONE,
  giveBack,
  isQuiet,
  keepLetters,
  lostField,
  refuseLetters,
  sayEarly,
  sayKept,
  sayLeft,
  swallow,
  swallowText,
  writesIn,
  writesOn,
} from './refused_letters.js';
import { stopAfter } from './tab_order.js';

const MODIFIERS = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock'];

const held = []; // {event}: a key, {text}: what was typed; `page`: it is a key of the page, not of the field
const replayed = new WeakSet();
let moves = { n: 0 }; // how many things are on their way to the page that is open
let opening = null; // {before}: the key that opens a field, while it does; `before` had the focus then
let composing = false;
let caughtFrom = null; // what had the focus before the catcher

// While a field is being opened, what is typed goes in here: plain, pasted, or composed by an input method.
const catcher = h('textarea', {
  class: 'dl-unseen',
  'data-catcher': '',
  'aria-label': 'Text for the field that is being opened',
  tabindex: '-1',
  autocomplete: 'off',
  spellcheck: 'false',
  oncompositionstart: () => {
    composing = true;
  },
  oncompositionend: () => {
    composing = false;
    drain();
  },
});

// --- what is on its way ---------------------------------------------------------------

/**
 * Something else is on its way to the page: keys that are pressed until it is here are meant for it, and wait in
 * their order. Where it does not come, they come to nothing.
 */
export async function onTheWay(move) {
  const mine = moves;
  mine.n += 1;
  try {
    return await move;
  } catch (error) {
    if (mine === moves) drop('');
    throw error;
  } finally {
    mine.n -= 1;
    if (mine === moves) drain();
  }
}

export const isMoving = () => moves.n > 0;

/**
 * The page is left: nothing is on its way to it any more, and what was typed for it is shown. Whoever had the caret in
 * one of its fields, as after the browser's Back, may be writing on.
 */
export function leaveKeys() {
  takeText();
  const words = held.splice(0).map(spelled).join('');
  moves = { n: 0 };
  opening = null;
  letGo();
  const field = /** @type {HTMLElement} */ (document.activeElement);
  writesOn(field);
  // The browser takes the focus from a page that is left with its next picture: keys until then would be lost.
  field.blur();
  if (words) sayLeft(words);
}

/** Whether what is typed now waits for a field that is being opened. */
export const isCatching = () => catcher.isConnected;

/** A key of the page that waits for what is on its way; after one that opens a field comes its text. */
export function hold(event, opens) {
  held.push({ event, page: true });
  if (opens) catchKeys();
}

/**
 * Runs what opens the field of `what`. Every key until the field has the caret is given to it then. `run` throws
 * where it cannot open it, and gives `true` where it did something else: then the keys are keys of the page.
 */
export async function openField(what, run) {
  const mine = { before: document.activeElement };
  opening = mine;
  try {
    const opened = run();
    if (isOpen(mine)) arrived();
    else if (opened?.then) catchKeys();
    const other = await opened;
    if (opening === mine && other !== true && !isOpen(mine)) stay(mine, what);
  } catch (error) {
    if (opening === mine) refuse(error);
    else report(error);
  } finally {
    if (opening === mine) arrived();
  }
}

/** For what opens a field late: `wanted()` is false once the person has turned to something else meanwhile. */
export function wanted() {
  const mine = opening;
  return () => !mine || opening === mine;
}

/**
 * Runs what leaves the text field that has the caret, such as "done, next". Whoever writes on in the same breath goes
 * on in that field where it is still there; where it is not, the letters run nothing.
 */
export async function leaveField(run) {
  const mine = { before: document.activeElement };
  opening = mine;
  try {
    const left = run();
    if (left?.then) catchKeys();
    await left;
  } catch (error) {
    report(error);
  }
  endTyping();
  if (opening !== mine) return;
  if (mine.before.isConnected && takesText(mine.before)) arrived();
  else {
    takeText();
    if (held.some(spelled)) refuse(new Refused(GONE));
    else arrived();
  }
}

/** Whoever wrote in a field that is still there goes on in it. */
function stay({ before }, what) {
  if (!before.isConnected || !takesText(before))
    throw new Refused(`There is nothing to write in here (“${what}”).`);
}

const isOpen = ({ before }) => takesKeys(document.activeElement) && document.activeElement !== before;

function arrived() {
  opening = null;
  drain();
}

/** The field is there while the rest of what opens it goes on; code that runs now may still set its selection. */
function focused({ target }) {
  if (takesText(target)) writesIn(target);
  const mine = opening;
  if (mine && isOpen(mine))
    queueMicrotask(() => {
      if (opening === mine) arrived();
    });
}

function catchKeys() {
  if (!catcher.isConnected) {
    caughtFrom = document.activeElement;
    document.querySelector('.dl-root').append(catcher);
  }
  catcher.focus({ preventScroll: true });
}

/** Nothing is caught any more; what had the focus has it again, where nothing else was given it. */
function letGo() {
  if (!catcher.isConnected) return;
  catcher.value = '';
  catcher.remove();
  if (document.activeElement === document.body && caughtFrom.isConnected)
    caughtFrom.focus({ preventScroll: true });
}

function takeText() {
  if (composing) catcher.blur(); // what an input method has composed so far was typed too
  if (catcher.value) held.push({ text: catcher.value });
  catcher.value = '';
}

/** Gives what was held to what has the focus now, as far as nothing new is on its way. */
function drain() {
  if (moves.n || opening || composing) return;
  takeText();
  letGo();
  let lost = '';
  while (held.length && !moves.n && !opening) lost += give(held.shift());
  if (held.length) catchKeys(); // one of them sent for something: what follows comes after the rest of them
  if (lost.trim()) notice(`Not written: “${lost}”`);
}

/**
 * Gives what it was of no use for. A letter may open something else: then the rest of the text waits for that. One that
 * was meant for the page is text where a key before it has opened a field.
 */
function give({ event, text, letter = '' }) {
  const target = focusHolder();
  const words = text || (writes(event) ? event.key : '');
  if (words && takesText(target)) insert(target, words);
  else if (text) held.unshift(...[...text].map((key) => ({ event: { key }, letter: key })));
  else if (!press(target, event)) return letter;
  return '';
}

/** What has the focus. A dialog that was closed a moment ago keeps it until the page is drawn anew. */
function focusHolder() {
  const node = /** @type {HTMLElement} */ (document.activeElement);
  if (node && !node.checkVisibility()) node.blur();
  return document.activeElement || document.body;
}

function insert(field, text) {
  sayIfFull(field, text); // a script's insertion is not announced by an event
  document.execCommand('insertText', false, text);
}

/**
 * The key once more: for the page or the form, else what the browser would have done with it; whether it did anything.
 * `seen`: it has been looked at before.
 */
function press(
  target,
  { key, code = '', ctrlKey = false, shiftKey = false, altKey = false, metaKey = false },
  { seen = true } = {},
) {
  const again = new KeyboardEvent('keydown', {
    key,
    code,
    ctrlKey,
    shiftKey,
    altKey,
    metaKey,
    bubbles: true,
    cancelable: true,
    composed: true,
  });
  if (seen) replayed.add(again);
  return !target.dispatchEvent(again) || doAsBrowser(target, again);
}

function doAsBrowser(target, { key, ctrlKey, metaKey, shiftKey, altKey }) {
  if (altKey) return false;
  if (key === 'Tab') stopAfter(target, shiftKey ? -1 : 1)?.focus();
  else if (!takesText(target)) return activate(target, key);
  else if (key === 'a' && (ctrlKey || metaKey)) target.select();
  else if (key === 'Enter' && target.matches('textarea')) insert(target, '\n');
  else if (key === 'Enter') target.form?.requestSubmit();
  return true;
}

function activate(target, key) {
  const clicks = key === ' ' ? 'button, a, summary, input' : key === 'Enter' ? 'button, a, summary' : null;
  if (clicks && target.matches(clicks)) target.click();
  else if (key === 'Enter' && target.matches('input')) target.form?.requestSubmit();
  else return false;
  return true;
}

// --- keys that come to nothing ----------------------------------------------------------

const spelled = ({ text, event, page }) => text ?? (!page && writes(event) ? event.key : '');

/** What was held is dropped, and given back; where it was text, it is shown unless `words` will show it. */
function drop(words) {
  takeText();
  const typed = held.map(spelled).join('');
  held.length = 0;
  opening = null;
  letGo();
  if (typed && !words) giveBack(typed);
  return typed;
}

/** Says why nothing can be typed, and takes the letters that follow until there is a pause; `letters` came before. */
export const refuse = (error, letters = '') => refuseLetters(error, drop(error.message) + letters);

// --- the keys themselves, before anything else sees them --------------------------------

function firstLook(event) {
  if (replayed.has(event) || !event.key || MODIFIERS.includes(event.key)) return;
  if (event.key === 'Escape') {
    forget(event);
    return;
  }
  if (hasFallen(event)) return;
  const gone = opening ? '' : lostField(event);
  if (gone) refuse(new Refused(gone));
  if (catcher.isConnected) caught(event);
  else if (isQuiet()) swallow(event);
  else endQuiet();
}

/**
 * What was closed or hidden a moment ago has the focus until the page is drawn anew, which a slow machine does late: a
 * key that comes before is none of its keys, but the page's. Gives whether it was such a key.
 */
function hasFallen(event) {
  if (catcher.isConnected || composes(event) || isBrowsers(event)) return false;
  if (event.target.checkVisibility?.() ?? true) return false;
  event.preventDefault();
  event.stopImmediatePropagation();
  press(focusHolder(), event, { seen: false });
  return true;
}

/** Esc: never mind. It is the key of the page then only where nothing was under way. */
function forget(event) {
  endTyping();
  endQuiet();
  if (!catcher.isConnected) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  drop('');
}

/** Text goes into the catcher, and is edited there, by itself; other keys wait for the field. */
function caught(event) {
  if (document.activeElement !== catcher) catcher.focus({ preventScroll: true });
  event.stopImmediatePropagation();
  if (event.repeat && writes(event)) {
    event.preventDefault();
    return;
  } // the key that opens it is still down
  if (composes(event) || writes(event) || isBrowsers(event) || (edits(event) && catcher.value)) return;
  event.preventDefault();
  takeText();
  held.push({ event });
}

/** Composed or pasted: no key tells of it. */
function written({ target }) {
  if (takesText(target)) writesIn(target);
}

export function watchKeys() {
  sayKept();
  sayEarly();
  watchFullFields();
  addEventListener('pagehide', () => {
    takeText();
    keepLetters(held.splice(0).map(spelled).join(''));
  });
  addEventListener('keydown', firstLook, true);
  addEventListener('focusin', focused, true);
  addEventListener('beforeinput', swallowText, true);
  addEventListener('input', written, true);
  addEventListener(
    'pointerdown',
    () => {
      endQuiet();
      if (catcher.isConnected) drop('');
      // Whoever clicks into what is being replaced, and types, means to write: the field is not there.
      if (isMoving()) writesIn(catcher);
      else endTyping();
    },
    true,
  );
}
