// pages.js holds every key; this runs them, by one rule. Keys in a field, form, dialog or menu belong to it: of the
// page's keys only those marked `in_text` work there, and Esc leaves. A key marked `opens` opens a field: every key
// after it is for that field (typing_ahead.js). One marked `in_order` waits for what is on its way, as keys of a page do. Nothing runs while an input method composes.
import { h } from '../parts/elements.js';
import { Refused, report } from '../parts/notices.js';
import { hasField, ownerOf, takesText, writes } from './key_owners.js';
import { hold, isMoving, leaveField, leaveKeys, openField, refuse, watchKeys } from './typing_ahead.js';
import { shelf } from '../page/browser_storage.js';
import { rows, scopes } from '../parts/pages.js';
import { tabbed } from './tab_order.js';

export { onTheWay, openField, wanted } from './typing_ahead.js';

const byId = new Map(rows.map((row) => [row.id, row]));
const runs = new Map();
let guard = () => '';
const store = { page: '', place: '', singles: true, keys: {} };
const NAMES = { ' ': 'Space', ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc' };
const TABS = { Tab: 1, 'Shift+Tab': -1 };
const PRESSING = 'button, a, summary, [role=option], [role=tab], [type=checkbox]';

// --- what a key is called -------------------------------------------------------------

/** 'Ctrl+Enter', 'Shift+ArrowRight', 'j', '?' ... as this event would be written in the table. */
export function chord(event) {
  const typed = event.getModifierState?.('AltGraph');
  const key = plainKey(event);
  const parts = [];
  if ((event.ctrlKey || event.metaKey) && !typed) parts.push('Ctrl');
  if (event.altKey && !typed) parts.push('Alt');
  if (event.shiftKey && (key.length > 1 || key === ' ' || key.toLowerCase() !== key.toUpperCase()))
    parts.push('Shift');
  return [...parts, key.length === 1 ? key.toLowerCase() : key].join('+');
}

/** On a keyboard of another script, or with a modifier that writes signs, the place of the key counts. */
function plainKey({ key, code = '' }) {
  if (key.length !== 1 || key.charCodeAt(0) < 128) return key;
  if (/^(Key|Digit)/.test(code)) return code.slice(-1).toLowerCase();
  return (
    { Comma: ',', Period: '.', Slash: '/', BracketLeft: '[', BracketRight: ']', Minus: '-', Equal: '=' }[
      code
    ] || key
  );
}

const parts = (key) => key.split(/\+(?!$)/);
export const shown = (key) =>
  parts(key)
    .map((part) => NAMES[part] || (part.length === 1 && key.length > 1 ? part.toUpperCase() : part))
    .join(' ');

/** A key without Ctrl or Alt that writes a sign: speech input presses these by accident. */
export const isSingle = (key) =>
  !/^(Ctrl|Alt)\+/.test(key) && parts(key).at(-1).length === 1 && !key.endsWith(' ');

// --- which keys a row has -------------------------------------------------------------

const pagesOf = (row) => scopes[row.page] || [row.page];
const placeOf = (row, page) => (row.on?.[page] ? `${row.id}@${page}` : row.id);

/** The keys of a row on a page, as this person has them; also those that are switched off. */
export function keysOf(row, page = store.page) {
  if (!pagesOf(row).includes(page)) return [];
  return store.keys[placeOf(row, page)] ?? row.on?.[page] ?? row.keys;
}

const works = (key) => store.singles || !isSingle(key);

/** The rows that do something on this page, by what the page has bound. */
export const liveRows = () =>
  rows.filter((row) => runs.has(row.id) && (keysOf(row).length || store.keys[placeOf(row, store.page)]));

/** The first key of a row as people read it; empty when it has none here. */
export const keyText = (id) => {
  const key = keysOf(byId.get(id)).find(works);
  return key ? shown(key) : '';
};

/** The key of a row, to stand on a button; it follows when the person changes it. */
export const keyHint = (id) => h('kbd', { 'data-key': id, hidden: !keyText(id) }, keyText(id));

/**
 * Shows in a `kbd` of `data-key` the key of that row.
 * @param {HTMLElement} node
 */
export function showKey(node) {
  node.textContent = keyText(node.dataset.key);
  node.hidden = !node.textContent;
}

function redraw() {
  /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('kbd[data-key]')).forEach(showKey);
}

// --- what this person has changed -----------------------------------------------------

export const singles = () => store.singles;
export const isChanged = (row) => placeOf(row, store.page) in store.keys;

function keep() {
  shelf.setItem(store.place, JSON.stringify({ singles: store.singles, keys: store.keys }));
  redraw();
}

export function switchSingles(on) {
  store.singles = on;
  keep();
}
export function resetKey(row) {
  delete store.keys[placeOf(row, store.page)];
  keep();
}
export function resetAll() {
  store.singles = true;
  store.keys = {};
  keep();
}

const BROWSERS = ['a', 'c', 'f', 'l', 'n', 'p', 'r', 't', 'v', 'w', 'x'].map((letter) => `Ctrl+${letter}`);
const RESERVED = ['Tab', 'Shift+Tab', 'Escape', 'Enter', ' ', 'F5', 'Backspace', 'Delete', ...BROWSERS];

/** Why a row cannot have this key, in words; null when it can. */
export function refusal(row, key) {
  if (RESERVED.includes(key)) return `${shown(key)} belongs to the browser`;
  if (row.in_text && !/^(Ctrl|Alt)\+|^F\d/.test(key))
    return 'this works while typing, so its key needs Ctrl or Alt';
  const pages = row.on?.[store.page] ? [store.page] : pagesOf(row).filter((page) => !row.on?.[page]);
  for (const page of pages) {
    const other = rows.find((r) => r.id !== row.id && keysOf(r, page).includes(key));
    if (other)
      return `${shown(key)} is “${other.what}” already${page === store.page ? '' : ` on the page ${page}`}`;
  }
  return null;
}

/** Give a row another key. Throws when it cannot have it. */
export function changeKey(row, key) {
  const why = refusal(row, key);
  if (why) throw new Error(why);
  store.keys[placeOf(row, store.page)] = [key];
  keep();
}

// --- running --------------------------------------------------------------------------

/**
 * What the keys of a page (or of a scope, such as 'player') do: {name: run}; every name is in keymap.json or in keys.json of the page.
 * `open()`: whether there is a video that they could be about.
 */
export function bindKeys(page, actions, open = () => true) {
  for (const [name, run] of Object.entries(actions)) {
    const id = `${page}.${name}`;
    if (!byId.has(id)) throw new Error(`no key ${id} in keymap.json or in keys.json of the page`);
    if (!pagesOf(byId.get(id)).includes(store.page))
      throw new Error(`the key ${id} is not of the page ${store.page}`);
    runs.set(id, (event) => {
      if (!open()) throw new Refused('No video is open here.');
      return run(event);
    });
  }
  redraw();
}

/**
 * Another page is opened: what the keys of the one before did, they do not any more.
 * @param {string} page its name, or that of its face
 */
export function keysOfPage(page) {
  leaveKeys();
  runs.clear();
  guard = () => '';
  store.page = page;
}

/**
 * Once in a document.
 * @param {string} personId
 */
export function installKeys(personId) {
  store.place = `dailies-keys:${personId}`;
  try {
    Object.assign(store, JSON.parse(shelf.getItem(store.place) || '{}'));
  } catch {
    shelf.removeItem(store.place);
  }
  watchKeys();
  document.addEventListener('keydown', pressed);
}

function pressed(event) {
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented || !event.key) return;
  const key = chord(event);
  if (key in TABS && tabbed(event, TABS[key])) return;
  const owner = ownerOf(event.target);
  if (key === 'Escape' && document.querySelector(':popover-open')) return; // the browser closes it
  if (owner && key === 'Escape' && !event.target.closest('dialog')) {
    /** @type {HTMLElement} */ (document.activeElement).blur();
    event.preventDefault();
    return;
  }
  // What is searched is shown while it is typed: Enter goes on to it.
  if (key === 'Enter' && event.target.matches('[type=search]') && !event.target.closest('dialog')) {
    event.target.blur();
    return;
  }
  if (owner && strays(event, owner)) return;
  if (event.target.closest?.('dialog') || document.querySelector('dialog:modal')) return; // the page rests under it
  const row = works(key) && liveRows().find((r) => keysOf(r).includes(key));
  if (!owner && row?.page !== 'everywhere' && rests(event)) return;
  if (!row && !owner && opensLater(key)) {
    event.preventDefault();
    refuse(new Refused('This page is not here yet.'));
  }
  if (!row || (owner && !row.in_text)) return;
  // Buttons and links keep Space and Enter.
  if ((key === ' ' || key === 'Enter') && event.target.closest?.(PRESSING)) return;
  event.preventDefault();
  if (!isMoving() || (row.page === 'everywhere' && !row.in_order)) run(row, event);
  else if (row.page !== 'queue')
    hold(event, row.opens); // work that nobody has seen is not called done
  else if (row.opens) refuse(new Refused('The video is not here yet.'));
}

/** A key that will open a field once the page is here: what follows it is no command either. */
const opensLater = (key) =>
  isMoving() && works(key) && rows.some((row) => row.opens && !runs.has(row.id) && keysOf(row).includes(key));

function run(row, event) {
  const act = () => runs.get(row.id)(event);
  if (row.opens) void openField(row.what, act);
  else if (row.leaves && takesText(document.activeElement)) void leaveField(act);
  else
    new Promise((done) => {
      done(act());
    }).catch(report);
}

/**
 * A letter on a button of a form or dialog, or in words that are closed to the person: whoever types it believes to be
 * writing, and a space would press the button.
 */
function strays(event, owner) {
  const { target } = event;
  if (!writes(event) || event.key === ' ') return false;
  if (!target.readOnly && !target.matches?.('button, a, summary')) return false;
  event.preventDefault();
  refuse(new Refused(target.readOnly ? closed(target) : noField(owner)), event.key);
  return true;
}

const closed = ({ title }) => `${title || 'These words cannot be changed here'}.`;
const noField = (owner) =>
  hasField(owner) ? 'This is a button: Tab goes on to the field.' : 'There is no field to write in here.';

/** Where somebody is about to write and nothing can be written yet, letters run nothing. */
function rests(event) {
  const why = writes(event) && event.key !== ' ' && guard();
  if (!why) return false;
  event.preventDefault();
  refuse(new Refused(why), event.key);
  return true;
}

/** `why()` says what to press first while letters are to run nothing, else it is empty. */
export function restLetters(why) {
  guard = why;
}
