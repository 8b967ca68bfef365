// What the server has answered in this document, by address. A page shows at once what is known here, and asks again
// meanwhile. Nothing out of date is kept: a change by this page drops everything, and a change that the server tells
// of drops the answers about those videos.
import { call, ownChanges } from '../parts/elements_and_requests.js';

const MOST = 60;

/** @typedef {{answer: any, video: string, changes: number}} Known */

/** @type {Map<string, Known>} the one that was used last comes last */
const known = new Map();
/** @type {Map<string, Promise<any>>} */
const asking = new Map();

/**
 * The answer to an address, as it was when this page last asked; undefined where there is none that still holds.
 * @param {string} path
 */
export function recall(path) {
  const found = known.get(path);
  if (!found) return undefined;
  known.delete(path);
  if (found.changes !== ownChanges()) return undefined;
  known.set(path, found);
  return found.answer;
}

/**
 * Asks the server, and keeps its answer. Two that ask at once share one request, unless something has changed between.
 * @param {string} path
 * @param {string} video the id of the video that the answer is about; empty: about several
 * @returns {Promise<any>}
 */
export function ask(path, video) {
  const changes = ownChanges();
  const key = `${changes} ${path}`;
  const under = asking.get(key);
  if (under) return under;
  const asked = call(path)
    .then((answer) => {
      if (asking.get(key) === asked && changes === ownChanges()) keep(path, { answer, video, changes });
      return answer;
    })
    .finally(() => {
      if (asking.get(key) === asked) asking.delete(key);
    });
  asking.set(key, asked);
  return asked;
}

/**
 * What is likely to be asked for next. A failure is of no interest: whoever needs it asks again.
 * @param {string} path
 * @param {string} video
 */
export function prefetch(path, video) {
  if (recall(path) === undefined) ask(path, video).catch(() => null);
}

/**
 * @param {string} path
 * @param {Known} one
 */
function keep(path, one) {
  known.delete(path);
  known.set(path, one);
  if (known.size > MOST) known.delete(known.keys().next().value);
}

/** @param {string[]} videos that have changed; none: any may have */
export function forgetAbout(videos) {
  const about = (video) => !videos.length || !video || videos.includes(video);
  for (const [path, { video }] of known) if (about(video)) known.delete(path);
  asking.clear(); // what is under way may have been read before the change
}

globalThis.document?.addEventListener?.('dl-server-changed', (event) =>
  forgetAbout(/** @type {CustomEvent<{videos: string[]}>} */ (event).detail.videos),
);
