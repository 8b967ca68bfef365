// A dialog whose content, and the buttons beside "Cancel", are components.
import { mount } from './component.js';
import { openDialog } from '../parts/dialog.js';
import { h as element } from '../parts/elements.js';

/** @typedef {import('./component.js').Children} Children */

/** @type {(title: string, content: Children, actions?: Children, options?: {cancel?: string}) => ReturnType<typeof openDialog>} */
export function openDrawnDialog(title, content, actions = null, options = undefined) {
  const closed = new AbortController();
  const [body, foot] = [content, actions].map((drawn) => {
    const host = element('div', { style: { display: 'contents' } });
    mount(host, drawn, closed.signal);
    return host;
  });
  const dialog = openDialog(title, body, foot, options);
  dialog.node.addEventListener('close', () => closed.abort());
  return dialog;
}
