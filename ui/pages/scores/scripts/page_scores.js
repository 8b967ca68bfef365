// Scores: aspects by policies with intervals, the judge against people, two evaluations compared.
import { choice } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal, whileOpen } from '../../../lib/page/open_page.js';
import { badge, baselineBadge, clear, h } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { toLibrary } from '../../../lib/parts/empty.js';
import { onChange, writesIn } from '../../../lib/shell/server_events.js';
import { refreshPerson } from '../../../lib/shell/known_person.js';
import { JobPanel } from '../../../lib/shell/job_list.js';
import { bindKeys } from '../../../lib/keys/keymap.js';
import { peoplePanel } from './judge_and_people.js';
import { CausesPanel } from './points_by_cause.js';
import { comparePanel } from './two_evaluations.js';
import { publishedPanel } from './scores_published.js';
import { meansAlone } from '../../../lib/parts/means_alone.js';
import { digits, rangeOf, scoreTable, soundKey } from './scores_table.js';
import { BesidePanel } from './several_evaluations.js';
import { showSystem, systemSwitch } from './scores_system.js';
import { workButton } from './evaluation_passes.js';

/** @typedef {import('../../../lib/shell/top_bar.js').Frame} Frame */
/** @typedef {import('./scores_system.js').Systems} Systems */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SoundFigures']} SoundFigures */
/** @typedef {ScoresPage} Page */

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
  else await new ScoresPage(frame, systems).start();
}

class ScoresPage {
  /** @type {import('./scores_table.js').Scores} */
  data;
  turn = 0; // of `#load`: the answer to an older one is not drawn
  /** @type {string} the jobs that had ended when they were looked at last */
  ended;

  /**
   * @param {Frame} frame
   * @param {Systems} systems
   */
  constructor(frame, systems) {
    this.frame = frame;
    this.systems = systems;
    this.measure = ['score', 'exact'].includes(address.get('measure')) ? address.get('measure') : 'accuracy';
    this.searched = '';
    /** @type {import('./scores_table.js').Sound | null} */
    this.sound = null;
    this.mean = address.get('mean') === 'micro' ? 'micro' : 'macro';
    this.jobs = new JobPanel(frame.can);
    this.jobs.addEventListener(
      'progress',
      debounce(() => this.#jobsMoved().catch(report), 300),
    );
    this.work = workButton(
      () => this.data.id,
      () => this.jobs.poll(),
    );
    this.head = h('header', { class: 'dl-scorehead' });
    this.tools = h('div', { class: 'dl-scoretools', role: 'toolbar', 'aria-label': 'What the table shows' });
    this.table = h('div', { class: 'dl-scoretablebox' });
    this.causes = new CausesPanel();
    this.beside = new BesidePanel(this);
    this.below = h('div', { class: 'dl-scorebelow' });
    this.left = h(
      'section',
      { class: 'dl-pane dl-scoreleft', 'aria-label': 'Scores' },
      systems.node,
      this.head,
      this.jobs.node,
      this.tools,
      this.table,
      this.causes.node,
      this.beside.node,
      this.below,
    );
    this.right = h('aside', { class: 'dl-pane dl-scoreright', 'aria-label': 'The judge against people' });
  }

  get all() {
    return this.frame.evaluation.all;
  }

  async start() {
    const { frame } = this;
    frame.search.placeholder = 'Search groups';
    frame.search.addEventListener(
      'input',
      debounce(() => this.#search(), 250),
    );
    frame.evaluation.onchange(() => this.#load().catch(report));
    document.addEventListener('dl-changed', () => this.#load().catch(report), { signal: pageSignal() });
    bindKeys('scores', {
      measure: () => this.#choose('measure', this.measure === 'accuracy' ? 'score' : 'accuracy'),
      mean: () => this.#choose('mean', this.mean === 'macro' ? 'micro' : 'macro'),
      worst: () => this.#worst()?.querySelector('a')?.click(),
      system: this.systems.next,
    });
    if (!frame.evaluation.all.length && !frame.me.evaluations.length) {
      this.#none();
      return;
    }
    frame.main.classList.add('dl-scores');
    frame.main.replaceChildren(this.left, this.right);
    onChange(
      () => '',
      () => (writesIn(frame.main) ? null : this.#load()),
      SETTLE_MS,
    );
    await Promise.all([this.#load(), this.jobs.poll()]);
    this.ended ??= this.#ended();
  }

  /** The jobs that are over, in one text. */
  #ended() {
    return this.jobs.jobs
      .filter((job) => job.finished)
      .map((job) => job.id)
      .join();
  }

  /** A job has ended: there may be another evaluation, and this one may have grown. */
  async #jobsMoved() {
    const before = this.ended;
    this.ended = this.#ended();
    if (before === this.ended) return;
    await whileOpen(refreshPerson());
    await this.#load();
  }

  #none() {
    this.frame.main.replaceChildren(
      h(
        'div',
        { class: 'dl-empty dl-welcome' },
        this.systems.node,
        h('h1', {}, 'No evaluation yet'),
        h(
          'p',
          {},
          'Run the pipeline on a video with questions, or import a log: its scores then stand here, under every rule by which the peers count.',
        ),
        toLibrary(),
      ),
    );
  }

  async #load() {
    this.turn += 1;
    const { turn } = this;
    this.left.setAttribute('aria-busy', 'true');
    const query = new URLSearchParams({
      evaluation: address.get('evaluation'),
      by: address.get('by'),
      q: this.searched,
    });
    try {
      /** @type {import('./scores_table.js').Scores} */
      const data = await api(`/api/scoring/table?${query}`);
      if (turn !== this.turn) return;
      this.data = data;
      if (this.measure === 'exact' && !this.#hasExact()) this.measure = 'accuracy';
      this.frame.evaluation.show(data.id);
      this.sound = null;
      this.#draw();
      Promise.all([this.#loadSound(turn), this.causes.show(data, this.measure), this.beside.load()]).catch(
        report,
      );
    } finally {
      if (turn === this.turn) this.left.removeAttribute('aria-busy');
    }
  }

  /**
   * The figures without flagged questions come after the page is there: their checks take longer.
   * @param {number} turn
   */
  async #loadSound(turn) {
    /** @type {SoundFigures} */
    const { rows, suspects } = await api(
      `/api/scoring/sound?${new URLSearchParams({ evaluation: this.data.id, by: this.data.by, q: this.searched })}`,
    );
    if (turn !== this.turn) return;
    this.sound = { suspects, rows: new Map(rows.map((r) => [soundKey(r), r])) };
    this.#draw();
  }

  /** Of many groups the server gives the largest: it is asked again for those that are searched. */
  #search() {
    const words = this.frame.search.value.trim();
    if (
      this.data &&
      !this.data.rows.some((r) => Object.values(r.group).some((v) => v.startsWith('others ('))) &&
      !this.searched
    ) {
      this.#draw();
      return;
    }
    this.searched = words;
    this.#load().catch(report);
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  #choose(name, value) {
    address.set({ [name]: value });
    if (name === 'measure' || name === 'mean') {
      this[name] = value;
      this.#draw();
      this.causes.show(this.data, this.measure).catch(report);
    } else this.#load().catch(report);
    this.beside.load().catch(report);
  }

  #draw() {
    if (!this.data) return;
    const { data } = this;
    const { metric } = data;
    clear(
      this.head,
      h('h1', {}, data.evaluation),
      data.baseline ? baselineBadge() : null,
      badge(`judge: ${data.judges.join(', ') || 'unknown'}`),
      data.baseline
        ? h('span', { class: 'dl-hint' }, `figures of the embedded baseline are no ${metric}`)
        : null,
      data.prompts.length
        ? h('span', { class: 'dl-hint' }, `${data.prompts.join(', ')}: not the protocol’s, no ${metric}`)
        : null,
      h('span', { class: 'dl-grow' }),
      this.work,
    );
    this.#drawTools();
    clear(
      this.table,
      data.rows.length
        ? scoreTable(data, {
            measure: this.measure,
            mean: this.mean,
            words: this.frame.search.value,
            sound: this.sound,
          })
        : h('p', { class: 'dl-hint', role: 'note' }, meansAlone(this.frame.evaluation)),
    );
    const judged = this.measure === 'exact' ? 'accuracy' : this.measure;
    clear(
      this.right,
      comparePanel(data.id, this.frame.evaluation, judged),
      peoplePanel(data, judged, { can: (what) => this.frame.can(what), jobs: this.jobs }, () =>
        this.#load().catch(report),
      ),
    );
    clear(this.below, publishedPanel(data, this.measure));
  }

  #drawTools() {
    const { data } = this;
    /** @type {(name: string, now: string, options: string[][]) => HTMLElement} */
    const segments = (name, now, options) =>
      h(
        'div',
        { class: 'dl-segmented', role: 'group', 'aria-label': name },
        options.map(([value, words, title]) =>
          h(
            'button',
            {
              type: 'button',
              class: 'dl-segment-button',
              'aria-pressed': String(value === now),
              title: title || null,
              onclick: () => this.#choose(name, value),
            },
            words,
          ),
        ),
      );
    const range = rangeOf(
      data.rows.filter((row) => row.metric.startsWith(this.measure)),
      this.measure,
    );
    clear(
      this.tools,
      segments('measure', this.measure, [
        ['accuracy', 'share of yes', '0 to 1'],
        ['score', 'score', '0 to 5'],
        ...(this.#hasExact()
          ? [
              [
                'exact',
                'exact match',
                'answers from the video that are the reference answer but for case and spaces',
              ],
            ]
          : []),
      ]),
      segments('mean', this.mean, [
        ['macro', 'over videos', 'mean per video, then over videos (macro)'],
        ['micro', 'over questions', 'mean over all questions (micro)'],
      ]),
      h(
        'label',
        { class: 'dl-scoreby' },
        'by',
        choice('Group by', [...data.groups.map((name) => [name, name]), ...GROUPS], data.by, (by) =>
          this.#choose('by', by === data.usual ? '' : by),
        ),
      ),
      h(
        'span',
        {
          class: 'dl-hint',
          title:
            'without the questions that a check or a person flagged: cut at a comma, a placeholder, without an answer, named as the error source, excluded',
        },
        this.sound ? `“sound”: ${this.sound.suspects}` : 'checking the questions …',
      ),
      h(
        'span',
        { class: 'dl-hint' },
        `bars: 95 % of 1,000 draws of videos, from ${range.map((x) => digits(x, this.measure).replace(/0+$/, '').replace(/\.$/, '')).join(' to ')}`,
      ),
    );
  }

  #hasExact() {
    return this.data.rows.some((row) => row.metric.startsWith('exact'));
  }

  #worst() {
    const cells = [...this.table.querySelectorAll('td[data-value]')].filter(
      (c) => c.dataset.policy === 'parsed' && c.dataset.group && c.dataset.value,
    );
    return cells.sort((a, b) => Number(a.dataset.value) - Number(b.dataset.value))[0];
  }
}
