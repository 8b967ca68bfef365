// What keys belong to: a field, a form, a dialog or a menu, or else the page.

const NO_TEXT = ['checkbox', 'radio', 'button', 'submit', 'range', 'color', 'file']
  .map((type) => `[type=${type}]`)
  .join(', ');
/** Fields that take letters. What is typed ahead goes through one that is none of the page's (typing_ahead.js). */
export const TEXT = `:is(input:not(${NO_TEXT}), textarea, [contenteditable=true]):not([data-catcher])`;
const OWNERS = `${TEXT}, select, [type=radio], [type=range], form, dialog, [popover], [role=menu], [role=radiogroup]`;

/** The field, form, dialog or menu that this node's keys belong to; null where they are keys of the page. */
export const ownerOf = (node) => node?.closest?.(OWNERS) || null;

export const takesText = (node) =>
  Boolean(node?.matches?.(TEXT) && !node.readOnly && !node.disabled && !node.closest('[inert]'));

/** Whether there is a field to write in here. */
export const hasField = (owner) =>
  [...owner.querySelectorAll(TEXT)].some((node) => takesText(node) && node.checkVisibility());

/** A field that can be written in, or a control of a form. */
export const takesKeys = (node) =>
  takesText(node) || Boolean(ownerOf(node) && !node.matches(TEXT) && !node.disabled);

/** Whether this key writes something where there is a text field. */
export const writes = (event) =>
  event.key.length === 1 &&
  (event.getModifierState?.('AltGraph') || !(event.ctrlKey || event.metaKey || event.altKey));

export const composes = (event) =>
  event.isComposing || event.keyCode === 229 || ['Process', 'Dead'].includes(event.key);

/** Pasting, loading the page again, tabs and windows. */
export const isBrowsers = ({ key, ctrlKey, metaKey }) =>
  ((ctrlKey || metaKey) && ['v', 'r', 't', 'w'].includes(key)) || /^F\d/.test(key);

const EDITING = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'Backspace', 'Delete'];

/** Whether this key selects, moves or deletes in a text. */
export const edits = ({ key, ctrlKey, metaKey }) =>
  EDITING.includes(key) || ((ctrlKey || metaKey) && key === 'a');
