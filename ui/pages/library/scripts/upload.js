// Files in: dropped anywhere on the page or chosen, with the folders that they lay in. They are sent to a heap on the
// server, shown as what they are, and written when the person says so.
import { address } from '../../../lib/page/address.js';
import { button, clear, h, mark } from '../../../lib/parts/elements.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api, stated } from '../../../lib/requests/requests.js';
import { decided } from '../../../lib/editor/undo.js';
import { isHidden } from './dropped_files.js';
import { askImport, problemList } from './import_dialog.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FileTaken']} Taken what the server made of a file; `error` where it did not take it */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['HeapImported']} Imported */
/** @typedef {import('./dropped_files.js').Given} Given */

const AT_ONCE = 3; // requests
const FILES_EACH = 200;
const BYTES_EACH = 16_000_000; // small files travel together
const LOOK_MS = 500;
const MOST_LINES = 6; // of an import; the others are folded away

/** @type {Object<string, string[]>} for `plural` */
const KINDS = {
  Text: ['caption'],
  Verdict: ['verdict'],
  Alias: ['id', 'ids'],
  Person: ['person', 'people'],
  RunVideo: ['run state'],
  SceneList: ['scene list'],
  EvaluationRun: ['evaluation link'],
  ModelCall: ['model call'],
};

/**
 * `{Text: 5, Video: 1}` in words.
 * @param {Object<string, number>} records
 */
function countWords(records) {
  const parts = Object.entries(records).map(([kind, n]) =>
    plural(n, ...(KINDS[kind] || [kind.toLowerCase()])),
  );
  return parts.length ? parts.join(', ') : 'nothing new';
}

export class Uploads {
  /**
   * `done(videoIds, imported, evaluations)` is called when everything of one drop was written; these by name.
   * @param {(videoIds: string[], imported: number, evaluations: string[]) => unknown} done
   */
  constructor(done) {
    this.done = done;
    this.lines = h('ul', { class: 'dl-uploadlines' });
    this.title = h('b', {}, '');
    this.bar = h('i', {});
    this.node = h(
      'section',
      { class: 'dl-uploads', 'aria-label': 'Added files', hidden: true },
      h(
        'header',
        {},
        this.title,
        h('span', { class: 'dl-progress', 'aria-hidden': 'true' }, this.bar),
        h('span', { class: 'dl-grow' }),
        button('Dismiss', () => this.#clear(), { kind: 'quiet', name: 'dismiss-uploads' }),
      ),
      this.lines,
    );
    this.input = this.#chooser('Videos or annotations', {});
    this.folder = this.#chooser('A folder', { webkitdirectory: true });
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
  }

  /**
   * @param {string} label
   * @param {Object<string, boolean>} more
   */
  #chooser(label, more) {
    const input = h('input', {
      type: 'file',
      multiple: true,
      class: 'dl-unseen',
      tabindex: '-1',
      'aria-label': label,
      onchange: () => {
        this.add([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
        input.value = '';
      },
      ...more,
    });
    return input;
  }

  choose() {
    this.input.click();
  }

  chooseFolder() {
    this.folder.click();
  }

  #clear() {
    clear(this.lines);
    this.node.hidden = true;
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
    this.#clear();
    report(error);
  }

  /** @param {Given[]} files */
  async #drop(files) {
    clear(this.lines);
    this.node.hidden = false;
    await check(files);
    const { id } = await api('/api/incoming', {});
    await this.#send(id, files);
    const seen = await this.#followed(id, `Looking at ${plural(files.length, 'file')}`, () =>
      api(`/api/incoming/${id}`),
    );
    this.#clear();
    const choice = await askImport(seen);
    if (!choice) {
      await api(`/api/incoming/${id}`, undefined, 'DELETE');
      return;
    }
    this.node.hidden = false;
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
    this.title.textContent = words;
    this.bar.style.width = `${share * 100}%`;
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

  /**
   * The way on for a file that a video waits for and another one has.
   * @param {Taken} one
   */
  #joinOf({ join }) {
    if (!join) return null;
    const press = button(
      'Join the two',
      () => {
        press.disabled = true;
        import('./join_videos.js')
          .then(({ joinVideos }) => joinVideos(join[0], join[1]))
          .then(() => {
            press.remove();
            return this.done([], 1, []);
          })
          .catch((error) => {
            press.disabled = false;
            report(error);
          });
      },
      { name: 'join-files' },
    );
    return press;
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
    const line = (/** @type {Taken} */ one) => h('li', {}, resultLine(one), this.#joinOf(one));
    const [first, rest] = folded(made.files);
    clear(this.lines, first.map(line), rest.length ? more(rest.map(line)) : null);
    const said = `Imported: ${made.evaluations.join(', ') || words}`;
    if (made.undo) decided(said);
    else notice(said);
  }
}

/**
 * What is shown at once, and what is folded away: what asks for something comes first.
 * @param {Taken[]} files
 * @returns {[Taken[], Taken[]]}
 */
export function folded(files) {
  const asks = (/** @type {Taken} */ one) => Boolean(one.error || one.join || one.problems?.length);
  const sorted = [...files.filter(asks), ...files.filter((one) => !asks(one))];
  const count = sorted.length <= MOST_LINES ? sorted.length : MOST_LINES - 1;
  return [sorted.slice(0, count), sorted.slice(count)];
}

/** @param {HTMLElement[]} lines */
const more = (lines) =>
  h(
    'li',
    {},
    h(
      'details',
      { class: 'dl-uploadrest' },
      h('summary', {}, `and ${plural(lines.length, 'more file')}`),
      h('ul', {}, lines),
    ),
  );

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
export function inParcels(files) {
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

/** @param {Taken} result */
function resultLine(result) {
  if (result.error)
    return [
      mark('failed', 'not taken'),
      h('b', {}, result.file),
      h('span', {}, result.error.replace(`${result.file}: `, '')),
    ];
  if (result.known)
    return [
      mark('done', 'here already'),
      h('b', {}, result.file),
      h('span', {}, `the same file as ${result.title}`),
    ];
  if (result.video)
    return [
      mark('done', 'added'),
      h('b', {}, result.file),
      h('a', { href: address.to('script', { video: result.video }) }, 'open'),
    ];
  if (!result.format) return [mark('done', 'file found'), h('b', {}, result.file)];
  return [
    mark('done', 'imported'),
    h('b', {}, result.file),
    h(
      'span',
      {},
      [`${result.format}: ${countWords(result.records)}`, ...(result.evaluations || [])].join(' · '),
    ),
    problemList(result.problems, result.problems.length),
  ];
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
