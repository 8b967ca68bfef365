// Sending clauses of the full caption to a side, and taking them from it again.
import { notice, report } from '../../../lib/parts/notices.js';
import { glueOf, withClause, without, withWords, words } from './split_text.js';

/** @typedef {import('./split_text.js').Row} Row */
/** @typedef {import('./split_text.js').Side} Side */
/** @typedef {{start: number, words: string}} Clause of the full caption, as it was when its key was pressed */

export class Sending {
  /** @type {Map<string, {words: string, before: string, after: string}>} what was taken from a side, by side and clause */
  taken = new Map();
  /** @type {Promise<unknown>} what is under way, one after the other */
  under = Promise.resolve();

  /** @param {import('./split_state.js').SplitState} split */
  constructor(split) {
    this.split = split;
  }

  /**
   * The clause in focus goes to a side, or what the side made of it is taken away; the same key undoes it.
   * @param {Side} side
   */
  send(side) {
    const data = this.split.data.value;
    const row = data?.rows[this.split.at.value];
    if (!row || !this.split.canEdit) return;
    const { id } = this.split.bar;
    const clause = row.full ? { start: row.full[0], words: words(data.texts.full.value, row.full) } : null;
    // One after the other, each about the clause that was in focus when its key was pressed.
    this.under = this.under
      .then(() => (id === this.split.bar.id ? this.#send(side, clause) : null))
      .catch(report);
  }

  /**
   * The row of a clause as the rows are now; undefined where its words are gone.
   * @param {Clause} clause
   */
  #rowOf({ start, words: wanted }) {
    const { rows, texts } = this.split.data.value;
    const same = rows.filter((row) => row.full && words(texts.full.value, row.full) === wanted);
    return same.find((row) => row.full[0] === start) || same[0];
  }

  /**
   * @param {Side} side
   * @param {Clause | null} clause
   */
  async #send(side, clause) {
    await this.split.ofThisCaption();
    const { rows, texts } = this.split.data.value;
    const row = clause && this.#rowOf(clause);
    if (!row) {
      notice('Only clauses of the full caption can be sent; edit the text to change the others.');
      return;
    }
    const full = texts.full.value;
    const key = `${side}:${words(full, row.full)}`;
    const before = texts[side]?.value ?? '';
    const glue = glueOf(full, rows);
    let after;
    if (row[side].length) {
      after = without(before, row[side]);
      this.taken.set(key, { words: row[side].map((span) => words(before, span)).join(glue), before, after });
    } else {
      const kept = this.taken.get(key);
      if (kept?.after === before) after = kept.before;
      else
        after = kept
          ? withWords(before, row.place[side], kept.words, glue)
          : withClause(before, rows, rows.indexOf(row), side, full, glue);
      this.taken.delete(key);
    }
    await this.split.put({ [side]: after });
  }
}
