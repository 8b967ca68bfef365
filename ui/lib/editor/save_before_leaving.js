// What saves itself says here whether it is saved, and every way on asks first: undo, "Done", the next video,
// another page. Nobody leaves words behind that the server has not confirmed.
import { Refused, report } from '../parts/notices.js';

const savers = new Set();

/** `saver`: {save() -> Promise, why() -> why it is not saved, in words; empty: it is}. Returns what takes it off. */
export function watchSaver(saver) {
  savers.add(saver);
  return () => savers.delete(saver);
}

/** Why something is not saved now; empty when everything is. */
function unsavedNow() {
  for (const saver of savers) {
    const why = saver.why();
    if (why) return why;
  }
  return '';
}

/** Saves everything, and resolves to why something could not be; empty: the server has it all. */
export async function settle() {
  await Promise.allSettled([...savers].map((saver) => saver.save()));
  return unsavedNow();
}

/** Everything is saved, so one may go on. Throws a Refused that says what is not. */
export async function requireSaved() {
  const why = await settle();
  if (why) throw new Refused(`Not everything is saved, so this stays open. ${why}`);
}

// --- what is being replaced ---------------------------------------------------------------

const leaving = new Map(); // node -> how many things are on their way to its place

/**
 * Something else is on its way to the place of these nodes: nothing can be typed or clicked in them until `arrive` has
 * drawn it. Where it does not come, they are as before, and so is the focus.
 */
export async function replacing(nodes, arrive) {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  const within = nodes.some((node) => node.contains(focused));
  nodes.forEach((node) => addLeaving(node, 1));
  if (within) focused.blur();
  try {
    return await arrive();
  } finally {
    nodes.forEach((node) => addLeaving(node, -1));
    if (within && document.activeElement === document.body && focused.isConnected)
      focused.focus({ preventScroll: true });
  }
}

function addLeaving(node, by) {
  const n = (leaving.get(node) || 0) + by;
  node.inert = n > 0;
  if (n) leaving.set(node, n);
  else leaving.delete(node);
}

// --- what goes before a way out ------------------------------------------------------------

const first = new Set();

/**
 * A way out waits for this: it was asked for before, as an undo.
 * @param {Promise<unknown>} promise
 */
export function goesFirst(promise) {
  first.add(promise);
  void promise.finally(() => first.delete(promise));
}

// --- links and forms of the page ---------------------------------------------------------

/** The link of ours that a click follows in this window; null for others, which leave this page as it is. */
function ownLink(event) {
  const link = event.target.closest?.('a[href]');
  if (
    !link ||
    event.defaultPrevented ||
    event.button ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.altKey
  )
    return null;
  if (
    (link.target && link.target !== '_self') ||
    link.hasAttribute('download') ||
    link.origin !== location.origin
  )
    return null;
  const here = link.pathname === location.pathname && link.search === location.search;
  return here && link.hash ? null : link;
}

/** @type {(url: URL) => boolean} opens a page of this document; false: the address is none of its pages */
let openHere = () => false;

/**
 * To another page or document, once the server has what is typed here.
 * @param {string} address
 */
export function go(address) {
  const url = new URL(address, location.href);
  const on = () => {
    if (!openHere(url)) location.assign(url);
  };
  if (first.size) void Promise.all(first).then(() => go(address));
  else if (unsavedNow()) requireSaved().then(on).catch(report);
  else on();
}

/**
 * Links, and forms that lead away, wait for the server's word.
 * @param {(url: URL) => boolean} open
 */
export function guardWaysOut(open) {
  openHere = open;
  document.addEventListener('click', (event) => {
    const link = ownLink(event);
    if (!link) return;
    event.preventDefault();
    go(link.href);
  });
  document.addEventListener('submit', (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    if (event.defaultPrevented || !form.getAttribute('action') || !unsavedNow()) return;
    event.preventDefault();
    requireSaved()
      .then(() => form.submit())
      .catch(report);
  });
}
