// The tabs of the Split page: the split itself, and the steps before and after it.
import { address } from '../../../lib/page/address.js';
import { whileOpen } from '../../../lib/page/open_page.js';
import { report } from '../../../lib/parts/notices.js';
import { ViewTabs } from '../../../lib/shell/view_tabs.js';
import { restLetters } from '../../../lib/keys/keymap.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';

/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {import('../../../lib/shell/view_tabs.js').Runs} Runs */
/** @typedef {import('../../../lib/shell/view_tabs.js').Changed} Changed */

/** @type {import('../../../lib/shell/view_tabs.js').Tab<Page>[]} */
const TABS = [
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
/** Keys that only some tabs know, beside those of the split. */
const ALSO = ['part_4', 'save_next', 'join', 'approve', 'return_work'];
/** @type {Object<string, string>} */
const TAB_OF = { aspects: 'write', merge: 'merge' };
/**
 * The work that the bar on top shows on a tab; the others tell of it themselves.
 * @type {Object<string, string[]>}
 */
const TASKS = { write: ['aspects'], merge: ['merge'], split: ['split'], progress: [] };

/** @augments {ViewTabs<Page>} */
export class SplitTabs extends ViewTabs {
  /**
   * @param {Page} page
   * @param {Runs} own what it answers keys with itself
   */
  constructor(page, own) {
    super(page, TABS, own, { label: 'Steps', kind: 'tab', prefix: 'dl-sx' });
  }

  /**
   * A video was opened in the bar: on the tab of the address, else on that of the task.
   * @param {string} id
   */
  async open(id) {
    const { player } = this;
    await this.take(address.get('tab') || TAB_OF[address.get('task')] || 'split');
    if (player !== this.player) player?.video?.pause();
    this.page.bar.queue.narrow(TASKS[this.name], !this.view).catch(report);
    await (this.view ? this.view.shown(id) : this.page.openSplit(id));
  }

  choose = async (/** @type {string} */ name) => {
    await whileOpen(requireSaved());
    address.set({ tab: name });
    await this.open(this.page.bar.id);
  };

  get player() {
    return this.view ? this.view.player : this.page.player;
  }

  flush() {
    return this.view ? this.view.leave?.() : this.page.flush();
  }

  /** @param {Changed} detail */
  changed(detail) {
    return this.view ? super.changed(detail) : this.page.changed(detail);
  }

  /**
   * @param {string[]} names
   * @returns {Runs}
   */
  runs(names) {
    restLetters(() => this.view?.resting || '');
    const chosen = TABS.map(({ name }) => [`tab_${name}`, () => this.go(name)]);
    return { ...super.runs([...names, ...ALSO]), ...Object.fromEntries(chosen) };
  }
}
