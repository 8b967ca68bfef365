// Components: functions from props to what they show, drawn by Preact, which changes only what differs. A component
// that reads a signal is drawn again when the signal changes. Text of models and users is always a text node.
import { h as create, render } from '../vendor/preact.js';
import '../vendor/signals.js'; // makes components follow the signals that they read

export { render } from '../vendor/preact.js';
export { useLayoutEffect, useRef } from '../vendor/hooks.js';
export { batch, computed, signal } from '../vendor/signals.js';

/** @typedef {import('preact').ComponentChildren} Children */
/** @typedef {import('preact').JSX.IntrinsicElements} Elements */
/** @typedef {import('preact').VNode} Drawn */
/**
 * @template Value
 * @typedef {import('@preact/signals').Signal<Value>} Signal
 */

/**
 * One element or component. Preact's own `h` takes any string and any attribute; this one takes the elements that
 * there are, with their own attributes, so that `tsc` finds a wrong one.
 * @type {{
 *   <Tag extends keyof Elements>(tag: Tag, props: (Elements[Tag] & {[data: `data-${string}`]: string | number | boolean | null}) | null, ...children: Children[]): Drawn,
 *   <Props>(component: import('preact').FunctionComponent<Props>, props: Props & {key?: string | number}, ...children: Children[]): Drawn,
 * }}
 */
export const h = /** @type {any} */ (create);

/**
 * Draws a component into `host`, and takes it away once `until` is aborted and the page after it is drawn: until then
 * the picture of this one stays.
 * @param {Element} host
 * @param {Children} drawn
 * @param {AbortSignal} until
 */
export function mount(host, drawn, until) {
  render(drawn, host);
  const end = () => document.addEventListener('dl-drawn', () => render(null, host), { once: true });
  until.addEventListener('abort', end, { once: true });
}
