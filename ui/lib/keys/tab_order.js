// The order in which Tab goes through the page: that of the document, but in an element marked `data-fields-first` the
// texts come before buttons, also before those that stand above a text.
const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex]';
const FIELDS_FIRST = '[data-fields-first]';

/**
 * Where Tab goes from a control; undefined at either end of the page.
 * @param {HTMLElement} from
 * @param {1 | -1} by
 * @returns {HTMLElement | undefined}
 */
export function stopAfter(from, by) {
  const all = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(CONTROLS));
  const stops = [...all].filter((node) => node === from || isStop(/** @type {HTMLInputElement} */ (node)));
  const order = [...Map.groupBy(stops, (node) => node.closest(FIELDS_FIRST) || node).values()].flatMap(
    (group) => [...group.filter(isText), ...group.filter((node) => !isText(node))],
  );
  return order[order.indexOf(from) + by];
}

/**
 * Tab in an element where fields come first; gives whether this was such a Tab. Elsewhere the browser's order is right.
 * @param {KeyboardEvent} event
 * @param {1 | -1} by
 */
export function tabbed(event, by) {
  const from = /** @type {HTMLElement} */ (event.target);
  const to = from.closest(FIELDS_FIRST) && stopAfter(from, by);
  if (!to) return false;
  event.preventDefault();
  to.focus();
  return true;
}

/** @param {Element} node */
const isText = (node) => node.matches('textarea');

/**
 * Of radio buttons the browser stops at the one that is chosen, else at the first.
 * @param {HTMLInputElement} node
 */
function isStop(node) {
  if (node.tabIndex < 0 || node.disabled || node.closest('[inert]') || !node.checkVisibility()) return false;
  if (node.type !== 'radio') return true;
  const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (
    (node.form || document).querySelectorAll('[type=radio]')
  );
  const group = [...inputs].filter((one) => one.form === node.form && one.name === node.name);
  return node === (group.find((one) => one.checked) || group[0]);
}
