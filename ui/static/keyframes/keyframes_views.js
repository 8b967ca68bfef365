// The views of the Keyframes page as tabs: the strip, and whatever else is in the list.
import { address, h, report } from '../lib/core.js';
import { onTheWay } from '../keys/keymap.js';

/**
 * In the order of the tabs. `load` gives a module with `open(page)`: called when the tab is chosen, it returns
 * `{ node, shown(id), leave(), changed(detail), keys }`. `shown` follows the video of the bar, also at first; `leave`
 * saves what is typed; `keys` answers the keys of the page (`next`, `previous`, `pick` ... of keymap.json).
 * All but `node` may be left out. The strip is the page itself and has no `load`.
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
  /** `page` is the Keyframes page; `strip` is what its own view answers the keys with. */
  constructor(page, strip) {
    Object.assign(this, { page, strip, opened: new Map(), name: 'strip' });
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
                .then(() => document.activeElement?.closest('[role=tab]')?.blur())
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

  /** Another video is open in the bar. */
  async shown(id) {
    if (id) await this.view?.shown?.(id);
  }

  async leave() {
    await this.view?.leave?.();
  }

  changed(detail) {
    return this.view?.changed?.(detail);
  }

  /** For `bindKeys`: what is shown answers; a key that it does not know does nothing. */
  runs(names) {
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

  /** Arrows go from tab to tab; Enter or Space opens one. A way back is no way out of a view that is blind. */
  #keys(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const to =
      VIEWS[
        (VIEWS.findIndex((view) => view.name === event.target.dataset.view) + by + VIEWS.length) %
          VIEWS.length
      ];
    this.node.querySelector(`[data-view=${to.name}]`).focus();
  }
}
