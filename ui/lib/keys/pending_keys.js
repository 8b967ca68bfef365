// Keys that are pressed before the thing that they are meant for is there. They are kept in their order and given to it
// as if they were pressed then: text is inserted into the field, so that its undo and its autosave see it. Where the
// field cannot be opened, the reason is shown with what was typed, and the letters that follow run nothing.
import { shelf } from '../page/browser_storage.js';
import { h } from '../parts/elements.js';
import { keepNotice, notice, Refused, report } from '../parts/notices.js';
import { stated } from '../requests/requests.js';
import { BREATH_MS, sayIfFull, watchFullFields } from './full_fields.js';
import { stopAfter } from './tab_order.js';

const GONE =
  'The field that you were writing in is not here any more: press the key of another one first, such as e.';
const MODIFIERS = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'CapsLock'];
const NO_TEXT = ['checkbox', 'radio', 'button', 'submit', 'range', 'color', 'file']
  .map((type) => `[type=${type}]`)
  .join(', ');
const TEXT = `input:not(${NO_TEXT}), textarea, [contenteditable=true]`;
const OWNERS = `${TEXT}, select, [type=radio], [type=range], form, dialog, [popover], [role=menu], [role=radiogroup]`;
const MOVES = {
  ArrowLeft: ['backward', 'character'],
  ArrowRight: ['forward', 'character'],
  ArrowUp: ['backward', 'line'],
  ArrowDown: ['forward', 'line'],
  Home: ['backward', 'lineboundary'],
  End: ['forward', 'lineboundary'],
};

/** @typedef {Window & {dailiesEarly?: string, dailiesHearsEarly?: EventListener}} EarlyKeys */

const held = []; // {event}: a key, {text}: what was typed; `page`: it is a key of the page, not of the field
const replayed = new WeakSet();
let moves = { n: 0 }; // how many things are on their way to the page that is open
let opening = null; // {before}: the key that opens a field, while it does; `before` had the focus then
let composing = false;
let caughtFrom = null; // what had the focus before the catcher
let quiet = null; // after a refusal: {until, words, typed, line}
let dropped = null; // {until, typed}: what a notice gave back a moment ago
let typing = null; // where the last letter went, or the next one will: {field, at}

// While a field is being opened, what is typed goes in here: plain, pasted, or composed by an input method.
const catcher = h('textarea', {
  class: 'dl-unseen',
  'aria-label': 'Text for the field that is being opened',
  tabindex: '-1',
  autocomplete: 'off',
  spellcheck: 'false',
  oninput: () => {
    if (!composing) takeText();
  },
  oncompositionstart: () => {
    composing = true;
  },
  oncompositionend: () => {
    composing = false;
    takeText();
    drain();
  },
});

// --- what keys belong to --------------------------------------------------------------

/** The field, form, dialog or menu that this node's keys belong to; null where they are keys of the page. */
export const ownerOf = (node) => (node === catcher ? null : node?.closest?.(OWNERS) || null);

export const takesText = (node) =>
  Boolean(
    node !== catcher && node?.matches?.(TEXT) && !node.readOnly && !node.disabled && !node.closest('[inert]'),
  );

/** Whether there is a field to write in here. */
export const hasField = (owner) =>
  [...owner.querySelectorAll(TEXT)].some((node) => takesText(node) && node.checkVisibility());

/** A field that can be written in, or a control of a form. */
const takesKeys = (node) =>
  takesText(node) || Boolean(ownerOf(node) && !node.matches(TEXT) && !node.disabled);

/** Whether this key writes something where there is a text field. */
export const writes = (event) =>
  event.key.length === 1 &&
  (event.getModifierState?.('AltGraph') || !(event.ctrlKey || event.metaKey || event.altKey));

const composes = (event) =>
  event.isComposing || event.keyCode === 229 || ['Process', 'Dead'].includes(event.key);

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
  typing = field.matches(TEXT) ? { field, at: performance.now() } : null;
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
  typing = null;
  if (opening !== mine) return;
  if (mine.before.isConnected && takesText(mine.before)) arrived();
  else if (held.some(spelled)) refuse(new Refused(GONE));
  else arrived();
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
  const command = ctrlKey || metaKey;
  if (altKey) return false;
  if (key === 'Tab') stopAfter(target, shiftKey ? -1 : 1)?.focus();
  else if (!takesText(target)) return activate(target, key);
  else if (command && ['a', 'z', 'y'].includes(key))
    document.execCommand({ a: 'selectAll', z: 'undo', y: 'redo' }[key]);
  else if (key in MOVES)
    getSelection().modify(shiftKey ? 'extend' : 'move', MOVES[key][0], command ? 'word' : MOVES[key][1]);
  else if (key === 'Backspace' || key === 'Delete') erase(key, command);
  else if (key === 'Enter' && target.matches('textarea')) document.execCommand('insertText', false, '\n');
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

function erase(key, word) {
  const [way, command] = key === 'Backspace' ? ['backward', 'delete'] : ['forward', 'forwardDelete'];
  if (word && getSelection().isCollapsed) getSelection().modify('extend', way, 'word');
  document.execCommand(command);
}

// --- refusing -------------------------------------------------------------------------

const spelled = ({ text, event, page }) => text ?? (!page && writes(event) ? event.key : '');

/** What was held is dropped, and given back; where it was text, it is shown unless `words` will show it. */
function drop(words) {
  takeText();
  const typed = held.map(spelled).join('');
  held.length = 0;
  opening = null;
  letGo();
  if (typed && !words) {
    notice(`Not written: “${typed}”`);
    dropped = { until: performance.now() + BREATH_MS, typed };
  }
  return typed;
}

/** Where what was held when a page was left is kept, for the person and the workspace of the page. */
const keptAt = () => `dailies-not-written:${stated['X-Dailies-For']}`;

/** The page is left before the field is there, or before a notice can be read: the next page shows what was typed. */
function keepHeld() {
  takeText();
  const unread = [dropped, quiet].filter((said) => said && performance.now() < said.until);
  const words = [...unread.map((said) => said.typed), ...held.splice(0).map(spelled)].join('');
  if (words) shelf.setItem(keptAt(), words);
}

function sayKept() {
  const words = shelf.getItem(keptAt());
  if (!words) return;
  shelf.removeItem(keptAt());
  sayLeft(words);
}

/** @param {string} words */
const sayLeft = (words) =>
  notice(`Not written: “${words}”. The page before was left while its field was being opened.`, 'error');

/** Says why nothing can be typed, and takes the letters that follow until there is a pause; `letters` came before. */
export function refuse(error, letters = '') {
  const typed = drop(error.message) + letters;
  const words = h('span', {});
  quiet = { until: performance.now() + BREATH_MS, error, typed, words, line: report(error, words) };
  sayQuiet();
}

function sayQuiet() {
  const { error, typed, words, line } = quiet;
  words.textContent = typed.trim() ? `${error.message} Not written: “${typed}”` : error.message;
  keepNotice(line);
}

/** A key in the breath after a refusal. */
function swallow(event) {
  event.stopImmediatePropagation();
  if (!(event.ctrlKey || event.metaKey || event.altKey) || event.key === 'Enter') event.preventDefault();
  quiet.until = performance.now() + BREATH_MS;
  if (writes(event)) quiet.typed += event.key;
  sayQuiet();
}

/** What is pasted in the breath after a refusal is refused like the letters around it. */
function swallowText(event) {
  const inserts = event.inputType.startsWith('insert') && event.cancelable;
  if (!inserts || !quiet || performance.now() >= quiet.until || catcher.isConnected) return;
  event.preventDefault();
  quiet.until = performance.now() + BREATH_MS;
  quiet.typed += event.data ?? event.dataTransfer?.getData('text/plain') ?? '';
  sayQuiet();
}

// --- the keys themselves, before anything else sees them --------------------------------

function firstLook(event) {
  if (replayed.has(event) || !event.key || MODIFIERS.includes(event.key)) return;
  if (event.key === 'Escape') {
    forget(event);
    return;
  }
  if (hasFallen(event)) return;
  lostField(event);
  if (quiet && performance.now() < quiet.until && !catcher.isConnected) swallow(event);
  else if (catcher.isConnected) caught(event);
  quiet = quiet && performance.now() < quiet.until ? quiet : null;
}

/** Pasting, loading the page again, tabs and windows. */
const isBrowsers = ({ key, ctrlKey, metaKey }) =>
  ((ctrlKey || metaKey) && ['v', 'r', 't', 'w'].includes(key)) || /^F\d/.test(key);

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
  typing = quiet = null;
  if (!catcher.isConnected) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  drop('');
}

/** Text goes into the catcher by itself; other keys wait. */
function caught(event) {
  if (document.activeElement !== catcher) catcher.focus({ preventScroll: true });
  event.stopImmediatePropagation();
  if (event.repeat && writes(event)) {
    event.preventDefault();
    return;
  } // the key that opens it is still down
  if (composes(event) || writes(event) || isBrowsers(event)) return;
  event.preventDefault();
  held.push({ event });
}

const stillThere = (field) => field.checkVisibility() && takesText(field);

/** Whoever writes on when the page has taken the field away is writing still. */
function lostField(event) {
  const now = performance.now();
  const { field, at } = typing || {};
  if (
    field &&
    !stillThere(field) &&
    !ownerOf(event.target) &&
    (writes(event) || composes(event)) &&
    now - at < BREATH_MS &&
    !opening
  ) {
    typing = null;
    refuse(new Refused(`${GONE}${composes(event) ? ' Not written: what you compose.' : ''}`));
  }
  if (takesText(event.target)) writesIn(event.target, finishes(event));
  else if (!writes(event) && !edits(event)) typing = null;
}

/** A dialog is closed by the person alone: nobody writes on in it. */
function writesIn(field, done = false) {
  typing = done || field.closest('dialog') ? null : { field, at: performance.now() };
}

/** Whoever presses keys that select or move in a text still means the one that was there. */
const edits = ({ key, ctrlKey, metaKey }) =>
  key in MOVES || ['Backspace', 'Delete'].includes(key) || ((ctrlKey || metaKey) && key === 'a');

/** Enter, but for a new line: what the field was for is done. */
const finishes = ({ key, ctrlKey, metaKey, target }) =>
  key === 'Enter' && (ctrlKey || metaKey || !target.matches('textarea'));

/** Composed or pasted: no key tells of it. */
function written({ target }) {
  if (takesText(target)) writesIn(target);
}

/** What was typed while the scripts of the page were on their way (ui/pages/html_documents.py hears it) is given back. */
function sayEarly() {
  const { dailiesEarly, dailiesHearsEarly } = /** @type {EarlyKeys} */ (window);
  removeEventListener('keydown', dailiesHearsEarly, true);
  if (dailiesEarly) refuse(new Refused('The page was still loading.'), dailiesEarly);
}

export function watchKeys() {
  sayKept();
  sayEarly();
  watchFullFields();
  addEventListener('pagehide', keepHeld);
  addEventListener('keydown', firstLook, true);
  addEventListener('focusin', focused, true);
  addEventListener('beforeinput', swallowText, true);
  addEventListener('input', written, true);
  addEventListener(
    'pointerdown',
    () => {
      quiet = null;
      if (catcher.isConnected) drop('');
      // Whoever clicks into what is being replaced, and types, means to write: the field is not there.
      typing = isMoving() ? { field: catcher, at: performance.now() } : null;
    },
    true,
  );
}
