// What the Scores page shows, and what its choices and keys do.
import { computed, signal } from '../../../lib/components/component.js';
import { address } from '../../../lib/page/address.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { questionsOf, soundKey, tableOf } from './scores_table.js';
import { Beside } from './several_evaluations.js';
import { Causes } from './points_by_cause.js';
import { Compared } from './two_evaluations.js';

/** @typedef {import('./scores_table.js').Scores} Scores */
/** @typedef {import('./scores_table.js').Sound} Sound */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SoundFigures']} SoundFigures */
/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

export class ScoresState {
  /** @type {Signal<Scores | null>} */
  data = signal(null);
  /** @type {Signal<Sound | null>} null until the checks of the questions are through */
  sound = signal(null);
  measure = signal(['score', 'exact'].includes(address.get('measure')) ? address.get('measure') : 'accuracy');
  mean = signal(address.get('mean') === 'micro' ? 'micro' : 'macro');
  /** What is searched in the names of the groups. */
  words = signal('');
  busy = signal(false);
  searched = ''; // of these the server was asked
  turn = 0; // of `load`: the answer to an older one is not shown

  /** @param {import('../../../lib/shell/top_bar.js').Frame['evaluation']} evaluation what is chosen in the bar */
  constructor(evaluation) {
    this.evaluation = evaluation;
    this.causes = new Causes();
    this.beside = new Beside(this);
    this.compared = new Compared(this);
    this.table = computed(() =>
      tableOf(this.data.value, this.measure.value, this.mean.value, this.words.value),
    );
  }

  /** The measure of single verdicts: an exact match is right or wrong. */
  get judged() {
    return this.measure.value === 'exact' ? 'accuracy' : this.measure.value;
  }

  get hasExact() {
    return this.data.value.rows.some((row) => row.metric.startsWith('exact'));
  }

  async load() {
    this.turn += 1;
    const { turn } = this;
    this.busy.value = true;
    try {
      const query = { evaluation: address.get('evaluation'), by: address.get('by'), q: this.searched };
      /** @type {Scores} */
      const data = await api(`/api/scoring/table?${new URLSearchParams(query)}`);
      if (turn !== this.turn) return;
      this.sound.value = null;
      this.data.value = data;
      if (this.measure.value === 'exact' && !this.hasExact) this.measure.value = 'accuracy';
      this.evaluation.show(data.id);
      Promise.all([
        this.#loadSound(turn),
        this.causes.load(data),
        this.beside.load(),
        this.compared.load(),
      ]).catch(report);
    } finally {
      if (turn === this.turn) this.busy.value = false;
    }
  }

  /**
   * The figures without flagged questions come after the page is there: their checks take longer.
   * @param {number} turn
   */
  async #loadSound(turn) {
    const { id, by } = this.data.value;
    const query = new URLSearchParams({ evaluation: id, by, q: this.searched });
    /** @type {SoundFigures} */
    const { rows, suspects } = await api(`/api/scoring/sound?${query}`);
    if (turn === this.turn) this.sound.value = { suspects, rows: new Map(rows.map((r) => [soundKey(r), r])) };
  }

  /**
   * Of many groups the server gives the largest: it is asked again for those that are searched.
   * @param {string} words
   */
  search(words) {
    this.words.value = words;
    const whole = !this.data.value?.rows.some((row) =>
      Object.values(row.group).some((value) => value.startsWith('others (')),
    );
    if (this.data.value && whole && !this.searched) return;
    this.searched = words;
    this.load().catch(report);
  }

  /**
   * @param {'measure' | 'mean'} name
   * @param {string} value
   */
  choose(name, value) {
    address.set({ [name]: value });
    this[name].value = value;
  }

  /** @param {string} by */
  group(by) {
    address.set({ by: by === this.data.value.usual ? '' : by });
    this.load().catch(report);
  }

  /** The link to the questions of the worst group, as our own rule counts them. */
  worst() {
    if (!this.data.value) return null;
    const { rows, at } = this.table.value;
    const groups = rows.filter(
      (row) => (row.group.aspect || row.group.discipline) && (at(row, 'parsed')?.value ?? null) !== null,
    );
    groups.sort((a, b) => at(a, 'parsed').value - at(b, 'parsed').value);
    return groups.length ? questionsOf(this.data.value, groups[0].group) : null;
  }
}
