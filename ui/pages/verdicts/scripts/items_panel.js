// Everything about one item. The system's module draws the evidence; what counts, and its correction, is drawn here.
import { badge, baselineBadge, button, clear, h, mark } from '../../../lib/parts/elements.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { api, posted } from '../../../lib/requests/requests.js';
import { historyOf } from './replies_and_history.js';
import { finishing } from '../../../lib/editor/type_ahead_to_next_item.js';
import { keyHint } from '../../../lib/keys/keymap.js';
import { part } from '../../../lib/parts/item_parts.js';

/** @typedef {import('../../../lib/parts/item_parts.js').Item} Item */
/** @typedef {import('../../../lib/parts/item_parts.js').ItemChange} ItemChange */
/** @typedef {import('../../../lib/parts/item_parts.js').ItemSystem} ItemSystem */
/** @typedef {import('../../../lib/parts/item_parts.js').Drawn} Drawn */

/**
 * @typedef {Object} ItemPage what the panel needs of the page
 * @property {(action: string) => boolean} can
 * @property {import('../../../lib/player/player.js').Player} player
 * @property {string} of the name of the system
 * @property {(item: Item) => Promise<void>} changed
 */

export class ItemPanel {
  /** @type {Partial<Drawn>} */
  own;
  /** @type {string} the id of the word that was chosen last, where an item has words */
  openWord;

  /**
   * @param {Item} detail
   * @param {ItemSystem} system
   * @param {ItemPage} page
   */
  constructor(detail, system, page) {
    this.detail = detail;
    this.system = system;
    this.page = page;
    this.chosen = '';
    this.draft = '';
    /** @type {Promise<unknown>} */
    this.turn = Promise.resolve();
    this.node = h('article', { class: 'dl-verdict dl-itempanel', 'aria-label': 'This item' });
    this.draw();
  }

  draw() {
    const d = this.detail;
    const drawn = this.system.draw(d, this);
    this.own = Array.isArray(drawn) ? {} : drawn;
    this.box = h('div', { class: 'dl-verdictbox' });
    this.raw =
      d.hidden || !d.raw
        ? null
        : h(
            'details',
            { class: 'dl-raw' },
            h('summary', {}, 'raw reply ', keyHint('items.raw')),
            h('pre', {}, d.raw),
          );
    clear(
      this.node,
      this.#head(),
      Array.isArray(drawn) ? drawn : drawn.nodes,
      this.own.corrects
        ? null
        : part(
            d.hidden ? [mark('blind', 'your reading, blind')] : this.system.counts || 'what counts',
            this.box,
            this.#tools(),
          ),
      this.own.below,
      this.raw,
      this.detail.hidden ? null : historyOf(this.detail),
    );
    this.#drawBox();
  }

  #head() {
    const d = this.detail;
    return h(
      'header',
      { class: 'dl-question' },
      d.known === false
        ? h(
            'p',
            { class: 'dl-hint' },
            mark('missing', 'the benchmark’s annotations are not here; import them to see what is right'),
          )
        : null,
      h(
        'p',
        { class: 'dl-hint' },
        d.model ? badge(d.model) : null,
        d.setting ? badge(d.setting) : null,
        d.place ? badge(`at ${d.place}`) : null,
        d.baseline ? baselineBadge() : null,
        d.name ? h('span', { class: 'dl-mono' }, d.name) : null,
      ),
    );
  }

  #tools() {
    const d = this.detail;
    return [
      d.mine && this.page.can('edit')
        ? button(['take back', keyHint('items.clear')], () => this.takeBack().catch(report), {
            kind: 'quiet',
            name: 'clear',
            title: 'Take your own correction or confirmation back',
          })
        : null,
    ];
  }

  #drawBox() {
    const d = this.detail;
    if (this.own.corrects) return;
    const reason = h('input', {
      type: 'text',
      class: 'dl-input',
      'aria-label': 'reason',
      placeholder: 'reason (optional)',
      maxlength: '2000',
      value: this.draft,
      oninput: () => {
        this.draft = reason.value;
      },
    });
    const choice = (option, n) =>
      h(
        'button',
        {
          type: 'button',
          class: 'dl-choice',
          'aria-pressed': String((this.chosen || (d.hidden ? '' : d.label)) === option.value),
          'data-value': option.value,
          onclick: () => this.choose(option.value),
        },
        keyHint(`items.choose_${option.value === 'none' ? 0 : n + 1}`),
        option.mark ? mark(option.mark, option.words) : option.words,
      );
    clear(
      this.box,
      d.hidden ? null : this.#now(),
      this.page.can('edit')
        ? h(
            'form',
            {
              class: 'dl-itemform',
              onsubmit: (e) => {
                e.preventDefault();
                finishing(this.node, () => this.save()).catch(report);
              },
              onkeydown: (e) => this.#formKey(e),
            },
            h(
              'div',
              { class: 'dl-errorsource dl-choices', role: 'group', 'aria-label': 'Set it to' },
              d.choices.map(choice),
            ),
            this.chosen
              ? h(
                  'div',
                  { class: 'dl-verdictform' },
                  reason,
                  h(
                    'div',
                    { class: 'dl-row' },
                    h(
                      'button',
                      { type: 'submit', class: 'dl-button dl-button-main', 'data-name': 'save-item' },
                      'Save',
                    ),
                    button(
                      'Cancel',
                      () => {
                        this.chosen = '';
                        this.#drawBox();
                      },
                      { kind: 'quiet' },
                    ),
                    h('span', { class: 'dl-hint' }, keyHint('items.save_next'), 'save, and on'),
                  ),
                )
              : null,
          )
        : null,
    );
    this.reason = this.chosen ? reason : null;
  }

  #now() {
    const d = this.detail;
    const machine = d.machine?.label || d.machine_state;
    return [
      h(
        'p',
        { class: 'dl-verdictline' },
        this.system.verdict ? this.system.verdict(d) : mark(d.state === 'done' ? d.label : d.state),
        d.corrected ? [mark('corrected'), h('s', {}, machine)] : null,
        d.confirmed ? mark('confirmed', `confirmed by ${d.by}`) : null,
      ),
      d.flag ? h('p', { class: 'dl-flagline' }, mark('flagged', d.flag)) : null,
      d.reason && d.reason !== d.flag && !d.corrected ? h('p', { class: 'dl-hint' }, d.reason) : null,
    ];
  }

  // --- what keys do -------------------------------------------------------------------

  /**
   * A number key: the choices in their order; 0 is the last.
   * @param {number} n
   */
  number(n) {
    if (!this.page.can('edit')) return;
    if (this.own.number) {
      this.own.number(n);
      return;
    }
    const { choices } = this.detail;
    const option = n ? choices[n - 1] : choices.at(-1);
    if (option) this.choose(option.value);
  }

  /** @param {number} by */
  step(by) {
    this.own.step?.(by);
  }

  /** Into the form: the reason once something is chosen, else the choices. */
  edit() {
    if (!this.page.can('edit')) throw new Refused('Only people who may edit can correct an item.');
    const field = this.own.corrects
      ? this.own.field?.()
      : this.reason ||
        this.box.querySelector('.dl-choice[aria-pressed=true]') ||
        this.box.querySelector('.dl-choice');
    if (!field) throw new Refused('There is nothing to choose here.');
    field.focus();
    return Boolean(this.own.corrects);
  }

  /**
   * In the form the digits choose and the arrows go from choice to choice; the words of the reason are words.
   * @param {KeyboardEvent} event
   */
  #formKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches('[type=text]')) return;
    const choices = [...this.box.querySelectorAll('.dl-choice')];
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by && choices.includes(target))
      choices[(choices.indexOf(target) + by + choices.length) % choices.length].focus();
    else if (/^\d$/.test(event.key)) this.number(Number(event.key));
    else return;
    event.preventDefault();
  }

  toggleRaw() {
    if (this.raw) this.raw.open = !this.raw.open;
  }

  /** @param {string} value */
  choose(value) {
    if (!this.page.can('edit')) return;
    const inside = this.box.contains(document.activeElement);
    this.chosen = value;
    this.#drawBox();
    if (inside) this.box.querySelector(`[data-value="${CSS.escape(value)}"]`)?.focus();
  }

  /** Going on: what was chosen or typed is saved; where that fails, this item stays open. */
  async leave() {
    await this.save();
    if (this.chosen) throw new Refused('Your choice is not saved yet; settle it first.');
  }

  /** Why this item is not saved; empty when it is. */
  get why() {
    return this.chosen ? 'Your choice is not saved yet.' : '';
  }

  /** The page is left: what was chosen goes out without anybody who waits for the answer. */
  sendAndForget() {
    if (!this.chosen) return;
    const body = { base_revision: this.detail.base_revision, value: this.chosen, reason: this.draft };
    fetch(
      `/api/items/${this.page.of}/${encodeURIComponent(this.detail.id)}`,
      posted(body, { keepalive: true }),
    ).catch(() => {});
  }

  async save() {
    await this.own.save?.();
    await this.send(() => this.chosen && { value: this.chosen, reason: this.draft });
  }

  takeBack() {
    if (!this.detail.mine) throw new Refused('You have said nothing here that could be taken back.');
    return this.send((d) => d.mine && { cleared: true });
  }

  /**
   * Sends a correction: `make(detail)` gives it, or nothing. It may name a `target` and its own `base_revision`. One
   * after the other: each is made of what the server answered to the one before.
   * @param {(item: Item) => ItemChange | '' | null} make
   */
  send(make) {
    const done = this.turn.then(() => {
      const change = make(this.detail);
      return change ? this.#send(change) : null;
    });
    this.turn = done.catch(() => null);
    return done;
  }

  /** @param {ItemChange} change */
  async #send(change) {
    const d = this.detail;
    const { chosen } = this;
    try {
      this.detail = await api(`/api/items/${this.page.of}/${encodeURIComponent(d.id)}`, {
        base_revision: d.base_revision,
        ...change,
      });
      if (this.chosen === chosen) Object.assign(this, { chosen: '', draft: '', reason: null });
      notice(
        change.cleared
          ? 'Taken back'
          : d.hidden
            ? 'Labelled'
            : this.detail.confirmed
              ? 'Confirmed'
              : 'Corrected',
      );
    } catch (error) {
      if (error.status !== 409) throw error;
      notice('You have changed this in another window. Look, then save again.', 'error');
      this.detail = await api(`/api/items/${this.page.of}/${encodeURIComponent(d.id)}`);
    }
    this.draw();
    await this.page.changed(this.detail);
  }
}
