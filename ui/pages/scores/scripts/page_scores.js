// Scores: aspects by policies with intervals, the judge against people, two evaluations compared.
import { h, mount } from '../../../lib/components/component.js';
import { badge, baselineBadge, choice, held } from '../../../lib/components/small_components.js';
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal, whileOpen } from '../../../lib/page/open_page.js';
import { meansAlone } from '../../../lib/parts/means_alone.js';
import { report } from '../../../lib/parts/notices.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { refreshPerson } from '../../../lib/shell/known_person.js';
import { JobPanel } from '../../../lib/shell/job_list.js';
import { go } from '../../../lib/editor/save_before_leaving.js';
import { bindKeys } from '../../../lib/keys/keymap.js';
import { JudgeOrFill } from './evaluation_passes.js';
import { PeoplePanel } from './judge_and_people.js';
import { CausesTable } from './points_by_cause.js';
import { Published } from './scores_published.js';
import { ScoresState } from './scores_state.js';
import { showSystem, systemSwitch, SystemSwitch } from './scores_system.js';
import { digits, ScoreTable } from './scores_table.js';
import { BesidePanel } from './several_evaluations.js';
import { ComparePanel } from './two_evaluations.js';

/** @typedef {import('../../../lib/shell/top_bar.js').Frame} Frame */
/** @typedef {import('./scores_system.js').Systems} Systems */
/** @typedef {{state: ScoresState, systems: Systems, jobs: JobPanel}} Props */

const SETTLE_MS = 1500; // all figures are computed anew: not at every change of a run
const GROUPS = [
  ['aspect', 'aspect'],
  ['category', 'category'],
  ['source', 'source'],
  ['length', 'caption length'],
  ['aspect,length', 'aspect and length'],
];

/** @param {Frame} frame */
export async function show(frame) {
  const systems = await systemSwitch();
  if (address.get('system') && systems.known(address.get('system'))) await showSystem(frame, systems);
  else await showScores(frame, systems);
}

/**
 * @param {Frame} frame
 * @param {Systems} systems
 */
async function showScores(frame, systems) {
  const { main, search, evaluation } = frame;
  const state = new ScoresState(evaluation);
  const load = () => state.load().catch(report);
  const jobs = new JobPanel(frame.can);
  search.placeholder = 'Search groups';
  search.addEventListener(
    'input',
    debounce(() => state.search(search.value.trim()), 250),
  );
  state.words.value = search.value;
  evaluation.onchange(load);
  document.addEventListener('dl-changed', load, { signal: pageSignal() });
  bindKeys('scores', {
    measure: () => state.choose('measure', state.measure.value === 'accuracy' ? 'score' : 'accuracy'),
    mean: () => state.choose('mean', state.mean.value === 'macro' ? 'micro' : 'macro'),
    worst: () => {
      const questions = state.worst();
      if (questions) go(questions);
    },
    system: systems.next,
  });
  if (!evaluation.all.length && !frame.me.evaluations.length) {
    mount(main, h(NoEvaluation, { systems }), pageSignal());
    return;
  }
  main.classList.add('dl-scores');
  mount(main, h(Scores, { state, systems, jobs }), pageSignal());
  onChange(
    () => '',
    () => state.load(),
    SETTLE_MS,
  );
  const followed = followJobs(jobs, state);
  await Promise.all([state.load(), jobs.poll()]);
  followed();
}

/**
 * Where a job ends, there may be another evaluation, and this one may have grown.
 * @param {JobPanel} jobs
 * @param {ScoresState} state
 * @returns {() => void} to call once: what was over before changes nothing
 */
function followJobs(jobs, state) {
  const over = () =>
    jobs.jobs
      .filter((job) => job.finished)
      .map((job) => job.id)
      .join();
  /** @type {string | undefined} */
  let known;
  const moved = async () => {
    const before = known;
    known = over();
    if (before === known) return;
    await whileOpen(refreshPerson());
    await state.load();
  };
  jobs.addEventListener(
    'progress',
    debounce(() => moved().catch(report), 300),
  );
  return () => {
    known ??= over();
  };
}

// --- drawing --------------------------------------------------------------------------

/** @param {{systems: Systems}} props */
const NoEvaluation = ({ systems }) =>
  h(
    'div',
    { class: 'dl-empty dl-welcome' },
    h(SystemSwitch, { systems }),
    h('h1', null, 'No evaluation yet'),
    h(
      'p',
      null,
      'Run the pipeline on a video with questions, or import a log: its scores then stand here, under every rule by which the peers count.',
    ),
    h('a', { class: 'dl-button dl-button-main', href: '/' }, 'To the Library'),
  );

/** @param {Props} props */
function Scores({ state, systems, jobs }) {
  const data = state.data.value;
  const measure = state.measure.value;
  const { judged } = state;
  return [
    h(
      'section',
      {
        key: 'left',
        class: 'dl-pane dl-scoreleft',
        'aria-label': 'Scores',
        'aria-busy': state.busy.value || undefined,
      },
      h(SystemSwitch, { systems }),
      h('header', { class: 'dl-scorehead' }, data ? h(Head, { state, jobs }) : null),
      held(jobs.node),
      h(
        'div',
        { class: 'dl-scoretools', role: 'toolbar', 'aria-label': 'What the table shows' },
        data ? h(Tools, { state }) : null,
      ),
      h(
        'div',
        { class: 'dl-scoretablebox' },
        data
          ? data.rows.length
            ? h(ScoreTable, { state })
            : h('p', { class: 'dl-hint', role: 'note' }, meansAlone(state.evaluation))
          : null,
      ),
      h(CausesTable, { causes: state.causes, measure: judged }),
      h(BesidePanel, { state }),
      h('div', { class: 'dl-scorebelow' }, data ? h(Published, { data, measure }) : null),
    ),
    h(
      'aside',
      { key: 'right', class: 'dl-pane dl-scoreright', 'aria-label': 'The judge against people' },
      data
        ? [
            h(ComparePanel, { state }),
            h(PeoplePanel, { data, measure: judged, jobs, changed: () => state.load().catch(report) }),
          ]
        : null,
    ),
  ];
}

/** @param {{state: ScoresState, jobs: JobPanel}} props */
function Head({ state, jobs }) {
  const { evaluation, baseline, judges, metric, prompts } = state.data.value;
  return [
    h('h1', null, evaluation),
    baseline ? baselineBadge() : null,
    badge(`judge: ${judges.join(', ') || 'unknown'}`),
    baseline ? h('span', { class: 'dl-hint' }, `figures of the embedded baseline are no ${metric}`) : null,
    prompts.length
      ? h('span', { class: 'dl-hint' }, `${prompts.join(', ')}: not the protocol’s, no ${metric}`)
      : null,
    h('span', { class: 'dl-grow' }),
    h(JudgeOrFill, { evaluation: () => state.data.value.id, started: () => jobs.poll() }),
  ];
}

/** @param {{state: ScoresState}} props */
function Tools({ state }) {
  const data = state.data.value;
  const measure = state.measure.value;
  const { range } = state.table.value;
  return [
    h(Segments, {
      state,
      name: 'measure',
      options: [
        ['accuracy', 'share of yes', '0 to 1'],
        ['score', 'score', '0 to 5'],
        ...(state.hasExact
          ? [
              [
                'exact',
                'exact match',
                'answers from the video that are the reference answer but for case and spaces',
              ],
            ]
          : []),
      ],
    }),
    h(Segments, {
      state,
      name: 'mean',
      options: [
        ['macro', 'over videos', 'mean per video, then over videos (macro)'],
        ['micro', 'over questions', 'mean over all questions (micro)'],
      ],
    }),
    h(
      'label',
      { class: 'dl-scoreby' },
      'by',
      choice('Group by', [...data.groups.map((name) => [name]), ...GROUPS], data.by, (by) => state.group(by)),
    ),
    h(
      'span',
      {
        class: 'dl-hint',
        title:
          'without the questions that a check or a person flagged: cut at a comma, a placeholder, without an answer, named as the error source, excluded',
      },
      state.sound.value ? `“sound”: ${state.sound.value.suspects}` : 'checking the questions …',
    ),
    h(
      'span',
      { class: 'dl-hint' },
      `bars: 95 % of 1,000 draws of videos, from ${range.map((x) => digits(x, measure).replace(/0+$/, '').replace(/\.$/, '')).join(' to ')}`,
    ),
  ];
}

/** @param {{state: ScoresState, name: 'measure' | 'mean', options: string[][]}} props */
const Segments = ({ state, name, options }) =>
  h(
    'div',
    { class: 'dl-segmented', role: 'group', 'aria-label': name },
    options.map(([value, words, title]) =>
      h(
        'button',
        {
          key: value,
          type: 'button',
          class: 'dl-segment-button',
          'aria-pressed': value === state[name].value,
          title,
          onClick: () => state.choose(name, value),
        },
        words,
      ),
    ),
  );
