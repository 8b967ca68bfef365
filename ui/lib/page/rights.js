// What this person may do.

/**
 * The top bar fills it in before a page is drawn.
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
