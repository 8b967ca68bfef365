// The views of the Keyframes page as tabs: the strip, and what is labelled, studied and compared beside it.
import { address } from '../../../lib/page/address.js';
import { whileOpen } from '../../../lib/page/open_page.js';
import { ViewTabs } from '../../../lib/shell/view_tabs.js';

/** @typedef {import('./page_keyframes.js').Page} Page */
/** @typedef {import('../../../lib/shell/view_tabs.js').Runs} Runs */
/** @typedef {import('../../../lib/shell/view_tabs.js').Changed} Changed */

/** @type {import('../../../lib/shell/view_tabs.js').Tab<Page>[]} */
const VIEWS = [
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

/** @augments {ViewTabs<Page>} */
export class KeyframeViews extends ViewTabs {
  /**
   * @param {Page} page
   * @param {Runs} strip what its own view answers the keys with
   */
  constructor(page, strip) {
    super(page, VIEWS, strip, { label: 'Views', kind: 'view', prefix: 'dl-kf' });
  }

  choose = async (/** @type {string} */ name) => {
    await whileOpen(this.leave());
    await this.take(name);
    address.set({ view: this.view ? this.name : '' });
    await this.shown(this.page.bar.id);
  };

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
}
