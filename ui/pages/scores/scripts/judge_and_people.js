// The judge against people: confusion, kappa, the mean that people would give, and what to label next.
import { h } from '../../../lib/components/component.js';
import { button, choice, mark } from '../../../lib/components/small_components.js';
import { column, table } from '../../../lib/components/table.js';
import { term } from '../../../lib/components/term.js';
import { address } from '../../../lib/page/address.js';
import { can } from '../../../lib/page/rights.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { aspectName, plural, scoreText } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { openPrompts } from './prompt_versions.js';
import { bar, digits } from './scores_table.js';

/** @typedef {import('./scores_table.js').Estimate} Estimate */
/** @typedef {import('./scores_table.js').Scores} Scores */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['JudgeAgreement']} Agreement of the judge and people */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PeopleMean']} People */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['OpinionsSummary']} Opinions of people on verdicts */

const RULES = ['latest', 'majority', 'adjudicated'];

/**
 * `changed` is called when a person has said by which rule opinions count, or has put another prompt into use.
 * @param {{data: Scores, measure: string, jobs: import('../../../lib/shell/job_list.js').JobPanel, changed: () => unknown}} props
 */
export const PeoplePanel = ({ data, measure, jobs, changed }) =>
  h(
    'section',
    { class: 'dl-scorepart' },
    h('h2', null, 'judge against people'),
    data.flags.map((words) => h('p', { class: 'dl-hint dl-judgeflag' }, mark('flagged', ''), ' ', words)),
    repeats(data),
    meansLeftOut(data.agreement),
    data.agreement.means && !data.people[measure].of ? null : agreement(data.agreement),
    can('run')
      ? h(
          'div',
          null,
          button('Prompts …', () => openPrompts(data, jobs, changed).catch(report), { name: 'prompts' }),
        )
      : null,
    opinions(data.opinions, changed),
    people(data.people[measure], measure),
    next(data),
  );

/**
 * How far people agree with each other, and which of their opinions counts.
 * @param {Opinions} opinions
 * @param {() => unknown} changed
 */
function opinions({ rule, what, people: persons, several, disputed }, changed) {
  if (persons < 2 && rule === RULES[0]) return null;
  /** @type {(wanted: string, select: HTMLSelectElement) => Promise<void>} */
  const choose = async (wanted, select) => {
    try {
      await api('/api/opinion-rule', { rule: wanted });
      notice(`Where people differ: ${wanted}`);
      changed();
    } catch (error) {
      select.value = rule;
      report(error);
    }
  };
  return h(
    'div',
    { class: 'dl-opinionrule' },
    h(
      'p',
      { class: 'dl-hint' },
      `${plural(persons, 'person', 'people')} · ${plural(several, 'verdict')} judged by several, ${disputed} disputed`,
    ),
    h(
      'label',
      { class: 'dl-scoreby' },
      'where people differ',
      choice(
        'Where people differ',
        RULES.map((one) => [one]),
        rule,
        choose,
        undefined,
        !can('assign'),
      ),
    ),
    h('p', { class: 'dl-hint' }, what),
  );
}

/**
 * How far the judge repeats itself, where answers were judged several times.
 * @param {Scores} data
 */
function repeats({ repeats: found, id }) {
  if (!found) return null;
  const { value, low, high } = found.flip_rate;
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
  return h(
    'p',
    { 'data-name': 'repeats', title: `seeds ${found.seeds.join(', ')}` },
    `Judged ${found.most} times at temperature ${found.temperature}: two verdicts on a question differ in `,
    h('b', null, percent(value)),
    low === null ? '' : ` (${percent(low)} to ${percent(high)})`,
    ` · ${found.inconsistent} of ${plural(found.n, 'question')} got both words. `,
    h('a', { href: address.to('verdicts', { evaluation: id, sort: 'inconsistent' }) }, 'These first'),
  );
}

/** @param {Agreement} found */
const meansLeftOut = ({ means }) =>
  means
    ? h(
        'p',
        { class: 'dl-hint', 'data-name': 'means' },
        `${plural(means, 'mean')} over a video’s questions left out: a log’s mean is no verdict on one. Verdicts to label come from “Judge or fill”.`,
      )
    : null;

/** @param {Agreement} found */
function agreement({ n, confusion, observed, kappa, ac1, base_rate: baseRate }) {
  if (!n)
    return h(
      'p',
      { class: 'dl-hint' },
      'Nobody has corrected or confirmed a verdict yet. Label some of those below: agreement and a corrected figure then stand here.',
    );
  /** @type {(judge: string, person: string) => number} */
  const count = (judge, person) => confusion.find((c) => c.judge === judge && c.person === person)?.n || 0;
  const words = ['yes', 'no'];
  /** @param {Estimate} found */
  const interval = ({ low, high }) => (low === null ? '' : ` (${low.toFixed(2)} to ${high.toFixed(2)})`);
  return [
    table(
      { class: 'dl-confusion' },
      [h('td', null), ...words.map((w) => column(['people ', mark(w)]))],
      words.map((judge) =>
        h(
          'tr',
          null,
          h('th', { scope: 'row' }, 'judge ', mark(judge)),
          words.map((person) =>
            h('td', { class: judge === person ? 'dl-agrees' : 'dl-differs' }, count(judge, person)),
          ),
        ),
      ),
    ),
    h(
      'p',
      null,
      h('b', null, term('kappa', 'κ'), ` ${kappa.value === null ? 'not defined' : kappa.value.toFixed(2)}`),
      interval(kappa),
      ` · ${Math.round(observed * n)} of ${n} agree`,
    ),
    h(
      'p',
      { class: 'dl-hint' },
      term('ac1', 'AC1'),
      ` ${ac1.value.toFixed(2)}${interval(ac1)} · people say yes to ${Math.round(100 * baseRate)} %`,
    ),
  ];
}

/**
 * @param {People} found
 * @param {string} measure
 */
function people(found, measure) {
  const { estimate, judge, labelled, of } = found;
  if (estimate.value === null)
    return judge === null
      ? null
      : h(
          'p',
          { class: 'dl-hint' },
          `The judge alone says ${digits(judge, measure)}; ${labelled} of ${of.toLocaleString('en')} verdicts have a person's word.`,
        );
  return h(
    'div',
    { class: 'dl-peoplemean' },
    h(
      'p',
      null,
      'as people would judge ',
      h('b', null, digits(estimate.value, measure)),
      ` (${digits(estimate.low, measure)} to ${digits(estimate.high, measure)}) · the judge says ${digits(judge, measure)}`,
    ),
    bar(estimate, [0, measure === 'score' ? 5 : 1]),
    h('p', { class: 'dl-hint', 'data-name': 'label-power' }, labelPower(found, measure)),
    h(
      'p',
      { class: 'dl-hint' },
      `from ${plural(labelled, 'label')} of ${of.toLocaleString('en')} verdicts, per stratum of the judge's verdict; right when the labelled ones were not chosen by their look`,
    ),
  );
}

/**
 * What these labels could show at all, and what they do not.
 * @param {People} found
 * @param {string} measure
 */
export function labelPower({ labelled, smallest, for_half: half, tells_apart: apart, judge }, measure) {
  if (judge === null || (smallest === null && apart === null))
    return `${plural(labelled, 'label')}: too few to say what people would.`;
  return [
    apart === false ? 'These labels do not sharpen the judge’s mean: it lies within their interval. ' : '',
    smallest
      ? `${plural(labelled, 'label')} could show a difference of ${digits(smallest, measure)} from it in four of five repetitions`
      : '',
    half ? `; half of it takes ${half.toLocaleString('en')}.` : smallest ? '.' : '',
  ].join('');
}

/** @param {Scores} data */
function next(data) {
  if (!data.next.length) return null;
  return [
    h('h2', null, 'label next'),
    h('p', { class: 'dl-hint' }, 'These shrink the interval most.'),
    h(
      'ol',
      { class: 'dl-nextlist' },
      data.next.map((item) =>
        h(
          'li',
          null,
          h(
            'a',
            { href: address.to('verdicts', { evaluation: data.id, qa: item.verdict, video: item.video }) },
            h('span', null, item.text || 'no question text'),
            h('small', { title: item.title }, `${aspectName(item.aspect)} · ${item.title}`),
          ),
          h('span', { class: 'dl-nextverdict' }, mark(item.label, scoreText(item.score))),
        ),
      ),
    ),
  ];
}
