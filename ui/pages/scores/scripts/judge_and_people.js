// The judge against people: confusion, kappa, the mean that people would give, and what to label next.
import {
  address,
  api,
  aspectName,
  h,
  mark,
  notice,
  plural,
  report,
  scoreText,
} from '../../../lib/parts/core.js';
import { term } from '../../../lib/parts/terms.js';
import { bar, digits } from './scores_table.js';

/** @typedef {import('./scores_table.js').Estimate} Estimate */
/** @typedef {import('./scores_table.js').Scores} Scores */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['JudgeAgreement']} Agreement of the judge and people */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PeopleMean']} People */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['OpinionsSummary']} Opinions of people on verdicts */

const RULES = ['latest', 'majority', 'adjudicated'];

/**
 * `chosen` is called when somebody has said by which rule people's opinions count.
 * @param {Scores} data
 * @param {string} measure
 * @param {(action: string) => boolean} can
 * @param {() => unknown} chosen
 */
export function peoplePanel(data, measure, can, chosen) {
  return h(
    'section',
    { class: 'dl-scorepart' },
    h('h2', {}, 'judge against people'),
    data.flags.map((words) => h('p', { class: 'dl-hint dl-judgeflag' }, mark('flagged', ''), ' ', words)),
    agreement(data.agreement),
    opinions(data.opinions, can, chosen),
    people(data.people[measure], measure),
    next(data),
  );
}

/**
 * How far people agree with each other, and which of their opinions counts.
 * @param {Opinions} opinions
 * @param {(action: string) => boolean} can
 * @param {() => unknown} chosen
 */
function opinions({ rule, what, people: persons, several, disputed }, can, chosen) {
  if (persons < 2 && rule === RULES[0]) return null;
  /** @param {Event & {target: HTMLSelectElement}} event */
  const set = async (event) => {
    try {
      await api('/api/opinion-rule', { rule: event.target.value });
      notice(`Where people differ: ${event.target.value}`);
      chosen();
    } catch (error) {
      event.target.value = rule;
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
      h(
        'select',
        { class: 'dl-select', 'aria-label': 'Where people differ', disabled: !can('assign'), onchange: set },
        RULES.map((one) => h('option', { value: one, selected: one === rule }, one)),
      ),
    ),
    h('p', { class: 'dl-hint' }, what),
  );
}

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
    h(
      'table',
      { class: 'dl-confusion' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('td', {}),
          words.map((w) => h('th', { scope: 'col' }, 'people ', mark(w))),
        ),
      ),
      h(
        'tbody',
        {},
        words.map((judge) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, 'judge ', mark(judge)),
            words.map((person) =>
              h('td', { class: judge === person ? 'dl-agrees' : 'dl-differs' }, count(judge, person)),
            ),
          ),
        ),
      ),
    ),
    h(
      'p',
      {},
      h('b', {}, term('kappa', 'κ'), ` ${kappa.value === null ? 'not defined' : kappa.value.toFixed(2)}`),
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
function people({ estimate, judge, labelled, of }, measure) {
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
      {},
      'as people would judge ',
      h('b', {}, digits(estimate.value, measure)),
      ` (${digits(estimate.low, measure)} to ${digits(estimate.high, measure)}) · the judge says ${digits(judge, measure)}`,
    ),
    bar(estimate, [0, measure === 'score' ? 5 : 1]),
    h(
      'p',
      { class: 'dl-hint' },
      `from ${plural(labelled, 'label')} of ${of.toLocaleString('en')} verdicts, per stratum of the judge's verdict; right when the labelled ones were not chosen by their look`,
    ),
  );
}

/** @param {Scores} data */
function next(data) {
  if (!data.next.length) return null;
  return [
    h('h2', {}, 'label next'),
    h('p', { class: 'dl-hint' }, 'These shrink the interval most.'),
    h(
      'ol',
      { class: 'dl-nextlist' },
      data.next.map((item) =>
        h(
          'li',
          {},
          h(
            'a',
            { href: address.to('verdicts', { evaluation: data.id, qa: item.verdict, video: item.video }) },
            h('span', {}, item.text || 'no question text'),
            h('small', { title: item.title }, `${aspectName(item.aspect)} · ${item.title}`),
          ),
          h('span', { class: 'dl-nextverdict' }, mark(item.label, scoreText(item.score))),
        ),
      ),
    ),
  ];
}
