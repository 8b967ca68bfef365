// Requests to the server, for the person that this page works for.
import { whileOpen } from '../page/open_page.js';
import { dropFirstAnswers, firstAnswer } from './first_answers.js';

/** @typedef {any} Answer what the server sends: JSON */

export class ApiError extends Error {
  /**
   * @param {number} status 0 where there was no answer
   * @param {Answer} body
   */
  constructor(status, body) {
    super(body.error || `the server answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

/**
 * Headers that name the person and workspace of this page. The server refuses a request whose session is another person's.
 * @type {Object<string, string>}
 */
export const stated = { 'X-Dailies': '1' };
/** @type {((error: ApiError) => Promise<unknown>) | null} */
let sessionOver = null;

/**
 * `over(error)`: the session has ended or is another person's; it resolves once it is this person's again.
 * @param {Answer} me as /api/me gives it
 * @param {(error: ApiError) => Promise<unknown>} over
 */
export function workFor({ workspace_id: workspace, person }, over) {
  stated['X-Dailies-For'] = [workspace, person.id].map(encodeURIComponent).join(' ');
  sessionOver = over;
}

/**
 * Whether a request failed because the session has ended or another person is logged in.
 * @param {Error & {status?: number, body?: Answer}} error
 */
export const isSessionOver = (error) => error.status === 401 || Boolean(error.body?.other);

/** @param {ApiError} error */
export const whenSessionIsBack = (error) => sessionOver(error);

/**
 * The options of `fetch` for a change; `keepalive`: it goes out although the page is being left.
 * @param {unknown} body
 * @param {RequestInit} [more]
 * @returns {RequestInit}
 */
export function posted(body, more = {}) {
  return {
    method: 'POST',
    headers: { ...stated, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...more,
  };
}

/** Before a page goes, Firefox cuts its requests off; how long it then still runs depends on the machine. */
const LEAVING_MS = 10_000;
let leftAt = -Infinity;
if (globalThis.addEventListener) addEventListener('beforeunload', () => (leftAt = performance.now()));

/**
 * There was no answer, or only part of one. While the page is being left, the error is held back.
 * @param {string} words
 * @returns {Promise<never>}
 */
async function failed(words) {
  const leaving = leftAt + LEAVING_MS - performance.now();
  if (leaving > 0) await new Promise((go) => setTimeout(go, leaving));
  throw new ApiError(0, { error: words });
}

/**
 * The answer of the server, whatever it is.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 * @throws {ApiError}
 */
export const fetched = (path, options) =>
  fetch(path, options).catch(() => failed('the server does not answer'));

/** Within this time the server tells of a change, also the page that made it. Every request but a GET counts as one. */
const OWN_MS = 2000;
/** @type {Set<Promise<unknown>>} */
const sending = new Set();
let sentAt = -Infinity;
let changes = 0;

/** Grows when this page sends a change, and when that is answered: answers from before may be out of date. */
export const ownChanges = () => changes;

/** Whether this page itself is changing something, or has just done so. */
export const hasJustChanged = () => sending.size > 0 || performance.now() - sentAt < OWN_MS;

/** Resolves once every change that was sent until now is answered, or failed. */
export const changesAnswered = () => Promise.allSettled([...sending]);

/**
 * One request, whatever comes of it.
 * @param {string} path
 * @param {unknown} [body] JSON or a form; without one it is a GET
 * @param {string} [method]
 * @returns {Promise<Answer>}
 * @throws {ApiError}
 */
export async function request(path, body, method) {
  if (body === undefined && !method) {
    const first = await firstAnswer(path);
    if (first !== undefined) return first;
  }
  // The server never redirects. A redirect comes from a proxy that sends people without a session to its login page.
  /** @type {RequestInit} */
  const options = {
    method: method || (body === undefined ? 'GET' : 'POST'),
    headers: stated,
    redirect: 'manual',
  };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) Object.assign(options, posted(body, { method: options.method }));
  const answer = await (options.method === 'GET' ? fetched(path, options) : sent(path, options));
  if (answer.type === 'opaqueredirect') throw new ApiError(401, { error: 'log in first' });
  const data = await answer.json().catch(() => undefined);
  if (!answer.ok) throw new ApiError(answer.status, data || {});
  return data === undefined ? failed('the server ended before its answer was whole') : data;
}

/**
 * @param {string} path
 * @param {RequestInit} options
 */
async function sent(path, options) {
  const answered = fetched(path, options);
  dropFirstAnswers();
  sending.add(answered);
  changes += 1;
  try {
    return await answered;
  } finally {
    dropFirstAnswers(); // also those that were requested meanwhile
    sending.delete(answered);
    changes += 1;
    sentAt = performance.now();
  }
}

/**
 * As `request`; where the session has ended, it waits until the person has logged in again.
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [method]
 * @returns {Promise<Answer>}
 */
export async function call(path, body, method) {
  try {
    return await request(path, body, method);
  } catch (error) {
    if (!sessionOver || !isSessionOver(error)) throw error;
    await sessionOver(error);
    return call(path, body, method);
  }
}

/**
 * As `call`, but the answer is dropped if the current page has been left.
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [method]
 * @returns {Promise<Answer>}
 */
export const api = (path, body, method) => whileOpen(call(path, body, method));
