// Answers to the first requests of a page. They come with the document, or in one response for a page that is opened in
// it (ui/requests/first_answers.py), which can be requested before that. A change of the data drops all of them.

/** @typedef {any} Answer what the server sends: JSON */
/** @typedef {{address: string, at: number, answers: Promise<Object<string, Answer>>}} Requested */

const OLD_MS = 5000;

/** @type {Map<string, Answer>} by path: each is given once, to the page that is being drawn */
const here = new Map(
  Object.entries(JSON.parse(globalThis.document?.querySelector?.('#dl-first-answers')?.textContent || '{}')),
);
/** @type {Requested | null} for the page that is being drawn */
let coming = null;
/** @type {Requested | null} for a page that may be opened next */
let next = null;

/** @param {string} path */
export function takeFirstAnswer(path) {
  const answer = here.get(path);
  here.delete(path);
  return answer;
}

/**
 * As `takeFirstAnswer`, once those that are on their way have arrived; undefined: it has to be requested.
 * @param {string} path
 * @returns {Promise<Answer>}
 */
export async function firstAnswer(path) {
  const mine = coming;
  if (mine) {
    const found = Object.entries(await mine.answers);
    if (mine === coming) {
      coming = null;
      for (const [to, answer] of found) here.set(to, answer);
    }
  }
  return takeFirstAnswer(path);
}

/**
 * The page at `address` may be opened next.
 * @param {string} address
 * @param {(address: string) => Promise<Object<string, Answer>>} ask
 */
export function askAhead(address, ask) {
  if (next?.address === address && performance.now() - next.at < OLD_MS) return;
  next = { address, at: performance.now(), answers: ask(address).catch(() => ({})) };
}

/**
 * The page at `address` is drawn from now on, with the answers for it.
 * @param {string} address
 * @param {(address: string) => Promise<Object<string, Answer>>} ask
 */
export function openWithAnswers(address, ask) {
  endFirstAnswers();
  askAhead(address, ask);
  coming = next;
  next = null;
}

/** The page is drawn, or left: what it requests from now on may be newer. */
export function endFirstAnswers() {
  coming = null;
  here.clear();
}

/** Something has changed: answers from before are not shown. */
export function dropFirstAnswers() {
  endFirstAnswers();
  next = null;
}
