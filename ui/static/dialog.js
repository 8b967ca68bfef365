// One modal dialog: the browser keeps the focus inside, Escape closes it, page keys rest meanwhile.
import { button, h } from './core.js';

/** Opens at once. `content` are nodes; `actions` are buttons beside "Cancel". Returns {node, close}. */
export function openDialog(title, content, actions = [], { cancel = 'Cancel' } = {}) {
  const heading = h('h2', {}, title);
  const node = h('dialog', { class: 'dl-modal', 'aria-label': title },
    h('header', {}, heading), h('div', { class: 'dl-modal-body' }, content),
    h('footer', {}, button(cancel, () => node.close(), { kind: 'quiet' }), actions));
  node.addEventListener('keydown', (event) => event.stopPropagation());
  node.addEventListener('click', (event) => { if (event.target === node) node.close(); });
  node.addEventListener('close', () => node.remove());
  document.querySelector('.dl-root').append(node);
  node.showModal();
  return { node, heading, close: () => node.close() };
}

/** Resolves to true when the person agrees. */
export function confirmed(title, words, agree) {
  return new Promise((resolve) => {
    let answer = false;
    const yes = button(agree, () => { answer = true; dialog.close(); }, { kind: 'danger', name: 'agree' });
    const dialog = openDialog(title, words.map((line) => h('p', {}, line)), [yes]);
    dialog.node.addEventListener('close', () => resolve(answer));
  });
}
