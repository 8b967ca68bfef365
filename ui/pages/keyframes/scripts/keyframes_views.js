// The views of the Keyframes page as tabs: the strip, and whatever else is in the list.
import { address, h, report } from '../../../lib/parts/core.js';
import { onTheWay } from '../../../lib/keys/keymap.js';

/**
 * What a tab shows. `shown` follows the video of the bar, also at first; `leave` saves what is typed; `keys` answers the
 * keys of the page (`next`, `previous`, `pick` ... of keymap.json). All but `node` may be left out.
 * @typedef {Object} View
 * @property {HTMLElement} node
 * @property {(id: string) => unknown} [shown]
 * @property {() => unknown} [leave]
 * @property {(detail: Changed) => Promise<void>} [changed]
 * @property {Runs} [keys]
 */

/** @typedef {Object<string, (event?: KeyboardEvent) => unknown>} Runs what a key does, by its name */
/** @typedef {{video: string, changes: Object<string, any>[]}} Changed what was undone or redone; without a video, it may be all of them */
/** @typedef {import('./page_keyframes.js').Page} Page */

/**
 * In the order of the tabs. `load` gives a module with `open(page)`, which is called when the tab is chosen and returns
 * a View. The strip is the page itself and has no `load`.
 * @type {{name: string, words: string, title: string, load?: () => Promise<{open: (page: Page) => View}>}[]}
 */
export const VIEWS = [
  { name: 'strip', words: 'Strip', title: 'Candidate frames and what each method kept' },
  {
    name: 'label',
    words: 'Label',
    title: 'Does the action move on between two frames? Blind to the judge',
    load: () => import('./frames_label.js'),
  },
  {
    name: 'study',
    words: 'Study',
    title: 'Which caption is the best? Without the models’ names',
    load: () => import('./frames_study.js'),
  },
  {
    name: 'pairs',
    words: 'Pairs',
    title: 'Accepted and rejected captions: votes, matches, preference pairs',
    load: () => import('./frames_pairs.js'),
  },
];

export class ViewTabs {
  /**
   * @param {Page} page
   * @param {Runs} strip what its own view answers the keys with
   */
  constructor(page, strip) {
    this.page = page;
    this.strip = strip;
    /** @type {Map<string, View>} */
    this.opened = new Map();
    this.name = 'strip';
    this.host = h('div', { class: 'dl-kf-view', role: 'tabpanel', id: 'dl-kf-view', hidden: true });
    this.node = h(
      'div',
      {
        class: 'dl-kf-tabs',
        role: 'tablist',
        'aria-label': 'Views',
        hidden: VIEWS.length < 2,
        onkeydown: (event) => this.#keys(event),
      },
      VIEWS.map((view) =>
        h(
          'button',
          {
            type: 'button',
            class: 'dl-kf-tab',
            role: 'tab',
            title: view.title || null,
            'data-view': view.name,
            onclick: () =>
              onTheWay(this.choose(view.name))
                .then(() =>
                  /** @type {HTMLElement | null} */ (document.activeElement?.closest('[role=tab]'))?.blur(),
                )
                .catch(report),
          },
          view.words,
        ),
      ),
    );
    this.#draw();
  }

  /** The view that is shown; null for the strip. */
  get view() {
    return this.opened.get(this.name) || null;
  }

  /** @param {string} name */
  async choose(name) {
    const wanted = VIEWS.find((view) => view.name === name) || VIEWS[0];
    await this.leave();
    if (wanted.load && !this.opened.has(wanted.name))
      this.opened.set(wanted.name, await (await wanted.load()).open(this.page));
    this.name = wanted.name;
    address.set({ view: this.view ? wanted.name : '' });
    this.#draw();
    await this.shown(this.page.bar.id);
  }

  /**
   * Another video is open in the bar.
   * @param {string} id
   */
  async shown(id) {
    if (id) await this.view?.shown?.(id);
  }

  async leave() {
    await this.view?.leave?.();
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
    const run = (name) => (event) => (this.view ? this.view.keys?.[name]?.(event) : this.strip[name](event));
    return Object.fromEntries(names.map((name) => [name, run(name)]));
  }

  #draw() {
    const { view } = this;
    this.host.hidden = !view;
    if (view && this.host.firstChild !== view.node) this.host.replaceChildren(view.node);
    this.page.frame.main.dataset.view = this.name;
    for (const tab of this.node.children) {
      const here = tab.dataset.view === this.name;
      tab.setAttribute('aria-selected', String(here));
      tab.tabIndex = here ? 0 : -1;
    }
  }

  /**
   * Arrows go from tab to tab; Enter or Space opens one. A way back is no way out of a view that is blind.
   * @param {KeyboardEvent} event
   */
  #keys(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const { view: here } = /** @type {HTMLElement} */ (event.target).dataset;
    const to = VIEWS[(VIEWS.findIndex((view) => view.name === here) + by + VIEWS.length) % VIEWS.length];
    this.node.querySelector(`[data-view=${to.name}]`).focus();
  }
}
