// Scores: where the points go, by error source. Each cell leads to its questions.
import { choice } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { clear, h } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { aspectName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { table } from '../../../lib/parts/table.js';

const AGAIN_MS = 1500;
const READING = 'Questions that are not read yet may still be counted here';
const GROUPS = [
  ['', 'all'],
  ['aspect', 'aspect'],
  ['category', 'category'],
  ['source', 'source'],
];

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CausesTable']} CausesTable */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Points']} CausePoints */

export class CausesPanel {
  turn = 0;
  by = 'aspect';
  evaluation = '';
  /** @type {Object<string, string>} kinds of questions by aspect */
  kinds = {};
  measure = 'accuracy';
  /** @type {CausesTable | null} */
  found = null;
  node = h('section', { class: 'dl-causes', 'aria-label': 'Where the points go' });

  /** @param {import('./scores_table.js').Scores} data @param {string} measure */
  async show({ id, kinds }, measure) {
    Object.assign(this, {
      evaluation: id,
      kinds: kinds.aspect,
      measure: measure === 'score' ? 'score' : 'accuracy',
    });
    await this.#load();
  }

  async #load() {
    this.turn += 1;
    const { turn } = this;
    const query = new URLSearchParams({ evaluation: this.evaluation, by: this.by });
    /** @type {CausesTable} */
    const found = await api(`/api/scoring/causes?${query}`);
    if (turn !== this.turn) return;
    this.found = found;
    this.#draw();
    if (found.waiting)
      setTimeout(() => {
        if (turn === this.turn) this.#load().catch(report);
      }, AGAIN_MS);
  }

  #draw() {
    const { rows, groups, groups_left: left, waiting, causes } = this.found;
    // An answer that is right costs no share of yes.
    const used = Object.keys(causes).filter((cause) =>
      rows.some((row) => row.cause === cause && row[this.measure] > 0),
    );
    this.node.hidden = !used.length;
    clear(
      this.node,
      h(
        'header',
        { class: 'dl-row' },
        h('h2', {}, 'where the points go'),
        choice('Points by', GROUPS, this.by, (by) => {
          this.by = by;
          this.#load().catch(report);
        }),
        h(
          'span',
          { class: 'dl-hint' },
          this.measure === 'score' ? 'points of the score, 0 to 5' : 'points of the share of yes, in percent',
          ' · readable verdicts, over questions',
          waiting ? ` · ${plural(waiting, 'video')} not read yet …` : null,
          left ? ` · ${plural(left, 'smaller group')} left out` : null,
        ),
      ),
      h(
        'div',
        { class: 'dl-scoretablebox' },
        table(
          { class: 'dl-comparetable dl-causetable' },
          [h('td'), ...used.map((cause) => causes[cause])],
          ['', ...groups].map((group) =>
            h(
              'tr',
              { class: group ? '' : 'dl-scoretotal' },
              h('th', { scope: 'row' }, this.#name(group)),
              used.map((cause) => h('td', {}, this.#cells(group, cause))),
            ),
          ),
        ),
      ),
    );
  }

  /** @param {string} group */
  #name(group) {
    if (!group) return 'all questions';
    return this.by === 'aspect' ? aspectName(group) : group;
  }

  /** @param {string} group @param {string} cause */
  #cells(group, cause) {
    const found = this.found.rows.filter((row) => row.group === group && row.cause === cause);
    return found.length ? found.map((row) => this.#cell(row)) : h('span', { class: 'dl-hint' }, '–');
  }

  /** @param {CausePoints} row */
  #cell(row) {
    const points = this.measure === 'score' ? row.score.toFixed(2) : (row.accuracy * 100).toFixed(1);
    // The list of questions has no filter for those that are not read yet.
    const link = row.cause === 'unread' ? null : this.#link(row);
    return h(
      link ? 'a' : 'span',
      { class: 'dl-causecell', 'data-cause': row.cause, 'data-basis': row.basis, href: link },
      h('b', {}, `−${points}`),
      row.partial ? h('strong', { class: 'dl-partial', title: READING }, 'partial') : null,
      h('small', {}, row.basis ? `${row.basis} · ` : '', `${row.n} of ${row.of}`),
    );
  }

  /** @param {CausePoints} row */
  #link({ group, cause, basis }) {
    const kinds = { confirmed: cause, proposed: `proposed:${cause}` };
    return address.to('verdicts', {
      evaluation: this.evaluation,
      state: cause === 'passed' ? 'yes' : 'no',
      aspect: this.by === 'aspect' ? this.kinds[group] || '' : '',
      category: this.by === 'category' && group !== 'none' ? group : '',
      source: this.by === 'source' && group !== 'none' ? group : '',
      error_source: kinds[basis] || (cause === 'none' ? 'proposed:none' : ''),
    });
  }
}
