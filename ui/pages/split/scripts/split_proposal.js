// A model's split, clause by clause with its reason: accepted, edited or refused one by one, or all at once.
import { batch, computed, h, signal, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { badge, baselineBadge, button, held, icon } from '../../../lib/components/small_components.js';
import { Waiting } from '../../../lib/shell/request_progress.js';
import { openField } from '../../../lib/keys/keymap.js';
import { glueOf, SIDES, withClause, without, withWords, words } from './split_text.js';

/** @typedef {import('./split_state.js').SplitState} SplitState */
/** @typedef {import('./split_text.js').Row} Row */
/** @typedef {import('./split_text.js').Side} Side */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ProposedClause']} Proposed what each side takes of a clause */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ProposedSplit']} Made */

/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

export class Proposal {
  /** @type {Signal<Map<string, Proposed>>} what is not decided yet, by the clause's words */
  left = signal(new Map());
  /** @type {Signal<Made | null>} */
  of = signal(null);
  /** The words of the clause whose proposal is being edited. */
  editing = signal('');
  /** @type {Signal<Waiting | null>} while the model is asked */
  waiting = signal(null);

  /** @param {SplitState} split */
  constructor(split) {
    this.split = split;
    /** How many clauses wait for a decision. */
    this.open = computed(() => (split.data.value?.rows || []).filter((row) => this.at(row)).length);
  }

  clear() {
    batch(() => {
      this.left.value = new Map();
      this.of.value = null;
      this.editing.value = '';
    });
  }

  /**
   * What is proposed for a row and not decided yet; null where the split is so already.
   * @param {Row | undefined} row
   */
  at(row) {
    if (!row?.full || !this.left.value.size) return null;
    const found = this.left.value.get(this.key(row));
    const isSo = (/** @type {Side} */ side) =>
      Boolean(found[side]) === Boolean(row[side].length || row.also[side].length);
    return found && !SIDES.every(isSo) ? found : null;
  }

  /** @param {Row} row */
  key(row) {
    return words(this.split.data.value.texts.full.value, row.full);
  }

  async ask() {
    const { split } = this;
    const full = split.data.value?.texts.full;
    if (!full) {
      notice('There is no full caption to split yet.');
      return;
    }
    await split.ofThisCaption();
    const made = await this.#made(full.id);
    if (split.data.value.texts.full?.id !== full.id) return;
    batch(() => {
      this.of.value = made;
      this.left.value = new Map(made.clauses.map((one) => [words(made.full, one.full), one]));
    });
    if (this.open.value) split.go(split.data.value.rows.findIndex((row) => this.at(row)));
    else notice('The split is already as proposed.');
  }

  /**
   * @param {string} textId
   * @returns {Promise<Made>}
   */
  async #made(textId) {
    const wait = new Waiting();
    wait.say('asking the model for a split');
    this.waiting.value = wait;
    try {
      return await api(`/api/split/${encodeURIComponent(this.split.bar.id)}/proposal`, { text_id: textId });
    } finally {
      wait.end();
      this.waiting.value = null;
    }
  }

  // --- one by one -----------------------------------------------------------------------

  /**
   * The row in focus with its proposal.
   * @throws {Refused}
   */
  #here() {
    const n = this.split.at.value;
    const row = this.split.data.value.rows[n];
    const found = this.at(row);
    if (!found) throw new Refused('Nothing is proposed for this clause.');
    return { n, row, found };
  }

  async accept() {
    const { split } = this;
    const { n, row, found } = this.#here();
    const { texts, rows } = split.data.value;
    const before = Object.fromEntries(SIDES.map((side) => [side, texts[side]?.value ?? '']));
    const key = this.key(row);
    if (await split.put(this.#texts(before, rows, n, found))) this.#decided(key, n);
  }

  refuse() {
    const { n, row } = this.#here();
    this.#decided(this.key(row), n);
  }

  /** Opens the words of both sides for the clause in focus. */
  edit() {
    this.editing.value = this.key(this.#here().row);
  }

  /**
   * @param {string} key
   * @param {number} n
   */
  #decided(key, n) {
    const left = new Map(this.left.value);
    left.delete(key);
    batch(() => {
      this.left.value = left;
      this.editing.value = '';
    });
    const { rows } = this.split.data.value;
    const order = [...rows.keys()].slice(n + 1).concat([...rows.keys()].slice(0, n + 1));
    this.split.go(order.find((k) => this.at(rows[k])) ?? n);
  }

  /**
   * Of a field of `edit`: Ctrl+Enter accepts, Escape leaves it.
   * @param {KeyboardEvent} event
   * @param {number} n its row
   */
  fieldKey(event, n) {
    const accepts = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (event.key !== 'Escape' && !accepts) return;
    event.preventDefault();
    event.stopPropagation();
    this.split.go(n);
    this.editing.value = '';
    if (accepts) this.accept().catch(report);
  }

  /**
   * The sides with a row as it is proposed.
   * @param {Object<string, string>} values
   * @param {Row[]} rows
   * @param {number} n
   * @param {Proposed} found
   */
  #texts(values, rows, n, found) {
    const full = this.split.data.value.texts.full.value;
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
    const { split } = this;
    const count = this.open.value;
    if (!count) throw new Refused('No proposal is open.');
    await split.flush();
    let { rows } = split.data.value;
    const values = Object.fromEntries(
      ['full', ...SIDES].map((name) => [name, split.data.value.texts[name]?.value ?? '']),
    );
    for (let n = 0; n < rows.length; n += 1) {
      const found = this.at(rows[n]);
      if (!found) continue;
      Object.assign(values, this.#texts(values, rows, n, found));
      rows = (
        await api(`/api/split/${encodeURIComponent(split.bar.id)}/check`, { ...values, findings: false })
      ).rows;
    }
    const { full: _, ...sides } = values;
    if (!(await split.put(sides))) return;
    this.clear();
    notice(`${plural(count, 'clause')} accepted.`);
  }

  refuseAll() {
    if (!this.open.value) throw new Refused('No proposal is open.');
    this.clear();
  }
}

// --- drawing --------------------------------------------------------------------------

/**
 * Above the table while clauses wait for a decision, or the model for its answer.
 * @param {{proposal: Proposal}} props
 */
export function ProposalBar({ proposal }) {
  const open = proposal.open.value;
  const { split } = proposal;
  if (proposal.waiting.value) return held(proposal.waiting.value.node);
  if (!open) return null;
  /** @type {(what: string, action: () => unknown, id: string, name: string) => import('../../../lib/components/component.js').Drawn} */
  const all = (what, action, id, name) =>
    button(what, () => split.act(action), { kind: 'quiet', name, hint: id });
  const of = proposal.of.value;
  return h(
    'div',
    { class: 'dl-sp-bar', role: 'status' },
    of.baseline ? baselineBadge() : badge(of.model),
    h('span', null, `proposes a split: ${plural(open, 'clause')} to decide`),
    h('span', { class: 'dl-grow' }),
    all('accept all', () => proposal.acceptAll(), 'split.accept_all', 'accept-all'),
    all('refuse all', () => proposal.refuseAll(), 'split.refuse_all', 'refuse-all'),
  );
}

/**
 * Under the clause: where it should go, why, and what can be done.
 * @param {{proposal: Proposal, row: Row, chosen: boolean}} props
 */
export function ProposedPlace({ proposal, row, chosen }) {
  const found = proposal.at(row);
  if (!found) return null;
  const { split } = proposal;
  const sides = SIDES.filter((side) => found[side]);
  /** @type {(action: () => unknown) => (event: MouseEvent) => void} */
  const act = (action) => (event) => {
    event.stopPropagation();
    split.act(action);
  };
  return h(
    'div',
    { class: 'dl-sp-why' },
    h(
      'p',
      null,
      icon('next'),
      h('b', null, sides.length ? sides.join(' and ') : 'neither'),
      ` ${found.reason}`,
    ),
    chosen && split.canEdit
      ? h(
          'div',
          { class: 'dl-row' },
          button(
            'accept',
            act(() => proposal.accept()),
            { name: 'accept', hint: 'split.accept' },
          ),
          button(
            'edit',
            act(() => openField('edit the proposal', () => proposal.edit())),
            { kind: 'quiet', name: 'edit-proposal', hint: 'split.edit_proposal' },
          ),
          button(
            'refuse',
            act(() => proposal.refuse()),
            { kind: 'quiet', name: 'refuse', hint: 'split.refuse' },
          ),
        )
      : null,
  );
}

/**
 * In a side's cell: the words that it would take, or that it would lose the clause.
 * @param {{proposal: Proposal, row: Row, n: number, side: Side}} props
 */
export function ProposedWords({ proposal, row, n, side }) {
  const found = proposal.at(row);
  if (!found) return null;
  if (proposal.editing.value === proposal.key(row)) return h(ProposedField, { proposal, n, side, found });
  if (found[side] && !row[side].length)
    return h('p', { class: 'dl-sp-words' }, icon('plus'), ` ${found[side]}`);
  return !found[side] && row[side].length
    ? h('p', { class: 'dl-sp-words dl-sp-away' }, icon('minus'), ' would go')
    : null;
}

/** @param {{proposal: Proposal, n: number, side: Side, found: Proposed}} props */
function ProposedField({ proposal, n, side, found }) {
  const field = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  useLayoutEffect(() => {
    if (side === SIDES[0]) field.current.focus();
  }, []);
  return h('textarea', {
    ref: field,
    class: 'dl-text dl-sp-field',
    rows: 2,
    'aria-label': `What ${side} takes of the clause`,
    defaultValue: found[side],
    onInput: (event) => {
      found[side] = event.currentTarget.value.trim();
    },
    onKeyDown: (event) => proposal.fieldKey(event, n),
  });
}
