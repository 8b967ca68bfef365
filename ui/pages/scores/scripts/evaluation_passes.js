// Passes that build on an evaluation: what it lacks, another judge beside the first, the ceiling.
import { can } from '../../../lib/page/rights.js';
import { badge, button, clear, h, icon } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { capFields, estimateLines } from '../../../lib/parts/model_spending.js';

/** @typedef {import('../../../lib/parts/elements.js').Content} Content */
/** @typedef {{what: string, evaluation?: string, stages?: string[], repeats?: number, temperature?: number}} Pass as /api/scoring/plan and start take it */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PassPlan']} PassPlan */

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

/**
 * The button, or a word where the person may not. `evaluation()` is asked when it is pressed, `started` called when a job runs.
 * @param {() => string} evaluation
 * @param {() => unknown} started
 */
export function workButton(evaluation, started) {
  const node = button(
    [icon('play'), 'Judge or fill …'],
    () => choosePass(evaluation(), started).catch(report),
    { name: 'judge-or-fill' },
  );
  if (can('run')) return node;
  node.disabled = true;
  return h(
    'span',
    { class: 'dl-scoremaynot' },
    node,
    h('span', { class: 'dl-hint' }, 'a researcher or an admin may run models'),
  );
}

/**
 * The button of a pass that makes an evaluation of its own, such as retrieval; nothing for who may not run models.
 * @param {string} what
 * @param {() => unknown} started
 */
export function measureButton(what, started) {
  if (!can('run')) return null;
  return button([icon('play'), `Measure ${what} …`], () => measure(what, started).catch(report), {
    name: 'measure',
  });
}

/**
 * The dialog of a pass: what it would do is asked for first, and shown before anything starts.
 * @param {string} title
 * @param {() => Pass} pass what is chosen
 * @param {() => unknown} started
 * @param {(plan: PassPlan) => Content} shown
 * @param {Content} [choices] above it
 */
function passDialog(title, pass, started, shown, choices = null) {
  const about = h('div', { class: 'dl-passabout', role: 'status' });
  let turn = 0;
  /** @param {Error} error */
  const failed = (error) => {
    go.disabled = true;
    clear(about, h('p', { class: 'dl-is-failed' }, error.message));
  };
  const start = async () => {
    go.disabled = true;
    await api('/api/scoring/start', { ...pass(), ...cap.caps() });
    dialog.close();
    started();
  };
  /** @param {Error} error */
  const refused = (error) => {
    failed(error);
    go.disabled = false; // what was typed can be mended
  };
  const go = button('Start', () => start().catch(refused), { kind: 'main', name: 'start-pass' });
  const cap = capFields();
  const dialog = openDialog(title, [choices, about, cap.node], [go]);
  const plan = async () => {
    const mine = ++turn;
    go.disabled = true;
    clear(about, h('p', { class: 'dl-hint' }, 'asking the engines whether they answer …'));
    try {
      /** @type {PassPlan} */
      const found = await api('/api/scoring/plan', pass());
      if (mine !== turn) return;
      clear(about, shown(found), found.estimate ? estimateLines(found.estimate) : null);
      cap.node.hidden = !found.estimate;
      go.disabled = false;
    } catch (error) {
      if (mine === turn) failed(error);
    }
  };
  return { plan, go };
}

/** @param {PassPlan['engines'][0]} engine */
const engineLine = ({ stage, model, baseline }) =>
  h('p', {}, h('b', {}, stage), ' by ', model, ' ', baseline ? badge('baseline', 'baseline') : null);

/** @param {string} engines */
const costHint = (engines) =>
  h('p', { class: 'dl-hint' }, `What was asked before costs nothing again. ${engines}`);

/**
 * @param {string} what
 * @param {() => unknown} started
 */
async function measure(what, started) {
  const { plan, go } = passDialog(
    `Measure ${what}`,
    () => ({ what }),
    started,
    (found) => [
      h('p', {}, found.name),
      found.engines.map(engineLine),
      found.notes.map((note) => h('p', {}, note)),
      costHint('The embedder is the one that Dailies was started with (--embedder, settings.toml).'),
    ],
  );
  await plan();
  go.focus();
}

/**
 * @param {string} evaluation
 * @param {() => unknown} started
 */
async function choosePass(evaluation, started) {
  const radios = CHOICES.map(([value]) =>
    h('input', { type: 'radio', name: 'pass', value, onchange: () => plan().catch(report) }),
  );
  const chosen = () => radios.find((radio) => radio.checked);
  /** @type {(name: string, words: string, value: string) => HTMLInputElement} */
  const field = (name, words, value) =>
    h('input', {
      class: 'dl-input',
      type: 'text',
      inputmode: 'decimal',
      size: 4,
      name,
      value,
      'aria-label': words,
      onchange: () => plan().catch(report),
    });
  const times = field('repeats', 'Times each answer is judged', '3');
  const heat = field('temperature', 'Temperature of the repeats', '0');
  const how = h('p', { class: 'dl-caps', hidden: true }, 'each answer', times, 'times, at temperature', heat);
  /** @returns {Pass} */
  const pass = () => {
    how.hidden = chosen()?.value !== 'repeats';
    if (chosen()?.value === 'ceiling') return { what: 'ceiling' };
    return how.hidden
      ? { what: 'fill', evaluation, stages: chosen()?.value.split(',') || [] }
      : { what: 'fill', evaluation, repeats: Number(times.value), temperature: Number(heat.value) };
  };
  const { plan } = passDialog(
    'Judge or fill',
    pass,
    started,
    (found) => {
      // Nothing is chosen yet: the server says what the evaluation lacks.
      for (const radio of radios) radio.checked ||= !chosen() && radio.value === found.stages.join();
      return [
        h('p', {}, plural(found.videos, 'video')),
        found.engines.map(engineLine),
        found.notes.map((note) => h('p', { class: 'dl-hint' }, note)),
        costHint(
          'The engines are those that Dailies was started with (--extractor, --judge, settings.toml).',
        ),
      ];
    },
    h(
      'fieldset',
      { class: 'dl-passes' },
      h('legend', { class: 'dl-unseen' }, 'What to run'),
      CHOICES.map(([, words, what], n) => h('label', {}, radios[n], h('b', {}, words), h('span', {}, what))),
      how,
    ),
  );
  await plan();
  chosen()?.focus();
}
