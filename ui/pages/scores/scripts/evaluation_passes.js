// Passes that build on an evaluation: what it lacks, another judge beside the first, the ceiling.
import { api, badge, button, can, clear, h, icon, plural, report } from '../../../lib/parts/core.js';
import { openDialog } from '../../../lib/parts/dialog.js';

/** @typedef {{what: string, evaluation?: string, stages?: string[]}} Pass as /api/scoring/plan and start take it */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PassPlan']} PassPlan */

const CHOICES = [
  ['verdicts', 'verdicts', 'judge the answers that are there; another judge stands beside the first'],
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
 * @param {string} what
 * @param {() => unknown} started
 */
async function measure(what, started) {
  const about = h(
    'div',
    { class: 'dl-passabout', role: 'status' },
    h('p', { class: 'dl-hint' }, 'asking the engine whether it answers …'),
  );
  /** @param {Error} error */
  const failed = (error) => {
    go.disabled = true;
    clear(about, h('p', { class: 'dl-is-failed' }, error.message));
  };
  const go = button(
    'Start',
    async () => {
      go.disabled = true;
      try {
        await api('/api/scoring/start', { what });
        dialog.close();
        started();
      } catch (error) {
        failed(error);
      }
    },
    { kind: 'main', name: 'start-pass' },
  );
  go.disabled = true;
  const dialog = openDialog(`Measure ${what}`, [about], [go]);
  try {
    /** @type {PassPlan} */
    const found = await api('/api/scoring/plan', { what });
    clear(
      about,
      h('p', {}, found.name),
      found.engines.map((e) =>
        h('p', {}, 'by ', h('b', {}, e.model), ' ', e.baseline ? badge('baseline', 'baseline') : null),
      ),
      found.notes.map((note) => h('p', {}, note)),
      h(
        'p',
        { class: 'dl-hint' },
        'What was asked before costs nothing again. The embedder is the one that Dailies was started with (--embedder, settings.toml).',
      ),
    );
    go.disabled = false;
    go.focus();
  } catch (error) {
    failed(error);
  }
}

/**
 * @param {string} evaluation
 * @param {() => unknown} started
 */
async function choosePass(evaluation, started) {
  const radios = CHOICES.map(([value]) =>
    h('input', { type: 'radio', name: 'pass', value, onchange: () => plan().catch(report) }),
  );
  const about = h('div', { class: 'dl-passabout', role: 'status' });
  /** @type {Pass} */
  let body = { what: 'fill', evaluation, stages: [] };
  let turn = 0;
  const go = button(
    'Start',
    async () => {
      go.disabled = true;
      try {
        await api('/api/scoring/start', body);
        dialog.close();
        started();
      } catch (error) {
        trouble(error);
      }
    },
    { kind: 'main', name: 'start-pass' },
  );
  /** @param {Error} error */
  const trouble = (error) => {
    go.disabled = true;
    clear(about, h('p', { class: 'dl-is-failed' }, error.message));
  };
  const plan = async () => {
    const mine = ++turn;
    const value = radios.find((r) => r.checked)?.value || '';
    body =
      value === 'ceiling'
        ? { what: 'ceiling' }
        : { what: 'fill', evaluation, stages: value ? value.split(',') : [] };
    go.disabled = true;
    clear(about, h('p', { class: 'dl-hint' }, 'asking the engines whether they answer …'));
    try {
      /** @type {PassPlan} */
      const found = await api('/api/scoring/plan', body);
      if (mine !== turn) return;
      for (const r of radios) if (!value) r.checked = r.value === found.stages.join();
      clear(
        about,
        h('p', {}, plural(found.videos, 'video')),
        found.engines.map((e) =>
          h(
            'p',
            {},
            h('b', {}, e.stage),
            ' by ',
            e.model,
            ' ',
            e.baseline ? badge('baseline', 'baseline') : null,
          ),
        ),
        found.notes.map((note) => h('p', { class: 'dl-hint' }, note)),
        h(
          'p',
          { class: 'dl-hint' },
          'What was asked before costs nothing again. The engines are those that Dailies was started with (--extractor, --judge, settings.toml).',
        ),
      );
      go.disabled = false;
    } catch (error) {
      if (mine === turn) trouble(error);
    }
  };
  const dialog = openDialog(
    'Judge or fill',
    [
      h(
        'fieldset',
        { class: 'dl-passes' },
        h('legend', { class: 'dl-unseen' }, 'What to run'),
        CHOICES.map(([, words, what], n) =>
          h('label', {}, radios[n], h('b', {}, words), h('span', {}, what)),
        ),
      ),
      about,
    ],
    [go],
  );
  await plan();
  radios.find((r) => r.checked)?.focus();
}
