// The dialog that chooses some of the stages of the pipeline, and runs them.
import { choice } from './choice.js';
import { debounce } from '../page/open_page.js';
import { button, h } from './elements.js';
import { report } from './notices.js';
import { plural } from './words.js';
import { openDialog } from './dialog.js';
import { capFields, estimateOfJob } from './model_spending.js';
import { speechChoice } from './speech_choice.js';

/** @typedef {import('../wire.d.ts').components['schemas']['LibraryRow']} LibraryRow */
/** @typedef {import('../wire.d.ts').components['schemas']['StageFacts']} StageFacts */

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
