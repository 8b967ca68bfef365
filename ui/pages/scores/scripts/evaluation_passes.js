// Passes that build on an evaluation: what it lacks, another judge beside the first, the ceiling.
import { h, signal, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { baselineBadge, button, held, icon } from '../../../lib/components/small_components.js';
import { can } from '../../../lib/page/rights.js';
import { capFields, estimateWords } from '../../../lib/parts/model_spending.js';
import { report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {{what: string, evaluation?: string, stages?: string[], repeats?: number, temperature?: number}} Pass as /api/scoring/plan and start take it */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PassPlan']} PassPlan */
/** @typedef {import('../../../lib/components/component.js').Children} Children */
/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

const CHOICES = [
  ['verdicts', 'verdicts', 'judge the answers that are there; another judge stands beside the first'],
  ['repeats', 'repeats', 'judge each answer several times: how far the judge repeats itself'],
  ['answers,verdicts', 'answers and verdicts', 'take the answers from the captions, then judge them'],
  [
    'ceiling',
    'ceiling',
    'score the reference captions themselves: what can be reached, and which questions cannot be answered',
  ],
];

/** A pass that is chosen: what it would do is asked for first, and shown before anything starts. */
class PassState {
  /** @type {Signal<{found?: PassPlan, failed?: string}>} neither while the engines are asked */
  plan = signal({});
  ready = signal(false);
  /** Of CHOICES; of another pass and until the server has said what the evaluation lacks it is empty. */
  chosen = signal('');
  repeats = '3';
  temperature = '0';
  turn = 0; // of `ask`: the answer to an older one is not shown
  cap = capFields();

  /**
   * @param {string} what
   * @param {string} evaluation
   */
  constructor(what, evaluation = '') {
    this.what = what;
    this.evaluation = evaluation;
  }

  /** @returns {Pass} */
  get pass() {
    const { what, evaluation, chosen } = this;
    if (what) return { what };
    if (chosen.value === 'ceiling') return { what: 'ceiling' };
    return chosen.value === 'repeats'
      ? {
          what: 'fill',
          evaluation,
          repeats: Number(this.repeats),
          temperature: Number(this.temperature),
        }
      : { what: 'fill', evaluation, stages: chosen.value ? chosen.value.split(',') : [] };
  }

  async ask() {
    const mine = ++this.turn;
    this.ready.value = false;
    this.plan.value = {};
    try {
      /** @type {PassPlan} */
      const found = await api('/api/scoring/plan', this.pass);
      if (mine !== this.turn) return;
      const lacks = found.stages.join();
      if (CHOICES.some(([value]) => value === lacks)) this.chosen.value ||= lacks;
      this.plan.value = { found };
      this.ready.value = true;
    } catch (error) {
      if (mine === this.turn) this.plan.value = { failed: error.message };
    }
  }

  /** @param {() => unknown} started */
  async start(started) {
    this.ready.value = false;
    try {
      await api('/api/scoring/start', { ...this.pass, ...this.cap.caps() });
      started();
    } catch (error) {
      this.plan.value = { failed: error.message };
      this.ready.value = true; // what was typed can be mended
    }
  }
}

/**
 * @param {string} title
 * @param {PassState} state
 * @param {() => unknown} started
 * @param {import('preact').FunctionComponent<{state: PassState}>} Body
 */
function openPass(title, state, started, Body) {
  const start = () =>
    state.start(() => {
      dialog.close();
      started();
    });
  const dialog = openDialog(title, h(Body, { state }), h(Start, { state, start }));
  return state.ask();
}

// --- drawing --------------------------------------------------------------------------

/**
 * `evaluation()` is asked when the button is pressed, `started` called when a job runs.
 * @param {{evaluation: () => string, started: () => unknown}} props
 */
export function JudgeOrFill({ evaluation, started }) {
  const may = can('run');
  const open = () => openPass('Judge or fill', new PassState('', evaluation()), started, Fill).catch(report);
  const node = button([icon('play'), 'Judge or fill …'], open, { name: 'judge-or-fill', disabled: !may });
  if (may) return node;
  return h(
    'span',
    { class: 'dl-scoremaynot' },
    node,
    h('span', { class: 'dl-hint' }, 'a researcher or an admin may run models'),
  );
}

/**
 * The button of a pass that makes an evaluation of its own, such as retrieval; nothing for who may not run models.
 * @param {{what: string, started: () => unknown}} props
 */
export const MeasureButton = ({ what, started }) =>
  can('run')
    ? button(
        [icon('play'), `Measure ${what} …`],
        () => openPass(`Measure ${what}`, new PassState(what), started, Measure).catch(report),
        { name: 'measure' },
      )
    : null;

/** @param {{state: PassState, start: () => unknown}} props */
function Start({ state, start }) {
  const at = useRef(/** @type {HTMLElement | null} */ (null));
  const ready = state.ready.value;
  useLayoutEffect(() => {
    if (ready && state.what) at.current.querySelector('button').focus();
  }, [ready]);
  return h(
    'span',
    { ref: at },
    button('Start', start, { kind: 'main', name: 'start-pass', disabled: !ready }),
  );
}

/** @param {{state: PassState, children?: Children}} props the lines of the plan that is found */
function Plan({ state, children }) {
  const { found, failed } = state.plan.value;
  const { calls, rest, notes } = found?.estimate ? estimateWords(found.estimate) : { notes: [] };
  return [
    h(
      'div',
      { class: 'dl-passabout', role: 'status' },
      failed ? h('p', { class: 'dl-is-failed' }, failed) : null,
      failed || found ? null : h('p', { class: 'dl-hint' }, 'asking the engines whether they answer …'),
      found ? children : null,
      rest ? h('p', null, calls ? h('b', null, calls) : null, rest) : null,
      notes.map((note) => h('p', { class: 'dl-hint' }, note)),
    ),
    h('div', { hidden: found && !found.estimate }, held(state.cap.node)),
  ];
}

/** @param {{engines: PassPlan['engines']}} props */
const Engines = ({ engines }) =>
  engines.map(({ stage, model, baseline }) =>
    h('p', null, h('b', null, stage), ' by ', model, ' ', baseline ? baselineBadge() : null),
  );

/** @param {string} engines */
const costHint = (engines) =>
  h('p', { class: 'dl-hint' }, `What was asked before costs nothing again. ${engines}`);

/** @param {{state: PassState}} props */
function Measure({ state }) {
  const { found } = state.plan.value;
  return h(
    Plan,
    { state },
    found
      ? [
          h('p', null, found.name),
          h(Engines, { engines: found.engines }),
          found.notes.map((note) => h('p', null, note)),
          costHint('The embedder is the one that Dailies was started with (--embedder, settings.toml).'),
        ]
      : null,
  );
}

/** @param {{state: PassState}} props */
function Fill({ state }) {
  const { found } = state.plan.value;
  const set = useRef(/** @type {HTMLFieldSetElement | null} */ (null));
  const chosen = state.chosen.value;
  useLayoutEffect(() => {
    /** @type {HTMLElement | null} */ (set.current.querySelector('input:checked'))?.focus();
  }, [Boolean(chosen)]);
  return [
    h(
      'fieldset',
      { ref: set, class: 'dl-passes' },
      h('legend', { class: 'dl-unseen' }, 'What to run'),
      CHOICES.map(([value, words, what]) =>
        h(
          'label',
          { key: value },
          h('input', {
            type: 'radio',
            name: 'pass',
            value,
            checked: value === chosen,
            onChange: () => {
              state.chosen.value = value;
              state.ask().catch(report);
            },
          }),
          h('b', null, words),
          h('span', null, what),
        ),
      ),
      h(
        'p',
        { class: 'dl-caps', hidden: chosen !== 'repeats' },
        'each answer',
        h(NumberField, { state, name: 'repeats', words: 'Times each answer is judged' }),
        'times, at temperature',
        h(NumberField, { state, name: 'temperature', words: 'Temperature of the repeats' }),
      ),
    ),
    h(
      Plan,
      { state },
      found
        ? [
            h('p', null, plural(found.videos, 'video')),
            h(Engines, { engines: found.engines }),
            found.notes.map((note) => h('p', { class: 'dl-hint' }, note)),
            costHint(
              'The engines are those that Dailies was started with (--extractor, --judge, settings.toml).',
            ),
          ]
        : null,
    ),
  ];
}

/** @param {{state: PassState, name: 'repeats' | 'temperature', words: string}} props */
const NumberField = ({ state, name, words }) =>
  h('input', {
    class: 'dl-input',
    type: 'text',
    inputMode: 'decimal',
    size: 4,
    name,
    defaultValue: state[name],
    'aria-label': words,
    onChange: (event) => {
      state[name] = event.currentTarget.value;
      state.ask().catch(report);
    },
  });
