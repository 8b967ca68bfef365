// What the server has answered in this document, by address: a page that is shown again, and the next item of a list,
// need no request. Nothing out of date is given: a change by this page drops all answers, and a change that the server
// tells of drops those about its videos. While the server tells nothing, because the stream is down, all are asked anew.
import { whileOpen } from '../page/open_page.js';
import { call, ownChanges } from '../requests/requests.js';
import { isTold, onServer } from '../shell/server_events.js';

const MOST = 60;
const HOLDS_MS = 5 * 60 * 1000;

/** @typedef {{answer: any, video: string, changes: number, at: number}} Known */

/** @type {Map<string, Known>} the one that was used last comes last */
const known = new Map();
/** @type {Map<string, Promise<any>>} under way, by address and changes */
const asking = new Map();

/**
 * The answer to an address that still holds; undefined where there is none.
 * @param {string} path
 */
function recall(path) {
  const found = known.get(path);
  if (!found) return undefined;
  known.delete(path);
  const holds = found.changes === ownChanges() && performance.now() - found.at < HOLDS_MS && isTold();
  if (!holds) return undefined;
  known.set(path, found);
  return structuredClone(found.answer); // pages change what they are given
}

/**
 * @param {string} path
 * @param {string} video
 */
function ask(path, video) {
  const changes = ownChanges();
  const key = `${changes} ${path}`;
  const under = asking.get(key);
  if (under) return under;
  const asked = call(path)
    .then((answer) => {
      if (asking.get(key) === asked && changes === ownChanges()) keep(path, answer, video);
      return answer;
    })
    .finally(() => {
      if (asking.get(key) === asked) asking.delete(key);
    });
  asking.set(key, asked);
  return asked;
}

/**
 * The answer to an address, for the page that is open: the one that is known, or else the server's.
 * @param {string} path
 * @param {string} video the id of the video that the answer is about; empty: about several, or not known
 * @returns {Promise<any>}
 */
export function read(path, video) {
  const answer = recall(path);
  return whileOpen(answer === undefined ? ask(path, video) : Promise.resolve(answer));
}

/**
 * What is likely to be read next. A failure is of no interest: the page that needs it asks again.
 * @param {string} path
 * @param {string} video
 */
export function prefetch(path, video) {
  if (recall(path) === undefined) ask(path, video).catch(() => null);
}

/**
 * @param {string} path
 * @param {any} answer
 * @param {string} video
 */
function keep(path, answer, video) {
  known.delete(path);
  known.set(path, { answer: structuredClone(answer), video, changes: ownChanges(), at: performance.now() });
  if (known.size > MOST) known.delete(known.keys().next().value);
}

/** @param {string[]} videos that have changed; none: any may have */
function forgetAbout(videos) {
  for (const [path, { video }] of known)
    if (!videos.length || !video || videos.includes(video)) known.delete(path);
  asking.clear(); // what is under way may have been read before the change
}

onServer('changed', ({ videos }) => forgetAbout(videos));
