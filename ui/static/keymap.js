// keymap.json holds every key; this runs them. Keys rest in text fields and while composing.
import { h, report } from './core.js';
import { shelf } from './shelf.js';

const table = await (await fetch(new URL('./keymap.json', import.meta.url))).json();
const rows = new Map(table.rows.map((row) => [row.id, row]));
const runs = new Map();
const store = { page: '', place: '', singles: true, keys: {} };
const NAMES = { ' ': 'Space', ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc' };
const PRESSING = 'button, a, summary, [role=option], [role=tab]';

// --- what a key is called -------------------------------------------------------------

/** 'Ctrl+Enter', 'Shift+ArrowRight', 'j', '?' ... as this event would be written in the table. */
export function chord(event) {
  const typed = event.getModifierState?.('AltGraph');
  const key = plainKey(event);
  const parts = [];
  if ((event.ctrlKey || event.metaKey) && !typed) parts.push('Ctrl');
  if (event.altKey && !typed) parts.push('Alt');
  if (event.shiftKey && (key.length > 1 || key === ' ' || key.toLowerCase() !== key.toUpperCase())) parts.push('Shift');
  return [...parts, key.length === 1 ? key.toLowerCase() : key].join('+');
}

/** On a keyboard of another script, or with a modifier that writes signs, the place of the key counts. */
function plainKey({ key, code = '' }) {
  if (key.length !== 1 || key.charCodeAt(0) < 128) return key;
  if (/^(Key|Digit)/.test(code)) return code.slice(-1).toLowerCase();
  return { Comma: ',', Period: '.', Slash: '/', BracketLeft: '[', BracketRight: ']', Minus: '-', Equal: '=' }[code] || key;
}

const parts = (key) => key.split(/\+(?!$)/);
export const shown = (key) => parts(key).map((part) => NAMES[part] || (part.length === 1 && key.length > 1 ? part.toUpperCase() : part)).join(' ');

/** A key without Ctrl or Alt that writes a sign: speech input presses these by accident. */
export const isSingle = (key) => !/^(Ctrl|Alt)\+/.test(key) && parts(key).at(-1).length === 1 && !key.endsWith(' ');

// --- which keys a row has -------------------------------------------------------------

export const pagesOf = (row) => table.scopes[row.page] || [row.page];
const placeOf = (row, page) => (row.on?.[page] ? `${row.id}@${page}` : row.id);

/** The keys of a row on a page, as this person has them; also those that are switched off. */
export function keysOf(row, page = store.page) {
  if (!pagesOf(row).includes(page)) return [];
  return store.keys[placeOf(row, page)] ?? row.on?.[page] ?? row.keys;
}

const works = (key) => store.singles || !isSingle(key);

/** The rows that do something on this page, by what the page has bound. */
export const liveRows = () => table.rows.filter((row) => runs.has(row.id) && (keysOf(row).length || store.keys[placeOf(row, store.page)]));

/** The first key of a row as people read it; empty when it has none here. */
export const keyText = (id) => { const key = keysOf(rows.get(id)).find(works); return key ? shown(key) : ''; };

/** The key of a row, to stand on a button; it follows when the person changes it. */
export const keyHint = (id) => h('kbd', { 'data-key': id, hidden: !keyText(id) }, keyText(id));

function redraw() {
  for (const node of document.querySelectorAll('kbd[data-key]')) {
    node.textContent = keyText(node.dataset.key);
    node.hidden = !node.textContent;
  }
}

// --- what this person has changed -----------------------------------------------------

export const singles = () => store.singles;
export const isChanged = (row) => placeOf(row, store.page) in store.keys;

function keep() {
  shelf.setItem(store.place, JSON.stringify({ singles: store.singles, keys: store.keys }));
  redraw();
}

export function switchSingles(on) { store.singles = on; keep(); }
export function resetKey(row) { delete store.keys[placeOf(row, store.page)]; keep(); }
export function resetAll() { store.singles = true; store.keys = {}; keep(); }

const BROWSERS = ['a', 'c', 'f', 'l', 'n', 'p', 'r', 't', 'v', 'w', 'x'].map((letter) => `Ctrl+${letter}`);
const RESERVED = ['Tab', 'Shift+Tab', 'Escape', 'Enter', ' ', 'F5', 'Backspace', 'Delete', ...BROWSERS];

/** Why a row cannot have this key, in words; null when it can. */
export function refusal(row, key) {
  if (RESERVED.includes(key)) return `${shown(key)} belongs to the browser`;
  if (row.in_text && !/^(Ctrl|Alt)\+|^F\d/.test(key)) return 'this works while typing, so its key needs Ctrl or Alt';
  const pages = row.on?.[store.page] ? [store.page] : pagesOf(row).filter((page) => !row.on?.[page]);
  for (const page of pages) {
    const other = table.rows.find((r) => r.id !== row.id && keysOf(r, page).includes(key));
    if (other) return `${shown(key)} is “${other.what}” already${page === store.page ? '' : ` on the page ${page}`}`;
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

let moves = 0;
const typedAhead = [];

/**
 * Something else is on its way to the page: keys that are pressed until it is here are meant for it, and wait in
 * their order. Where it does not come, they come to nothing.
 */
export async function onTheWay(move) {
  moves += 1;
  try {
    return await move;
  } catch (error) {
    typedAhead.length = 0;
    throw error;
  } finally {
    moves -= 1;
    while (!moves && typedAhead.length) actOn(typedAhead.shift());
  }
}

/** What the keys of a page (or of a scope, such as 'player') do: {name: run}; every name is in keymap.json. */
export function bindKeys(page, actions) {
  for (const [name, run] of Object.entries(actions)) {
    const id = `${page}.${name}`;
    if (!rows.has(id)) throw new Error(`no key ${id} in keymap.json`);
    if (!pagesOf(rows.get(id)).includes(store.page)) throw new Error(`the key ${id} is not of the page ${store.page}`);
    runs.set(id, run);
  }
  redraw();
}

const writing = (target) => target.closest?.('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]');

/** A page that has another face (the items of Verdicts) has other keys. */
export function usePage(page) {
  store.page = page;
  redraw();
}

export function installKeys(page, personId) {
  store.page = page;
  store.place = `dailies-keys:${personId}`;
  try {
    Object.assign(store, JSON.parse(shelf.getItem(store.place) || '{}'));
  } catch { shelf.removeItem(store.place); }
  document.addEventListener('keydown', pressed);
}

function pressed(event) {
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented || !event.key) return;
  const key = chord(event);
  const field = writing(event.target);
  if (field && key === 'Escape') { field.blur(); event.preventDefault(); return; }
  const row = works(key) && liveRows().find((r) => keysOf(r).includes(key));
  if (!row || (field && !row.in_text)) return;
  // Buttons and links keep Space and Enter.
  if ((key === ' ' || key === 'Enter') && event.target.closest?.(PRESSING)) return;
  event.preventDefault();
  if (!moves || row.page === 'everywhere') runs.get(row.id)(event);
  else if (row.page !== 'queue') typedAhead.push([row, event]); // work that nobody has seen is not called done
}

/** After a key that opens a text field come the words for it: they are no keys. */
function actOn([row, event]) {
  if (writing(document.activeElement) && !row.in_text) return;
  try { runs.get(row.id)(event); } catch (error) { report(error); }
}
