// Small things that every page uses: elements, requests, marks, times, the address bar.
// Text of models and users reaches the page through text nodes only, never as HTML.
import { dropFirstAnswers, endFirstAnswers, firstAnswer } from './first_answers.js';
import { keepInFreeSpace } from './notice_place.js';

/** @typedef {Content[]} Contents */
/**
 * What stands in an element: lists are flattened, and null, undefined and false are left out.
 * @typedef {Node | string | number | boolean | null | undefined | Contents} Content
 */

/** @typedef {Object<string, any>} Attributes of an element: listeners and properties too */

/**
 * An element that holds HTML only, so that what is looked up in it is typed without a cast.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @typedef {{
 *   readonly children: HTMLCollectionOf<HTMLElement>,
 *   readonly firstElementChild: HTMLElement | null,
 *   readonly lastElementChild: HTMLElement | null,
 *   readonly nextElementSibling: HTMLElement | null,
 *   readonly previousElementSibling: HTMLElement | null,
 *   querySelector(selectors: string): HTMLElement | null,
 *   querySelectorAll(selectors: string): NodeListOf<HTMLElement>,
 * } & HTMLElementTagNameMap[Tag]} Made
 */

/**
 * @param {Content[]} children
 * @returns {(Node | string)[]} numbers among them become text where they are put in
 */
const shown = (children) =>
  /** @type {(Node | string)[]} */ (
    /** @type {unknown[]} */ (children)
      .flat(Infinity)
      .filter((c) => c !== null && c !== undefined && c !== false)
  );

/**
 * An element; `on…` is a listener, `style` an object, and what is no text is set as a property where there is one.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Content} children
 * @returns {Made<Tag>}
 */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else if (name === 'style') Object.assign(node.style, value);
    else if (name in node && typeof value !== 'string') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...shown(children));
  return /** @type {Made<Tag>} */ (node);
}

/**
 * Puts `children` in place of what is in `node`.
 * @template {Element} Holder
 * @param {Holder} node
 * @param {...Content} children
 * @returns {Holder}
 */
export function clear(node, ...children) {
  node.replaceChildren(...shown(children));
  return node;
}

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
 * For whom this page works: every request says so, and the server refuses one that comes under another name.
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
 * Whether a request failed because nobody is logged in, or somebody else.
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
 * No answer came, or no whole one. Nobody is told on a page that is being left.
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
  // Nothing of ours redirects; a proxy in front sends whoever is not logged in any more to its own page.
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
 * As `call`, for the page that is open: once that is left, its answer comes to nobody.
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [method]
 * @returns {Promise<Answer>}
 */
export const api = (path, body, method) => whileOpen(call(path, body, method));

// --- the page that is open ------------------------------------------------------------

let page = new AbortController();

/** Listeners and clocks of the page that is open now end with this. */
export const pageSignal = () => page.signal;

/** @param {() => unknown} act once the page that is open now is left */
export const whenLeft = (act) => page.signal.addEventListener('abort', act);

/** From here on another page is open: what the one before waits for never comes. */
export function leavePage() {
  page.abort();
  page = new AbortController();
  endFirstAnswers();
}

/**
 * Settles as `promise` does, unless the page that is open now is left before.
 * @template Result
 * @param {Promise<Result>} promise
 * @returns {Promise<Result>}
 */
export function whileOpen(promise) {
  const { signal } = page;
  return new Promise((resolve, reject) => {
    promise.then(
      (answer) => signal.aborted || resolve(answer),
      (error) => signal.aborted || reject(error),
    );
  });
}

/**
 * What this person may do; the bar on top fills it in before a page is drawn.
 * @type {Set<string>}
 */
const rights = new Set();
/** @param {string[]} actions */
export function allow(actions) {
  rights.clear();
  actions.forEach((action) => rights.add(action));
}
/** @param {string} action */
export const can = (action) => rights.has(action);

// --- the address bar: what is open has a link ---------------------------------------

/** @typedef {Object<string, string | number | boolean | null | undefined>} Query what is empty is left out */

/**
 * @param {URLSearchParams} query
 * @param {Query} values
 */
function withValues(query, values) {
  for (const [name, value] of Object.entries(values))
    if (value === '' || value === null || value === undefined) query.delete(name);
    else query.set(name, String(value));
  const text = query.toString();
  return text && `?${text}`;
}

export const address = {
  /** @param {string} name */
  get: (name) => new URLSearchParams(location.search).get(name) || '',
  /** @param {Query} values */
  set(values) {
    const query = withValues(new URLSearchParams(location.search), values);
    history.replaceState(history.state, '', location.pathname + query);
    document.dispatchEvent(new CustomEvent('dl-address'));
  },
  /**
   * The link to a page.
   * @param {string} page
   * @param {Query} [values]
   */
  to: (page, values = {}) => `/${page}${withValues(new URLSearchParams(), values)}`,
};

// --- times and numbers ---------------------------------------------------------------

/** @param {number} seconds */
export function clock(seconds) {
  const ms = Math.round(Math.max(0, seconds) * 1000);
  /** @param {number} n */
  const pad = (n, w = 2) => String(n).padStart(w, '0');
  const text = `${pad(Math.floor(ms / 60000) % 60)}:${pad(Math.floor(ms / 1000) % 60)}.${pad(ms % 1000, 3)}`;
  const hours = Math.floor(ms / 3600000);
  return hours ? `${hours}:${text}` : text;
}

/** @param {number} seconds */
export const shortClock = (seconds) => clock(seconds).replace(/\.\d+$/, '');
/** @param {number} index */
export const frameName = (index) => `#${index.toLocaleString('en')}`;
// Letters of scripts that put no spaces between words count one by one: as backends/text/text_length.py.
const UNSPACED =
  /[\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/gu;
const TONES = /[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd]/g;
/**
 * Words, or characters where most of the text is in a script without spaces.
 * @param {string} text
 * @returns {{n: number, unit: 'words' | 'characters'}}
 */
export function textLength(text) {
  const letters = (text.replace(TONES, '').match(UNSPACED) || []).length;
  if (!letters) return { n: (text.match(/\S+/g) || []).length, unit: 'words' };
  const rest = (text.replace(UNSPACED, ' ').match(/\S+/g) || []).filter((word) =>
    /[\p{L}\p{N}_]/u.test(word),
  ).length;
  return { n: letters + rest, unit: letters > rest ? 'characters' : 'words' };
}
/** @param {string} text */
export const wordCount = (text) => textLength(text).n;
/** @param {number} unix seconds */
export const timeOfDay = (unix) =>
  new Date(unix * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
/** @param {number} unix seconds */
export function dayAndTime(unix) {
  const day = new Date(unix * 1000);
  return `${day.toLocaleDateString([], { day: 'numeric', month: 'short' })} ${timeOfDay(unix)}`;
}
/**
 * `1 video`, `2 videos`; the words are the one for one, and the one for many where that takes more than an s.
 * @type {(n: number, ...words: string[]) => string}
 */
export const plural = (n, one, many = `${one}s`) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

// --- marks: a colour AND a shape AND a word ------------------------------------------

/** @type {Object<string, string>} */
const SHAPES = {
  people:
    '<circle cx="6" cy="5" r="2.5" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M1.5 14c0-3 2-4.5 4.5-4.5s4.5 1.5 4.5 4.5M10.5 2.8a2.5 2.5 0 0 1 0 4.4M12.3 9.8c1.5.7 2.2 2.2 2.2 4.2" fill="none" stroke="currentColor" stroke-width="1.5"/>',
  yes: '<circle cx="8" cy="8" r="5.5" fill="currentColor"/>',
  no: '<circle cx="8" cy="8" r="4.8" fill="none" stroke="currentColor" stroke-width="2"/>',
  unparsed:
    '<path d="M5.2 5.6a2.9 2.9 0 1 1 4 2.7c-.8.4-1.2.8-1.2 1.7" fill="none" stroke="currentColor" stroke-width="1.9" stroke-linecap="round"/><circle cx="8" cy="12.9" r="1.2" fill="currentColor"/>',
  failed:
    '<path d="M8 2.6 14 13.4H2z" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linejoin="round"/><path d="M8 6.6v3" stroke="currentColor" stroke-width="1.7"/><circle cx="8" cy="11.4" r=".9" fill="currentColor"/>',
  mean: '<path d="M3 6h10M3 10h10" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/>',
  missing: '<path d="M3 8h10" stroke="currentColor" stroke-width="2.2" stroke-linecap="round"/>',
  stale:
    '<circle cx="8" cy="8" r="5.6" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="M8 4.8V8l2.2 1.6" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/>',
  moved:
    '<path d="M8 2.5v11M4.8 5.4 2.2 8l2.6 2.6M11.2 5.4 13.8 8l-2.6 2.6" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  corrected:
    '<path d="m3 13 .7-3 6.6-6.6a1.2 1.2 0 0 1 1.7 0l.6.6a1.2 1.2 0 0 1 0 1.7L6 12.3z" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linejoin="round"/>',
  entailment: '<rect x="3" y="3" width="10" height="10" fill="currentColor"/>',
  neutral:
    '<rect x="3" y="3" width="10" height="10" fill="none" stroke="currentColor" stroke-width="1.5"/><rect x="3" y="3" width="5" height="10" fill="currentColor"/>',
  contradiction:
    '<rect x="3" y="3" width="10" height="10" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="m3 3 10 10M13 3 3 13" stroke="currentColor" stroke-width="1.5"/>',
  done: '<path d="m3.5 8.4 3 3 6-6.6" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>',
  uncertain:
    '<path d="M2.5 9.4c1.6-3.2 3.6-3.2 5.5-1.2s3.9 2 5.5-1.2" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"/>',
  confirmed:
    '<path d="m4.6 8.3 2.3 2.4 4.5-5" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/><circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.4"/>',
  open: '<circle cx="8" cy="8" r="5.3" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.4 2"/>',
  working:
    '<circle cx="8" cy="8" r="5.3" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 2.7v10.6a5.3 5.3 0 0 1 0-10.6z" fill="currentColor"/>',
  skipped:
    '<path d="m3.5 3.5 4.5 4.5-4.5 4.5M8.5 3.5 13 8l-4.5 4.5" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  flagged:
    '<path d="M4 14V2.5" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/><path d="M4 3h8.5l-2 2.8 2 2.8H4z" fill="currentColor"/>',
  returned:
    '<path d="M6 3.2 2.8 6.4 6 9.6M3 6.4h6.2a3.4 3.4 0 0 1 0 6.8H6" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  approved:
    '<path d="m1.5 8.6 2.8 2.8 5-5.8M7.4 10.4l1 1 5.6-6.4" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>',
  blind:
    '<path d="M1.8 8S4.2 4.2 8 4.2 14.2 8 14.2 8 11.8 11.8 8 11.8 1.8 8 1.8 8z" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="m3 13 10-10" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/>',
  hidden:
    '<circle cx="8" cy="8" r="5.3" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.4 2"/>',
  search:
    '<circle cx="7" cy="7" r="4.3" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="m10.3 10.3 3.2 3.2" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/>',
  play: '<path d="M4.5 3v10l8.5-5z" fill="currentColor"/>',
  pause: '<path d="M4.5 3h2.6v10H4.5zM8.9 3h2.6v10H8.9z" fill="currentColor"/>',
  back: '<path d="M10.5 3 5 8l5.5 5z" fill="currentColor"/>',
  next: '<path d="M5.5 3 11 8l-5.5 5z" fill="currentColor"/>',
  theme:
    '<circle cx="8" cy="8" r="5.3" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 2.7a5.3 5.3 0 0 1 0 10.6z" fill="currentColor"/>',
  plus: '<path d="M8 3v10M3 8h10" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/>',
  minus: '<path d="M3 8h10" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/>',
  stop: '<rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor"/>',
  close: '<path d="m4 4 8 8M12 4l-8 8" stroke="currentColor" stroke-width="1.7" stroke-linecap="round"/>',
  down: '<path d="m4 6.2 4 4 4-4" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  link: '<path d="M6.5 9.5 9.5 6.5M7 4.8l1.5-1.5a2.6 2.6 0 0 1 3.7 3.7L10.7 8.5M9 11.2l-1.5 1.5a2.6 2.6 0 0 1-3.7-3.7l1.5-1.5" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/>',
  upload:
    '<path d="M8 11V3.4M4.8 6.2 8 3l3.2 3.2M3 13h10" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
  download:
    '<path d="M8 3v7.6M4.8 7.6 8 10.8l3.2-3.2M3 13h10" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>',
};

/**
 * The only HTML that is parsed: the constant shapes above.
 * @param {string} name of SHAPES; another gives an empty one
 */
export const iconMarkup = (name) =>
  `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${SHAPES[name] || ''}</svg>`;

/** @param {string} name */
export function icon(name) {
  const holder = document.createElement('span');
  holder.className = 'dl-icon';
  holder.innerHTML = iconMarkup(name);
  return holder;
}

/**
 * @param {string} state
 * @param {Content} [words] empty: the state is only heard
 */
export function mark(state, words = state) {
  return h(
    'span',
    { class: `dl-mark dl-is-${state}` },
    icon(state),
    words ? h('span', {}, words) : h('span', { class: 'dl-unseen' }, state),
  );
}

/** @param {Content} words */
export const badge = (words, kind = '') =>
  h('span', { class: `dl-badge ${kind ? `dl-badge-${kind}` : ''}` }, words);
export const baselineBadge = () => {
  const node = badge('baseline', 'baseline');
  node.title = 'made by the embedded baseline from measurements and speech, not by a model';
  return node;
};

/**
 * "yes"/"no" when judged, "mean" where a log holds no more than a score, else the state.
 * @param {{state?: string, label?: string}} row
 */
export const verdictWord = (row) => (row.state === 'done' ? row.label || 'mean' : row.state);
/** @param {number | null} [score] */
export const scoreText = (score) =>
  score === null || score === undefined ? '–' : String(Math.round(score * 100) / 100);

/**
 * `key` is shown beside the words; `name` is for style sheets and tests.
 * @param {Content} words
 * @param {(event: MouseEvent) => unknown} action
 * @param {{kind?: string, key?: string, title?: string, name?: string}} [options]
 */
export function button(words, action, { kind = '', key = '', title = '', name = '' } = {}) {
  return h(
    'button',
    {
      type: 'button',
      class: `dl-button ${kind ? `dl-button-${kind}` : ''}`,
      onclick: action,
      title: title || null,
      'data-name': name || null,
    },
    words,
    key ? h('kbd', {}, key) : null,
  );
}

/** @type {WeakMap<HTMLElement, {ms: number, timer: number}>} */
const noticeTimes = new WeakMap();

/** The words of this notice have changed: its time begins anew. */
export function keepNotice(line, ms = noticeTimes.get(line).ms) {
  clearTimeout(noticeTimes.get(line)?.timer);
  noticeTimes.set(line, { ms, timer: setTimeout(() => line.remove(), ms) });
}

/** @returns {HTMLElement} */
function noticesHost() {
  const there = /** @type {HTMLElement | null} */ (document.querySelector('.dl-notices'));
  if (there) return there;
  const host = h('div', { class: 'dl-notices', role: 'status' });
  document.body.append(host);
  keepInFreeSpace(host);
  return host;
}

/**
 * A line that goes by itself; gives it.
 * @param {Content} message
 */
export function notice(message, kind = 'info', ms = kind === 'error' ? 12000 : 5000) {
  const host = noticesHost();
  const line = h(
    'div',
    { class: `dl-notice dl-notice-${kind}` },
    message,
    h('button', { type: 'button', 'aria-label': 'Close', onclick: () => line.remove() }, icon('close')),
  );
  host.append(line);
  host.scrollTop = host.scrollHeight;
  keepNotice(line, ms);
  return line;
}

/** Nothing went wrong: what was asked for cannot be done here. The message says why, and what to do instead. */
export class Refused extends Error {}

/**
 * Says what went wrong, or why something is refused; `words` in place of the message. Gives the line.
 * @param {Error} error
 * @param {Content} [words]
 */
export function report(error, words = error.message || String(error)) {
  if (error instanceof Refused) return notice(words);
  console.error(error);
  return notice(words, 'error');
}

/**
 * Calls `action` once nothing has called it for `wait` ms, unless the page is left before.
 * @template {unknown[]} Arguments
 * @param {(...args: Arguments) => unknown} action
 * @param {number} wait
 */
export function debounce(action, wait) {
  let timer = 0;
  /** @param {Arguments} args */
  const later = (...args) => {
    const { signal } = page;
    clearTimeout(timer);
    timer = setTimeout(() => signal.aborted || action(...args), wait);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}

export const ASPECTS = ['camera', 'short', 'background', 'main_object', 'detailed'];
/** @param {string} kind */
export const aspectName = (kind) => kind.replace(/^\w+:/, '').replaceAll('_', ' ');
