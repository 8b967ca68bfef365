// Files in: dropped anywhere on the page or chosen, with the folders that they lay in. They are sent to a heap on the
// server, shown as what they are, and written when the person says so.
import { signal } from '../../../lib/components/component.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api, stated } from '../../../lib/requests/requests.js';
import { decided } from '../../../lib/editor/undo.js';
import { isHidden } from './dropped_files.js';
import { askImport } from './import_dialog.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FileTaken']} Taken what the server made of a file; `error` where it did not take it */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['HeapImported']} Imported */
/** @typedef {import('./dropped_files.js').Given} Given */

const AT_ONCE = 3; // requests
const FILES_EACH = 200;
const BYTES_EACH = 16_000_000; // small files travel together
const LOOK_MS = 500;

export class Uploads {
  shown = signal(false);
  /** What is going on or was done, and how much of it, 0 to 1. */
  said = signal({ words: '', share: 0 });
  /** @type {import('../../../lib/components/component.js').Signal<Taken[]>} */
  files = signal([]);
  /** @type {HTMLInputElement} */
  input;
  /** @type {HTMLInputElement} */
  folder;
  /** @type {Promise<unknown>} */
  queue = Promise.resolve();

  /**
   * `done(videoIds, imported, evaluations)` is called when everything of one drop was written; these by name.
   * @param {(videoIds: string[], imported: number, evaluations: string[]) => unknown} done
   */
  constructor(done) {
    this.done = done;
  }

  choose() {
    this.input.click();
  }

  chooseFolder() {
    this.folder.click();
  }

  clear() {
    this.shown.value = false;
    this.files.value = [];
  }

  /**
   * One drop after the other, so that questions come one at a time.
   * @param {Given[]} files
   */
  add(files) {
    const seen = files.filter(({ path }) => !path.split('/').some(isHidden));
    if (!seen.length) return;
    this.queue = this.queue.then(() => this.#drop(seen)).catch((error) => this.#failed(error));
  }

  /** @param {Error} error */
  #failed(error) {
    this.clear();
    report(error);
  }

  /** @param {Given[]} files */
  async #drop(files) {
    this.#say('', 0);
    this.files.value = [];
    this.shown.value = true;
    await check(files);
    const { id } = await api('/api/incoming', {});
    await this.#send(id, files);
    const seen = await this.#followed(id, `Looking at ${plural(files.length, 'file')}`, () =>
      api(`/api/incoming/${id}`),
    );
    this.clear();
    const choice = await askImport(seen);
    if (!choice) {
      await api(`/api/incoming/${id}`, undefined, 'DELETE');
      return;
    }
    this.shown.value = true;
    /** @type {Imported} */
    const made = await this.#followed(id, 'Importing', () => api(`/api/incoming/${id}/import`, choice));
    this.#tell(made);
    const imported = made.files.filter((one) => one.format).length + made.attached;
    await this.done(made.added, imported, made.evaluations);
  }

  /**
   * What the server makes of the files; meanwhile the line says which one is read, and how much was found.
   * @template Result
   * @param {string} id
   * @param {string} words
   * @param {() => Promise<Result>} ask
   * @returns {Promise<Result>}
   */
  async #followed(id, words, ask) {
    let over = false;
    const look = async () => {
      /** @type {import('../../../lib/wire.d.ts').components['schemas']['HeapProgress']} */
      const { file, share, records } = await api(`/api/incoming/${id}/progress`);
      if (!over && file) this.#say(`${words}: ${file}, ${plural(records, 'record')}`, share);
    };
    this.#say(words, 0);
    const timer = setInterval(() => look().catch(() => {}), LOOK_MS); // the request itself says what is wrong
    try {
      return await ask();
    } finally {
      over = true;
      clearInterval(timer);
    }
  }

  /** @param {string} words */
  #say(words, share = 1) {
    this.said.value = { words, share };
  }

  /**
   * @param {string} id
   * @param {Given[]} files
   */
  async #send(id, files) {
    const whole = files.reduce((sum, { file }) => sum + file.size, 0) || 1;
    const parcels = inParcels(files);
    let sent = 0;
    const turns = Array.from({ length: AT_ONCE }, async () => {
      for (let parcel = parcels.shift(); parcel; parcel = parcels.shift()) {
        const before = sent;
        await send(`/api/incoming/${id}/files`, parcel, (bytes) =>
          this.#say(`Sending ${plural(files.length, 'file')}`, Math.min(1, (before + bytes) / whole)),
        );
        sent += parcel.reduce((sum, { file }) => sum + file.size, 0);
      }
    });
    await Promise.all(turns);
  }

  /** @param {Imported} made */
  #tell(made) {
    const refused = made.files.filter((one) => one.error).length;
    const annotations = made.files.filter((one) => one.format).length;
    const parts = [
      made.evaluations.length
        ? plural(made.evaluations.length, 'evaluation')
        : annotations
          ? `${plural(annotations, 'set')} of annotations`
          : '',
      made.attached ? `${plural(made.attached, 'video')} found` : '',
      made.added.length ? `${plural(made.added.length, 'video')} added` : '',
      refused ? `${plural(refused, 'file')} not taken` : '',
    ].filter(Boolean);
    const words = parts.join(', ') || 'nothing new';
    this.#say(`Imported: ${words}`);
    this.files.value = made.files;
    const said = `Imported: ${made.evaluations.join(', ') || words}`;
    if (made.undo) decided(said);
    else notice(said);
  }
}

/**
 * Before anything is sent: a server that refuses while much is still coming is seen as one that does not answer.
 * @param {Given[]} files
 */
async function check(files) {
  const { upload } = await api('/api/limits');
  const large = files.find(({ file }) => file.size > upload);
  if (large)
    throw new Error(
      `${large.path}: ${gigabytes(large.file.size)}, at most ${gigabytes(upload)} are allowed (upload_gb in settings.toml); add it with: python app.py run, or import`,
    );
}

/** @param {number} bytes */
const gigabytes = (bytes) => `${Number((bytes / 1e9).toPrecision(3))} GB`;

/**
 * @param {Given[]} files
 * @returns {Given[][]}
 */
function inParcels(files) {
  /** @type {Given[][]} */
  const parcels = [];
  let bytes = Infinity;
  for (const one of files) {
    if (bytes + one.file.size > BYTES_EACH || parcels.at(-1).length >= FILES_EACH) {
      parcels.push([]);
      bytes = 0;
    }
    parcels.at(-1).push(one);
    bytes += one.file.size;
  }
  return parcels;
}

/**
 * fetch() tells nothing about how much was sent, so this is the one XMLHttpRequest.
 * @param {string} path
 * @param {Given[]} files
 * @param {(bytes: number) => void} progress
 * @returns {Promise<void>}
 */
function send(path, files, progress) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    for (const { file, path: place } of files) form.append('files', file, place);
    const request = new XMLHttpRequest();
    request.open('POST', path);
    for (const [name, value] of Object.entries(stated)) request.setRequestHeader(name, value);
    request.responseType = 'json';
    request.upload.onprogress = (event) => progress(event.loaded);
    request.onerror = () => reject(new Error('the server does not answer'));
    request.onload = () => {
      if (request.status === 200) resolve();
      else reject(new Error(request.response?.error || `the server answered ${request.status}`));
    };
    request.send(form);
  });
}

/** @param {string} id */
export const removeVideo = (id) => api(`/api/videos/${encodeURIComponent(id)}`, undefined, 'DELETE');
