// A list of any length with as many rows in the page as fit on the screen: rows have one height, headings
// another, so the place of each is known before it is loaded. Pages of rows are fetched as they come into view.
import { h } from './elements.js';
import { report } from './notices.js';

const AROUND = 6; // rows beyond the edges, so that a short scroll shows no gap
const PAGES = 60; // kept; the least lately seen go
const WAIT_MS = 60; // a dragged scrollbar passes many pages that nobody wants

/** @typedef {Object<string, any>} Row as the server gives it */

/**
 * @typedef {Object} ListSettings
 * @property {string} label
 * @property {number} page
 * @property {number} row the height of a row
 * @property {number} heading the height of a heading
 * @property {(offset: number) => Promise<{rows: Row[]}>} fetch
 * @property {(row: Row, index: number) => HTMLElement} draw
 * @property {(row: Row) => string} head
 * @property {(index: number) => unknown} pick
 */

export class VirtualList {
  turn = 0; // of `reset`: what was fetched for the list before is not kept
  /** @type {number} */
  total;
  /** @type {Map<number, Row[]>} */
  pages;
  /** @type {Map<number, Promise<void>>} page -> the promise that it comes */
  wanted;
  /** @type {number[]} the first row of each group */
  starts;
  /** @type {number} */
  selected;
  /** @type {Map<number, HTMLElement>} what is drawn, by index */
  nodes;
  /** @type {number} */
  timer;

  /**
   * `page` rows are fetched at a time by `fetch(offset)`, which gives {rows}; `draw(row, index)` fills a row,
   * `head(row)` a heading; `pick(index)` is called when a row is chosen by mouse or by a key of the list.
   * @param {ListSettings} settings
   */
  constructor({ label, page, row, heading, fetch, draw, head, pick }) {
    this.size = page;
    this.rowHeight = row;
    this.headHeight = heading;
    this.fetch = fetch;
    this.draw = draw;
    this.head = head;
    this.pick = pick;
    this.sticky = h('div', { class: 'dl-group dl-group-now', 'aria-hidden': 'true' });
    this.canvas = h('div', { class: 'dl-canvas', role: 'presentation' });
    this.node = h(
      'div',
      {
        class: 'dl-list',
        role: 'listbox',
        'aria-label': label,
        tabindex: '0',
        onscroll: () => this.#scrolled(),
        onkeydown: (event) => this.#key(event),
      },
      this.canvas,
    );
    new ResizeObserver(() => {
      this.#show();
      this.#loadShown();
    }).observe(this.node);
    this.reset({ total: 0, rows: [], offset: 0, groups: [] });
  }

  /**
   * Another list: its length, the rows per group (none: no headings), and one page of it.
   * @param {{total: number, rows: Row[], offset: number, groups?: number[]}} list
   */
  reset({ total, rows, offset, groups }) {
    this.turn += 1;
    this.total = total;
    this.pages = new Map();
    this.wanted = new Map();
    this.#keep(offset, rows);
    this.starts = [];
    let at = 0;
    for (const size of groups || []) {
      this.starts.push(at);
      at += size;
    }
    this.selected = -1;
    this.node.removeAttribute('aria-activedescendant');
    this.nodes = new Map();
    this.canvas.replaceChildren(...(this.starts.length ? [this.sticky] : []));
    this.canvas.style.height = `${this.#height()}px`;
    this.node.scrollTop = 0;
    this.#show();
  }

  // --- where a row is -----------------------------------------------------------------

  #height() {
    return this.total * this.rowHeight + this.starts.length * this.headHeight;
  }

  /**
   * The group that holds row `index`.
   * @param {number} index
   */
  #group(index) {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** @param {number} index */
  #top(index) {
    return index * this.rowHeight + (this.starts.length ? (this.#group(index) + 1) * this.headHeight : 0);
  }

  /** @param {number} y */
  #indexAt(y) {
    if (!this.total) return 0;
    let [low, high] = [0, this.total - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#top(middle) + this.rowHeight > y) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // --- rows -----------------------------------------------------------------------------

  /**
   * @param {number} offset
   * @param {Row[]} rows
   */
  #keep(offset, rows) {
    for (let n = 0; n < rows.length; n += this.size)
      this.pages.set((offset + n) / this.size, rows.slice(n, n + this.size));
    while (this.pages.size > PAGES) this.pages.delete(this.pages.keys().next().value);
  }

  /**
   * A row that is here already.
   * @param {number} index
   * @returns {Row | undefined}
   */
  row(index) {
    return this.pages.get(Math.floor(index / this.size))?.[index % this.size];
  }

  /**
   * A row, fetched when it is not here.
   * @param {number} index
   * @returns {Promise<Row | undefined>}
   */
  async rowAt(index) {
    if (index < 0 || index >= this.total) return undefined;
    if (!this.row(index)) await this.#load(Math.floor(index / this.size));
    return this.row(index);
  }

  /**
   * The place of a row among those that are here; -1 when it is not.
   * @param {(row: Row) => boolean} test
   */
  find(test) {
    for (const [page, rows] of this.pages) {
      const n = rows.findIndex(test);
      if (n >= 0) return page * this.size + n;
    }
    return -1;
  }

  /** @param {number} page */
  #load(page) {
    if (!this.wanted.has(page)) this.wanted.set(page, this.#fetched(page));
    return this.wanted.get(page);
  }

  /** @param {number} page */
  async #fetched(page) {
    const { turn } = this;
    try {
      const { rows } = await this.fetch(page * this.size);
      if (turn !== this.turn) return;
      this.#keep(page * this.size, rows);
      this.#show();
    } finally {
      if (turn === this.turn) this.wanted.delete(page);
    }
  }

  /**
   * Draw a row again: something in it has changed.
   * @param {number} index
   */
  refresh(index) {
    this.nodes.get(index)?.remove();
    this.nodes.delete(index);
    this.#show();
  }

  // --- what is on the screen ------------------------------------------------------------

  #scrolled() {
    this.#show();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#loadShown(), WAIT_MS);
  }

  #window() {
    const fit = Math.ceil(this.node.clientHeight / this.rowHeight) + 1;
    const first = Math.max(
      0,
      Math.min(this.#indexAt(this.node.scrollTop) - AROUND, this.total - fit - 2 * AROUND),
    );
    return [first, Math.min(this.total, first + fit + 2 * AROUND)];
  }

  #show() {
    const [first, end] = this.#window();
    for (const [index, node] of this.nodes) {
      const waits = node.dataset.waits && this.row(index);
      if (((index < first || index >= end) && index !== this.selected) || waits) {
        node.remove();
        this.nodes.delete(index);
      }
    }
    for (let index = first; index < end; index += 1) this.#place(index);
    if (this.selected >= 0 && this.selected < this.total) this.#place(this.selected);
    this.#heads(first, end);
  }

  #loadShown() {
    const [first, end] = this.#window();
    for (let page = Math.floor(first / this.size); page * this.size < end; page += 1) {
      if (!this.pages.has(page)) this.#load(page).catch(report);
    }
  }

  /** @param {number} index */
  #place(index) {
    if (this.nodes.has(index)) return;
    const row = this.row(index);
    const node = row
      ? this.draw(row, index)
      : h('div', { class: 'dl-item dl-item-waits', 'data-waits': '1', 'aria-busy': 'true' }, '…');
    node.setAttribute('role', 'option');
    node.setAttribute('aria-setsize', String(this.total));
    node.setAttribute('aria-posinset', String(index + 1));
    node.setAttribute('aria-selected', String(index === this.selected));
    node.dataset.index = String(index);
    node.style.top = `${this.#top(index)}px`;
    node.style.height = `${this.rowHeight}px`;
    node.addEventListener('click', () => this.pick(index));
    this.nodes.set(index, node);
    // In the order of the list, for those who hear it and do not see it.
    const after = [...this.canvas.querySelectorAll(':scope > .dl-item')].find(
      (other) => Number(other.dataset.index) > index,
    );
    this.canvas.insertBefore(node, after || null);
    if (index === this.selected) this.node.setAttribute('aria-activedescendant', node.id);
  }

  /**
   * @param {number} first
   * @param {number} end
   */
  #heads(first, end) {
    for (const old of this.canvas.querySelectorAll('.dl-group:not(.dl-group-now)')) old.remove();
    if (!this.starts.length) return;
    for (let group = this.#group(first); group < this.starts.length && this.starts[group] < end; group += 1) {
      const row = this.row(this.starts[group]);
      const node = h('div', { class: 'dl-group', role: 'presentation' }, row ? this.head(row) : '…');
      node.style.top = `${this.starts[group] * this.rowHeight + group * this.headHeight}px`;
      this.canvas.append(node);
    }
    const top = this.row(this.#indexAt(this.node.scrollTop + this.headHeight - 1));
    this.sticky.textContent = top ? this.head(top) : '…';
  }

  // --- choosing -------------------------------------------------------------------------

  /**
   * The row that is open; it comes into view.
   * @param {number} index
   */
  select(index) {
    const before = this.selected;
    this.selected = index;
    this.nodes.get(before)?.setAttribute('aria-selected', 'false');
    this.node.removeAttribute('aria-activedescendant');
    if (index < 0) return;
    this.#scrollTo(index);
    this.#show();
    const node = this.nodes.get(index);
    node?.setAttribute('aria-selected', 'true');
    if (node) this.node.setAttribute('aria-activedescendant', node.id);
    this.#loadShown();
  }

  /** @param {number} index */
  #scrollTo(index) {
    const top = this.#top(index) - (this.starts.length ? this.headHeight : 0);
    const bottom = this.#top(index) + this.rowHeight;
    const { node } = this;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (bottom > node.scrollTop + node.clientHeight) node.scrollTop = bottom - node.clientHeight;
  }

  /**
   * As in every list box: these keys choose, while the list itself has the focus.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const by = Math.max(1, Math.floor(this.node.clientHeight / this.rowHeight) - 1);
    const from = Math.max(this.selected, 0);
    const to = { Home: 0, End: this.total - 1, PageDown: from + by, PageUp: from - by }[event.key];
    if (to === undefined || !this.total) return;
    event.preventDefault();
    this.pick(Math.max(0, Math.min(this.total - 1, to)));
  }
}
