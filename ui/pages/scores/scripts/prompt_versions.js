// Versions of the judge's and the extractor's prompt: written beside the difference to the one that is there, tried on
// the labelled verdicts of one half, the held back half opened once, one of them put into use.
import { choice, field } from '../../../lib/parts/choice.js';
import { debounce, pageSignal } from '../../../lib/page/open_page.js';
import { badge, button, clear, h } from '../../../lib/parts/elements.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { dayAndTime, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { confirmed, openDialog } from '../../../lib/parts/dialog.js';
import { diffView } from '../../../lib/parts/diff_and_merge.js';
import { table } from '../../../lib/parts/table.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']} Schemas */
/** @typedef {Schemas['PromptWorkshop']} Workshop */
/** @typedef {Schemas['PromptFigures']} Figures */
/** @typedef {import('../../../lib/shell/job_list.js').JobPanel} JobPanel */
/** @typedef {{id: string, label: string, hash: string, system: string, user: string, figures: Figures[], by?: string, at?: number}} Row */

const HASH = 12;

/**
 * @param {Pick<Schemas['ScoresPage'], 'id' | 'versioned'>} evaluation
 * @param {JobPanel} jobs
 * @param {() => unknown} used called when another version was put into use
 */
export async function openPrompts(evaluation, jobs, used) {
  const dialog = new PromptDialog(evaluation, jobs, used);
  await dialog.load();
  dialog.open();
}

class PromptDialog {
  /** @type {Workshop} */
  data;
  /** @type {string} the job of the trial that runs */
  job = '';

  /**
   * @param {Pick<Schemas['ScoresPage'], 'id' | 'versioned'>} evaluation
   * @param {JobPanel} jobs
   * @param {() => unknown} used
   */
  constructor({ id, versioned }, jobs, used) {
    this.evaluation = id;
    this.jobs = jobs;
    this.used = used;
    const whose = Object.entries(versioned);
    this.whoseNames = Object.values(versioned);
    this.whose = choice('Whose prompt', whose, whose[0][0], () => this.load().catch(report), 'whose-prompt');
    this.about = h('div');
    this.table = h('div', { class: 'dl-promptbox' });
    this.looks = h('ul', { class: 'dl-promptlooks', 'aria-label': 'Looks at the held back half' });
    this.said = h('p', { class: 'dl-hint dl-promptsaid', role: 'status' });
    this.label = h('input', { class: 'dl-input', maxlength: '40', 'aria-label': 'Name of the version' });
    const differs = debounce(() => this.#differ(), 150);
    this.system = h('textarea', { 'aria-label': 'System message', spellcheck: 'false', oninput: differs });
    this.user = h('textarea', {
      class: 'dl-promptuser',
      'aria-label': 'User message',
      spellcheck: 'false',
      oninput: differs,
    });
    this.difference = h('div');
    this.keep = button('Keep as a version', () => this.#add().catch((error) => this.#say(error.message)), {
      kind: 'main',
      name: 'keep-version',
    });
  }

  open() {
    this.dialog = openDialog(
      `Prompts of ${this.whoseNames.join(' and ')}`,
      h(
        'div',
        { class: 'dl-prompts' },
        field('prompt of', this.whose),
        this.about,
        this.table,
        this.looks,
        this.said,
        h('h3', {}, 'another version'),
        h(
          'div',
          { class: 'dl-prompteditor' },
          h(
            'div',
            {},
            field('name', this.label),
            field('system message', this.system),
            field('user message', this.user),
          ),
          this.difference,
        ),
      ),
      [this.keep],
      { cancel: 'Close' },
    );
    const moved = () => this.#moved().catch(report);
    this.jobs.addEventListener('progress', moved);
    this.dialog.node.addEventListener('close', () => this.jobs.removeEventListener('progress', moved));
    pageSignal().addEventListener('abort', () => this.dialog.close());
    this.whose.focus();
  }

  get prompt() {
    return this.whose.value;
  }

  async load() {
    const query = new URLSearchParams({ evaluation: this.evaluation, prompt: this.prompt });
    const before = this.data?.prompt;
    this.data = await api(`/api/scoring/prompts?${query}`);
    if (before !== this.data.prompt) this.#edit(this.data.usual);
    this.#draw();
  }

  /**
   * The words to start from.
   * @param {{system: string, user: string}} words
   */
  #edit({ system, user }) {
    this.system.value = system;
    this.user.value = user;
    this.#differ();
  }

  #differ() {
    const { usual } = this.data;
    /** @type {(words: {system: string, user: string}) => string} */
    const whole = ({ system, user }) => `${system}\n\n${user}`;
    const now = whole({ system: this.system.value, user: this.user.value });
    const same = now === whole(usual);
    this.keep.disabled = same;
    clear(
      this.difference,
      h('p', { class: 'dl-hint' }, `difference to ${this.#usualName()}${same ? ': none yet' : ''}`),
      same ? null : diffView(whole(usual), now, `difference to ${this.#usualName()}`),
    );
  }

  #usualName() {
    return this.data.usual.protocol ? 'the protocol’s prompt' : 'the prompt of the workspace’s file';
  }

  /** @param {string} words */
  #say(words) {
    clear(this.said, words);
  }

  // --- the table ------------------------------------------------------------------------

  #draw() {
    const { data } = this;
    const { work, held_back: held } = data.labels;
    clear(
      this.about,
      h(
        'p',
        { class: 'dl-hint' },
        work + held
          ? `${plural(work, 'labelled verdict')} to work with, ${held} held back · asked: ${data.engines.join(' and ')}`
          : 'Nobody has corrected or confirmed a verdict by this prompt yet: label some first, then a version can be tried.',
      ),
    );
    clear(
      this.table,
      table(
        { class: 'dl-prompttable' },
        ['version', 'half to work with', 'half held back', ''],
        [
          this.#row({ id: '-', label: 'as judged', hash: '', system: '', user: '', figures: data.as_judged }),
          this.#row({ ...data.usual, id: '', label: this.#usualName() }),
          data.versions.map((version) => this.#row(version)),
        ],
      ),
    );
    clear(
      this.looks,
      data.looks.map((look) =>
        h(
          'li',
          { class: look.number > 1 ? 'dl-secondlook' : '' },
          `held back half opened for “${look.label}” by ${look.by}, ${dayAndTime(look.at)}, ${plural(look.n, 'verdict')}`,
          look.number > 1 ? ` · look ${look.number}: it was no longer held back` : '',
        ),
      ),
    );
  }

  /** @param {Row} row */
  #row(row) {
    /** @type {(half: string) => Figures[]} */
    const of = (half) => row.figures.filter((one) => one.half === half);
    const about = [row.hash.slice(0, HASH), row.by, row.at ? dayAndTime(row.at) : ''].filter(Boolean);
    return h(
      'tr',
      { 'data-version': row.id },
      h(
        'th',
        { scope: 'row' },
        row.label,
        row.id === this.data.in_use ? [' ', badge('in use')] : null,
        h('small', {}, about.join(' · ')),
      ),
      h('td', {}, of('work').length ? of('work').map(figures) : quiet('not tried')),
      h('td', {}, of('held_back').length ? of('held_back').map(figures) : quiet('not opened')),
      h('td', {}, row.id === '-' ? null : this.#tools(row)),
    );
  }

  /** @param {Row} row */
  #tools(row) {
    const { work, held_back: held } = this.data.labels;
    const about = row.label;
    /** @type {(words: string, act: () => Promise<unknown>, disabled: boolean) => HTMLElement} */
    const tool = (words, act, disabled) => {
      const node = button(words, () => act().catch((error) => this.#say(error.message)), { kind: 'quiet' });
      node.setAttribute('aria-label', `${words}: ${about}`);
      node.disabled = disabled;
      return node;
    };
    return h(
      'div',
      { class: 'dl-prompttools' },
      tool('Try', () => this.#try(row, false), !work || Boolean(this.job)),
      row.id ? tool('Open held back …', () => this.#open(row), !held || Boolean(this.job)) : null,
      tool('Put into use', () => this.#use(row), row.id === this.data.in_use),
      tool('Edit', async () => this.#start(row), false),
    );
  }

  // --- what the buttons do --------------------------------------------------------------

  /** @param {Row} row */
  #start(row) {
    this.#edit(row);
    this.system.focus();
    this.system.setSelectionRange(0, 0);
    this.system.scrollTop = 0;
  }

  async #add() {
    this.keep.disabled = true;
    try {
      const words = { label: this.label.value, system: this.system.value, user: this.user.value };
      await api('/api/scoring/prompts', { prompt: this.prompt, ...words });
      await this.load();
    } finally {
      this.keep.disabled = false;
    }
    this.#say(`Kept as “${this.label.value.trim()}”.`);
    this.label.value = '';
    const kept = this.data.versions.at(-1);
    this.table.querySelector(`[data-version="${CSS.escape(kept.id)}"] button`)?.focus();
  }

  /**
   * @param {Row} row
   * @param {boolean} heldBack
   */
  async #try(row, heldBack) {
    this.#say(`asking with ${row.label} …`);
    /** @type {Schemas['JobFacts']} */
    const job = await api('/api/scoring/prompts/trial', {
      evaluation: this.evaluation,
      prompt: this.prompt,
      version: row.id,
      held_back: heldBack,
    });
    this.job = job.id;
    this.#draw();
    await this.jobs.poll();
    await this.#moved();
  }

  /** @param {Row} row */
  async #open(row) {
    const { labels, looks } = this.data;
    const again = looks.some((look) => look.version === row.id);
    const words = [
      `${plural(labels.held_back, 'labelled verdict')} were held back while versions were worked on. What “${row.label}” reaches there is recorded with your name.`,
      looks.length
        ? `It was opened before, for “${looks[0].label}”: this is marked as look ${looks.length + 1}.`
        : 'It opens once: a look for another version later is marked as a second look.',
    ];
    if (again || (await confirmed('Open the held back half', words, 'Open it'))) await this.#try(row, true);
  }

  /** @param {Row} row */
  async #use(row) {
    await api('/api/scoring/prompts/use', { prompt: this.prompt, version: row.id });
    await this.load();
    notice(`In use from the next run on: ${row.label}. Ctrl+Z takes it back.`);
    this.used();
  }

  /** How far the trial is; its figures are asked for when it is over. */
  async #moved() {
    const job = this.jobs.jobs.find((one) => one.id === this.job);
    if (!job) return;
    if (!job.finished) {
      this.#say(`${job.plan}: ${job.stage || 'waiting'} ${job.total ? `${job.done} of ${job.total}` : ''}`);
      return;
    }
    this.job = '';
    this.#say(job.problems.length ? job.problems.join('; ') : `${job.plan}: ${job.state}`);
    await this.load();
  }
}

/** @param {string} words */
const quiet = (words) => h('span', { class: 'dl-hint' }, words);

/** @param {Figures} found */
function figures({ n, asked, of, observed, kappa, ac1, base_rate: rate, engine, other_answers: others }) {
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
    {},
    n
      ? [
          h('b', {}, `κ ${words(kappa)}`),
          ` · ${Math.round(observed * n)} of ${n} agree`,
          h('small', {}, `AC1 ${words(ac1)} · people say yes to ${Math.round(100 * rate)} %`),
        ]
      : `none of ${of}`,
    notes.length ? h('small', {}, notes.join(' · ')) : null,
  );
}
