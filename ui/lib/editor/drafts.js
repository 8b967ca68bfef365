// What is typed here and not confirmed by the server yet, kept across reloads and crashes.
// IndexedDB hands every change to another process at once: a killed browser still has it. localStorage
// waits for seconds before it writes, so it is only the second choice.
// A draft belongs to a person and to a workspace: others at this browser, or at this address, neither see nor send it.
import { shelf } from '../page/browser_storage.js';

const NAME = 'dailies-drafts';
const VERSION = 2; // drafts of version 1 do not say whose they are
const PREFIX = 'dailies-draft:';
const OPEN_MS = 2000;

const kept = new Map();
const database = await opened().catch(() => null);
let owner = ''; // what their keys begin with
let me = { id: '', name: '' };

function answered(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function upgrade(request) {
  const { result: found } = request;
  if (found.objectStoreNames.contains('drafts')) found.deleteObjectStore('drafts');
  found.createObjectStore('drafts');
}

/** The database, with the drafts read into `kept`; without an answer in time the page goes on without. */
async function opened() {
  const request = indexedDB.open(NAME, VERSION);
  request.onupgradeneeded = () => upgrade(request);
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error('no answer')), OPEN_MS);
  });
  const found = await Promise.race([answered(request), late]);
  const drafts = found.transaction('drafts').objectStore('drafts');
  const [keys, values] = await Promise.all([answered(drafts.getAllKeys()), answered(drafts.getAll())]);
  keys.forEach((key, n) => kept.set(key, values[n]));
  found.onversionchange = () => found.close();
  return found;
}

if (!database)
  for (const key of shelf.keys()) {
    if (key.startsWith(PREFIX)) kept.set(key.slice(PREFIX.length), JSON.parse(shelf.getItem(key)));
  }

/** Resolves when the other process has it, or cannot take it. */
async function write(work) {
  try {
    const transaction = database.transaction('drafts', 'readwrite');
    work(transaction.objectStore('drafts'));
    transaction.commit(); // not waiting for the event loop: the page may be gone by then
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
  } catch (error) {
    console.warn('a draft could not be kept', error);
  }
}

/** From now on drafts are those of this person in this workspace. Said once, before a page is drawn. */
export function draftsOf({ workspace_id: workspace, person }) {
  owner = `${[workspace, person.id].map(encodeURIComponent).join('/')}/`;
  me = person;
}

/** Who writes here: {id, name}. */
export const writer = () => me;

/**
 * What names the draft of a text. `value` as an editor has it. One's own text is named by its place, so that what was
 * typed before the text was there finds it. `part` tells apart editors that share a subject, such as the lines of one
 * speech segment.
 */
export function draftKey({ subject, place, person }, part = '') {
  if (place && (!subject || person === me.id))
    return ['own', place.video_id, place.kind, place.scene || ''].join(':');
  return [...subject, ...(part === '' ? [] : [part])].join(':');
}

/**
 * {subject, place, video, label, part, value, base, revision, sent, at} or null: `base` is the text it was typed over,
 * `sent` what was under way to the server when the draft was written.
 */
export const draftOf = (key) => kept.get(owner + key) || null;

export const draftKeys = () =>
  [...kept.keys()].filter((key) => key.startsWith(owner)).map((key) => key.slice(owner.length));

/** Resolves when a crash of the browser cannot lose it any more. */
export async function keepDraft(key, draft) {
  kept.set(owner + key, draft);
  if (database) await write((drafts) => drafts.put(draft, owner + key));
  else shelf.setItem(PREFIX + owner + key, JSON.stringify(draft));
}

export function dropDraft(key) {
  kept.delete(owner + key);
  if (database) void write((drafts) => drafts.delete(owner + key));
  else shelf.removeItem(PREFIX + owner + key);
}

/** The draft as it is now, also when another tab has changed or settled it. */
export async function freshDraft(key) {
  if (!database) return draftOf(key);
  return (
    (await answered(
      database
        .transaction('drafts')
        .objectStore('drafts')
        .get(owner + key),
    )) || null
  );
}
