// The line above the strip: whose captions, how many frames the rows have, what is stale, what runs, and the files.
import { choice, field } from '../../../lib/parts/choice.js';
import { button, clear, h, icon, mark } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { JobPanel } from '../../../lib/shell/job_list.js';
import { keyHint } from '../../../lib/keys/keymap.js';
import { download } from '../../../lib/parts/download.js';
import { ActionField } from './keyframes_action.js';

/** @typedef {import('./page_keyframes.js').Page} Page */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CaptionAuthor']} Author */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['RunBody']} CaptionOptions */

/** @type {Object<string, string>} */
const MODES = {
  c: 'the action',
  a: 'the object’s state',
  b: 'the body pose',
  page: 'as printed in the paper',
};
/** @type {Object<string, string>} */
const CONTEXTS = {
  before: 'that ends with the frame',
  after: 'that begins with it',
  both: 'both, one after the other',
};
const FILES = [
  ['rows', 'all rows', 'one 16:9 picture for a talk: each method with its name and its frames'],
  ['sheet', 'contact sheet', 'one PNG: the kept frames with times and captions'],
  ['animation', 'GIF', 'the kept frames, one after the other'],
  ['film', 'MP4', 'the same as a film'],
  ['pictures', 'pictures', 'a ZIP: one JPEG per kept frame, captions as JSON and text'],
  ['json', 'JSON', 'candidates, captions, verdicts, every row and its reasons'],
];

export class Tools {
  /** @type {ActionField} */
  action;
  waiting = false; // for candidates that are being captioned

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.jobs = new JobPanel(page.frame.can, () => page.bar.id);
    this.jobs.addEventListener('progress', () => this.#progress().catch(report));
    this.line = h('div', { class: 'dl-kf-toolline' });
    this.node = h('div', { class: 'dl-kf-tools' }, this.line, this.jobs.node);
    this.label = h('label', { class: 'dl-kf-actionbox' });
    this.jobs.poll().catch(report);
  }

  draw() {
    const { data } = this.page;
    if (this.action?.id === data.video.id) this.action.show(data.video.action);
    else this.#nameOf(data.video);
    this.line.hidden = !data.frames.length;
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const held = this.line.contains(active) ? active.dataset.name : '';
    clear(
      this.line,
      this.#authors(),
      this.#sizes(),
      this.#looks(),
      this.#stale(),
      h('span', { class: 'dl-grow' }),
      button(['Full screen', keyHint('keyframes.full_screen')], () => this.page.fullScreen().catch(report), {
        kind: 'quiet',
        name: 'full-screen',
        title: 'The video and the strip alone, for a talk',
      }),
      this.page.frame.can('export')
        ? button([icon('download'), 'Export …'], () => this.export(), { name: 'export-rows' })
        : null,
    );
    if (held) this.line.querySelector(`[data-name="${held}"]`)?.focus();
  }

  // --- captions -----------------------------------------------------------------------

  #authors() {
    const { data } = this.page;
    const select = choice(
      'Captions',
      data.authors.map((a) => [a.id, authorWords(a)]),
      data.author,
      (author) => this.page.choose({ author }).catch(report),
      'authors',
    );
    return h(
      'span',
      { class: 'dl-kf-tool' },
      h('span', {}, 'captions'),
      data.authors.length > 1 ? select : h('b', {}, authorWords(data.authors[0])),
      this.page.frame.can('run') && data.player.file
        ? button('Other candidates …', () => this.candidates(), { kind: 'quiet', name: 'candidates' })
        : null,
    );
  }

  /** How many candidates, how many at a time; it runs in the background. */
  candidates() {
    const { page } = this;
    const now = page.author()?.options || {
      fps: null,
      frames: [],
      per_call: 2,
      context: 'before',
      mode: 'c',
    };
    /** @type {(list: number[], value: number) => number[]} */
    const has = (list, value) => (list.includes(value) ? list : [...list, value].sort((a, b) => a - b));
    const by = choice(
      'Which frames',
      [
        ['time', 'by time'],
        ['own', `the frames of my row (${page.picks.size})`],
        ['typed', 'frame numbers'],
      ],
      now.frames.length ? 'typed' : 'time',
    );
    const rate = choice(
      'Candidates a second',
      [
        ['', '1 a second, at most 24'],
        ...has([0.25, 0.5, 1, 2, 4, 8], now.fps || 1).map((r) => [String(r), `${r} a second`]),
      ],
      now.fps ?? '',
    );
    const typed = h('input', {
      class: 'dl-input',
      'aria-label': 'Frame numbers',
      placeholder: '0, 30, 75',
      value: now.frames.join(', '),
    });
    const size = choice(
      'Frames at a time',
      [2, 3, 4, 5, 6].map((n) => [String(n), `${n} frames`]),
      now.per_call,
    );
    const context = choice('Window', Object.entries(CONTEXTS), now.context);
    const mode = choice('Attends to', Object.entries(MODES), now.mode);
    const about = h('p', { class: 'dl-hint' });
    const chosen = () =>
      by.value === 'own'
        ? [...page.picks].sort((a, b) => a - b)
        : by.value === 'typed'
          ? (typed.value.match(/\d+/g) || []).map(Number)
          : [];
    const go = button(
      'Caption them',
      () =>
        this.#run({
          fps: by.value === 'time' && rate.value ? Number(rate.value) : null,
          frames: chosen(),
          per_call: Number(size.value),
          context: /** @type {CaptionOptions['context']} */ (context.value),
          mode: /** @type {CaptionOptions['mode']} */ (mode.value),
        })
          .then(() => dialog.close())
          .catch((error) => {
            about.textContent = error.message;
            about.className = 'dl-hint dl-is-failed';
          }),
      { kind: 'main', name: 'caption' },
    );
    const rows = {
      time: field('how many', rate),
      typed: field('numbers', typed),
    };
    const update = () => {
      rows.time.hidden = by.value !== 'time';
      rows.typed.hidden = by.value !== 'typed';
      const n =
        by.value === 'time'
          ? Math.max(
              2,
              Math.min(
                rate.value ? Infinity : 24,
                Math.floor(page.data.player.duration_s * Number(rate.value || 1)) + 1,
              ),
            )
          : new Set(chosen()).size;
      about.className = 'dl-hint';
      about.textContent =
        n < 2
          ? 'Choose at least two frames.'
          : `${n} candidates: ${plural(Math.max(1, n - Number(size.value) + 1), 'caption request')} and ${plural(n - 1, 'verdict')}. What is there already is not asked for again, and what is shown now stays.`;
      go.disabled = n < 2;
    };
    const dialog = openDialog(
      'Other candidates',
      [
        field('frames', by),
        rows.time,
        rows.typed,
        field('at a time', size),
        field('window', context),
        field('captions tell', mode),
        about,
      ],
      [go],
    );
    for (const field of [by, rate, typed, size]) field.addEventListener('input', update);
    update();
    by.focus();
  }

  /** @param {CaptionOptions} body */
  async #run(body) {
    await api(`/api/keyframes/${encodeURIComponent(this.page.bar.shown)}/run`, body);
    this.waiting = true;
    await this.jobs.poll();
  }

  /** The same candidates once more: what failed, and what is stale. */
  async again() {
    await this.page.flush();
    const options = this.page.author()?.options;
    if (!options) throw new Error('these captions came from a file; choose candidates to caption them here');
    await this.#run(options);
  }

  async #progress() {
    const over = this.waiting && !this.jobs.running.some((j) => j.video_ids.includes(this.page.bar.id));
    if (!over) return;
    this.waiting = false;
    await this.page.choose({ author: '' });
  }

  // --- rows ---------------------------------------------------------------------------

  #sizes() {
    const { page } = this;
    /** @param {string} key */
    const size = (key) => page.data.rows.find((r) => r.key === key)?.frames.length;
    /** @type {[of: string, words: string, n: number][]} */
    const all = [
      ['budget', 'fixed', page.data.budget],
      ['progression', 'progression', size('progression')],
      ['clusters', 'clusters', size('clusters')],
      ['person', 'yours', page.mine()?.frames.length],
    ];
    return h(
      'span',
      {
        class: 'dl-kf-tool',
        role: 'group',
        'aria-label': 'Frames of the rows: a fixed number, or as many as another row has',
        title: 'Rows compare only when they have as many frames',
      },
      h('span', {}, 'frames'),
      all
        .filter(([, , n]) => n)
        .map(([of, words, n]) =>
          h(
            'button',
            {
              type: 'button',
              class: 'dl-choice',
              'data-name': `size-${of}`,
              'aria-pressed': String(page.size() === of),
              onclick: () => page.resize(of),
            },
            `${words} · ${n}`,
          ),
        ),
      keyHint('keyframes.size'),
      button('−', () => page.resizeBudget(-1).catch(report), {
        kind: 'quiet',
        name: 'fewer',
        title: 'One frame fewer in each row',
      }),
      button('+', () => page.resizeBudget(1).catch(report), {
        kind: 'quiet',
        name: 'more',
        title: 'One frame more in each row',
      }),
    );
  }

  #looks() {
    const { data } = this.page;
    if (data.looks_offered.length < 2) return null;
    const select = choice(
      'Alike by',
      data.looks_offered.map((name, n) => [name, n ? name : 'colour and structure']),
      data.looks,
      (looks) => this.page.choose({ looks }).catch(report),
      'looks',
    );
    return h('span', { class: 'dl-kf-tool' }, h('span', {}, 'alike by'), select);
  }

  #stale() {
    const { captions, verdicts } = this.page.data.stale;
    const lost = this.page.data.frames.filter((f) => !f.readable).length;
    if (!captions && !verdicts && !lost) return null;
    const words = [captions ? plural(captions, 'caption') : '', verdicts ? plural(verdicts, 'verdict') : '']
      .filter(Boolean)
      .join(' and ');
    return h(
      'span',
      { class: 'dl-kf-tool dl-kf-stale' },
      words ? mark('stale', `${words} stale`) : null,
      lost ? mark('failed', `${plural(lost, 'caption')} unreadable`) : null,
      this.page.frame.can('run') && this.page.author()?.options
        ? button('Run again', () => this.again().catch(report), { name: 'again' })
        : null,
    );
  }

  /**
   * A field of its own for each video: whoever still types into that of the one before does not write here.
   * @param {{id: string, action: string}} video
   */
  #nameOf(video) {
    const { page } = this;
    this.action?.close().catch(report);
    this.action = new ActionField(video, {
      readonly: !page.frame.can('edit'),
      changed: () => (page.bar.shown === video.id ? page.refresh() : null),
    });
    clear(this.label, h('span', {}, 'action'), this.action.input);
  }

  // --- files --------------------------------------------------------------------------

  export() {
    const { page } = this;
    const rows = [
      ...page.machineRows(),
      ...page.data.rows.filter((r) => r.method === 'person' && r.frames.length),
    ];
    /** @param {import('./page_keyframes.js').MethodRow} r */
    const name = (r) =>
      `${r.method === 'person' ? (r.person_id === page.me ? 'your row' : r.by) : r.key === 'as judged' ? 'as judged' : r.method} · ${plural(r.frames.length, 'frame')}`;
    const which = choice(
      'Row',
      rows.map((r) => [r.key, name(r)]),
    );
    const problem = h('p', { class: 'dl-hint dl-is-failed', role: 'alert' });
    /** @param {string} kind of FILES */
    const get = async (kind) => {
      const query = new URLSearchParams({ row: which.value, ...page.query() });
      problem.textContent = '';
      await page.flush();
      await download(`/api/keyframes/${encodeURIComponent(page.bar.id)}/export/${kind}?${query}`).catch(
        (error) => {
          problem.textContent = error.message;
        },
      );
    };
    openDialog(
      'Export keyframes',
      [
        field('row', which),
        h(
          'div',
          { class: 'dl-kf-files' },
          FILES.map(([kind, words, about]) =>
            h(
              'p',
              {},
              button([icon('download'), words], () => get(kind), { name: `export-${kind}` }),
              h('span', { class: 'dl-hint' }, about),
            ),
          ),
        ),
        problem,
      ],
      [],
      { cancel: 'Close' },
    );
    which.focus();
  }
}

/**
 * Who wrote captions, and how; where several runs of a model did, the name says what differs.
 * @param {Author | undefined} author
 */
function authorWords(author) {
  if (!author) return '';
  const { options } = author;
  const how = options ? (options.frames.length ? 'chosen' : `${options.fps || 1} a second`) : 'from a file';
  const more =
    options && author.name === author.model
      ? [
          `${options.per_call} at a time`,
          options.context !== 'before' ? `window ${CONTEXTS[options.context]}` : '',
          options.mode !== 'c' ? MODES[options.mode] : '',
        ]
      : [];
  const name = author.baseline && author.name === author.model ? 'baseline' : author.name;
  return [name || 'captions', `${author.frames} frames`, how, ...more].filter(Boolean).join(' · ');
}
