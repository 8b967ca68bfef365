// The views of a page as tabs: the page itself is one of them, the others are loaded when they are first chosen.
import { h } from '../parts/elements.js';
import { report } from '../parts/notices.js';
import { keyText, onTheWay } from '../keys/keymap.js';

/** @typedef {Object<string, (event?: KeyboardEvent) => unknown>} Runs what a key does, by its name */
/** @typedef {{video: string, changes: Object<string, any>[]}} Changed what was undone or redone; without a video, it may be all of them */

/**
 * What a tab shows. `shown` draws the video of the bar; `leave` saves what is typed; `changed` follows undo and redo;
 * `keys` answers the keys of the page; `player` is the one that is shown; `resting` says why letters run nothing.
 * @typedef {Object} View
 * @property {HTMLElement} node
 * @property {(id: string) => unknown} [shown]
 * @property {() => unknown} [leave]
 * @property {(detail: Changed) => Promise<void>} [changed]
 * @property {() => Promise<void>} [follow] others have changed something
 * @property {Runs} [keys]
 * @property {import('../player/player.js').Player} [player]
 * @property {string} [resting]
 * @property {Object<string, any>} [data] of the video that is shown
 */

/**
 * `load` gives a module with `open(page)`, which is called when the tab is first chosen. The page itself has no `load`.
 * @template Page
 * @typedef {{name: string, words: string, title: string, key?: string, load?: () => Promise<{open: (page: Page) => View}>}} Tab
 */

/** @template {{frame: {main: HTMLElement}}} Page */
export class ViewTabs {
  /** @type {Map<string, View>} */
  opened = new Map();

  /**
   * @param {Page} page
   * @param {Tab<Page>[]} tabs in their order
   * @param {Runs} own what the page itself answers keys with
   * @param {{label: string, kind: 'tab' | 'view', prefix: string}} names for readers, tests and style sheets
   */
  constructor(page, tabs, own, { label, kind, prefix }) {
    this.page = page;
    this.tabs = tabs;
    this.own = own;
    this.kind = kind;
    this.home = tabs.find((tab) => !tab.load);
    this.name = this.home.name;
    const id = `${prefix}-view`;
    this.host = h('div', { class: id, role: 'tabpanel', id, hidden: true });
    this.node = h(
      'div',
      {
        class: 'dl-viewtabs',
        role: 'tablist',
        'aria-label': label,
        onkeydown: (event) => this.#arrows(event),
      },
      tabs.map(({ name, words, title, key }) =>
        h(
          'button',
          {
            type: 'button',
            class: 'dl-viewtab',
            role: 'tab',
            title: key ? `${title} (${keyText(key)})` : title,
            [`data-${kind}`]: name,
            // Whoever clicked means the view: its keys are not those of the tab. Whoever pressed Enter stays on the tab.
            onclick: (event) => {
              if (event.detail) event.target.blur();
              void this.go(name);
            },
          },
          words,
        ),
      ),
    );
    this.draw();
  }

  /** The view that is shown; null for the page itself. */
  get view() {
    return this.opened.get(this.name) || null;
  }

  /** @type {(name: string) => Promise<void>} opens a tab with its video */
  choose;

  /** @param {string} name */
  go(name) {
    return onTheWay(this.choose(name)).catch(report);
  }

  /**
   * The tab of this name, else the page itself, is the one that is shown.
   * @param {string} wanted
   */
  async take(wanted) {
    const tab = this.tabs.find(({ name }) => name === wanted) || this.home;
    if (tab.load && !this.opened.has(tab.name)) this.opened.set(tab.name, (await tab.load()).open(this.page));
    this.name = tab.name;
    this.draw();
  }

  /** @param {Changed} detail */
  changed(detail) {
    return this.view?.changed?.(detail);
  }

  /**
   * For `bindKeys`: what is shown answers; a key that it does not know does nothing.
   * @param {string[]} names
   * @returns {Runs}
   */
  runs(names) {
    /** @type {(name: string) => (event?: KeyboardEvent) => unknown} */
    const run = (name) => (event) => (this.view ? this.view.keys?.[name] : this.own[name])?.(event);
    return Object.fromEntries(names.map((name) => [name, run(name)]));
  }

  draw() {
    const { view } = this;
    this.host.hidden = !view;
    if (view && this.host.firstChild !== view.node) this.host.replaceChildren(view.node);
    this.page.frame.main.dataset[this.kind] = this.name;
    for (const tab of this.node.children) {
      const here = tab.dataset[this.kind] === this.name;
      tab.setAttribute('aria-selected', String(here));
      tab.tabIndex = here ? 0 : -1;
    }
  }

  /**
   * Arrows go from tab to tab; Enter or Space opens one. A way back is no way out of a view that is blind.
   * @param {KeyboardEvent} event
   */
  #arrows(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const tabs = [...this.node.children];
    const at = tabs.indexOf(/** @type {HTMLElement} */ (event.target));
    tabs[(at + by + tabs.length) % tabs.length].focus();
  }
}
