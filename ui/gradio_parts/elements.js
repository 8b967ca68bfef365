// What both components use: elements made from text, never from HTML, and messages beside the value.

/**
 * An element with attributes and listeners (`onclick`).
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

/**
 * Whether this message from Python has not been followed on this page yet: Gradio makes a component anew when it
 * was hidden, with all properties as they were.
 * @param {{turn: number} | undefined} message
 */
export function isNew(message) {
  window.dailiesTurns ||= new Set();
  if (!message || window.dailiesTurns.has(message.turn)) return false;
  window.dailiesTurns.add(message.turn);
  return true;
}
