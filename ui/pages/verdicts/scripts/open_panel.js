// What is open on the right of a list, a question or an item: what it shows, and how it is saved. Components read its
// signals; keys and buttons call its actions.
import { signal } from '../../../lib/components/component.js';
import { report } from '../../../lib/parts/notices.js';
import { finishing } from '../../../lib/editor/type_ahead_to_next_item.js';

/**
 * @typedef {Object} PanelPage what it needs of the page
 * @property {(action: string) => boolean} can
 * @property {HTMLElement} pane where it is drawn: locked while it is saved
 */

/**
 * @template {{id: string}} Detail
 * @template {PanelPage} Page
 */
export class OpenPanel {
  /** Whether the raw reply is unfolded. */
  raw = signal(false);
  /** @type {Promise<unknown>} what is saved here, one after the other */
  turn = Promise.resolve();

  /**
   * @param {Detail} detail
   * @param {Page} page
   */
  constructor(detail, page) {
    this.detail = signal(detail);
    this.page = page;
    this.canEdit = page.can('edit');
  }

  /** @type {() => Promise<void>} what is chosen or typed */
  save;
  /** @type {() => Promise<void>} going on: it is saved, or stays open */
  leave;
  /** @type {() => void} the page is left: what was chosen goes out without anybody who waits for the answer */
  sendAndForget;

  /** Why it is not saved; empty when it is. */
  get why() {
    return '';
  }

  /** As a button or Enter does it. @param {() => Promise<unknown>} act */
  finish(act) {
    finishing(this.page.pane, act).catch(report);
  }

  /**
   * @template Result
   * @param {() => Result | Promise<Result>} act
   * @returns {Promise<Result>}
   */
  inTurn(act) {
    const done = this.turn.then(act);
    this.turn = done.catch(() => null);
    return done;
  }

  toggleRaw() {
    this.raw.value = !this.raw.value;
  }
}
