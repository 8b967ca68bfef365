// Letters that go nowhere: why nothing can be written is said together with what was typed, and until there is a pause
// the letters that follow run nothing. What was typed when a page was left is shown on the next one.
import { shelf } from '../page/browser_storage.js';
import { h } from '../parts/elements.js';
import { keepNotice, notice, Refused, report } from '../parts/notices.js';
import { stated } from '../requests/requests.js';
import { BREATH_MS } from './full_fields.js';
import { composes, edits, ownerOf, takesText, TEXT, writes } from './key_owners.js';

/** @typedef {Window & {dailiesEarly?: string, dailiesHearsEarly?: EventListener}} EarlyKeys */

export const GONE =
  'The field that you were writing in is not here any more: press the key of another one first, such as e.';

let quiet = null; // after a refusal: {until, error, typed, words, line}
let dropped = null; // {until, typed}: what a notice gave back a moment ago
let typing = null; // where the last letter went, or the next one will: {field, at}

/**
 * Says why nothing can be typed, and takes the letters that follow until there is a pause.
 * @param {Error} error
 * @param {string} typed before
 */
export function refuseLetters(error, typed) {
  const words = h('span', {});
  quiet = { until: performance.now() + BREATH_MS, error, typed, words, line: report(error, words) };
  sayQuiet();
}

function sayQuiet() {
  const { error, typed, words, line } = quiet;
  words.textContent = typed.trim() ? `${error.message} Not written: “${typed}”` : error.message;
  keepNotice(line);
}

export const isQuiet = () => Boolean(quiet && performance.now() < quiet.until);

export function endQuiet() {
  quiet = null;
}

/** A key in the breath after a refusal. */
export function swallow(event) {
  event.stopImmediatePropagation();
  if (!(event.ctrlKey || event.metaKey || event.altKey) || event.key === 'Enter') event.preventDefault();
  quiet.until = performance.now() + BREATH_MS;
  if (writes(event)) quiet.typed += event.key;
  sayQuiet();
}

/** What is pasted in the breath after a refusal is refused like the letters around it. */
export function swallowText(event) {
  const inserts = event.inputType.startsWith('insert') && event.cancelable;
  if (!inserts || !isQuiet() || event.target.matches('[data-catcher]')) return;
  event.preventDefault();
  quiet.until = performance.now() + BREATH_MS;
  quiet.typed += event.data ?? event.dataTransfer?.getData('text/plain') ?? '';
  sayQuiet();
}

/** @param {string} typed that a notice gives back */
export function giveBack(typed) {
  notice(`Not written: “${typed}”`);
  dropped = { until: performance.now() + BREATH_MS, typed };
}

// --- the field that was written in -------------------------------------------------------

const stillThere = (field) => field.checkVisibility() && takesText(field);

/** Why this letter is of no use: the page has taken away the field that it was meant for. Empty: it has not. */
export function lostField(event) {
  const { field, at } = typing || {};
  const letter = writes(event) || composes(event);
  const lost =
    field && letter && !stillThere(field) && !ownerOf(event.target) && performance.now() - at < BREATH_MS;
  if (lost) typing = null;
  else if (takesText(event.target)) writesIn(event.target, finishes(event));
  else if (!writes(event) && !edits(event)) typing = null;
  return lost ? `${GONE}${composes(event) ? ' Not written: what you compose.' : ''}` : '';
}

/** Enter, but for a new line: what the field was for is done. */
const finishes = ({ key, ctrlKey, metaKey, target }) =>
  key === 'Enter' && (ctrlKey || metaKey || !target.matches('textarea'));

/** Only the person closes a dialog, so letters after that are not meant for its fields. */
export function writesIn(field, done = false) {
  typing = done || field.closest('dialog') ? null : { field, at: performance.now() };
}

/** Nobody is in the middle of writing any more. */
export function endTyping() {
  typing = null;
}

/** The page is left. Someone who had the caret in one of its fields, as with the browser's Back, may still be typing. */
export function writesOn(field) {
  typing = field.matches(TEXT) ? { field, at: performance.now() } : null;
}

// --- from one page to the next -----------------------------------------------------------

/** Where what was typed when a page was left is kept, for the person and the workspace of the page. */
const keptAt = () => `dailies-not-written:${stated['X-Dailies-For']}`;

/** @param {string} typed for a field that was not there when the document was left */
export function keepLetters(typed) {
  const unread = [dropped, quiet].filter((said) => said && performance.now() < said.until);
  const words = [...unread.map((said) => said.typed), typed].join('');
  if (words) shelf.setItem(keptAt(), words);
}

export function sayKept() {
  const words = shelf.getItem(keptAt());
  if (!words) return;
  shelf.removeItem(keptAt());
  sayLeft(words);
}

/** @param {string} words */
export const sayLeft = (words) =>
  notice(`Not written: “${words}”. The page before was left while its field was being opened.`, 'error');

/** Shows what was typed before the scripts had loaded; ui/pages/html_documents.py records it. */
export function sayEarly() {
  const { dailiesEarly, dailiesHearsEarly } = /** @type {EarlyKeys} */ (window);
  removeEventListener('keydown', dailiesHearsEarly, true);
  if (dailiesEarly) refuseLetters(new Refused('The page was still loading.'), dailiesEarly);
}
