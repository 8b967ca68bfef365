// Two evaluations: paired differences, flips first.
import { h, signal } from '../../../lib/components/component.js';
import { choice, mark } from '../../../lib/components/small_components.js';
import { table } from '../../../lib/components/table.js';
import { address } from '../../../lib/page/address.js';
import { named } from '../../../lib/parts/choice.js';
import { report } from '../../../lib/parts/notices.js';
import { aspectName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { labelPower } from './judge_and_people.js';
import { PARTIAL } from './scores_table.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EvaluationDifference']} Comparison */
/** @typedef {import('./scores_state.js').ScoresState} ScoresState */

export class Compared {
  turn = 0; // of `load`: the answer to an older one is not shown
  /** The evaluation that the shown one is compared with. */
  other = signal(address.get('with'));
  /** @type {import('../../../lib/components/component.js').Signal<Comparison | null>} */
  found = signal(null);

  /** @param {ScoresState} state */
  constructor(state) {
    this.state = state;
  }

  /** The evaluations that can be chosen. */
  get others() {
    const { data, evaluation } = this.state;
    return evaluation.all.filter(({ id }) => id !== data.value.id);
  }

  /** @param {string} id */
  choose(id) {
    address.set({ with: id });
    this.other.value = id;
    this.load().catch(report);
  }

  async load() {
    this.turn += 1;
    const { turn } = this;
    if (!this.others.some(({ id }) => id === this.other.value)) this.other.value = '';
    const pair = { a: this.other.value, b: this.state.data.value.id };
    const query = String(new URLSearchParams(pair));
    if (query !== this.asked) this.found.value = null; // of another pair
    this.asked = query;
    if (!pair.a) return;
    /** @type {Comparison} */
    const found = await api(`/api/scoring/compare?${query}`);
    if (turn === this.turn) this.found.value = found;
  }
}

/** @param {{state: ScoresState}} props */
export function ComparePanel({ state }) {
  const { compared } = state;
  const { others } = compared;
  const found = compared.found.value;
  const waiting = compared.other.value ? h('p', { class: 'dl-hint' }, 'comparing …') : null;
  return h(
    'section',
    { class: 'dl-scorepart' },
    h('h2', null, 'compare'),
    others.length
      ? [
          h(
            'label',
            { class: 'dl-scoreby' },
            'this against',
            choice(
              'Compare with',
              [['', 'choose an evaluation'], ...named(others)],
              compared.other.value,
              (id) => compared.choose(id),
            ),
          ),
          h(
            'div',
            { class: 'dl-compareresult', role: 'status' },
            found ? drawn(found, state.judged, state.data.value.id) : waiting,
          ),
        ]
      : h(
          'p',
          { class: 'dl-hint' },
          'A second evaluation can be compared with this one: run with another captioner or judge, or import a log.',
        ),
  );
}

/** @type {(x: number, n: number) => string} */
const signed = (x, n) => `${x > 0 ? '+' : x < 0 ? '−' : '±'}${Math.abs(x).toFixed(n)}`;

/**
 * The smallest difference that the common videos could show.
 * @param {Comparison['rows']} rows the last is of all aspects
 * @param {number} n digits
 */
function powerWords(rows, n) {
  const { power, videos } = rows.at(-1);
  const words = power
    ? `These ${plural(videos, 'video')} could show a difference of ${power.smallest.toFixed(n)} in four of five repetitions; half of it takes ${power.for_half.toLocaleString('en')}.`
    : videos < 4
      ? `${plural(videos, 'video')}: too few to compute the detectable difference.`
      : 'No two videos differ: the detectable difference is unknown.';
  return h('p', { class: 'dl-hint', 'data-name': 'power' }, words);
}

/**
 * @param {Comparison} found
 * @param {string} measure
 * @param {string} id
 */
function drawn(found, measure, id) {
  const n = measure === 'score' ? 2 : 3;
  const rows = found.rows.filter((r) => r.metric === measure);
  if (!rows.length) return h('p', { class: 'dl-hint' }, 'They have no question in common that both count.');
  const judges = JSON.stringify(found.judges.a) !== JSON.stringify(found.judges.b);
  return [
    judges
      ? h(
          'p',
          { class: 'dl-hint' },
          mark('stale', 'different judges'),
          'differences may come from the judges, not the captions',
        )
      : null,
    ...['a', 'b'].map((side) =>
      found.prompts[side].length
        ? h(
            'p',
            { class: 'dl-hint' },
            `${found[side]}: ${found.prompts[side].join(', ')}, not the protocol’s`,
          )
        : null,
    ),
    table(
      { class: 'dl-comparetable' },
      ['', 'difference, 95 %', 'p', 'better · worse'],
      rows.map((r) =>
        h(
          'tr',
          null,
          h(
            'th',
            {
              scope: 'row',
              title: `${plural(r.n, 'question')} in both; ${r.only_a} only there, ${r.only_b} only here`,
            },
            aspectName(r.aspect) || 'all',
          ),
          h(
            'td',
            null,
            h('b', null, signed(r.difference, n)),
            r.partial ? h('strong', { class: 'dl-partial', title: PARTIAL }, 'partial') : null,
            h('small', null, r.low === null ? 'one video' : `${signed(r.low, n)} to ${signed(r.high, n)}`),
          ),
          h('td', null, r.p === null ? '–' : r.p < 0.001 ? '< 0.001' : r.p.toFixed(3)),
          h('td', null, `${r.wins} · ${r.losses}`, h('small', null, `of ${plural(r.videos, 'video')}`)),
        ),
      ),
    ),
    powerWords(rows, n),
    h(
      'p',
      { class: 'dl-hint', 'data-name': 'label-power' },
      ['b', 'a'].map((side) =>
        h('span', null, `${found[side]}: ${labelPower(found.people[side][measure], measure)} `),
      ),
    ),
    h(
      'p',
      { class: 'dl-hint' },
      `${plural(found.flipped, 'verdict')} flipped from ${found.a} to ${found.b}, as the judges gave them${found.flipped > found.flips.length ? `; the first ${found.flips.length}` : ''}`,
    ),
    h(
      'ol',
      { class: 'dl-nextlist' },
      found.flips.map((f) =>
        h(
          'li',
          null,
          h(
            'a',
            {
              href: address.to('verdicts', { evaluation: id, qa: f.verdict, with: address.get('with') }),
            },
            h('span', null, f.text || f.question),
            h('small', null, `${aspectName(f.aspect)} · ${f.title}`),
          ),
          h(
            'span',
            { class: 'dl-nextverdict' },
            mark(f.before ? 'yes' : 'no', ''),
            '→',
            mark(f.after ? 'yes' : 'no', ''),
          ),
        ),
      ),
    ),
  ];
}
