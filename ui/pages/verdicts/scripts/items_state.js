// What is known of the open item and done with it: what is chosen and typed, and how it is saved. The module of the
// item's system draws the evidence, and may have a form of its own.
import { batch, computed, signal } from '../../../lib/components/component.js';
import { notice, Refused } from '../../../lib/parts/notices.js';
import { api, posted } from '../../../lib/requests/requests.js';
import { OpenPanel } from './open_panel.js';

/** @typedef {import('../../../lib/components/item_parts.js').Item} Item */
/** @typedef {import('../../../lib/components/item_parts.js').ItemChange} ItemChange */
/** @typedef {import('../../../lib/components/item_parts.js').ItemSystem} ItemSystem */

/** @typedef {{path: string, changed: (item: Item) => Promise<void>}} OfItems `path`: of the items of the system */
/** @typedef {import('./open_panel.js').PanelPage & OfItems} ItemPage */

/** @augments {OpenPanel<Item, ItemPage>} */
export class ItemState extends OpenPanel {
  /** The choice that is not saved yet, and its reason. */
  chosen = signal('');
  draft = signal('');
  /** The id of the word that was chosen last, where an item has words. */
  openWord = signal('');
  /** In fields of the system. */
  typed = signal(/** @type {Object<string, string>} */ ({}));

  /**
   * @param {Item} detail
   * @param {ItemSystem} system
   * @param {ItemPage} page
   */
  constructor(detail, system, page) {
    super(detail, page);
    this.system = system;
    this.drawn = computed(() => {
      const drawn = system.draw(this.detail.value, this);
      return Array.isArray(drawn) ? { nodes: drawn } : drawn;
    });
  }

  get path() {
    return `${this.page.path}/${encodeURIComponent(this.detail.value.id)}`;
  }

  // --- what keys do -------------------------------------------------------------------

  /**
   * A number key: the choices in their order; 0 is the last.
   * @param {number} n
   */
  number(n) {
    const own = this.drawn.value;
    if (!this.canEdit) return;
    if (own.number) {
      own.number(n);
      return;
    }
    const option = this.detail.value.choices.at(n - 1);
    if (option) this.choose(option.value);
  }

  /** @param {number} by */
  step(by) {
    this.drawn.value.step?.(by);
  }

  /** Into the form: the reason once something is chosen, else the choices. */
  edit() {
    if (!this.canEdit) throw new Refused('Only people who may edit can correct an item.');
    const { corrects, field: own } = this.drawn.value;
    const of = (/** @type {string} */ selector) =>
      /** @type {HTMLElement | null} */ (selector && this.page.pane.querySelector(selector));
    const field = corrects
      ? of(own)
      : of('.dl-itemform [type=text]') ||
        of('.dl-itemform .dl-choice[aria-pressed=true]') ||
        of('.dl-itemform .dl-choice');
    if (!field) throw new Refused('There is nothing to choose here.');
    field.focus();
    return Boolean(corrects);
  }

  /** @param {string} value empty: nothing */
  choose(value) {
    if (this.canEdit) this.chosen.value = value;
  }

  // --- saving -------------------------------------------------------------------------

  leave = async () => {
    await this.save();
    if (this.chosen.value) throw new Refused('Your choice is not saved yet; settle it first.');
  };

  get why() {
    return this.chosen.value ? 'Your choice is not saved yet.' : '';
  }

  sendAndForget = () => {
    if (!this.chosen.value) return;
    const body = {
      base_revision: this.detail.value.base_revision,
      value: this.chosen.value,
      reason: this.draft.value,
    };
    fetch(this.path, posted(body, { keepalive: true })).catch(() => {});
  };

  save = async () => {
    await this.drawn.value.save?.();
    await this.send(() => this.chosen.value && { value: this.chosen.value, reason: this.draft.value });
  };

  takeBack() {
    if (!this.detail.value.mine) throw new Refused('You have said nothing here that could be taken back.');
    return this.send((d) => d.mine && { cleared: true });
  }

  /**
   * Sends a correction: `make(detail)` gives it, or nothing. It may name a `target` and its own `base_revision`. One
   * after the other: each is made of what the server answered to the one before.
   * @param {(item: Item) => ItemChange | '' | null} make
   */
  send(make) {
    return this.inTurn(() => {
      const change = make(this.detail.value);
      return change ? this.#send(change) : null;
    });
  }

  /** @param {ItemChange} change */
  async #send(change) {
    const { base_revision, hidden } = this.detail.value;
    const chosen = this.chosen.value;
    try {
      /** @type {Item} */
      const now = await api(this.path, { base_revision, ...change });
      batch(() => {
        this.detail.value = now;
        if (this.chosen.value === chosen) this.chosen.value = this.draft.value = '';
      });
      notice(change.cleared ? 'Taken back' : hidden ? 'Labelled' : now.confirmed ? 'Confirmed' : 'Corrected');
    } catch (error) {
      if (error.status !== 409) throw error;
      notice('You have changed this in another window. Look, then save again.', 'error');
      this.detail.value = await api(this.path);
    }
    await this.page.changed(this.detail.value);
  }
}
