// Files and folders that are dropped on a page.
import { pageSignal } from '../../../lib/page/open_page.js';
import { h, icon } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';

/** @typedef {{file: File, path: string}} Given a file, and where it lay */

const HIDDEN = /^(\.|__MACOSX$|Thumbs\.db$|desktop\.ini$)/;

/**
 * Whether a system wrote the file for itself.
 * @param {string} name
 */
export const isHidden = (name) => HIDDEN.test(name);

/**
 * Files and folders dropped anywhere on the page, with an overlay while they hang over it.
 * @param {HTMLElement} root
 * @param {(files: Given[]) => unknown} take
 */
export function catchDrops(root, take) {
  const overlay = h(
    'div',
    { class: 'dl-drop', hidden: true },
    h(
      'div',
      {},
      icon('upload'),
      h('b', {}, 'Drop to look at it'),
      h(
        'span',
        {},
        'videos, logs, datasets, whole folders and archives; nothing is written before you say so',
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
    filesOf(event.dataTransfer).then(take).catch(report);
  });
}

/**
 * Everything that was dropped, with its place in the folders: they are asked at once, before the event is over.
 * @param {DataTransfer} transfer
 * @returns {Promise<Given[]>}
 */
async function filesOf(transfer) {
  const items = [...transfer.items].filter((item) => item.kind === 'file');
  const given = items.map((item) => ({ entry: item.webkitGetAsEntry?.(), file: item.getAsFile() }));
  const found = await Promise.all(
    given.map(({ entry, file }) => (entry ? filesBelow(entry) : file ? [{ file, path: file.name }] : [])),
  );
  return found.flat();
}

/**
 * @param {FileSystemEntry} entry
 * @returns {Promise<Given[]>}
 */
async function filesBelow(entry) {
  if (isHidden(entry.name)) return [];
  const path = entry.fullPath.replace(/^\//, '');
  if (entry.isFile) {
    const one = /** @type {FileSystemFileEntry} */ (entry);
    const file = await new Promise((resolve, reject) => one.file(resolve, reject));
    return [{ file, path }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Given[]} */
  const found = [];
  for (;;) {
    // A folder gives at most a hundred entries at a time.
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return found;
    for (const inside of some) found.push(...(await filesBelow(inside)));
  }
}
