// The stages of the pipeline in words, as small segments, and the dialog that chooses some of them.
import { choice } from './choice.js';
import { debounce } from '../page/open_page.js';
import { button, h, icon } from './elements.js';
import { report } from './notices.js';
import { plural } from './words.js';
import { openDialog } from './dialog.js';
import { capFields, estimateOfJob } from './model_spending.js';
import { speechChoice } from './speech_choice.js';

/** @typedef {import('../wire.d.ts').components['schemas']['LibraryRow']} LibraryRow */
/** @typedef {import('../wire.d.ts').components['schemas']['StageFacts']} StageFacts */
/** @typedef {Object<string, any>} Stage of a library row */

const SIGNS = {
  done: 'done',
  failed: 'failed',
  unparsed: 'unparsed',
  missing: 'missing',
  skipped: 'missing',
  stopped: 'stop',
  running: 'play',
  queued: 'stale',
};
const STATE_WORDS = { none: 'not run', queued: 'waiting' };
const COUNTED = /^\d+ of \d+ /; // messages that begin with how many results are in which state
/** States of stages whose results are not all there. */
const TROUBLES = ['failed', 'stopped', 'unparsed', 'missing'];
/** @param {string} state */
const stateWord = (state) => STATE_WORDS[state] || state;

/** @param {Stage} stage */
function stageTitle(stage) {
  const count = stage.total > 1 && stage.state === 'running' ? ` ${stage.done} of ${stage.total}` : '';
  return `${stage.stage}: ${stateWord(stage.state)}${count}${stage.message ? ` (${stage.message})` : ''}`;
}

/**
 * Stages that failed for the same reason share a line; the video's title is not said again.
 * @param {Stage[]} stages
 * @param {string} title
 */
function troubleLines(stages, title) {
  const groups = new Map();
  for (const s of stages) {
    const why = s.message.replace(`${title}: `, '');
    const key = `${s.state}:${why}`;
    groups.set(key, { state: s.state, why, names: [...(groups.get(key)?.names || []), s.stage] });
  }
  return [...groups.values()].map(({ state, why, names }) =>
    h(
      'p',
      { class: `dl-stageline dl-is-${state}`, title: why },
      h('b', {}, names.join(', ')),
      COUNTED.test(why) ? ` ${why}` : ` ${state}${why ? `: ${why}` : ''}`,
    ),
  );
}

/**
 * Of a library row.
 * @param {LibraryRow} row
 */
export function stageBar({ stages: shown, title }) {
  const finished = shown.filter((s) => s.state === 'done').length;
  const left = shown.filter((s) => s.state === 'none').map((s) => s.stage);
  const troubles = shown.filter((s) => TROUBLES.includes(s.state));
  const skipped = shown.filter((s) => s.state === 'skipped');
  const bar = h(
    'div',
    {
      class: 'dl-stages',
      role: 'img',
      'aria-label': `Stages: ${shown.map((s) => `${s.stage} ${stateWord(s.state)}`).join(', ')}`,
    },
    shown.map((s) =>
      h(
        'span',
        { class: `dl-stage dl-stage-${s.state}`, title: stageTitle(s) },
        SIGNS[s.state] ? icon(SIGNS[s.state]) : null,
      ),
    ),
  );
  const now = shown.find((s) => s.state === 'running');
  return [
    bar,
    now
      ? h(
          'p',
          { class: 'dl-stageline' },
          `${now.stage} running${now.total > 1 ? ` · ${now.done} of ${now.total}` : ''}`,
        )
      : null,
    troubleLines(troubles, title),
    now
      ? null
      : h(
          'p',
          { class: 'dl-stageline', title: skipped.map((s) => `${s.stage}: ${s.message}`).join('\n') },
          finished || troubles.length || skipped.length
            ? `${finished} of ${shown.length} stages done`
            : 'not run yet',
          finished && left.length ? `; not run: ${left.join(', ')}` : '',
          skipped.length ? `; skipped: ${skipped.map((s) => s.stage).join(', ')}` : '',
        ),
  ];
}

/**
 * Asks which of the stages to run; those that are not `usual` run only where they are chosen. `start(stages, more)` may
 * throw.
 * @param {LibraryRow[]} videos
 * @param {StageFacts[]} stages
 * @param {(stages: string[], more: {choices: Object<string, string>, speech: string, language: string} & import('./model_spending.js').Caps) => Promise<unknown>} start
 */
export function chooseStages(videos, stages, start) {
  const boxes = stages.map(({ name, usual }) =>
    h('input', { type: 'checkbox', name, checked: usual, onchange: () => update() }),
  );
  const ticked = () => stages.filter((_, n) => boxes[n].checked);
  const chosen = () => ticked().map(({ name }) => name);
  const note = h('p', { class: 'dl-hint', role: 'status' });
  const fileless = videos.filter((v) => !v.file).length;
  const stagesAsked = () => (stages.every(({ usual }, n) => usual === boxes[n].checked) ? [] : chosen());
  const choices = stages.flatMap(({ name: stage, choice: of }) => {
    if (!of) return [];
    const select = choice(of.label, Object.entries(of.options), '', () => update(), of.name);
    const node = h('label', { class: 'dl-stagechoice', hidden: true }, of.label, select);
    return [{ stage, name: of.name, select, node }];
  });
  const heard = speechChoice();
  const settings = () => ({
    choices: Object.fromEntries(choices.map(({ name, select }) => [name, select.value])),
    speech: heard.chosen().size,
    language: heard.chosen().language,
  });
  const cap = capFields();
  const guess = estimateOfJob(() =>
    chosen().length
      ? { videos: videos.map((video) => video.id), stages: stagesAsked(), ...settings() }
      : null,
  );
  const countSoon = debounce(guess.ask, 400);
  const go = button(
    'Run',
    async () => {
      go.disabled = true;
      try {
        await start(stagesAsked(), { ...settings(), ...cap.caps() });
        dialog.close();
      } catch (error) {
        note.textContent = error.message;
        go.disabled = false;
      }
    },
    { kind: 'main', name: 'run-stages' },
  );
  const update = () => {
    const wanted = chosen();
    const extra = [...new Set(ticked().flatMap(({ needs }) => needs))].filter(
      (name) => !wanted.includes(name),
    );
    note.textContent = extra.length
      ? `also run, since these need them: ${extra.join(', ')}`
      : wanted.length
        ? ''
        : 'choose at least one stage';
    heard.node.hidden = !wanted.includes('speech');
    for (const { stage, node } of choices) {
      const before = node.hidden;
      node.hidden = !wanted.includes(stage);
      if (before && !node.hidden) node.scrollIntoView({ block: 'nearest' });
    }
    go.disabled = !wanted.length;
    countSoon();
  };
  /** @param {boolean} on */
  const all = (on) =>
    button(
      on ? 'All usual' : 'None',
      () => {
        stages.forEach(({ usual }, n) => {
          boxes[n].checked = on && usual;
        });
        update();
      },
      { kind: 'quiet' },
    );
  /** @param {boolean} shown whether those that are usual */
  const lines = (shown) =>
    stages.map(({ name, label, usual }, n) =>
      usual === shown ? h('label', {}, boxes[n], h('b', {}, name), h('span', {}, label)) : null,
    );
  const dialog = openDialog(
    videos.length === 1 ? `Run ${videos[0].title}` : `Run ${plural(videos.length, 'video')}`,
    [
      h(
        'p',
        { class: 'dl-hint' },
        'What is done already is kept and costs nothing.',
        h('span', { class: 'dl-grow' }),
        all(true),
        all(false),
      ),
      h(
        'div',
        { class: 'dl-stagepick' },
        lines(true),
        h('h3', {}, 'only where they are chosen'),
        lines(false),
      ),
      heard.node,
      choices.map(({ node }) => node),
      fileless
        ? h(
            'p',
            { class: 'dl-hint' },
            `${plural(fileless, 'video')} without a file here: stages that look at pictures will fail for ${fileless === 1 ? 'it' : 'them'}.`,
          )
        : null,
      cap.node,
    ],
    [h('div', { class: 'dl-before-run' }, note, guess.node), go],
  );
  update();
  guess.ask().catch(report);
  go.focus();
}
