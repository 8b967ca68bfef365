// Library: one row per video, needs review first; adding, running, exporting.
import {
  address,
  api,
  button,
  clear,
  debounce,
  h,
  icon,
  notice,
  pageSignal,
  plural,
  Refused,
  report,
} from '../../../lib/parts/core.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { go } from '../../../lib/editor/save_before_leaving.js';
import { confirmed } from '../../../lib/parts/dialog.js';
import { showExport } from '../../../lib/shell/export.js';
import { JobPanel } from '../../../lib/shell/job_list.js';
import { bindKeys, keyHint, openField } from '../../../lib/keys/keymap.js';
import { libraryRow } from './library_row.js';
import { showAddUrls } from './add_urls.js';
import { measuredOnly } from './connect_model.js';
import { showAssign } from '../../../lib/shell/assign.js';
import { workLink } from '../../../lib/shell/assignment_bar.js';
import { chooseStages } from '../../../lib/parts/run_stages_dialog.js';
import { catchDrops, removeVideo, Uploads } from './upload.js';

const SETTLE_MS = 1000; // of changes, before the list is asked for anew
const AT_ONCE = 60; // rows drawn at first; more follow as one scrolls down to them
const SORTS = [
  ['need', 'needs review first'],
  ['title', 'title'],
  ['newest', 'newest first'],
];
const HEADS = [
  ['dl-col-title', 'video'],
  ['dl-col-stages', 'stages'],
  ['dl-col-worst', 'worst aspect'],
  ['dl-col-verdicts', 'verdicts'],
  ['dl-col-links', 'open'],
];

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['LibraryPage']} Library */
/** @typedef {import('./library_row.js').LibraryRow} Row */

/** @param {import('../../../lib/shell/shell.js').Frame} frame */
export async function show(frame) {
  await new LibraryPage(frame).start();
}

class LibraryPage {
  /** @type {import('../../../lib/shell/assign.js').Queue} */
  queue;
  /** @type {string} the id of the row that is open */
  current;
  /** @type {Row[]} those that fit, in their order */
  rows;
  shown = AT_ONCE; // how many of them are drawn
  turn = 0; // of `#load`: the answer to an older one is not drawn

  /** @param {import('../../../lib/shell/shell.js').Frame} frame */
  constructor(frame) {
    this.frame = frame;
    /** @type {Library} */
    this.data = { videos: [], total: 0, stages: {}, named_stages: {}, evaluation: '' };
    /** @type {Map<string, {text: string, node: HTMLElement}>} a row is drawn again only when something in it changed */
    this.drawn = new Map();
    /** @type {Set<string>} */
    this.selected = new Set();
    this.jobs = new JobPanel(frame.can);
    this.jobs.addEventListener(
      'progress',
      debounce(() => this.#newResults().catch(report), 150),
    );
    this.uploads = new Uploads((videos, imported) => this.#uploaded(videos, imported));
    this.sort = h(
      'select',
      {
        class: 'dl-select',
        'aria-label': 'Sort',
        onchange: () => {
          address.set({ sort: this.sort.value === 'need' ? '' : this.sort.value });
          this.#draw();
        },
      },
      SORTS.map(([value, words]) => h('option', { value }, words)),
    );
    this.sort.value = address.get('sort') || 'need';
    this.all = h('input', {
      type: 'checkbox',
      'aria-label': 'Select all videos',
      onchange: () => this.#selectAll(this.all.checked),
    });
    this.body = h('tbody', {});
    this.count = h('span', { class: 'dl-librarycount', role: 'status' });
    this.runButton = h('button', {
      type: 'button',
      class: 'dl-button',
      'data-name': 'run',
      onclick: () => openField('run', () => this.#run()),
    });
    this.resume = h('button', {
      type: 'button',
      class: 'dl-button dl-resume',
      'data-name': 'resume',
      hidden: true,
      onclick: () => this.#resume(),
    });
    this.work = h('select', {
      class: 'dl-select',
      'aria-label': 'Whose work',
      onchange: () => {
        address.set({ work: this.work.value });
        this.#draw();
      },
    });
    this.measured = h('p', { class: 'dl-measuredonly', role: 'note', hidden: true });
    this.hold = h('div', { class: 'dl-librarybody', onscroll: () => this.#more() });
    document.addEventListener(
      'dl-changed',
      (/** @type {CustomEvent} */ { detail }) => {
        const imports = detail.changes.some((/** @type {{kind: string}} */ { kind }) => kind === 'import');
        (imports ? this.#newResults() : this.#load()).catch(report);
      },
      { signal: pageSignal() },
    );
  }

  async start() {
    const { frame } = this;
    frame.main.classList.add('dl-library');
    frame.main.replaceChildren(
      this.#tools(),
      h('div', { class: 'dl-news' }, this.uploads.node, this.jobs.node, this.measured),
      this.hold,
      this.uploads.input,
      this.uploads.folder,
    );
    frame.search.placeholder = 'Search videos';
    frame.search.addEventListener(
      'input',
      debounce(() => {
        address.set({ q: frame.search.value });
        this.#load().catch(report);
      }, 200),
    );
    frame.evaluation.onchange(() => this.#load().catch(report));
    if (frame.can('add')) catchDrops(frame.main.parentElement, (files) => this.uploads.add(files));
    this.#keys();
    onChange(
      () => '',
      () => this.#load(),
      SETTLE_MS,
    );
    await this.jobs.poll();
    await this.#load();
  }

  #tools() {
    const { can } = this.frame;
    return h(
      'div',
      { class: 'dl-tools-row' },
      can('add')
        ? h(
            'button',
            {
              type: 'button',
              class: 'dl-button dl-button-main',
              'data-name': 'add',
              onclick: () => this.uploads.choose(),
            },
            icon('upload'),
            'Add files',
          )
        : null,
      can('add')
        ? h(
            'button',
            {
              type: 'button',
              class: 'dl-button',
              'data-name': 'add-folder',
              onclick: () => this.uploads.chooseFolder(),
            },
            'Add a folder',
          )
        : null,
      can('add')
        ? h(
            'button',
            {
              type: 'button',
              class: 'dl-button',
              'data-name': 'add-by-url',
              onclick: () => openField('add by URL', () => this.#addUrls()),
            },
            'Add by URL',
            keyHint('library.url'),
          )
        : null,
      can('run') ? this.runButton : null,
      can('export')
        ? h(
            'button',
            {
              type: 'button',
              class: 'dl-button',
              'data-name': 'export',
              onclick: () => showExport(this.frame).catch(report),
            },
            icon('download'),
            'Export',
          )
        : null,
      can('edit')
        ? h(
            'button',
            {
              type: 'button',
              class: 'dl-button',
              'data-name': 'assign',
              onclick: () => openField('assign', () => this.#assign()),
            },
            'Assign',
            keyHint('library.assign'),
          )
        : null,
      this.resume,
      h('span', { class: 'dl-grow' }),
      this.count,
      this.work,
      h('label', { class: 'dl-sort' }, 'sort', this.sort),
    );
  }

  async #load() {
    this.turn += 1;
    const { turn } = this;
    const query = new URLSearchParams({ q: this.frame.search.value, evaluation: address.get('evaluation') });
    /** @type {[Library, import('../../../lib/shell/assign.js').Queue]} */
    const [data, queue] = await Promise.all([api(`/api/library?${query}`), api('/api/queue')]);
    if (turn !== this.turn) return;
    this.data = data;
    this.queue = queue;
    this.frame.evaluation.show(data.evaluation);
    const here = new Set(data.videos.map((row) => row.id));
    for (const id of this.selected) if (!here.has(id)) this.selected.delete(id);
    this.#draw();
  }

  #draw() {
    const { videos, total } = this.data;
    this.#counts();
    measuredOnly(this.measured, videos, this.frame.can('manage'));
    this.#drawWork();
    if (!videos.length) {
      clear(this.hold, total ? this.#nothingFits() : this.#nothingYet());
      return;
    }
    if (!this.hold.contains(this.body)) clear(this.hold, this.#table());
    const rows = this.#sorted().filter((row) => this.#fitsWork(row));
    if (!rows.length) {
      clear(this.hold, this.#noWork());
      return;
    }
    if (!rows.some((row) => row.id === this.current)) this.current = rows[0].id;
    const focused =
      this.body.contains(document.activeElement) && document.activeElement.matches('tr') ? this.current : '';
    this.rows = rows;
    this.shown = Math.max(this.shown, rows.findIndex((row) => row.id === this.current) + 10);
    rows.slice(0, this.shown).forEach((row, n) => {
      const node = this.#rowNode(row);
      if (this.body.children[n] !== node) this.body.insertBefore(node, this.body.children[n] || null);
    });
    while (this.body.children.length > Math.min(rows.length, this.shown)) this.body.lastChild.remove();
    this.body.parentElement.setAttribute('aria-rowcount', String(rows.length + 1));
    this.#mark();
    if (focused) this.#node(this.current)?.focus({ preventScroll: true });
  }

  /** Near the end of what is drawn: the next rows. */
  #more() {
    const { hold } = this;
    if (
      !this.rows ||
      this.shown >= this.rows.length ||
      hold.scrollTop + hold.clientHeight < hold.scrollHeight - 800
    )
      return;
    this.shown += AT_ONCE;
    this.#draw();
  }

  #table() {
    return h(
      'table',
      { class: 'dl-videos', 'aria-label': 'Videos' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { class: 'dl-col-box' }, this.all),
          h('th', { class: 'dl-col-poster' }, h('span', { class: 'dl-unseen' }, 'picture')),
          HEADS.map(([name, words]) => h('th', { class: name }, words)),
        ),
      ),
      this.body,
    );
  }

  /** @param {Row} row */
  #rowNode(row) {
    const working = this.jobs.working(row.id);
    const text = JSON.stringify([row, this.data.evaluation, working]);
    const known = this.drawn.get(row.id);
    if (known?.text === text) return known.node;
    const node = libraryRow(row, {
      evaluation: this.data.evaluation,
      can: this.frame.can,
      me: this.frame.me.person.id,
      selected: this.selected,
      working: () => working,
      select: (id, on) => this.#select(id, on),
      remove: (r) => this.#remove(r).catch(report),
      focus: (id, take) => this.#go(id, take),
    });
    known?.node.remove();
    this.drawn.set(row.id, { text, node });
    return node;
  }

  #sorted() {
    /** @type {Row[]} */
    const rows = [...this.data.videos];
    if (this.sort.value === 'title')
      rows.sort((a, b) => a.title.localeCompare(b.title, undefined, { numeric: true }));
    if (this.sort.value === 'newest') rows.sort((a, b) => b.created_at - a.created_at);
    return rows;
  }

  #counts() {
    const { videos, total } = this.data;
    const chosen = this.selected.size;
    clear(
      this.count,
      videos.length === total ? plural(total, 'video') : `${videos.length} of ${plural(total, 'video')}`,
      chosen ? ` · ${chosen} selected` : '',
    );
    clear(
      this.runButton,
      icon('play'),
      chosen ? `Run ${plural(chosen, 'video')}` : videos.length > 1 ? `Run all ${videos.length}` : 'Run',
    );
    this.runButton.disabled = !videos.length;
    this.all.checked = chosen > 0 && chosen === videos.length;
    this.all.indeterminate = chosen > 0 && chosen < videos.length;
  }

  #nothingFits() {
    return h(
      'div',
      { class: 'dl-empty' },
      h('p', {}, `No video fits “${this.frame.search.value}”.`),
      button(
        'Show all videos',
        () => {
          this.frame.search.value = '';
          address.set({ q: '' });
          this.#load().catch(report);
        },
        { kind: 'main' },
      ),
    );
  }

  #noWork() {
    const mine = this.work.value === this.frame.me.person.id;
    return h(
      'div',
      { class: 'dl-empty' },
      h(
        'p',
        {},
        mine
          ? 'Nothing is assigned to you. Select videos and press Assign to take them yourself.'
          : 'No video fits this choice of work.',
      ),
      button('Show all videos', () => this.#showWork(''), { kind: 'main' }),
    );
  }

  // --- work -------------------------------------------------------------------------

  /** The choice of whose work is shown, and the way back to one's own. */
  #drawWork() {
    const me = this.frame.me.person;
    const people = new Map(this.data.videos.flatMap((row) => row.work.map((w) => [w.person_id, w.person])));
    people.delete(me.id);
    const chosen = this.work.value || address.get('work');
    this.work.replaceChildren(
      ...[
        ['', 'everybody’s work'],
        [me.id, 'my work'],
        ['left', 'my work, unfinished'],
        ['flagged', 'flagged'],
        ['nobody', 'given to nobody'],
        ...people,
      ].map(([value, words]) => h('option', { value }, words)),
    );
    this.work.value = chosen;
    if (this.work.selectedIndex < 0) this.work.value = '';
    const { resume, left, of } = this.queue;
    this.resume.hidden = !of;
    this.resume.disabled = !resume;
    this.resume.title = resume ? `${resume.title} · ${resume.task}` : '';
    clear(
      this.resume,
      icon('next'),
      resume
        ? [
            'Resume ',
            h('span', { class: 'dl-resume-title' }, resume.title),
            h('small', {}, `${left} of ${of} left`),
            keyHint('library.resume'),
          ]
        : `Your queue of ${of} is done`,
    );
  }

  /** @param {Row} row */
  #fitsWork({ work }) {
    const { value } = this.work;
    if (value === 'nobody') return !work.length;
    if (value === 'flagged') return work.some((w) => w.state === 'flagged');
    if (value === 'left') return work.some((w) => w.unfinished && w.person_id === this.frame.me.person.id);
    return !value || work.some((w) => w.person_id === value);
  }

  /** @param {string} value */
  #showWork(value) {
    this.work.value = value;
    address.set({ work: value });
    this.#draw();
  }

  #resume() {
    if (this.queue?.resume) go(workLink(this.queue.resume, this.data.evaluation));
    else notice('There is nothing left in your queue.');
  }

  #assign() {
    const { videos } = this.data;
    if (!this.frame.can('edit')) throw new Refused('Only people who may edit can give work to somebody.');
    if (!videos.length) throw new Refused('There is no video to give to somebody yet.');
    const chosen = this.#sorted().filter((row) =>
      this.selected.size ? this.selected.has(row.id) : row.id === this.current,
    );
    showAssign(chosen, this.queue, this.frame, () => this.#load().catch(report));
  }

  #nothingYet() {
    const may = this.frame.can('add');
    return h(
      'div',
      { class: 'dl-empty dl-welcome' },
      icon('upload'),
      h('h1', {}, 'No videos yet'),
      may
        ? [
            h(
              'p',
              {},
              'Drop files or whole folders anywhere on this page: videos, logs of lmms-eval, VLMEvalKit or LOVEU, datasets, archives. You see what they are before anything is written.',
            ),
            h(
              'p',
              {},
              'Videos are cut into scenes, transcribed, measured and captioned, and their captions are questioned and judged.',
            ),
            h(
              'button',
              { type: 'button', class: 'dl-button dl-button-main', onclick: () => this.uploads.choose() },
              'Choose files',
            ),
            button('Choose a folder', () => this.uploads.chooseFolder(), { name: 'first-folder' }),
            button('Add by URL', () => openField('add by URL', () => this.#addUrls()), {
              name: 'first-by-url',
            }),
            h(
              'p',
              { class: 'dl-hint' },
              'To look around first: ',
              h('code', {}, 'python app.py serve --demo'),
            ),
          ]
        : h('p', {}, 'You may not add videos here; ask a researcher or an admin.'),
    );
  }

  // --- the row that is open ---------------------------------------------------------

  /** @param {string} id */
  #node(id) {
    return this.drawn.get(id)?.node;
  }

  /** @param {string} id */
  #go(id, take = false) {
    this.current = id;
    this.#mark();
    if (take) this.#node(id)?.focus();
  }

  #mark() {
    for (const [id, { node }] of this.drawn) {
      const on = id === this.current;
      node.tabIndex = on ? 0 : -1;
      if (on) node.setAttribute('aria-current', 'true');
      else node.removeAttribute('aria-current');
    }
  }

  /** @param {number} by */
  #move(by) {
    const rows = [...this.body.children];
    const at = rows.findIndex((node) => node.dataset.id === this.current);
    const inside = this.body.contains(document.activeElement);
    const to = rows[inside ? at + by : at];
    if (to) {
      to.focus();
      to.scrollIntoView({ block: 'nearest' });
    }
  }

  /** @param {string} page */
  #open(page) {
    const row = this.data.videos.find((v) => v.id === this.current);
    if (row)
      go(
        address.to(page, {
          video: row.id,
          evaluation: Object.keys(row.verdicts).length ? this.data.evaluation : '',
        }),
      );
  }

  // --- selection, running, removing ---------------------------------------------------

  /**
   * @param {string} id
   * @param {boolean} on
   */
  #select(id, on) {
    if (on) this.selected.add(id);
    else this.selected.delete(id);
    this.#counts();
  }

  /** @param {boolean} on */
  #selectAll(on) {
    for (const row of this.data.videos) {
      if (on) this.selected.add(row.id);
      else this.selected.delete(row.id);
    }
    const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (
      this.body.querySelectorAll('.dl-col-box input')
    );
    for (const box of boxes) box.checked = on;
    this.#counts();
  }

  #toggle() {
    const box = /** @type {HTMLInputElement | null} */ (
      this.#node(this.current)?.querySelector('.dl-col-box input')
    );
    if (box) {
      box.checked = !box.checked;
      this.#select(this.current, box.checked);
    }
  }

  #run() {
    if (!this.frame.can('run')) throw new Refused('Only researchers and admins can run the pipeline.');
    if (!this.data.videos.length) throw new Refused('There is no video to run yet.');
    const { videos, stages, named_stages: named } = this.data;
    const chosen = this.selected.size ? videos.filter((row) => this.selected.has(row.id)) : videos;
    chooseStages(chosen, stages, named, (names, more) =>
      this.#start(
        chosen.map((row) => row.id),
        names,
        more,
      ),
    );
  }

  /**
   * @param {string[]} videos
   * @param {string[]} [stages] none: the usual ones
   * @param {{rr_setting?: string}} [more]
   */
  async #start(videos, stages = [], more = {}) {
    await api('/api/jobs', { videos, stages, ...more });
    await this.jobs.poll();
    await this.#load();
  }

  #addUrls() {
    if (!this.frame.can('add')) throw new Refused('Only researchers and admins can add videos.');
    return showAddUrls(() =>
      this.jobs
        .poll()
        .then(() => this.#load())
        .catch(report),
    );
  }

  /**
   * @param {string[]} videos
   * @param {number} imported
   */
  async #uploaded(videos, imported) {
    if (videos.length && this.frame.can('run')) await this.#start(videos);
    if (imported || videos.length) await this.#newResults();
  }

  /** A stage or an import has finished: rows follow, and so does the choice of evaluations. */
  async #newResults() {
    this.frame.evaluation.update((await api('/api/me')).evaluations);
    await this.#load();
  }

  /** @param {Row} row */
  async #remove(row) {
    const said = await confirmed(
      `Remove ${row.title}?`,
      [
        'Its captions, questions, verdicts and corrections in this workspace are deleted. This cannot be undone.',
        'A file of your own stays where it is; one that was fetched by its URL is deleted here.',
      ],
      'Remove',
    );
    if (!said) return;
    await removeVideo(row.id);
    this.drawn.delete(row.id);
    notice(`${row.title} was removed`);
    await this.#newResults();
  }

  #keys() {
    bindKeys('library', {
      next: () => this.#move(1),
      previous: () => this.#move(-1),
      verdicts: () => this.#open('verdicts'),
      script: () => this.#open('script'),
      select: () => this.#toggle(),
      run: () => this.#run(),
      url: () => this.#addUrls(),
      worst: () => go(address.to('verdicts', { evaluation: this.data.evaluation })),
      resume: () => this.#resume(),
      assign: () => this.#assign(),
      mine: () => this.#showWork(this.work.value === this.frame.me.person.id ? '' : this.frame.me.person.id),
    });
  }
}
