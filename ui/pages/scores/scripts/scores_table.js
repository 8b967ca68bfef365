// The table: groups down, policies across; a cell is a value, its interval as a bar, and its denominator.
import { address } from '../../../lib/page/address.js';
import { h } from '../../../lib/components/component.js';
import { column, table } from '../../../lib/components/table.js';
import { term } from '../../../lib/components/term.js';
import { aspectName, plural } from '../../../lib/parts/words.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EstimateFacts']} Estimate with its interval of 95 %; no interval of one video */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Figure']} Figure of how many questions */
/** @typedef {Object<string, string>} Group by dimension; none: the mean over the groups */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ScoreRow']} ScoreRow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FigureRow']} FigureRow */
/** @typedef {{suspects: string, rows: Map<string, FigureRow>}} Sound the figures without flagged questions, by `soundKey` */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['RoleRuns']} RoleRuns */
/** @typedef {Object<string, RoleRuns>} RunFacts by the role of the runs */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ScoresPage']} Scores */
/** @typedef {Figure & {dropped?: Object<string, number>, note?: string}} Cell `of` null: it is of no number of questions */
/** @typedef {import('../../../lib/components/component.js').Children} Children */
/** @typedef {{group: Group, cells: Object<string, ScoreRow>}} TableRow its cells by policy and metric */

export const PARTIAL = 'A run of this evaluation is not finished: the value may change';
/** Groups that a table shows. */
export const MOST = 300;
/** @type {Object<string, string>} */
const SHORT = {
  parsed: 'readable only',
  failures_as_wrong: 'failures as wrong',
  corrected: 'people corrected',
  'lmms-eval': 'lmms-eval',
  'lmms-eval-2024': 'lmms-eval 2024',
  vlmevalkit: 'VLMEvalKit',
};
/**
 * @param {Scores} data
 * @param {string} name
 */
export const policyName = (data, name) => data.policy_labels[name] || SHORT[name] || name;
/** @type {Object<string, string>} */
const TASKS = { caption: 'caption', qa: 'QA', final: 'final score' };
/** @param {string} measure */
const top = (measure) => (measure === 'score' ? 5 : 1);
/**
 * @param {number} value
 * @param {string} measure
 */
export const digits = (value, measure) => value.toFixed(measure === 'score' ? 2 : 3);

/**
 * Rows of the table with and without flagged questions meet by this.
 * @param {FigureRow} row
 */
export const soundKey = (row) =>
  `${row.policy} ${row.metric} ${Object.values(row.group)
    .join(' ')
    .replace(/^others \(.*/, 'others')}`;

/**
 * What the table shows: the rules in use, and of the groups those that `words` find.
 * @param {Scores} data
 * @param {string} measure
 * @param {string} mean
 * @param {string} words
 */
export function tableOf(data, measure, mean, words) {
  const measured = data.rows.filter((row) => row.metric.startsWith(measure));
  const policies = Object.keys(data.policies).filter((policy) =>
    measured.some((row) => row.policy === policy),
  );
  /** @type {Map<string, TableRow>} */
  const groups = new Map();
  for (const row of measured) {
    const key = JSON.stringify(row.group);
    if (!groups.has(key)) groups.set(key, { group: row.group, cells: {} });
    groups.get(key).cells[`${row.policy} ${row.metric}`] = row;
  }
  const wanted = words.trim().toLowerCase();
  const rows = [...groups.values()]
    .filter(({ group }) => !wanted || nameOf(group).toLowerCase().includes(wanted))
    .slice(0, MOST);
  /** @param {string} policy */
  const meanOf = (policy) => {
    if (measured.some((r) => r.policy === policy && r.metric === `${measure}_${mean}`)) return mean;
    return mean === 'macro' ? 'micro' : 'macro';
  };
  /** @type {(row: TableRow, policy: string) => ScoreRow | undefined} */
  const at = ({ cells }, policy) => cells[`${policy} ${measure}_${meanOf(policy)}`];
  const foot = wanted ? '' : leftOut(groups.size);
  return { policies, rows, meanOf, at, foot, range: rangeOf(measured, measure) };
}

/** @param {{state: import('./scores_state.js').ScoresState}} props */
export function ScoreTable({ state }) {
  const data = state.data.value;
  const sound = state.sound.value;
  const [measure, mean] = [state.measure.value, state.mean.value];
  const { policies, rows, meanOf, at, foot, range } = state.table.value;
  /** @param {string} policy */
  const heading = (policy) =>
    column(
      [
        policyName(data, policy),
        meanOf(policy) === mean
          ? null
          : h('small', null, meanOf(policy) === 'micro' ? 'over questions' : 'over videos'),
      ],
      data.policies[policy],
    );
  return table(
    { class: 'dl-scoretable' },
    [h('td', null, h('small', { class: 'dl-hint' }, term('policy', 'rule'))), ...policies.map(heading)],
    rows.map((row) =>
      h(
        'tr',
        { class: isTotal(row.group) ? 'dl-scoretotal' : '' },
        h(
          'th',
          { scope: 'row' },
          nameOf(row.group),
          // Our own rules' notes; the peer's stand in its cells.
          notes(Object.values(row.cells).filter((one) => one.policy === 'parsed')),
        ),
        policies.map((policy) => cell(data, row.group, policy, at(row, policy), measure, range, sound)),
      ),
    ),
    `${measure} by group and policy`,
    foot,
  );
}

/**
 * A mean over groups, and not a group itself.
 * @param {Group} group
 */
const isTotal = (group) => !Object.keys(group).length || (group.task && !group.discipline);

/**
 * What must be known to read these cells.
 * @param {Cell[]} cells
 */
export const notes = (cells) =>
  [...new Set(cells.flatMap(({ note }) => note || []))].map((note) =>
    h('small', { class: 'dl-scorenote' }, note),
  );

/** @param {number} groups that there are */
export const leftOut = (groups) =>
  groups > MOST ? `the first ${MOST} of ${plural(groups, 'group')}; search narrows them` : '';

/** @param {Group} group */
export function nameOf(group) {
  if (group.task && !group.discipline)
    return group.task === 'final' ? TASKS.final : `${TASKS[group.task]}, mean of disciplines`;
  const names = Object.entries(group).map(([dimension, value]) =>
    dimension === 'aspect' ? aspectName(value) : dimension === 'task' ? TASKS[value] : value,
  );
  return names.join(' · ') || 'mean of aspects';
}

/**
 * The link to the questions behind a group's figures.
 * @param {Scores} data
 * @param {Group} group
 */
export const questionsOf = ({ id, kinds }, group) =>
  address.to('verdicts', {
    evaluation: id,
    aspect: kinds.task[group.task] || kinds.aspect[group.aspect] || '',
    sort: 'verdict',
  });

/**
 * @param {Scores} data
 * @param {Group} group
 * @param {string} policy
 * @param {ScoreRow | undefined} row
 * @param {string} measure
 * @param {[number, number]} range
 * @param {Sound | null} sound
 */
function cell(data, group, policy, row, measure, range, sound) {
  if (!row) return h('td', null);
  const href = questionsOf(data, group);
  return scoreCell(
    row,
    { href, range, say: (value) => digits(value, measure), scale: ` of 0 to ${top(measure)}`, longest: 26 },
    {
      'data-value': row.value ?? '',
      'data-policy': policy,
      'data-group': group.aspect || group.discipline || '',
    },
    soundLine(row, sound, measure),
    policy === 'parsed' ? ceilingLine(data, group, row, measure) : null,
  );
}

/**
 * The value, its interval as a bar, its denominator with the reasons why some were dropped, and what is `below`.
 * @param {Cell} row
 * @param {{href?: string, range: [number, number] | null, say: (value: number) => string, scale?: string, none?: string, longest?: number}} how
 *   `scale` behind the value and `none` in place of an interval stand in the tooltip, as do the reasons; where they take
 *   more than `longest` letters, the cell says how many were dropped
 * @param {Object<`data-${string}`, string | number>} [attributes]
 * @param {...Children} below
 */
export function scoreCell(
  row,
  { href, range, say, scale = null, none = 'no interval: one video', longest = Infinity },
  attributes = {},
  ...below
) {
  const words = row.value === null ? 'none' : say(row.value);
  const dropped = Object.entries(row.dropped || {}).map(([why, n]) => `${n.toLocaleString('en')} ${why}`);
  const title = [
    scale === null ? '' : `${words}${scale}`,
    (row.low ?? null) === null ? none : `95 %: ${say(row.low)} to ${say(row.high)}`,
    ...dropped,
    row.note,
  ];
  return h(
    'td',
    attributes,
    h(
      /** @type {'a'} */ (href ? 'a' : 'span'),
      { href, class: 'dl-scorecell', title: title.filter(Boolean).join('\n') },
      h('b', null, words),
      range ? bar(row, range) : null,
      row.partial ? h('strong', { class: 'dl-partial', title: PARTIAL }, 'partial') : null,
      row.of === null
        ? null
        : h(
            'small',
            null,
            `${row.n.toLocaleString('en')} of ${row.of.toLocaleString('en')}`,
            dropped.length
              ? h('span', { class: 'dl-scoredropped' }, brief(row.dropped, dropped, longest))
              : null,
          ),
      below,
    ),
  );
}

/**
 * The figure without flagged questions, where there are any.
 * @param {ScoreRow} row
 * @param {Sound | null} sound
 * @param {string} measure
 */
function soundLine(row, sound, measure) {
  const found = sound?.rows.get(soundKey(row));
  if (!found || found.value === null || found.of === row.of) return null;
  return h(
    'small',
    {
      class: 'dl-scoresound',
      title: `without ${(row.of - found.of).toLocaleString('en')} flagged questions`,
    },
    'sound ',
    h('b', null, digits(found.value, measure)),
  );
}

/**
 * How much of what the reference captions reach.
 * @param {Scores} data
 * @param {Group} group
 * @param {ScoreRow} row
 * @param {string} measure
 */
function ceilingLine({ ceiling }, group, row, measure) {
  const reached = ceiling?.figures[row.metric]?.[group.aspect || ''];
  if (!reached || row.value === null || (group.aspect === undefined && Object.keys(group).length))
    return null;
  return h(
    'small',
    {
      class: 'dl-scoreceiling',
      title: `${ceiling.name}${ceiling.same_judge ? '' : ': another judge'}: the reference captions reach ${digits(reached, measure)}`,
    },
    `${Math.round((row.value / reached) * 100)} % of ceiling ${digits(reached, measure)}`,
  );
}

/**
 * The reasons where they are short, else how many; the tooltip has them all.
 * @param {Object<string, number>} reasons
 * @param {string[]} words
 * @param {number} longest letters
 */
function brief(reasons, words, longest) {
  const all = words.join(', ');
  return all.length <= longest
    ? all
    : `${Object.values(reasons)
        .reduce((a, b) => a + b, 0)
        .toLocaleString('en')} left out`;
}

/**
 * The stretch that all bars share: every interval, to whole tenths.
 * @param {Estimate[]} rows
 * @param {string} measure
 * @returns {[number, number]}
 */
export function rangeOf(rows, measure) {
  const ends = rows.flatMap((row) => [row.low ?? row.value, row.high ?? row.value]).filter((x) => x !== null);
  if (!ends.length) return [0, top(measure)];
  const step = top(measure) / 10;
  const low = Math.floor(Math.min(...ends) / step - 0.1) * step;
  const high = Math.ceil(Math.max(...ends) / step + 0.1) * step;
  return [Math.max(0, low), Math.min(top(measure), high)];
}

/**
 * A thin line from low to high with a dot at the value.
 * @param {Estimate} row
 * @param {[from: number, to: number]} range
 */
export function bar(row, [from, to]) {
  if (row.value === null) return h('span', { class: 'dl-scorebar' });
  /** @param {number} x */
  const share = (x) => Math.min(100, Math.max(0, ((x - from) / (to - from)) * 100));
  const range =
    row.low === null
      ? null
      : h('i', { style: { left: `${share(row.low)}%`, right: `${100 - share(row.high)}%` } });
  return h(
    'span',
    { class: 'dl-scorebar', 'aria-hidden': 'true' },
    range,
    h('b', { style: { left: `${share(row.value)}%` } }),
  );
}
