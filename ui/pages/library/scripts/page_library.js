// Library: one row per video, needs review first; adding, running, exporting.
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal, whileOpen } from '../../../lib/page/open_page.js';
import { clear, h } from '../../../lib/parts/elements.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { go } from '../../../lib/editor/save_before_leaving.js';
import { choice, fill, VIDEO_SORTS } from '../../../lib/parts/choice.js';
import { confirmed } from '../../../lib/parts/dialog.js';
import { showExport } from '../../../lib/shell/export.js';
import { JobPanel } from '../../../lib/shell/job_list.js';
import { bindKeys, openField } from '../../../lib/keys/keymap.js';
import { wanted } from '../../../lib/keys/pending_keys.js';
import { anythingRun, FirstMinute } from './first_minute.js';
import { libraryRow, measuredOnly } from './library_row.js';
import { LibraryTools } from './library_tools.js';
import { nothingFits, nothingYet, noWork } from './nothing_here.js';
import { RowSelection } from './row_selection.js';
import { refreshPerson } from '../../../lib/shell/known_person.js';
import { connectModel } from '../../../lib/shell/person_menu.js';
import { workLink } from '../../../lib/shell/assignment_bar.js';
import { meansAlone } from '../../../lib/parts/means_alone.js';
import { PicturesAhead } from '../../../lib/parts/pictures_ahead.js';
import { chooseStages } from '../../../lib/parts/run_stages_dialog.js';
import { term } from '../../../lib/parts/terms.js';
import { catchDrops } from './dropped_files.js';
import { removeVideo, Uploads } from './upload.js';

const SETTLE_MS = 1000; // of changes, before the list is asked for anew
const COUNTED_MS = 1500; // until what was not counted yet is asked for again
const AT_ONCE = 60; // rows at first; more follow as one scrolls down to them
const MOST = 500; // rows of one answer
const AHEAD_PX = 1600; // what is asked for before it comes into sight
const SORTS = [...VIDEO_SORTS, ['newest', 'added last first']];
const HEADS = () => [
  ['dl-col-title', 'video'],
  ['dl-col-stages', term('stages', 'stages')],
  ['dl-col-worst', [term('aspect', 'lowest aspect'), ', ', term('mean', 'mean')]],
  ['dl-col-verdicts', term('verdicts', 'verdicts')],
  ['dl-col-links', 'open'],
];

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['LibraryPage']} Library */
/** @typedef {import('./library_row.js').LibraryRow} Row */

/**
 * A row that is not here yet.
 * @param {string} id
 */
const bare = (id) => /** @type {Row} */ ({ id, title: 'a video', file: true, work: [] });

/** @param {HTMLElement} row */
const boxOf = (row) => /** @type {HTMLInputElement} */ (row.querySelector('.dl-col-box input'));

/** @param {import('../../../lib/shell/top_bar.js').Frame} frame */
export async function show(frame) {
  await new LibraryPage(frame).start();
}

class LibraryPage {
  /** @type {import('../../../lib/shell/assign.js').Queue} */
  queue;
  /** @type {string} the id of the row that is open */
  current;
  asking = -1; // the turn in which the next rows are on their way
  turn = 0; // of what was asked for: the answer to an older question is not drawn

  /** @param {import('../../../lib/shell/top_bar.js').Frame} frame */
  constructor(frame) {
    this.frame = frame;
    /** @type {Library} */
    this.data = {
      videos: [],
      fit: 0,
      total: 0,
      measured_only: 0,
      workers: [],
      stages: [],
      evaluation: '',
    };
    /** @type {Map<string, {text: string, node: HTMLElement}>} a row is drawn again only when something in it changed */
    this.drawn = new Map();
    this.selection = new RowSelection();
    this.jobs = new JobPanel(frame.can);
    this.jobs.addEventListener(
      'progress',
      debounce(() => this.#newResults().catch(report), 150),
    );
    this.again = debounce(() => this.#load().catch(report), COUNTED_MS);
    this.pictures = new PicturesAhead();
    this.uploads = new Uploads((...made) => this.#uploaded(...made));
    this.sort = choice('Sort', SORTS, address.get('sort') || 'need', (sort) => {
      address.set({ sort: sort === 'need' ? '' : sort });
      this.#ask().catch(report);
    });
    this.all = h('input', {
      type: 'checkbox',
      'aria-label': 'Select all videos',
      onchange: () => this.#selectAll(this.all.checked).catch(report),
    });
    this.body = h('tbody', {});
    this.work = choice('Whose work', [], '', (whose) => this.#showWork(whose));
    this.measured = h('p', { class: 'dl-measuredonly', role: 'note', hidden: true });
    this.tools = new LibraryTools(frame.can, this.#toolActs(), [
      this.work,
      h('label', { class: 'dl-sort' }, 'sort', this.sort),
    ]);
    this.firstMinute = new FirstMinute(frame.can, {
      add: () => this.uploads.choose(),
      run: () => openField('run', () => this.#run()),
      sample: () => this.#sample().catch(report),
      connect: () => openField('connect a model', () => connectModel()),
      toggled: () => this.#standOut(),
    });
    this.hold = h('div', { class: 'dl-librarylist' });
    this.scroller = h(
      'div',
      { class: 'dl-librarybody' },
      h('div', { class: 'dl-news' }, this.uploads.node, this.jobs.node, this.measured),
      this.hold,
    );
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
      this.firstMinute.node,
      this.tools.node,
      this.scroller,
      this.uploads.input,
      this.uploads.folder,
    );
    frame.search.placeholder = 'Search videos';
    frame.search.addEventListener(
      'input',
      debounce(() => {
        address.set({ q: frame.search.value });
        this.#ask().catch(report);
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
    // Of the list, or of the whole page where that is narrow.
    const signal = pageSignal();
    document.addEventListener('scroll', () => this.#more().catch(report), { capture: true, signal });
    await Promise.all([this.jobs.poll(), this.#load()]);
  }

  /** @returns {import('./library_tools.js').Does} */
  #toolActs() {
    return {
      files: () => this.uploads.choose(),
      folder: () => this.uploads.chooseFolder(),
      byUrl: () => openField('add by URL', () => this.#addUrls()),
      run: () => openField('run', () => this.#run()),
      assign: () => openField('assign', () => this.#assign()),
      exported: () => showExport(this.frame).catch(report),
      resume: () => this.#resume(),
      selectAll: () => this.#selectAll(true).catch(report),
      selectNone: () => this.#selectAll(false).catch(report),
    };
  }

  /**
   * What is searched, filtered and sorted, as the server takes it.
   * @param {Object<string, string>} [more]
   */
  #query(more = {}) {
    return new URLSearchParams({
      q: this.frame.search.value,
      evaluation: address.get('evaluation'),
      sort: this.sort.value,
      work: address.get('work'),
      ...more,
    });
  }

  /**
   * @param {number} offset
   * @param {number} limit
   * @returns {Promise<Library>}
   */
  #page(offset, limit) {
    return api(`/api/library?${this.#query({ offset: String(offset), limit: String(limit) })}`);
  }

  /** Other videos, or another order: from the first row on. What is selected and does not match any more is let go. */
  async #ask() {
    if (!(await this.#load(AT_ONCE))) return;
    this.scroller.scrollTop = 0;
    const { turn } = this;
    const matching = this.selection.ids.size ? await this.#everyId() : [];
    if (turn !== this.turn) return;
    this.selection.keep(matching);
    this.#counts();
  }

  /** So many rows, as they are now. Whether they were drawn. */
  async #load(wanted = Math.max(AT_ONCE, this.data.videos.length)) {
    this.turn += 1;
    const { turn } = this;
    /** @type {[Library, import('../../../lib/shell/assign.js').Queue]} */
    const [data, queue] = await Promise.all([this.#page(0, Math.min(wanted, MOST)), api('/api/queue')]);
    while (data.videos.length < Math.min(wanted, data.fit)) {
      const more = await this.#page(data.videos.length, Math.min(wanted - data.videos.length, MOST));
      if (turn !== this.turn || !more.videos.length) break;
      data.videos.push(...more.videos);
    }
    if (turn !== this.turn) return false;
    this.data = data;
    this.queue = queue;
    this.frame.evaluation.show(data.evaluation);
    this.#draw();
    this.again.cancel();
    if (data.videos.some((row) => row.findings === null)) this.again();
    this.#more().catch(report); // asked for while these rows were on their way
    return true;
  }

  #draw() {
    const { videos: rows, total, measured_only: measured } = this.data;
    this.#counts();
    measuredOnly(this.measured, measured, this.frame.can('manage'));
    this.#drawWork();
    this.#standOut();
    if (!rows.length) {
      this.#drawEmpty(total);
      return;
    }
    if (!this.hold.contains(this.body)) clear(this.hold, this.#table());
    if (!rows.some((row) => row.id === this.current)) this.current = rows[0].id;
    const focused =
      this.body.contains(document.activeElement) && document.activeElement.matches('tr') ? this.current : '';
    rows.forEach((row, n) => {
      const node = this.#rowNode(row);
      if (this.body.children[n] !== node) this.body.insertBefore(node, this.body.children[n] || null);
    });
    while (this.body.children.length > rows.length) this.body.lastChild.remove();
    this.body.parentElement.setAttribute('aria-rowcount', String(this.data.fit + 1));
    this.#mark();
    if (focused) this.#node(this.current)?.focus({ preventScroll: true });
  }

  /**
   * In place of the table. What stands there already stays, with the focus that may be in it.
   * @param {number} total
   */
  #drawEmpty(total) {
    const searched = this.frame.search.value.trim();
    const key = JSON.stringify([total, searched, this.work.value, this.data.evaluation]);
    if (/** @type {HTMLElement} */ (this.hold.firstElementChild)?.dataset.empty === key) return;
    const node = total ? this.#nothingFits(searched) : this.#nothingYet();
    node.dataset.empty = key;
    clear(this.hold, node);
  }

  /** Near the end of what is drawn: the next rows. */
  async #more() {
    const { hold, turn } = this;
    const { videos, fit } = this.data;
    const end = hold.lastElementChild?.getBoundingClientRect().bottom;
    if (this.asking === turn || videos.length >= fit || end > innerHeight + AHEAD_PX) return;
    this.asking = turn;
    try {
      const more = await this.#page(videos.length, AT_ONCE);
      if (turn !== this.turn) return;
      const here = new Set(videos.map((row) => row.id));
      videos.push(...more.videos.filter((row) => !here.has(row.id)));
      this.#draw();
    } finally {
      this.asking = -1;
    }
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
          HEADS().map(([name, words]) => h('th', { class: name }, words)),
        ),
      ),
      this.body,
    );
  }

  /** @param {Row} row */
  #rowNode(row) {
    const text = JSON.stringify([row, this.data.evaluation]);
    const known = this.drawn.get(row.id);
    if (known?.text === text) return known.node;
    const node = libraryRow(row, {
      evaluation: this.data.evaluation,
      can: this.frame.can,
      me: this.frame.me.person.id,
      selected: this.selection.ids,
      select: (id, on, range) => this.#select(id, on, range),
      remove: (r) => this.#remove(r).catch(report),
      picture: (image, source) => this.pictures.show(image, source),
      join: (r) => openField('join', () => this.#join(r.id)),
      focus: (id, take) => this.#go(id, take),
      range: (id) => this.#range(id),
      leaveRange: () => this.selection.leaveRange(),
    });
    known?.node.remove();
    this.drawn.set(row.id, { text, node });
    return node;
  }

  /** What is selected, on the boxes and in words. */
  #counts() {
    const { fit, total } = this.data;
    const { ids } = this.selection;
    for (const [id, { node }] of this.drawn) boxOf(node).checked = ids.has(id);
    this.tools.counts(fit, total, ids.size);
    this.all.checked = ids.size > 0 && ids.size >= fit;
    this.all.indeterminate = ids.size > 0 && ids.size < fit;
  }

  /** One button stands out: of the first line, else the one that goes on from what is here. */
  #standOut() {
    const { videos, total, evaluation } = this.data;
    this.firstMinute.draw({ videos, total, evaluation, current: this.current, queue: this.queue });
    const next = !total ? '' : anythingRun(videos) ? 'add' : 'run';
    this.tools.standOut(this.firstMinute.primary ? '' : next);
  }

  /** @param {string} words */
  #nothingFits(words) {
    if (words)
      return nothingFits(words, () => {
        this.frame.search.value = '';
        address.set({ q: '', work: '' });
        this.#ask().catch(report);
      });
    return noWork(this.work.value === this.frame.me.person.id, () => this.#showWork(''));
  }

  #nothingYet() {
    return nothingYet(this.frame.can, this.data.evaluation ? meansAlone(this.frame.evaluation) : '', {
      files: () => this.uploads.choose(),
      folder: () => this.uploads.chooseFolder(),
      byUrl: () => openField('add by URL', () => this.#addUrls()),
      sample: () => this.#sample().catch(report),
      connect: () => openField('connect a model', () => connectModel()),
    });
  }

  // --- work -------------------------------------------------------------------------

  /** The choice of whose work is shown, and the way back to one's own. */
  #drawWork() {
    const me = this.frame.me.person;
    const people = new Map(this.data.workers.map(({ id, name }) => [id, name]));
    people.delete(me.id);
    const choices = [
      ['', 'everybody’s work'],
      [me.id, 'my work'],
      ['left', 'my work, unfinished'],
      ['flagged', 'flagged'],
      ['nobody', 'given to nobody'],
      ...people,
    ];
    fill(this.work, choices, address.get('work'));
    this.tools.queue(this.queue);
  }

  /** @param {string} value */
  #showWork(value) {
    this.work.value = value;
    address.set({ work: value });
    this.#ask().catch(report);
  }

  #resume() {
    if (this.queue?.resume) go(workLink(this.queue.resume, this.data.evaluation));
    else notice('There is nothing left in your queue.');
  }

  async #assign() {
    const { videos } = this.data;
    if (!this.frame.can('edit')) throw new Refused('Only people who may edit can give work to somebody.');
    if (!videos.length) throw new Refused('There is no video to give to somebody yet.');
    const still = wanted();
    const chosen = this.selection.ids.size
      ? await this.#chosen()
      : videos.filter((row) => row.id === this.current);
    const { showAssign } = await import('../../../lib/shell/assign.js');
    if (still()) showAssign(chosen, this.queue, this.frame, () => this.#load().catch(report));
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

  /**
   * @param {number} by
   * @param {boolean} [range] whether the rows on the way are selected
   */
  #move(by, range = false) {
    const rows = [...this.body.children];
    const at = rows.findIndex((node) => node.dataset.id === this.current);
    const to = rows[at + by];
    if (!to) return;
    if (range) {
      this.selection.step(this.#order(), this.current, to.dataset.id);
      this.#counts();
    }
    to.focus();
    to.scrollIntoView({ block: 'nearest' });
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
   * @param {boolean} range whether all from where the range began follow
   */
  #select(id, on, range) {
    if (range) this.#range(id, on);
    else this.selection.set(id, on);
    this.#counts();
  }

  /**
   * From where the range began to this row.
   * @param {string} id
   * @param {boolean} [on]
   */
  #range(id, on) {
    this.selection.extend(this.#order(), this.current, id, on);
    this.#counts();
  }

  #order() {
    return this.data.videos.map((row) => row.id);
  }

  /** @param {boolean} on */
  async #selectAll(on) {
    this.selection.replace(on ? await this.#everyId() : []);
    this.#counts();
  }

  /**
   * Of every video that fits, in its order, also of those that are not here yet.
   * @returns {Promise<string[]>}
   */
  async #everyId() {
    const { videos, fit } = this.data;
    if (videos.length >= fit) return videos.map((row) => row.id);
    return (await api(`/api/videos?${this.#query()}`)).videos;
  }

  /** What is selected, else all, in the order of the list; of rows that are not here yet there is the id alone. */
  async #chosen() {
    const here = new Map(this.data.videos.map((row) => [row.id, row]));
    const all = await this.#everyId();
    return all
      .filter((id) => !this.selection.ids.size || this.selection.ids.has(id))
      .map((id) => here.get(id) || bare(id));
  }

  #toggle() {
    if (!this.#node(this.current)) return;
    this.selection.toggle(this.current);
    this.#counts();
  }

  async #run() {
    if (!this.frame.can('run')) throw new Refused('Only researchers and admins can run the pipeline.');
    if (!this.data.videos.length) throw new Refused('There is no video to run yet.');
    const still = wanted();
    const chosen = await this.#chosen();
    if (still()) this.#askStages(chosen);
  }

  /** @param {Row[]} chosen */
  #askStages(chosen) {
    chooseStages(chosen, this.data.stages, (names, more) =>
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
   * @param {{choices?: Object<string, string>, speech?: string, language?: string, most_calls?: number, most_cost?: number}} [more]
   */
  async #start(videos, stages = [], more = {}) {
    await api('/api/jobs', { videos, stages, ...more });
    await this.jobs.poll();
    await this.#load();
  }

  async #addUrls() {
    if (!this.frame.can('add')) throw new Refused('Only researchers and admins can add videos.');
    const still = wanted();
    const { showAddUrls } = await import('./add_urls.js');
    if (!still()) return;
    await showAddUrls(() =>
      this.jobs
        .poll()
        .then(() => this.#load())
        .catch(report),
    );
  }

  /**
   * @param {string[]} videos
   * @param {number} imported
   * @param {string[]} evaluations by name; the only one of an import opens
   */
  async #uploaded(videos, imported, evaluations = []) {
    if (imported || videos.length) await this.#newResults(evaluations.length === 1 ? evaluations[0] : '');
    const here = new Map(this.data.videos.map((row) => [row.id, row]));
    if (videos.length && this.frame.can('run')) this.#askStages(videos.map((id) => here.get(id) || bare(id)));
  }

  /** The clip and the annotations that come with Dailies; it can be undone. */
  async #sample() {
    const { video } = await api('/api/sample', {});
    await this.#uploaded([video], 1);
  }

  /** A stage or an import has finished: rows follow, and so does the choice of evaluations. */
  async #newResults(opens = '') {
    const { evaluations } = await whileOpen(refreshPerson());
    const opened = evaluations.find(({ name }) => opens && name === opens);
    if (opened) address.set({ evaluation: opened.id });
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
    this.selection.ids.delete(row.id);
    notice(`${row.title} was removed`);
    await this.#newResults();
  }

  /** @param {string} id */
  async #join(id) {
    if (!this.frame.can('add')) throw new Refused('Only people who may add videos can join two.');
    if (!id) throw new Refused('There is no video to join yet.');
    const still = wanted();
    const { showJoin } = await import('./join_videos.js');
    if (still()) await showJoin(id, () => this.#newResults());
  }

  #keys() {
    bindKeys('library', {
      next: () => this.#move(1),
      previous: () => this.#move(-1),
      verdicts: () => this.#open('verdicts'),
      script: () => this.#open('script'),
      select: () => this.#toggle(),
      select_next: () => this.#move(1, true),
      select_previous: () => this.#move(-1, true),
      select_to: () => this.#range(this.current),
      select_all: () => this.#selectAll(this.selection.ids.size < this.data.fit),
      about: () => this.firstMinute.toggle(),
      run: () => this.#run(),
      url: () => this.#addUrls(),
      join: () => this.#join(this.data.videos.length ? this.current : ''),
      worst: () => go(address.to('verdicts', { evaluation: this.data.evaluation })),
      resume: () => this.#resume(),
      assign: () => this.#assign(),
      mine: () =>
        this.#showWork(address.get('work') === this.frame.me.person.id ? '' : this.frame.me.person.id),
    });
  }
}
