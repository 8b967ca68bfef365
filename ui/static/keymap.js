// One table per page makes the handler and the help. Keys rest in text fields and while composing.
import { h } from './core.js';

const tables = [];
let overlay = null;

const named = { ' ': 'Space', ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };

/** 'Ctrl+Enter', 'Shift+ArrowRight', 'j', '?' ... as this event would be written in a table. */
function chord(event) {
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push('Ctrl');
  if (event.altKey) parts.push('Alt');
  const { key } = event;
  if (event.shiftKey && (key.length > 1 || (key.toLowerCase() !== key.toUpperCase()))) parts.push('Shift');
  parts.push(key.length === 1 ? key.toLowerCase() : key);
  return parts.join('+');
}

const writing = (target) => target.closest?.('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]');

/**
 * rows: [{keys: ['j'], what: 'next question', run(), inText?: true}]; `group` names them in the help.
 * Two rows of one page may not share a key: that is an error while developing, not a surprise later.
 */
export function addKeys(group, rows) {
  const taken = new Set(tables.flatMap((t) => t.rows.flatMap((r) => r.keys)));
  for (const row of rows) {
    for (const key of row.keys) {
      if (taken.has(key)) throw new Error(`key ${key} has two meanings: ${row.what}`);
      taken.add(key);
    }
  }
  tables.push({ group, rows });
}

export function installKeys() {
  document.addEventListener('keydown', (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const pressed = chord(event);
    if (overlay && pressed === 'Escape') { hideHelp(); event.preventDefault(); return; }
    const field = writing(event.target);
    if (field && pressed === 'Escape') { field.blur(); event.preventDefault(); return; }
    const row = tables.flatMap((t) => t.rows).find((r) => r.keys.includes(pressed));
    if (!row || (field && !row.inText)) return;
    // Buttons and links keep Space and Enter.
    if ((pressed === ' ' || pressed === 'Enter') && event.target.closest?.('button, a, summary, [role=option]')) return;
    event.preventDefault();
    row.run(event);
  });
}

export const keyTables = () => tables;

const shown = (key) => (key === '+' ? ['+'] : key.split('+')).map((part) => named[part] || part).join(' ');

export function showHelp() {
  if (overlay) { hideHelp(); return; }
  const before = document.activeElement;
  const groups = tables.map((t) => h('section', {}, h('h3', {}, t.group),
    h('dl', {}, t.rows.map((row) => [h('dt', {}, row.keys.map((k) => h('kbd', {}, shown(k)))), h('dd', {}, row.what)]))));
  const close = h('button', { type: 'button', class: 'dl-button', onclick: hideHelp }, 'Close');
  overlay = h('div', { class: 'dl-overlay', onclick: (e) => { if (e.target === overlay) hideHelp(); } },
    h('div', { class: 'dl-dialog', role: 'dialog', 'aria-modal': 'true', 'aria-label': 'Keys' }, h('header', {}, h('h2', {}, 'Keys'), close), h('div', { class: 'dl-keys' }, groups)));
  overlay.before = before;
  document.body.append(overlay);
  close.focus();
}

export function hideHelp() {
  overlay?.remove();
  overlay?.before?.focus?.();
  overlay = null;
}

