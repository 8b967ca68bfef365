// Versions of the judge's and the extractor's prompt: written beside the difference to the one that is there, tried on
// the labelled verdicts of one half, the held back half opened once, one of them put into use.
import { h, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { badge, button, choice, held } from '../../../lib/components/small_components.js';
import { table } from '../../../lib/components/table.js';
import { pageSignal } from '../../../lib/page/open_page.js';
import { diffView } from '../../../lib/parts/diff_and_merge.js';
import { report } from '../../../lib/parts/notices.js';
import { dayAndTime, plural } from '../../../lib/parts/words.js';
import { PromptState } from './prompt_state.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']} Schemas */
/** @typedef {Schemas['PromptFigures']} Figures */
/** @typedef {import('../../../lib/shell/job_list.js').JobPanel} JobPanel */
/** @typedef {import('./prompt_state.js').Row} Row */
/** @typedef {{state: PromptState}} Props */

const HASH = 12;

/**
 * @param {Pick<Schemas['ScoresPage'], 'id' | 'versioned'>} evaluation
 * @param {JobPanel} jobs
 * @param {() => unknown} used called when another version was put into use
 */
export async function openPrompts({ id, versioned }, jobs, used) {
  const state = new PromptState(id, Object.entries(versioned), jobs, used);
  await state.load();
  const names = Object.values(versioned).join(' and ');
  const dialog = openDialog(`Prompts of ${names}`, h(Prompts, { state }), h(Keep, { state }), {
    cancel: 'Close',
  });
  const moved = () => state.moved().catch(report);
  jobs.addEventListener('progress', moved);
  dialog.node.addEventListener('close', () => jobs.removeEventListener('progress', moved));
  pageSignal().addEventListener('abort', () => dialog.close());
  dialog.node.querySelector('select').focus();
}

// --- drawing --------------------------------------------------------------------------

/** @type {(words: string, control: import('../../../lib/components/component.js').Children) => import('../../../lib/components/component.js').Drawn} */
const field = (words, control) => h('label', { class: 'dl-field' }, h('span', null, words), control);

/** @param {Props} props */
function Prompts({ state }) {
  const { labels, engines, looks } = state.data.value;
  const { work, held_back: heldBack } = labels;
  return h(
    'div',
    { class: 'dl-prompts' },
    field(
      'prompt of',
      choice(
        'Whose prompt',
        state.whose,
        state.prompt.value,
        (prompt) => state.choose(prompt),
        'whose-prompt',
      ),
    ),
    h(
      'p',
      { class: 'dl-hint' },
      work + heldBack
        ? `${plural(work, 'labelled verdict')} to work with, ${heldBack} held back · asked: ${engines.join(' and ')}`
        : 'Nobody has corrected or confirmed a verdict by this prompt yet: label some first, then a version can be tried.',
    ),
    h('div', { class: 'dl-promptbox' }, h(Versions, { state })),
    h(
      'ul',
      { class: 'dl-promptlooks', 'aria-label': 'Looks at the held back half' },
      looks.map((look) =>
        h(
          'li',
          { class: look.number > 1 ? 'dl-secondlook' : '' },
          `held back half opened for “${look.label}” by ${look.by}, ${dayAndTime(look.at)}, ${plural(look.n, 'verdict')}`,
          look.number > 1 ? ` · look ${look.number}: it was no longer held back` : '',
        ),
      ),
    ),
    h('p', { class: 'dl-hint dl-promptsaid', role: 'status' }, state.said.value),
    h('h3', null, 'another version'),
    h('div', { class: 'dl-prompteditor' }, h(Editor, { state }), h(Difference, { state })),
  );
}

/** @param {Props} props */
function Versions({ state }) {
  const { as_judged: figures, usual, versions } = state.data.value;
  /** @type {Row[]} */
  const rows = [
    { id: '-', label: 'as judged', hash: '', system: '', user: '', figures },
    { ...usual, id: '', label: state.usualName },
    ...versions,
  ];
  return table(
    { class: 'dl-prompttable' },
    ['version', 'half to work with', 'half held back', ''],
    rows.map((row) => h(Version, { key: row.id, state, row })),
  );
}

/** @param {Props & {row: Row}} props */
function Version({ state, row }) {
  const of = (/** @type {string} */ half) => row.figures.filter((one) => one.half === half).map(figuresOf);
  const [work, heldBack] = [of('work'), of('held_back')];
  const about = [row.hash.slice(0, HASH), row.by, row.at ? dayAndTime(row.at) : ''].filter(Boolean);
  const node = useRef(/** @type {HTMLTableRowElement | null} */ (null));
  const kept = state.kept.value === row.id;
  useLayoutEffect(() => {
    if (kept) node.current.querySelector('button').focus();
  }, [kept]);
  return h(
    'tr',
    { ref: node, 'data-version': row.id },
    h(
      'th',
      { scope: 'row' },
      row.label,
      row.id === state.data.value.in_use ? [' ', badge('in use')] : null,
      h('small', null, about.join(' · ')),
    ),
    h('td', null, work.length ? work : h('span', { class: 'dl-hint' }, 'not tried')),
    h('td', null, heldBack.length ? heldBack : h('span', { class: 'dl-hint' }, 'not opened')),
    h('td', null, row.id === '-' ? null : h(VersionTools, { state, row })),
  );
}

/** @param {Props & {row: Row}} props */
function VersionTools({ state, row }) {
  const { labels, in_use: used } = state.data.value;
  const busy = Boolean(state.job.value);
  /** @type {(words: string, act: () => Promise<unknown>, disabled: boolean) => import('../../../lib/components/component.js').Drawn} */
  const tool = (words, act, disabled) =>
    h(
      'button',
      {
        type: 'button',
        class: 'dl-button dl-button-quiet',
        'aria-label': `${words}: ${row.label}`,
        disabled,
        onClick: () => state.act(act),
      },
      words,
    );
  return h(
    'div',
    { class: 'dl-prompttools' },
    tool('Try', () => state.try(row, false), !labels.work || busy),
    row.id ? tool('Open held back …', () => state.open(row), !labels.held_back || busy) : null,
    tool('Put into use', () => state.use(row), row.id === used),
    tool('Edit', async () => state.start(row), false),
  );
}

/** @param {Props} props */
function Editor({ state }) {
  const system = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const starts = state.starts.value;
  useLayoutEffect(() => {
    if (!starts) return;
    system.current.focus();
    system.current.setSelectionRange(0, 0);
    system.current.scrollTop = 0;
  }, [starts]);
  const { typed } = state;
  return h(
    'div',
    null,
    field(
      'name',
      h('input', {
        class: 'dl-input',
        maxLength: 40,
        'aria-label': 'Name of the version',
        value: state.label.value,
        onInput: (event) => {
          state.label.value = event.currentTarget.value;
        },
      }),
    ),
    field(
      'system message',
      h('textarea', {
        ref: system,
        'aria-label': 'System message',
        spellcheck: false,
        value: typed.value.system,
        onInput: (event) => state.type({ system: event.currentTarget.value }),
      }),
    ),
    field(
      'user message',
      h('textarea', {
        class: 'dl-promptuser',
        'aria-label': 'User message',
        spellcheck: false,
        value: typed.value.user,
        onInput: (event) => state.type({ user: event.currentTarget.value }),
      }),
    ),
  );
}

/** @param {import('./prompt_state.js').Words} words */
const whole = ({ system, user }) => `${system}\n\n${user}`;

/** @param {Props} props */
function Difference({ state }) {
  const [usual, now] = [whole(state.data.value.usual), whole(state.compared.value)];
  const words = `difference to ${state.usualName}`;
  return h(
    'div',
    null,
    h('p', { class: 'dl-hint' }, words, now === usual ? ': none yet' : ''),
    now === usual ? null : held(diffView(usual, now, words)),
  );
}

/** @param {Props} props */
function Keep({ state }) {
  const same = whole(state.compared.value) === whole(state.data.value.usual);
  return button('Keep as a version', () => state.act(() => state.keep()), {
    kind: 'main',
    name: 'keep-version',
    disabled: same || state.keeping.value,
  });
}

/** @param {Figures} found */
function figuresOf({ n, asked, of, observed, kappa, ac1, base_rate: rate, engine, other_answers: others }) {
  /** @type {(value: number) => string} */
  const two = (value) => (Math.round(value * 100) / 100 || 0).toFixed(2); // no minus before a zero
  /** @type {(one: Schemas['EstimateFacts']) => string} */
  const words = ({ value, low, high }) =>
    value === null ? 'not defined' : `${two(value)}${low === null ? '' : ` (${two(low)} to ${two(high)})`}`;
  const notes = [
    engine,
    asked < of ? `${asked} of ${of} asked` : '',
    n < asked ? `${asked - n} unread` : '',
    others ? `${others} answers differ from those that people judged` : '',
  ].filter(Boolean);
  return h(
    'div',
    null,
    n
      ? [
          h('b', null, `κ ${words(kappa)}`),
          ` · ${Math.round(observed * n)} of ${n} agree`,
          h('small', null, `AC1 ${words(ac1)} · people say yes to ${Math.round(100 * rate)} %`),
        ]
      : `none of ${of}`,
    notes.length ? h('small', null, notes.join(' · ')) : null,
  );
}
