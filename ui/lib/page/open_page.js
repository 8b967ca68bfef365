// The page that is open. What belongs to it ends when another one is opened in the same document.

let page = new AbortController();

/** Listeners and clocks of the page that is open now end with this. */
export const pageSignal = () => page.signal;

/** @param {() => unknown} act once the page that is open now is left */
export const whenLeft = (act) => page.signal.addEventListener('abort', act);

/** From here on another page is open: what the one before waits for never comes. */
export function leavePage() {
  page.abort();
  page = new AbortController();
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
