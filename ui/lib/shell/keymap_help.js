// The list under `?`: every key of this page, found by word, changed, switched off and put back.
import { h, signal } from '../components/component.js';
import { button, mark } from '../components/small_components.js';
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
} from '../keys/keymap.js';

/** @typedef {import('../parts/pages.js').KeyRow} KeyRow */

const MODIFIERS = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'Dead'];
const DIRECTIONS = { ArrowDown: 1, ArrowUp: -1 };
const SINGLES =
  'Off: keys that are one letter, digit or sign without Ctrl or Alt do nothing, for those who speak to the computer or press keys by accident';

/** @type {KeyHelp | null} */
let open = null;

export function showHelp() {
  if (!open) open = new KeyHelp();
}

class KeyHelp {
  words = signal('');
  /** The row whose button Tab reaches, where it is among those that are found. */
  at = signal('');
  /** The row that waits for its new key. */
  asking = signal('');
  said = signal({ words: '', refused: false });
  /** Counts changes of keys, which are kept outside. */
  changes = signal(0);

  constructor() {
    const all = button('Reset all', () => this.change(resetAll, 'Every key is as it came.'), {
      kind: 'quiet',
      name: 'reset-keys',
    });
    this.node = openDialog('Keys', h(Keys, { help: this }), all, {
      cancel: 'Close',
      name: 'dl-keydialog',
    }).node;
    this.node.addEventListener('keydown', (event) => this.#key(event));
    this.node.addEventListener('close', () => {
      open = null;
    });
    this.search.focus();
  }

  get search() {
    return /** @type {HTMLInputElement} */ (this.node.querySelector('[type=search]'));
  }

  /** The rows that fit the words. */
  found() {
    const wanted = this.words.value.trim().toLowerCase();
    return liveRows().filter((row) =>
      [row.what, row.group, ...keysOf(row), ...keysOf(row).map(shown)].some((text) =>
        text.toLowerCase().includes(wanted),
      ),
    );
  }

  /** @param {() => void} act @param {string} words */
  change(act, words) {
    act();
    this.changes.value += 1;
    this.#say(words);
  }

  /** @param {KeyRow} row */
  reset(row) {
    this.#focus(row.id);
    this.change(() => resetKey(row), `“${row.what}” has its own key again.`);
  }

  /** @param {KeyRow} row */
  ask(row) {
    this.asking.value = row.id;
    this.#say(`Press the new key for “${row.what}”. Esc leaves it as it is.`);
  }

  stop(words = '') {
    this.asking.value = '';
    this.#say(words);
  }

  #say(words, refused = false) {
    this.said.value = { words, refused };
  }

  /** @param {string} id */
  #focus(id) {
    const row = this.node.querySelector(`[data-key-row="${CSS.escape(id)}"]`);
    /** @type {HTMLElement | null} */ (row?.querySelector('[data-do=change], [data-do=cancel]'))?.focus();
  }

  /**
   * While a row asks, the next key is its new one; else the arrows walk through the list.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (!this.asking.value) {
      this.#walk(event);
      return;
    }
    if (MODIFIERS.includes(event.key) || event.isComposing) return;
    event.preventDefault();
    if (event.key === 'Escape') {
      this.stop();
      return;
    }
    const row = liveRows().find((r) => r.id === this.asking.value);
    const key = chord(event);
    try {
      changeKey(row, key);
    } catch (error) {
      this.#say(`${error.message}. Press another key, or Esc.`, true);
      return;
    }
    this.stop(`“${row.what}” is ${shown(key)} now.`);
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const by = event.key === 'Enter' && event.target === this.search ? 1 : DIRECTIONS[event.key];
    if (!by) return;
    event.preventDefault();
    const ids = this.found().map((row) => row.id);
    const inList = /** @type {Element} */ (event.target).closest('[data-key-row]');
    const to = inList ? ids.indexOf(this.at.value) + by : by > 0 ? 0 : ids.length - 1;
    if (to < 0) this.search.focus();
    else if (ids[to]) this.#focus(ids[to]);
  }
}

/** @param {{help: KeyHelp}} props */
function Keys({ help }) {
  void help.changes.value; // drawn anew when a key has changed
  const { words, refused } = help.said.value;
  const rows = help.found();
  const groups = Map.groupBy(rows, (row) => row.group);
  const reached = (rows.find((row) => row.id === help.at.value) || rows[0])?.id;
  return [
    h(
      'div',
      { class: 'dl-keytop' },
      h('input', {
        type: 'search',
        class: 'dl-input',
        placeholder: 'Find a key or what it does',
        'aria-label': 'Find a key',
        value: help.words.value,
        onInput: (event) => {
          help.words.value = event.currentTarget.value;
        },
      }),
      h(
        'label',
        { title: SINGLES },
        h('input', {
          type: 'checkbox',
          checked: singles(),
          onChange: ({ currentTarget }) => help.change(() => switchSingles(currentTarget.checked), ''),
        }),
        h('span', null, 'Single keys work'),
      ),
    ),
    h('p', { class: `dl-keysaid ${refused ? 'dl-refused' : ''}`, role: 'status' }, words),
    h(
      'div',
      { class: 'dl-keyscroll' },
      h(
        'div',
        { class: 'dl-keys' },
        rows.length ? null : h('p', { class: 'dl-hint' }, 'No key fits these words.'),
        [...groups].map(([group, found]) =>
          h(
            'section',
            { key: group, 'aria-label': group },
            h('h3', null, group),
            h(
              'ul',
              null,
              found.map((row) => h(Row, { key: row.id, help, row, reached: row.id === reached })),
            ),
          ),
        ),
      ),
    ),
  ];
}

/** @param {{help: KeyHelp, row: KeyRow, reached: boolean}} props */
function Row({ help, row, reached }) {
  void help.changes.value;
  const asks = help.asking.value === row.id;
  /** @type {(words: string, key: string, act: () => void) => import('../components/component.js').Drawn} */
  const tool = (words, key, act) =>
    h(
      'button',
      {
        key,
        type: 'button',
        class: 'dl-button dl-button-quiet',
        tabIndex: key === 'reset' || reached ? 0 : -1,
        'data-do': words,
        'aria-label': `${words}: ${row.what}`,
        onClick: act,
        onFocus: () => {
          help.at.value = row.id;
        },
      },
      words,
    );
  return h(
    'li',
    { 'data-key-row': row.id, class: asks ? 'dl-asking' : null },
    h('span', { class: 'dl-keycaps' }, asks ? h('b', null, 'press a key') : keysOf(row).map(keycap)),
    h('span', { class: 'dl-keywhat' }, row.what, isChanged(row) ? mark('corrected', 'changed') : null),
    isChanged(row) && !asks ? tool('reset', 'reset', () => help.reset(row)) : null,
    tool(asks ? 'cancel' : 'change', 'change', () => (asks ? help.stop() : help.ask(row))),
  );
}

/** @param {string} key */
const keycap = (key) =>
  !singles() && isSingle(key)
    ? h('kbd', { key, class: 'dl-keyoff', title: 'switched off with the single keys' }, shown(key))
    : h('kbd', { key }, shown(key));
