// The person for whom this document works, and what the bar shows: it comes with the document, and pages are drawn from
// it. It is requested again beside them, when the server tells of a change or the document is looked at again.
import { report } from '../parts/notices.js';
import { call, request } from '../requests/requests.js';
import { onServer } from './server_events.js';

/** @typedef {import('../wire.d.ts').components['schemas']['Me']} Me */

/** @type {Me | null} one object for the life of the document */
let me = null;
let old = false; // something has changed since it was requested

/**
 * Without a login the document ends here, and the person comes back to it afterwards.
 * @returns {Promise<Me>}
 */
export async function knownPerson() {
  me ??= await request('/api/me').catch(unlessStranger);
  if (me?.person) return me;
  location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
  return new Promise(() => {});
}

/** @param {import('../requests/requests.js').ApiError} error */
function unlessStranger(error) {
  if (error.status !== 401) throw error;
  return null;
}

/**
 * Requests it again. If another person has logged in in this browser, the dialog of session.js opens.
 * @returns {Promise<Me>}
 */
export async function refreshPerson() {
  old = false;
  Object.assign(me, await call('/api/me'));
  document.dispatchEvent(new CustomEvent('dl-person', { detail: me }));
  return me;
}

/** In the background: a server that is away is not reported, the stream of its events finds it again. */
function refreshLater() {
  refreshPerson().catch((error) => {
    old = true;
    if (error.status !== 0) report(error);
  });
}

/** A page is drawn: nothing waits for this. */
export function refreshOldPerson() {
  if (old) refreshLater();
}

/** Once in a document. */
export function followPerson() {
  onServer('changed', () => {
    old = true;
  });
  onServer('person', refreshLater);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) refreshLater();
  });
}
