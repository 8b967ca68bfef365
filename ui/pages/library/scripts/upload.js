// Files in: dropped anywhere on the page or chosen, sent one by one, and what came of each.
import {
  address,
  api,
  button,
  clear,
  h,
  icon,
  mark,
  pageSignal,
  plural,
  report,
  stated,
} from '../../../lib/parts/core.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FileTaken']} Taken what the server made of a file; `error` where it did not take it */

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
export function countWords(records) {
  const parts = Object.entries(records).map(([kind, n]) =>
    plural(n, ...(KINDS[kind] || [kind.toLowerCase()])),
  );
  return parts.length ? parts.join(', ') : 'nothing new';
}

export class Uploads {
  /**
   * `done(videoIds, imported)` is called when all files of one batch were taken.
   * @param {(videoIds: string[], imported: number) => unknown} done
   */
  constructor(done) {
    this.done = done;
    this.lines = h('ul', { class: 'dl-uploadlines' });
    this.title = h('b', {}, '');
    this.node = h(
      'section',
      { class: 'dl-uploads', 'aria-label': 'Added files', hidden: true },
      h(
        'header',
        {},
        this.title,
        h('span', { class: 'dl-grow' }),
        button(
          'Dismiss',
          () => {
            clear(this.lines);
            this.node.hidden = true;
          },
          { kind: 'quiet', name: 'dismiss-uploads' },
        ),
      ),
      this.lines,
    );
    this.input = h('input', {
      type: 'file',
      multiple: true,
      class: 'dl-unseen',
      tabindex: '-1',
      'aria-label': 'Videos or annotations',
      onchange: () => {
        this.add([...this.input.files]);
        this.input.value = '';
      },
    });
    /** @type {Promise<unknown>} */
    this.queue = Promise.resolve();
  }

  choose() {
    this.input.click();
  }

  /**
   * One batch; batches follow each other, so that results stay in order.
   * @param {File[]} files
   */
  add(files) {
    if (!files.length) return;
    this.queue = this.queue.then(() => this.#batch(files)).catch(report);
  }

  /** @param {File[]} files */
  async #batch(files) {
    this.node.hidden = false;
    /** @type {string[]} */
    const videos = [];
    let imported = 0;
    const lines = files.map((file) => {
      const line = h('li', {}, h('b', {}, file.name), h('span', {}, 'waiting'));
      this.lines.append(line);
      return line;
    });
    for (const [n, file] of files.entries()) {
      this.title.textContent = `Adding ${n + 1} of ${plural(files.length, 'file')}`;
      const result = await this.#one(file, lines[n]);
      if (result.video) videos.push(result.video);
      else if (!result.error) imported += 1;
    }
    this.title.textContent = `${plural(files.length, 'file')}: ${plural(videos.length, 'video')} added, ${imported} imported, ${files.length - videos.length - imported} not taken`;
    await this.done(videos, imported);
  }

  /**
   * @param {File} file
   * @param {HTMLElement} line
   */
  async #one(file, line) {
    const bar = h('i', {});
    const words = h('span', {}, 'sending');
    clear(
      line,
      h('b', {}, file.name),
      h('span', { class: 'dl-progress', 'aria-hidden': 'true' }, bar),
      words,
    );
    /** @type {Taken} */
    let result;
    try {
      const { upload } = await api('/api/limits');
      // A server that refuses while much is still coming is seen as one that does not answer.
      if (file.size > upload)
        throw new Error(
          `${gigabytes(file.size)}, at most ${gigabytes(upload)} are taken (upload_gb in settings.toml); add it with: python app.py run, or import`,
        );
      result = await send(file, (share) => {
        bar.style.width = `${share * 100}%`;
        if (share === 1) words.textContent = 'reading';
      });
    } catch (error) {
      result = { file: file.name, error: error.message };
    }
    clear(line, resultLine(file.name, result));
    return result;
  }
}

/** @param {number} bytes */
const gigabytes = (bytes) => `${Number((bytes / 1e9).toPrecision(3))} GB`;

/**
 * @param {string} name
 * @param {Taken} result
 */
function resultLine(name, result) {
  if (result.error)
    return [
      mark('failed', 'not taken'),
      h('b', {}, name),
      h('span', {}, result.error.replace(`${result.file}: `, '')),
    ];
  if (result.video)
    return [
      mark('done', 'added'),
      h('b', {}, name),
      h('a', { href: address.to('script', { video: result.video }) }, 'open'),
    ];
  return [
    mark('done', 'imported'),
    h('b', {}, name),
    h('span', {}, `${result.format}: ${countWords(result.records)}`),
    result.problems.length
      ? h(
          'details',
          { class: 'dl-uploadproblems' },
          h('summary', {}, plural(result.problems.length, 'problem')),
          h(
            'ul',
            {},
            result.problems.map((p) => h('li', {}, h('b', {}, p.where), ` ${p.what}`)),
          ),
        )
      : null,
  ];
}

/**
 * fetch() tells nothing about how much was sent, so this is the one XMLHttpRequest.
 * @param {File} file
 * @param {(share: number) => void} progress
 * @returns {Promise<Taken>}
 */
function send(file, progress) {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    form.append('files', file, file.name);
    const request = new XMLHttpRequest();
    request.open('POST', '/api/files?run=false');
    for (const [name, value] of Object.entries(stated)) request.setRequestHeader(name, value);
    request.responseType = 'json';
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) progress(event.loaded / event.total);
    };
    request.upload.onload = () => progress(1);
    request.onerror = () => reject(new Error('the server does not answer'));
    request.onload = () => {
      if (request.status === 200) resolve(request.response.files[0]);
      else reject(new Error(request.response?.error || `the server answered ${request.status}`));
    };
    request.send(form);
  });
}

/**
 * Files dropped anywhere on the page, with an overlay while they hang over it.
 * @param {HTMLElement} root
 * @param {(files: File[]) => unknown} take
 */
export function catchDrops(root, take) {
  const overlay = h(
    'div',
    { class: 'dl-drop', hidden: true },
    h(
      'div',
      {},
      icon('upload'),
      h('b', {}, 'Drop to add'),
      h(
        'span',
        {},
        'videos are added and run; captions, questions, annotations and evaluations (.zip) are imported',
      ),
    ),
  );
  root.append(overlay);
  let depth = 0;
  /** @param {DragEvent} event */
  const files = (event) => event.dataTransfer?.types.includes('Files');
  /** @param {boolean} on */
  const show = (on) => {
    overlay.hidden = !on;
  };
  const signal = pageSignal();
  /** @type {(name: string, act: (event: DragEvent) => void) => void} */
  const on = (name, act) =>
    addEventListener(name, (/** @type {DragEvent} */ event) => files(event) && act(event), { signal });
  on('dragenter', (event) => {
    depth += 1;
    show(true);
    event.preventDefault();
  });
  on('dragover', (event) => event.preventDefault());
  on('dragleave', () => {
    depth = Math.max(0, depth - 1);
    show(depth > 0);
  });
  on('drop', (event) => {
    event.preventDefault();
    depth = 0;
    show(false);
    take(filesOf(event.dataTransfer));
  });
}

/**
 * A dropped folder has no content that a form could send: it is told, the files beside it go on.
 * @param {DataTransfer} transfer
 */
function filesOf(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === 'file');
  const folders = new Set(
    items
      .map((item) => item.webkitGetAsEntry?.())
      .filter((entry) => entry?.isDirectory)
      .map((entry) => entry.name),
  );
  if (folders.size)
    report(new Error(`${[...folders].join(', ')}: a folder; drop its files, or the folder as a .zip`));
  return [...transfer.files].filter((file) => !folders.has(file.name));
}

/** @param {string} id */
export const removeVideo = (id) => api(`/api/videos/${encodeURIComponent(id)}`, undefined, 'DELETE');
