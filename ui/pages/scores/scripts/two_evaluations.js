// Two evaluations: paired differences, flips first.
import { choice, named } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { clear, h, mark } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { aspectName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { table } from '../../../lib/parts/table.js';
import { labelPower } from './judge_and_people.js';
import { PARTIAL } from './scores_table.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EvaluationDifference']} Comparison */

/**
 * @param {string} id of the evaluation that is shown
 * @param {import('../../../lib/shell/top_bar.js').Frame['evaluation']} picker
 * @param {string} measure
 */
export function comparePanel(id, picker, measure) {
  const others = picker.all.filter((e) => e.id !== id);
  if (!others.length)
    return h(
      'section',
      { class: 'dl-scorepart' },
      h('h2', {}, 'compare'),
      h(
        'p',
        { class: 'dl-hint' },
        'A second evaluation can be compared with this one: run with another captioner or judge, or import a log.',
      ),
    );
  const result = h('div', { class: 'dl-compareresult', role: 'status' });
  const load = async () => {
    address.set({ with: select.value });
    if (!select.value) {
      clear(result);
      return;
    }
    clear(result, h('p', { class: 'dl-hint' }, 'comparing …'));
    /** @type {Comparison} */
    const found = await api(`/api/scoring/compare?${new URLSearchParams({ a: select.value, b: id })}`);
    clear(result, drawn(found, measure, id));
  };
  const select = choice(
    'Compare with',
    [['', 'choose an evaluation'], ...named(others)],
    address.get('with'),
    () => load().catch(report),
  );
  if (select.value) load().catch(report);
  return h(
    'section',
    { class: 'dl-scorepart' },
    h('h2', {}, 'compare'),
    h('label', { class: 'dl-scoreby' }, 'this against', select),
    result,
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
          {},
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
            {},
            h('b', {}, signed(r.difference, n)),
            r.partial ? h('strong', { class: 'dl-partial', title: PARTIAL }, 'partial') : null,
            h('small', {}, r.low === null ? 'one video' : `${signed(r.low, n)} to ${signed(r.high, n)}`),
          ),
          h('td', {}, r.p === null ? '–' : r.p < 0.001 ? '< 0.001' : r.p.toFixed(3)),
          h('td', {}, `${r.wins} · ${r.losses}`, h('small', {}, `of ${plural(r.videos, 'video')}`)),
        ),
      ),
    ),
    powerWords(rows, n),
    h(
      'p',
      { class: 'dl-hint', 'data-name': 'label-power' },
      ['b', 'a'].map((side) =>
        h('span', {}, `${found[side]}: ${labelPower(found.people[side][measure], measure)} `),
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
          {},
          h(
            'a',
            {
              href: address.to('verdicts', { evaluation: id, qa: f.verdict, with: address.get('with') }),
            },
            h('span', {}, f.text || f.question),
            h('small', {}, `${aspectName(f.aspect)} · ${f.title}`),
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
