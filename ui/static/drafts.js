// What is typed here and not confirmed by the server yet, kept across reloads and crashes.
// IndexedDB hands every change to another process at once: a killed browser still has it. localStorage
// waits for seconds before it writes, so it is only the second choice.
import { shelf } from './shelf.js';

const NAME = 'dailies-drafts';
const PREFIX = 'dailies-draft:';
const OPEN_MS = 2000;

const kept = new Map();
const database = await opened().catch(() => null);

function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** The database, with the drafts read into `kept`; without an answer in time the page goes on without. */
async function opened() {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore('drafts');
  const late = new Promise((_, reject) => { setTimeout(() => reject(new Error('no answer')), OPEN_MS); });
  const found = await Promise.race([answered(request), late]);
  const drafts = found.transaction('drafts').objectStore('drafts');
  const [keys, values] = await Promise.all([answered(drafts.getAllKeys()), answered(drafts.getAll())]);
  keys.forEach((key, n) => kept.set(key, values[n]));
  found.onversionchange = () => found.close();
  return found;
}

if (!database) for (const key of shelf.keys()) {
  if (key.startsWith(PREFIX)) kept.set(key.slice(PREFIX.length), JSON.parse(shelf.getItem(key)));
}

function write(work) {
  try {
    const transaction = database.transaction('drafts', 'readwrite');
    work(transaction.objectStore('drafts'));
    transaction.commit(); // not waiting for the event loop: the page may be gone by then
  } catch (error) { console.warn('a draft could not be kept', error); }
}

/** `part` tells apart editors that share a subject, such as the lines of one speech segment. */
export const draftKey = (subject, part = '') => [...subject, ...(part === '' ? [] : [part])].join(':');

/** {subject, part, value, base, revision, sent, at} or null: `base` is the text it was typed over,
 * `sent` what was under way to the server when the draft was written. */
export const draftOf = (key) => kept.get(key) || null;

export const draftKeys = () => [...kept.keys()];

export function keepDraft(key, draft) {
  kept.set(key, draft);
  if (database) write((drafts) => drafts.put(draft, key));
  else shelf.setItem(PREFIX + key, JSON.stringify(draft));
}

export function dropDraft(key) {
  kept.delete(key);
  if (database) write((drafts) => drafts.delete(key));
  else shelf.removeItem(PREFIX + key);
}

/** The draft as it is now, also when another tab has changed or settled it. */
export async function freshDraft(key) {
  if (!database) return kept.get(key) || null;
  return await answered(database.transaction('drafts').objectStore('drafts').get(key)) || null;
}

/** A text that has no record yet (one's own caption, a missing field): what is typed stays until `drop()`. */
export function draftArea(area, ...place) {
  const key = `new:${place.join(':')}`;
  const draft = draftOf(key);
  if (draft) area.value = draft.value;
  area.addEventListener('input', () => {
    if (area.value.trim()) keepDraft(key, { subject: null, part: '', value: area.value, base: '', revision: 0, sent: [], at: Date.now() });
    else dropDraft(key);
  });
  return { drop: () => dropDraft(key), kept: Boolean(draft) };
}
