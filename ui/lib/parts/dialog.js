// One modal dialog: the browser keeps the focus inside, Escape closes it, page keys rest meanwhile. Ctrl+Enter does
// what its main button says, and so does Enter where the focus is in no other button; in a text of several lines Enter
// does only where the button says so, with Shift Enter for a new line.
import { isValidElement, render } from '../vendor/preact.js';
import { pageSignal } from '../page/open_page.js';
import { button, h } from './elements.js';
import { notice } from './notices.js';

const TEXTS = 'textarea, input:not([type]), input[type=text]';

/** @typedef {import('./elements.js').Content | import('preact').ComponentChildren} Content made by hand, or all of it by components */

/**
 * Opens at once. `actions` are buttons beside "Cancel"; `name` is a class of its own.
 * @param {string} title
 * @param {Content} content
 * @param {Content} [actions]
 */
export function openDialog(title, content, actions = [], { cancel = 'Cancel', name = '' } = {}) {
  const closed = new AbortController();
  const heading = h('h2', {}, title);
  const node = h(
    'dialog',
    { class: `dl-modal ${name}`, 'aria-label': title },
    h('header', {}, heading),
    filled(h('div', { class: 'dl-modal-body' }), content, closed.signal),
    h(
      'footer',
      {},
      button(cancel, () => node.close(), { kind: 'quiet' }),
      filled(h('div', { style: { display: 'contents' } }), actions, closed.signal),
    ),
  );
  node.addEventListener('keydown', (event) =>
    decide(event, /** @type {HTMLButtonElement} */ (node.querySelector('footer .dl-button-main'))),
  );
  node.addEventListener('click', (event) => {
    if (event.target === node) node.close();
  });
  node.addEventListener('close', () => {
    closed.abort();
    node.remove();
  });
  closeWithPage(node, closed.signal);
  document.querySelector('.dl-root').append(node);
  node.showModal();
  return { node, heading, close: () => node.close() };
}

/**
 * @param {HTMLElement} host
 * @param {Content} content
 * @param {AbortSignal} closed
 */
function filled(host, content, closed) {
  const all = [/** @type {any} */ (content)].flat(Infinity);
  if (!all.some(isValidElement)) {
    host.append(...all.filter((one) => one ?? false));
    return host;
  }
  render(all, host);
  closed.addEventListener('abort', () => render(null, host), { once: true });
  return host;
}

/**
 * A dialog of a page that is left, as by the browser's Back, closes and gives back what was typed in it.
 * @param {HTMLDialogElement} node
 * @param {AbortSignal} signal
 */
function closeWithPage(node, signal) {
  /** @type {Set<HTMLInputElement>} */
  const typed = new Set();
  node.addEventListener('input', (event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (field.matches(TEXTS)) typed.add(field);
  });
  const tell = () => {
    const words = [...typed].map((field) => field.value.trim()).filter(Boolean);
    node.close();
    if (words.length) notice(`Not written: “${words.join('”, “')}”. The page was left.`, 'error');
  };
  // Whoever holds the keys has to see first in which field somebody was writing.
  pageSignal().addEventListener('abort', () => queueMicrotask(tell), { signal });
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLButtonElement | null} main
 */
function decide(event, main) {
  if (event.key !== 'Enter' || event.isComposing || event.defaultPrevented || !main || main.disabled) return;
  const target = /** @type {Element} */ (event.target);
  const command = event.ctrlKey || event.metaKey;
  if (!command && (event.shiftKey || target.closest('button, a, summary, form'))) return;
  if (!command && target.matches('textarea') && main.querySelector('kbd')?.textContent !== 'Enter') return;
  event.preventDefault();
  main.click();
}

/**
 * Resolves to true when the person agrees.
 * @param {string} title
 * @param {string[]} words a paragraph each
 * @param {string} agree the words of the button
 * @returns {Promise<boolean>}
 */
export function confirmed(title, words, agree) {
  return new Promise((resolve) => {
    let answer = false;
    const yes = button(
      agree,
      () => {
        answer = true;
        dialog.close();
      },
      { kind: 'danger', name: 'agree' },
    );
    const dialog = openDialog(
      title,
      words.map((line) => h('p', {}, line)),
      [yes],
    );
    dialog.node.addEventListener('close', () => resolve(answer));
  });
}

/**
 * Does what the server may ask about first: points that are open are named, and it is done when the person agrees.
 * @template Answer
 * @param {(sure: boolean) => Promise<Answer>} send
 * @param {string} title
 * @param {string} agree the words of the button
 * @returns {Promise<Answer | null>} null where the person does not agree
 */
export async function askedFirst(send, title, agree) {
  try {
    return await send(false);
  } catch (error) {
    const points = /** @type {string[] | undefined} */ (error.body?.points);
    if (!points) throw error;
    return (await confirmed(title, points, agree)) ? send(true) : null;
  }
}
