// A model's split, clause by clause with its reason: accepted, edited or refused one by one, or all at once.
import {
  api,
  baselineBadge,
  badge,
  button,
  h,
  icon,
  notice,
  plural,
  Refused,
  report,
} from '../../../lib/parts/elements_and_requests.js';
import { keyHint, openField } from '../../../lib/keys/keymap.js';
import { glueOf, withClause, without, withWords, words } from './split_text.js';
import { Waiting } from '../../../lib/shell/request_progress.js';

/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {import('./split_text.js').Row} Row */
/** @typedef {import('./split_text.js').Side} Side */
/** @typedef {import('./split_text.js').TextValue} TextValue */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ProposedClause']} Proposed what each side takes of a clause */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ProposedSplit']} Made */

/** @type {Side[]} */
const SIDES = ['spatial', 'temporal'];

export class Proposal {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.clear();
  }

  clear() {
    /** @type {Map<string, Proposed>} what is not decided yet, by the clause's words */
    this.left = new Map();
    /** @type {Made | null} */
    this.of = null;
    this.editing = '';
  }

  /**
   * What is proposed for a row and not decided yet; null where the split is so already.
   * @param {Row | undefined} row
   */
  at(row) {
    if (!row?.full || !this.left.size) return null;
    const found = this.left.get(this.#key(row));
    return found && !this.#isSo(row, found) ? found : null;
  }

  get open() {
    return (this.page.data?.rows || []).filter((row) => this.at(row)).length;
  }

  /** @param {Row} row */
  #key(row) {
    return words(this.page.data.texts.full.value, row.full);
  }

  /**
   * @param {Row} row
   * @param {Proposed} found
   */
  #isSo(row, found) {
    return SIDES.every((side) => Boolean(found[side]) === Boolean(row[side].length || row.also[side].length));
  }

  async ask() {
    const { page } = this;
    const full = page.data?.texts.full;
    if (!full) {
      notice('There is no full caption to split yet.');
      return;
    }
    await page.ofThisCaption();
    const made = await this.#made(full);
    if (page.data.texts.full?.id !== full.id) return;
    this.of = made;
    this.left = new Map(made.clauses.map((one) => [words(made.full, one.full), one]));
    page.redraw();
    if (this.open) page.go(page.data.rows.findIndex((row) => this.at(row)));
    else notice('The split is already as proposed.');
  }

  /**
   * @param {TextValue} full
   * @returns {Promise<Made>}
   */
  async #made(full) {
    const wait = new Waiting();
    wait.say('asking the model for a split');
    this.page.proposed.replaceChildren(wait.node);
    try {
      return await api(`/api/split/${encodeURIComponent(this.page.bar.id)}/proposal`, { text_id: full.id });
    } finally {
      wait.end();
    }
  }

  // --- one by one -----------------------------------------------------------------------

  async accept(n = this.page.at) {
    const row = this.page.data.rows[n];
    const found = this.at(row);
    if (!found) {
      notice('Nothing is proposed for this clause.');
      return;
    }
    const before = Object.fromEntries(SIDES.map((side) => [side, this.page.data.texts[side]?.value ?? '']));
    const key = this.#key(row);
    if (!(await this.page.put(this.#texts(before, this.page.data.rows, n, found)))) return;
    this.left.delete(key);
    this.#next(n);
  }

  refuse(n = this.page.at) {
    const row = this.page.data.rows[n];
    if (!this.at(row)) {
      notice('Nothing is proposed for this clause.');
      return;
    }
    this.left.delete(this.#key(row));
    this.#next(n);
  }

  edit(n = this.page.at) {
    const row = this.page.data.rows[n];
    if (!this.at(row)) throw new Refused('Nothing is proposed for this clause.');
    this.editing = this.#key(row);
    this.page.redraw();
    const field = this.page.node(n)?.querySelector('.dl-sp-field');
    /** @type {HTMLElement | null} */ (field)?.focus();
  }

  /** @param {number} n */
  #next(n) {
    const { rows } = this.page.data;
    const order = [...rows.keys()].slice(n + 1).concat([...rows.keys()].slice(0, n + 1));
    const next = order.find((k) => this.at(rows[k]));
    this.page.redraw();
    this.page.go(next ?? n);
  }

  /**
   * The sides with a row as it is proposed.
   * @param {Object<string, string>} values
   * @param {Row[]} rows
   * @param {number} n
   * @param {Proposed} found
   */
  #texts(values, rows, n, found) {
    const full = this.page.data.texts.full.value;
    const glue = glueOf(full, rows);
    /** @type {Partial<Record<Side, string>>} */
    const changed = {};
    for (const side of SIDES) {
      const row = rows[n];
      const there = row[side].length > 0;
      if (found[side] === '' && there) changed[side] = without(values[side], row[side]);
      if (found[side] && !there)
        changed[side] =
          found[side] === row.told
            ? withClause(values[side], rows, n, side, full, glue)
            : withWords(values[side], row.place[side], found[side], glue);
    }
    return changed;
  }

  // --- all at once ----------------------------------------------------------------------

  async acceptAll() {
    const { page } = this;
    if (!this.open) {
      notice('No proposal is open.');
      return;
    }
    await page.flush();
    let { rows } = page.data;
    const values = Object.fromEntries(
      ['full', ...SIDES].map((name) => [name, page.data.texts[name]?.value ?? '']),
    );
    const count = this.open;
    for (let n = 0; n < rows.length; n += 1) {
      const found = this.at(rows[n]);
      if (!found) continue;
      Object.assign(values, this.#texts(values, rows, n, found));
      rows = (
        await api(`/api/split/${encodeURIComponent(page.bar.id)}/check`, { ...values, findings: false })
      ).rows;
    }
    const { full: _, ...sides } = values;
    if (!(await page.put(sides))) return;
    this.clear();
    page.redraw();
    notice(`${plural(count, 'clause')} accepted.`);
  }

  refuseAll() {
    if (!this.open) {
      notice('No proposal is open.');
      return;
    }
    this.clear();
    this.page.redraw();
  }

  // --- drawing --------------------------------------------------------------------------

  /**
   * Under the clause: where it should go, why, and what can be done.
   * @param {Row} row
   * @param {boolean} chosen
   */
  why(row, chosen) {
    const found = this.at(row);
    if (!found) return null;
    const sides = SIDES.filter((side) => found[side]);
    /** @type {(action: () => unknown) => (event: MouseEvent) => void} */
    const act = (action) => (event) => {
      event.stopPropagation();
      action();
    };
    return h(
      'div',
      { class: 'dl-sp-why' },
      h(
        'p',
        {},
        icon('next'),
        h('b', {}, sides.length ? sides.join(' and ') : 'neither'),
        ` ${found.reason}`,
      ),
      chosen && this.page.frame.can('edit')
        ? h(
            'div',
            { class: 'dl-row' },
            button(
              ['accept', keyHint('split.accept')],
              act(() => this.accept().catch(report)),
              { name: 'accept' },
            ),
            button(
              ['edit', keyHint('split.edit_proposal')],
              act(() => openField('edit the proposal', () => this.edit())),
              { kind: 'quiet', name: 'edit-proposal' },
            ),
            button(
              ['refuse', keyHint('split.refuse')],
              act(() => this.refuse()),
              { kind: 'quiet', name: 'refuse' },
            ),
          )
        : null,
    );
  }

  /**
   * In a side's cell: the words that it would take, or that it would lose the clause.
   * @param {Row} row
   * @param {Side} side
   */
  words(row, side) {
    const found = this.at(row);
    if (!found) return null;
    if (this.editing === this.#key(row)) return this.#field(row, side, found);
    if (found[side] && !row[side].length)
      return h('p', { class: 'dl-sp-words' }, icon('plus'), ` ${found[side]}`);
    return !found[side] && row[side].length
      ? h('p', { class: 'dl-sp-words dl-sp-away' }, icon('minus'), ' would go')
      : null;
  }

  /**
   * @param {Row} row
   * @param {Side} side
   * @param {Proposed} found
   */
  #field(row, side, found) {
    const n = this.page.data.rows.indexOf(row);
    return h('textarea', {
      class: 'dl-text dl-sp-field',
      rows: '2',
      'aria-label': `What ${side} takes of the clause`,
      value: found[side],
      oninput: (event) => {
        found[side] = event.target.value.trim();
      },
      onkeydown: (event) => {
        if (event.key !== 'Escape' && !(event.key === 'Enter' && (event.ctrlKey || event.metaKey))) return;
        event.preventDefault();
        event.stopPropagation();
        this.editing = '';
        if (event.key === 'Enter') this.accept(n).catch(report);
        else {
          this.page.redraw();
          this.page.go(n);
        }
      },
    });
  }

  /** Above the table while clauses wait for a decision. */
  bar() {
    const { open } = this;
    if (!open) return null;
    /** @type {(what: string, action: () => unknown, id: string, name: string) => HTMLElement} */
    const all = (what, action, id, name) => button([what, keyHint(id)], action, { kind: 'quiet', name });
    return h(
      'div',
      { class: 'dl-sp-bar', role: 'status' },
      this.of.baseline ? baselineBadge() : badge(this.of.model),
      h('span', {}, `proposes a split: ${plural(open, 'clause')} to decide`),
      h('span', { class: 'dl-grow' }),
      all('accept all', () => this.acceptAll().catch(report), 'split.accept_all', 'accept-all'),
      all('refuse all', () => this.refuseAll(), 'split.refuse_all', 'refuse-all'),
    );
  }
}
