// The list under `?`: every key of this page, found by word, changed, switched off and put back.
import { button, clear, h, mark } from '../parts/elements.js';
import { openDialog } from '../parts/dialog.js';
import {
  changeKey,
  chord,
  isChanged,
  isSingle,
  keysOf,
  liveRows,
  resetAll,
  resetKey,
  shown,
  singles,
  switchSingles,
} from './keymap.js';

const MODIFIERS = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'Dead'];
const DIRECTIONS = { ArrowDown: 1, ArrowUp: -1 };

let open = null;

export function showHelp() {
  if (!open) open = new KeyHelp();
}

class KeyHelp {
  constructor() {
    this.at = '';
    this.asking = '';
    this.search = h('input', {
      type: 'search',
      class: 'dl-input',
      placeholder: 'Find a key or what it does',
      'aria-label': 'Find a key',
      oninput: () => this.#draw(),
    });
    this.single = h('input', {
      type: 'checkbox',
      checked: singles(),
      onchange: () => {
        switchSingles(this.single.checked);
        this.#say('');
        this.#draw();
      },
    });
    this.said = h('p', { class: 'dl-keysaid', role: 'status' });
    this.list = h('div', { class: 'dl-keys' });
    const top = h(
      'div',
      { class: 'dl-keytop' },
      this.search,
      h(
        'label',
        {
          title:
            'Off: keys that are one letter, digit or sign without Ctrl or Alt do nothing, for those who speak to the computer or press keys by accident',
        },
        this.single,
        h('span', {}, 'Single keys work'),
      ),
    );
    const all = button(
      'Reset all',
      () => {
        resetAll();
        this.single.checked = true;
        this.#say('Every key is as it came.');
        this.#draw();
      },
      { kind: 'quiet', name: 'reset-keys' },
    );
    this.dialog = openDialog(
      'Keys',
      [top, this.said, h('div', { class: 'dl-keyscroll' }, this.list)],
      [all],
      { cancel: 'Close' },
    );
    this.dialog.node.classList.add('dl-keydialog');
    this.dialog.node.addEventListener('keydown', (event) => this.#key(event));
    this.dialog.node.addEventListener('close', () => {
      open = null;
    });
    this.#draw();
    this.search.focus();
  }

  #draw() {
    const wanted = this.search.value.trim().toLowerCase();
    const fits = (row) =>
      [row.what, row.group, ...keysOf(row), ...keysOf(row).map(shown)].some((text) =>
        text.toLowerCase().includes(wanted),
      );
    const rows = liveRows().filter(fits);
    if (!rows.some((row) => row.id === this.at)) this.at = rows[0]?.id;
    const groups = Map.groupBy(rows, (row) => row.group);
    clear(
      this.list,
      rows.length ? null : h('p', { class: 'dl-hint' }, 'No key fits these words.'),
      [...groups].map(([group, found]) =>
        h(
          'section',
          { 'aria-label': group },
          h('h3', {}, group),
          h(
            'ul',
            {},
            found.map((row) => this.#row(row)),
          ),
        ),
      ),
    );
  }

  #row(row) {
    const off = (key) => !singles() && isSingle(key);
    const keys = keysOf(row).map((key) =>
      h(
        'kbd',
        {
          class: off(key) ? 'dl-keyoff' : null,
          title: off(key) ? 'switched off with the single keys' : null,
        },
        shown(key),
      ),
    );
    const asking = this.asking === row.id;
    return h(
      'li',
      { 'data-key-row': row.id, class: asking ? 'dl-asking' : null },
      h('span', { class: 'dl-keycaps' }, asking ? h('b', {}, 'press a key') : keys),
      h('span', { class: 'dl-keywhat' }, row.what, isChanged(row) ? mark('corrected', 'changed') : null),
      isChanged(row) && !asking
        ? this.#button(row, 'reset', () => {
            resetKey(row);
            this.#say(`“${row.what}” has its own key again.`);
            this.#draw();
            this.#focus(row.id);
          })
        : null,
      this.#button(row, asking ? 'cancel' : 'change', () => (asking ? this.#stop() : this.#ask(row))),
    );
  }

  #button(row, words, act) {
    return h(
      'button',
      {
        type: 'button',
        class: 'dl-button dl-button-quiet',
        tabindex: words === 'reset' || row.id === this.at ? '0' : '-1',
        'data-do': words,
        'aria-label': `${words}: ${row.what}`,
        onclick: act,
        onfocus: () => {
          this.at = row.id;
        },
      },
      words,
    );
  }

  #ask(row) {
    this.asking = row.id;
    this.#say(`Press the new key for “${row.what}”. Esc leaves it as it is.`);
    this.#draw();
    this.#focus(row.id);
  }

  #stop(words = '') {
    const id = this.asking;
    this.asking = '';
    this.#say(words);
    this.#draw();
    this.#focus(id);
  }

  #focus(id) {
    const node = this.list.querySelector(
      `[data-key-row="${CSS.escape(id)}"] :is([data-do=change], [data-do=cancel])`,
    );
    if (!node) return;
    this.at = id;
    for (const other of this.list.querySelectorAll('[data-do=change]'))
      other.tabIndex = other === node ? 0 : -1;
    node.focus();
  }

  #say(words, refused = false) {
    this.said.classList.toggle('dl-refused', refused);
    this.said.textContent = words;
  }

  /** While a row asks, the next key is its new one; else the arrows walk through the list. */
  #key(event) {
    if (!this.asking) {
      this.#walk(event);
      return;
    }
    if (MODIFIERS.includes(event.key) || event.isComposing) return;
    event.preventDefault();
    if (event.key === 'Escape') {
      this.#stop();
      return;
    }
    const row = liveRows().find((r) => r.id === this.asking);
    const key = chord(event);
    try {
      changeKey(row, key);
    } catch (error) {
      this.#say(`${error.message}. Press another key, or Esc.`, true);
      return;
    }
    this.#stop(`“${row.what}” is ${shown(key)} now.`);
  }

  #walk(event) {
    const by = event.key === 'Enter' && event.target === this.search ? 1 : DIRECTIONS[event.key];
    if (!by) return;
    event.preventDefault();
    const ids = [...this.list.querySelectorAll('[data-key-row]')].map((node) => node.dataset.keyRow);
    const inList = this.list.contains(document.activeElement);
    const to = inList ? ids.indexOf(this.at) + by : by > 0 ? 0 : ids.length - 1;
    if (to < 0) this.search.focus();
    else if (ids[to]) this.#focus(ids[to]);
  }
}
