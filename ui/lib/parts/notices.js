// Lines that say what happened, and go by themselves.
import { h, icon } from './elements.js';
import { keepInFreeSpace } from './notice_place.js';

/** @typedef {import('./elements.js').Content} Content */

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
