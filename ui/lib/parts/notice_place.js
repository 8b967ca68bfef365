// Where notices stand: over the page, which does not move for them, in the place along its edges where they cover least,
// and never over the field that has the caret.
const EDGE_PX = 12;
const BAR_PX = 44; // the bar on top
const STEP_PX = { x: 40, y: 12 };
const CONTROLS = 'button, a, input, select, textarea, summary, img, video, [role=option], [role=row]';
const COST = { text: 1, control: 3, caret: 1e6 };

/** @typedef {{left: number, top: number, below: boolean}} Place `below`: at the foot of the window */

/**
 * Places the notices now, whenever they grow or become fewer, and when another field has the caret.
 * @param {HTMLElement} host
 */
export function keepInFreeSpace(host) {
  /** @type {Place | null} */
  let stands = null;
  const place = () => {
    if (!host.childElementCount) {
      stands = null;
      return;
    }
    stands = freest(host, stands);
    host.style.left = `${stands.left}px`;
    host.style.top = stands.below ? 'auto' : `${stands.top}px`;
    host.style.bottom = stands.below ? `${EDGE_PX}px` : 'auto';
  };
  new ResizeObserver(place).observe(host);
  addEventListener('resize', place);
  document.addEventListener('focusin', place);
}

/**
 * The place that covers least; the one where they stand already, where none is better.
 * @param {HTMLElement} host
 * @param {Place | null} stands
 */
function freest(host, stands) {
  const { offsetWidth: width, offsetHeight: height } = host;
  const places = edges(width, height);
  const same = stands && places.find((one) => one.left === stands.left && one.below === stands.below);
  host.style.visibility = 'hidden'; // it does not cover itself
  const costs = new Map(places.map((one) => [one, covers(one, width, height)]));
  host.style.visibility = '';
  const least = Math.min(...costs.values());
  return same && costs.get(same) === least ? same : places.find((one) => costs.get(one) === least);
}

/**
 * Along the foot of the window, from the right to the left, then below the bar.
 * @param {number} width
 * @param {number} height
 * @returns {Place[]}
 */
function edges(width, height) {
  const room = Math.max(0, innerWidth - width - 2 * EDGE_PX);
  const across = [1, 0.75, 0.5, 0.25, 0].map((share) => Math.round(EDGE_PX + share * room));
  const foot = innerHeight - height - EDGE_PX;
  return [
    ...across.map((left) => ({ left, top: foot, below: true })),
    ...across.map((left) => ({ left, top: BAR_PX + EDGE_PX, below: false })),
  ];
}

/**
 * What a place would cost: what is read or pressed there, and the field that has the caret above all.
 * @param {Place} place
 * @param {number} width
 * @param {number} height
 */
function covers({ left, top }, width, height) {
  let cost = overlapsCaret({ left, top, right: left + width, bottom: top + height }) ? COST.caret : 0;
  for (let x = left; x <= left + width; x += STEP_PX.x)
    for (let y = top; y <= top + height; y += STEP_PX.y) cost += costAt(document.elementFromPoint(x, y));
  return cost;
}

/** @param {{left: number, top: number, right: number, bottom: number}} box */
function overlapsCaret({ left, top, right, bottom }) {
  const field = document.activeElement?.closest('input, textarea, select');
  if (!field) return false;
  const at = field.getBoundingClientRect();
  return at.left < right && at.right > left && at.top < bottom && at.bottom > top;
}

/** @param {Element | null} node */
function costAt(node) {
  if (!node) return 0;
  if (node.closest(CONTROLS)) return COST.control;
  return [...node.childNodes].some((one) => one.nodeType === Node.TEXT_NODE && one.nodeValue.trim())
    ? COST.text
    : 0;
}
