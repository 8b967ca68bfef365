// The tabs of the Split page: the split itself, and whatever else is in the list.
import { address, h, report } from '../../../lib/parts/core.js';
import { keyText, onTheWay, restLetters } from '../../../lib/keys/keymap.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';

/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {Object<string, (event?: KeyboardEvent) => unknown>} Runs what a key does, by its name */
/** @typedef {{video: string, changes: Object<string, any>[]}} Changed what was undone or redone; without a video, it may be all of them */

/**
 * What a tab shows. `shown` draws the video of the bar; `leave` saves what is typed; `changed` follows undo and redo;
 * `keys` answers the keys of the page; `player` is the one that is shown; `resting` says why letters run nothing.
 * @typedef {Object} View
 * @property {HTMLElement} node
 * @property {(id: string) => Promise<void>} shown
 * @property {() => Promise<unknown>} [leave]
 * @property {(detail: Changed) => Promise<void>} [changed]
 * @property {() => Promise<void>} [follow] others have changed something
 * @property {Runs} [keys]
 * @property {import('../../../lib/player/player.js').Player} [player]
 * @property {string} [resting]
 * @property {Object<string, any>} [data] of the video that is shown
 */

/**
 * In the order of the tabs. `load` gives a module with `open(page)`, which is called when the tab is first chosen and
 * returns a View. The split is the page itself and has no `load`.
 * @type {{name: string, words: string, title: string, key: string, load?: () => Promise<{open: (page: Page) => View}>}[]}
 */
export const TABS = [
  {
    name: 'write',
    words: 'Write',
    title: 'Your own four parts of the caption',
    key: 'split.tab_write',
    load: () => import('./aspects_write.js'),
  },
  {
    name: 'merge',
    words: 'Merge',
    title: 'Two annotators’ parts side by side, and the expert’s',
    key: 'split.tab_merge',
    load: () => import('./aspects_merge.js'),
  },
  { name: 'split', words: 'Split', title: 'Full caption, spatial and temporal text', key: 'split.tab_split' },
  {
    name: 'progress',
    words: 'Progress',
    title: 'How far the videos are, who did what, how far two agree',
    key: 'split.tab_progress',
    load: () => import('./aspects_progress.js'),
  },
];
const SPLIT = TABS.find((tab) => !tab.load);
/** Keys that only some tabs know, beside those of the split. */
const ALSO = [
  'part_4',
  'save_next',
  'join',
  'approve',
  'return_work',
  'play_typing',
  'back_typing',
  'on_typing',
];
/** @type {Object<string, string>} */
const TAB_OF = { aspects: 'write', merge: 'merge' };
/**
 * The work that the bar on top shows on a tab; the others tell of it themselves.
 * @type {Object<string, string[]>}
 */
const TASKS = { write: ['aspects'], merge: ['merge'], split: ['split'], progress: [] };

export class SplitTabs {
  /**
   * @param {Page} page
   * @param {Runs} own what it answers keys with itself
   */
  constructor(page, own) {
    this.page = page;
    this.own = own;
    /** @type {Map<string, View>} */
    this.opened = new Map();
    this.name = 'split';
    this.host = h('div', { class: 'dl-sx-view', role: 'tabpanel', id: 'dl-sx-view', hidden: true });
    this.node = h(
      'div',
      {
        class: 'dl-kf-tabs',
        role: 'tablist',
        'aria-label': 'Steps',
        hidden: TABS.length < 2,
        onkeydown: (event) => this.#arrows(event),
      },
      TABS.map((tab) =>
        h(
          'button',
          {
            type: 'button',
            class: 'dl-kf-tab',
            role: 'tab',
            title: `${tab.title}${tab.key ? ` (${keyText(tab.key)})` : ''}`,
            'data-tab': tab.name,
            onclick: () => onTheWay(this.choose(tab.name)).catch(report),
          },
          tab.words,
        ),
      ),
    );
  }

  /** The view that is shown; null for the split. */
  get view() {
    return this.opened.get(this.name) || null;
  }

  /**
   * A video was opened in the bar: on the tab of the address, else on that of the task.
   * @param {string} id
   */
  async open(id) {
    await this.#take(address.get('tab') || TAB_OF[address.get('task')] || 'split');
    await (this.view ? this.view.shown(id) : this.page.openSplit(id));
  }

  /** @param {string} name */
  async choose(name) {
    await requireSaved();
    address.set({ tab: name });
    await this.open(this.page.bar.id);
  }

  /** @param {string} wanted */
  async #take(wanted) {
    const tab = TABS.find((one) => one.name === wanted) || SPLIT;
    if (tab.load && !this.opened.has(tab.name))
      this.opened.set(tab.name, await (await tab.load()).open(this.page));
    if (tab.name !== this.name) this.player?.video?.pause();
    this.name = tab.name;
    this.page.bar.queue.narrow(TASKS[tab.name], !tab.load).catch(report);
    this.#draw();
  }

  get player() {
    return this.view ? this.view.player : this.page.player;
  }

  flush() {
    return this.view ? this.view.leave?.() : this.page.flush();
  }

  /** @param {Changed} detail */
  changed(detail) {
    return this.view ? this.view.changed?.(detail) : this.page.changed(detail);
  }

  /**
   * For `bindKeys`: what is shown answers; a key that it does not know does nothing.
   * @param {string[]} names
   * @returns {Runs}
   */
  runs(names) {
    /** @type {(name: string) => (event?: KeyboardEvent) => unknown} */
    const run = (name) => (event) => (this.view ? this.view.keys?.[name] : this.own[name])?.(event);
    /** @param {{name: string}} tab */
    const chosen = (tab) => () => onTheWay(this.choose(tab.name)).catch(report);
    restLetters(() => this.view?.resting || '');
    return Object.fromEntries([
      ...[...names, ...ALSO].map((name) => [name, run(name)]),
      ...TABS.map((tab) => [`tab_${tab.name}`, chosen(tab)]),
    ]);
  }

  #draw() {
    const { view } = this;
    this.host.hidden = !view;
    if (view && this.host.firstChild !== view.node) this.host.replaceChildren(view.node);
    this.page.frame.main.dataset.tab = this.name;
    for (const tab of this.node.children) {
      const here = tab.dataset.tab === this.name;
      tab.setAttribute('aria-selected', String(here));
      tab.tabIndex = here ? 0 : -1;
    }
  }

  /** @param {KeyboardEvent} event */
  #arrows(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const to = TABS[(TABS.findIndex((tab) => tab.name === this.name) + by + TABS.length) % TABS.length];
    onTheWay(this.choose(to.name))
      .then(() => this.node.querySelector('[aria-selected=true]')?.focus())
      .catch(report);
  }
}
