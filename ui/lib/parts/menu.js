// A button that opens a menu. Arrows, Home and End go through it, Enter, Space or a click chooses, Esc closes it; letters
// do nothing in it.
import { h } from './elements.js';

/**
 * `checked` is left out where nothing is on or off. Gives [button, menu].
 * @param {import('./elements.js').Attributes} attributes of the button
 * @param {import('./elements.js').Content} content of the button
 * @param {string} label of the menu
 * @param {{words: string, run: () => unknown, checked?: boolean}[]} rows
 */
export function menuButton(attributes, content, label, rows) {
  const menu = h(
    'div',
    {
      class: 'dl-menu',
      popover: 'auto',
      role: 'menu',
      'aria-label': label,
      onkeydown: (event) => moveIn(menu, event),
    },
    rows.map(({ words, run, checked }) =>
      h(
        'button',
        {
          type: 'button',
          role: checked === undefined ? 'menuitem' : 'menuitemradio',
          'aria-checked': checked === undefined ? null : String(checked),
          tabindex: '-1',
          onclick: () => {
            menu.hidePopover();
            run();
          },
        },
        words,
      ),
    ),
  );
  const show = () => {
    if (!menu.togglePopover()) {
      open.focus();
      return;
    }
    place(menu, open);
    (menu.querySelector('[aria-checked=true]') || /** @type {HTMLElement} */ (menu.firstChild)).focus();
  };
  const open = h(
    'button',
    { type: 'button', 'aria-haspopup': 'menu', ...attributes, onclick: show },
    content,
  );
  menu.addEventListener('toggle', (event) => {
    if (event.newState !== 'open' && menu.matches(':focus-within')) open.focus();
  });
  return [open, menu];
}

/**
 * @param {HTMLElement} menu
 * @param {HTMLElement} beside
 */
function place(menu, beside) {
  const box = beside.getBoundingClientRect();
  menu.style.left = `${Math.max(4, Math.min(innerWidth - menu.offsetWidth - 4, box.right - menu.offsetWidth))}px`;
  menu.style.top = `${Math.max(4, Math.min(innerHeight - menu.offsetHeight - 4, box.bottom + 2))}px`;
}

/**
 * @param {HTMLElement} menu
 * @param {KeyboardEvent} event
 */
function moveIn(menu, event) {
  const rows = /** @type {HTMLElement[]} */ ([...menu.children]);
  const at = rows.findIndex((row) => row.matches(':focus'));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  rows.at(to % rows.length).focus();
}
