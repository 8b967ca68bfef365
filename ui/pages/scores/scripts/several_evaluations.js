// Several evaluations under one policy: figures, judges against people, judges against each other.
import { h, signal } from '../../../lib/components/component.js';
import { badge, baselineBadge, choice } from '../../../lib/components/small_components.js';
import { column, table } from '../../../lib/components/table.js';
import { term } from '../../../lib/components/term.js';
import { address } from '../../../lib/page/address.js';
import { report } from '../../../lib/parts/notices.js';
import { aspectName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { digits, policyName, rangeOf, scoreCell } from './scores_table.js';

/** @typedef {import('./scores_table.js').Figure} Figure */
/** @typedef {import('./scores_table.js').RunFacts} RunFacts */
/** @typedef {import('./scores_state.js').ScoresState} ScoresState */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EvaluationColumn']} BesideRow of an evaluation */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EvaluationsBeside']} Found */

const MOST = 6;

export class Beside {
  turn = 0; // of `load`: the answer to an older one is not shown
  open = signal(Boolean(address.get('beside')));
  policy = signal(address.get('policy') || 'parsed');
  /** The evaluations that stand side by side. */
  ids = signal(/** @type {string[]} */ ([]));
  /** @type {import('../../../lib/components/component.js').Signal<Found | null>} null while it is counted */
  found = signal(null);

  /** @param {ScoresState} state */
  constructor(state) {
    this.state = state;
  }

  /** @param {boolean} open */
  toggle(open) {
    if (open === this.open.value) return;
    this.open.value = open;
    this.load().catch(report);
  }

  /** This evaluation first, then the others that were asked for, else those that judged the same answers. */
  #chosen() {
    const { id: shown, same_answers: same } = this.state.data.value;
    const known = new Set(this.state.evaluation.all.map(({ id }) => id));
    const wanted = address.get('beside') ? address.get('beside').split(',') : same;
    return [shown, ...wanted.filter((id) => id !== shown && known.has(id))].slice(0, MOST);
  }

  async load() {
    if (!this.open.value || !this.state.data.value) return;
    this.turn += 1;
    const { turn } = this;
    this.ids.value = this.#chosen();
    this.found.value = null;
    const query = new URLSearchParams({ evaluations: this.ids.value.join(), policy: this.policy.value });
    /** @type {Found} */
    const found = await api(`/api/scoring/beside?${query}`);
    if (turn === this.turn) this.found.value = found;
  }

  /**
   * @param {string} id
   * @param {boolean} wanted
   */
  pick(id, wanted) {
    const { evaluation, data } = this.state;
    const [shown, ...others] = this.ids.value;
    const picked = evaluation.all
      .map((one) => one.id)
      .filter((one) => one !== shown && (one === id ? wanted : others.includes(one)));
    address.set({ beside: picked.join() || data.value.id });
    this.load().catch(report);
  }

  /** @param {string} name */
  rule(name) {
    address.set({ policy: name === 'parsed' ? '' : name });
    this.policy.value = name;
    this.load().catch(report);
  }
}

/** @param {{state: ScoresState}} props */
export function BesidePanel({ state }) {
  const { beside } = state;
  return h(
    'details',
    {
      class: 'dl-beside',
      open: beside.open.value,
      onToggle: (event) => beside.toggle(event.currentTarget.open),
    },
    h('summary', null, 'side by side'),
    h(
      'div',
      { class: 'dl-besidebody' },
      h(
        'div',
        { class: 'dl-besidepicks', role: 'group', 'aria-label': 'Evaluations side by side' },
        beside.open.value && state.data.value ? h(Picks, { state }) : null,
      ),
      h(
        'div',
        { class: 'dl-besideresult', role: 'status' },
        beside.found.value
          ? h(Result, { state, found: beside.found.value })
          : h('p', { class: 'dl-hint' }, 'counting …'),
      ),
    ),
  );
}

/** @param {{state: ScoresState}} props */
function Picks({ state }) {
  const { beside, evaluation } = state;
  const data = state.data.value;
  const ids = beside.ids.value;
  return [
    h(
      'label',
      { class: 'dl-scoreby' },
      term('policy', 'rule'),
      choice(
        'Rule for all',
        Object.entries(data.policies).map(([name, what]) => [name, policyName(data, name), what]),
        beside.policy.value,
        (name) => beside.rule(name),
      ),
    ),
    evaluation.all
      .filter(({ id }) => id !== data.id)
      .map(({ id, name }) =>
        h(
          'label',
          { key: id, class: 'dl-besidepick' },
          h('input', {
            type: 'checkbox',
            value: id,
            checked: ids.includes(id),
            disabled: !ids.includes(id) && ids.length >= MOST,
            onChange: (event) => beside.pick(id, event.currentTarget.checked),
          }),
          name,
        ),
      ),
  ];
}

/** @param {{state: ScoresState, found: Found}} props */
function Result({ state, found }) {
  const data = state.data.value;
  const measure = state.measure.value;
  const wanted = `${measure}_${state.mean.value}`;
  const metric = [wanted, `${measure}_macro`, `${measure}_micro`].find((name) =>
    found.rows.some((row) => row.figures[name]),
  );
  const figures = found.rows.map((row) => row.figures[metric] || {});
  const aspects = [...new Set(figures.flatMap((one) => Object.keys(one)))].sort(
    (a, b) => Number(a === '') - Number(b === ''),
  );
  const range = rangeOf(
    figures.flatMap((one) => Object.values(one)),
    measure,
  );
  return [
    metric && metric !== wanted
      ? h('p', { class: 'dl-hint' }, `this rule is over ${metric.endsWith('macro') ? 'videos' : 'questions'}`)
      : null,
    h(
      'div',
      { class: 'dl-scoretablebox' },
      table(
        { class: 'dl-scoretable dl-besidetable' },
        [
          h('td', null),
          ...aspects.map((aspect) => (aspect ? aspectName(aspect) : 'mean of aspects')),
          column(
            [term('kappa', 'κ'), ' with people'],
            'Cohen’s kappa of the judge and the people who labelled verdicts, 95 %',
          ),
        ],
        found.rows.map((row, n) =>
          h(
            'tr',
            { class: row.id === data.id ? 'dl-scoretotal' : '' },
            h(
              'th',
              { scope: 'row' },
              row.name,
              row.baseline ? baselineBadge() : null,
              row.ceiling ? badge(term('ceiling', 'ceiling')) : null,
              facts(row.runs),
            ),
            aspects.map((aspect) => figure(row, aspect, figures[n][aspect], measure, range, data)),
            people(row),
          ),
        ),
        'Evaluations side by side',
      ),
    ),
    found.pairs.length
      ? pairTable(found)
      : h(
          'p',
          { class: 'dl-hint' },
          'Choose another evaluation above: a second judge on the same answers comes from “Judge or fill”.',
        ),
  ];
}

/** @param {number} x */
const twoPlaces = (x) => (Math.abs(x) < 0.005 ? '0.00' : x.toFixed(2));
/** @param {RunFacts} runs */
const facts = (runs) =>
  h(
    'small',
    { class: 'dl-scorenote' },
    [
      ['captions', 'captions'],
      ['verdicts', 'judge'],
    ]
      .filter(([role]) => runs[role])
      .map(([role, word]) => `${word}: ${runs[role].model}`)
      .join(' · '),
  );

/**
 * @param {BesideRow} row
 * @param {string} aspect
 * @param {Figure | undefined} cell
 * @param {string} measure
 * @param {[number, number]} range
 * @param {import('./scores_table.js').Scores} shown the evaluation that the page shows
 */
function figure(row, aspect, cell, measure, range, { id, kinds }) {
  if (!cell || cell.value === null) return h('td', null, h('span', { class: 'dl-scorecell' }, 'none'));
  const href = address.to('verdicts', {
    evaluation: row.id,
    with: row.id === id ? '' : id,
    aspect: kinds.aspect[aspect] || '',
    sort: 'verdict',
  });
  return scoreCell(cell, { href, range, say: (value) => digits(value, measure) });
}

/** @param {BesideRow} row */
function people(row) {
  const { n, kappa } = row.people;
  if (!n) return h('td', null, h('span', { class: 'dl-scorecell' }, h('small', null, 'no labels')));
  return h(
    'td',
    null,
    h(
      'a',
      { class: 'dl-scorecell', href: address.to('verdicts', { evaluation: row.id, state: 'labelled' }) },
      h('b', null, kappa.value === null ? 'not defined' : twoPlaces(kappa.value)),
      kappa.low === null ? null : h('small', null, `${twoPlaces(kappa.low)} to ${twoPlaces(kappa.high)}`),
      h('small', null, plural(n, 'label')),
    ),
  );
}

/** @param {Found} found */
function pairTable({ rows, pairs }) {
  const name = Object.fromEntries(rows.map((r) => [r.id, r.name]));
  return table(
    { class: 'dl-comparetable dl-pairtable' },
    ['judges against each other', column(term('kappa', 'κ')), 'flips', ''],
    pairs.map((p) =>
      h(
        'tr',
        null,
        h('th', { scope: 'row' }, name[p.a], ' and ', name[p.b]),
        p.n
          ? [
              h('td', null, h('b', null, p.kappa === null ? 'not defined' : twoPlaces(p.kappa))),
              h(
                'td',
                null,
                `${(p.share * 100).toFixed(1)} %`,
                h('small', null, `${p.flips.toLocaleString('en')} of ${plural(p.n, 'question')}`),
              ),
              h(
                'td',
                null,
                h(
                  'a',
                  { href: address.to('verdicts', { evaluation: p.a, with: p.b, sort: 'differs' }) },
                  'the flips',
                ),
              ),
            ]
          : h('td', { colSpan: 3 }, 'no question that both judged'),
      ),
    ),
    'Judges against each other',
  );
}
