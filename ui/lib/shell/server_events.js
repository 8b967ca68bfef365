// What the server tells this document by itself (GET /api/events): others' changes, how runs and models stand, another
// version, the end of the session. One stream for as long as the document is looked at; each event is one of the
// document (`dl-server-jobs`, ...) for the page that is open.
import { writer } from '../editor/drafts.js';
import { pageSignal } from '../page/open_page.js';
import { h } from '../parts/elements.js';
import { notice, report } from '../parts/notices.js';
import { call, hasJustChanged } from '../requests/requests.js';
import { dropFirstAnswers, takeFirstAnswer } from '../requests/first_answers.js';

const FIRST_WAIT_MS = 500;
const MOST_WAIT_MS = 15_000;
const RUN_MS = 1500; // changes of a run, by nobody, come twice a second
const REST = 10; // what others change is asked for again after so many times as long as the last answers took
const NAMES = ['hello', 'changed', 'jobs', 'loading', 'person', 'over'];
const OWN_VERSION = new URL(import.meta.url).pathname.split('/')[2];

/** @type {EventSource | null} */
let source = null;
let wait = FIRST_WAIT_MS;
/** @type {number} */
let timer;
/** @type {number | null} of the last change that was heard of; at first, of the one before the document's answers */
let heard = takeFirstAnswer('last change') ?? null;
/** @type {Map<string, any>} what was told last, by the event's name */
const told = new Map();
let newer = false;

/** Whether the server tells this document of changes now. */
export const isTold = () => source?.readyState === EventSource.OPEN;

/** Whether another version is served than this document has: it is opened anew with the next page. */
export const isOutdated = () => newer;

/**
 * What was told last.
 * @param {string} name
 */
export const lastTold = (name) => told.get(name);

/**
 * @param {string} name
 * @param {(data: any) => unknown} act
 * @param {AbortSignal} [signal]
 */
export const onServer = (name, act, signal) =>
  document.addEventListener(
    `dl-server-${name}`,
    (event) => act(/** @type {CustomEvent} */ (event).detail),
    signal ? { signal } : {},
  );

/**
 * For the page that is open: somebody else, a run, or another page of this person has changed a video. What comes close
 * together is told once.
 * @param {() => string | undefined} video whose changes are wanted: '' of all; undefined: of none now
 * @param {(by: string[]) => unknown} act is given who it was, as far as that is known
 * @param {number} [within] so long other changes are waited for, in ms
 * @param {boolean} [own] also, a little later, what this page has just changed itself: for values without a revision,
 *   which another window may have changed in the same second
 */
export function onChange(video, act, within = 200, own = false) {
  /** @type {Set<string> | null} */
  let by = null;
  let timer = 0;
  let due = 0;
  let took = 0;
  const signal = pageSignal();
  const later = () => {
    const names = [...by];
    by = null;
    // A server that is away is no news: the stream asks again when it is back.
    const failed = (error) => (error.status === 0 ? null : report(error));
    if (signal.aborted) return;
    const begin = performance.now();
    Promise.resolve(act(names))
      .catch(failed)
      .finally(() => {
        took = performance.now() - begin;
      });
  };
  const heardOf = (change) => {
    const wanted = video();
    const mine = change.by.length && change.by.every((who) => who === writer().name) && hasJustChanged();
    if (mine && !own) return;
    if (wanted === undefined || (wanted && change.videos.length && !change.videos.includes(wanted))) return;
    // Fifty open pages ask after every save of one of them: the busier the server is, the less often.
    const wait = Math.max(change.by.length && !mine ? within : Math.max(within, RUN_MS), REST * took);
    if (!by || performance.now() + wait < due) {
      clearTimeout(timer);
      timer = setTimeout(later, wait);
      due = performance.now() + wait;
    }
    by = new Set([...(by || []), ...change.by.filter((who) => who !== writer().name)]);
  };
  onServer('changed', heardOf, signal);
}

/** Whether somebody is writing within this node. */
export const writesIn = (node) => node.querySelector('textarea:focus, input:focus, select:focus') !== null;

/** Once in a document. A hidden one lets go of its connection: browsers have few of them for one address. */
export function listenToServer() {
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
  onServer('hello', ({ number, version }) => {
    wait = FIRST_WAIT_MS;
    heard ??= number;
    if (version !== OWN_VERSION) sayNewer();
  });
  onServer('changed', ({ number }) => {
    heard = number;
    dropFirstAnswers();
  });
  onServer('over', () => {
    close();
    again();
  });
  if (!document.hidden) open();
}

function open() {
  close();
  source = new EventSource(`/api/events${heard === null ? '' : `?after=${heard}`}`);
  for (const name of NAMES) source.addEventListener(name, (event) => tell(name, JSON.parse(event.data)));
  source.onerror = again;
}

function close() {
  clearTimeout(timer);
  source?.close();
  source = null;
}

function tell(name, data) {
  told.set(name, data);
  document.dispatchEvent(new CustomEvent(`dl-server-${name}`, { detail: data }));
}

/** The stream has ended: with the session, or with the server. The first asks for a login; either way it comes back. */
function again() {
  close();
  timer = setTimeout(
    () => {
      call('/api/me').then(open, again);
    },
    wait * (0.5 + Math.random()),
  );
  wait = Math.min(MOST_WAIT_MS, wait * 2);
}

function sayNewer() {
  if (newer) return;
  newer = true;
  const reload = h(
    'button',
    { type: 'button', class: 'dl-button', onclick: () => location.reload() },
    'Load it',
  );
  notice(['A new version of Dailies is served. It comes with the next page. ', reload]);
}
