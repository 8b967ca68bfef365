// Scores: where the points go, by error source. Each cell leads to its questions.
import { h, signal } from '../../../lib/components/component.js';
import { choice } from '../../../lib/components/small_components.js';
import { table } from '../../../lib/components/table.js';
import { address } from '../../../lib/page/address.js';
import { report } from '../../../lib/parts/notices.js';
import { aspectName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

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
/** @typedef {'score' | 'accuracy'} Measure */

/**
 * What is counted, of which evaluation and by which groups.
 * @typedef {{evaluation: string, kinds: Object<string, string>, by: string, table: CausesTable}} Found
 */
/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

export class Causes {
  turn = 0;
  by = signal('aspect');
  /** @type {Signal<Found | null>} */
  found = signal(null);

  /** @param {Pick<import('./scores_table.js').Scores, 'id' | 'kinds'>} data */
  async load(data) {
    this.data = data;
    this.turn += 1;
    const { turn } = this;
    const by = this.by.value;
    /** @type {CausesTable} */
    const table = await api(`/api/scoring/causes?${new URLSearchParams({ evaluation: data.id, by })}`);
    if (turn !== this.turn) return;
    this.found.value = { evaluation: data.id, kinds: data.kinds.aspect, by, table };
    if (table.waiting)
      setTimeout(() => {
        if (turn === this.turn) this.load(data).catch(report);
      }, AGAIN_MS);
  }

  /** @param {string} by */
  group(by) {
    this.by.value = by;
    this.load(this.data).catch(report);
  }
}

/** @param {{causes: Causes, measure: Measure}} props */
export function CausesTable({ causes, measure }) {
  const found = causes.found.value;
  if (!found) return null;
  const { rows, groups, groups_left: left, waiting, causes: names } = found.table;
  // An answer that is right costs no share of yes.
  const used = Object.keys(names).filter((cause) =>
    rows.some((row) => row.cause === cause && row[measure] > 0),
  );
  /** @param {string} group */
  const nameOf = (group) => {
    if (!group) return 'all questions';
    return found.by === 'aspect' ? aspectName(group) : group;
  };
  /** @type {(group: string, cause: string) => import('../../../lib/components/component.js').Children} */
  const cells = (group, cause) => {
    const here = rows.filter((row) => row.group === group && row.cause === cause);
    return here.length
      ? here.map((row) => h(Points, { found, row, measure }))
      : h('span', { class: 'dl-hint' }, '–');
  };
  return h(
    'section',
    { class: 'dl-causes', 'aria-label': 'Where the points go', hidden: !used.length },
    h(
      'header',
      { class: 'dl-row' },
      h('h2', null, 'where the points go'),
      choice('Points by', GROUPS, causes.by.value, (by) => causes.group(by)),
      h(
        'span',
        { class: 'dl-hint' },
        measure === 'score' ? 'points of the score, 0 to 5' : 'points of the share of yes, in percent',
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
        [h('td', null), ...used.map((cause) => names[cause])],
        ['', ...groups].map((group) =>
          h(
            'tr',
            { class: group ? '' : 'dl-scoretotal' },
            h('th', { scope: 'row' }, nameOf(group)),
            used.map((cause) => h('td', null, cells(group, cause))),
          ),
        ),
      ),
    ),
  );
}

/** @param {{found: Found, row: CausePoints, measure: Measure}} props */
function Points({ found, row, measure }) {
  const points = measure === 'score' ? row.score.toFixed(2) : (row.accuracy * 100).toFixed(1);
  // The list of questions has no filter for those that are not read yet.
  const href = row.cause === 'unread' ? null : questionsOf(found, row);
  return h(
    /** @type {'a'} */ (href ? 'a' : 'span'),
    { class: 'dl-causecell', 'data-cause': row.cause, 'data-basis': row.basis, href },
    h('b', null, `−${points}`),
    row.partial ? h('strong', { class: 'dl-partial', title: READING }, 'partial') : null,
    h('small', null, row.basis ? `${row.basis} · ` : '', `${row.n} of ${row.of}`),
  );
}

/**
 * @param {Found} found
 * @param {CausePoints} row
 */
function questionsOf({ evaluation, kinds, by }, { group, cause, basis }) {
  const sources = { confirmed: cause, proposed: `proposed:${cause}` };
  return address.to('verdicts', {
    evaluation,
    state: cause === 'passed' ? 'yes' : 'no',
    aspect: by === 'aspect' ? kinds[group] || '' : '',
    category: by === 'category' && group !== 'none' ? group : '',
    source: by === 'source' && group !== 'none' ? group : '',
    error_source: sources[basis] || (cause === 'none' ? 'proposed:none' : ''),
  });
}
