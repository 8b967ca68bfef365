// Work for later: while the browser has nothing else to do.

const LATEST_MS = 5000;

/**
 * Safari has no `requestIdleCallback`.
 * @param {() => unknown} act
 */
export function whenIdle(act) {
  if (globalThis.requestIdleCallback) requestIdleCallback(act, { timeout: LATEST_MS });
  else setTimeout(act, 200);
}
