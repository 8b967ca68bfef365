// Library: one row per video, needs review first; adding, running, exporting.
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal, whileOpen } from '../../../lib/page/open_page.js';
import { h, mount } from '../../../lib/components/component.js';
import { held } from '../../../lib/components/small_components.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { go } from '../../../lib/editor/save_before_leaving.js';
import { confirmed } from '../../../lib/parts/dialog.js';
import { showExport } from '../../../lib/shell/export.js';
import { JobPanel } from '../../../lib/shell/job_list.js';
import { bindKeys, openField } from '../../../lib/keys/keymap.js';
import { wanted } from '../../../lib/keys/typing_ahead.js';
import { Added, Choosers } from './added_files.js';
import { FirstLine, FirstMinute } from './first_minute.js';
import { List, MeasuredOnly } from './library_list.js';
import { AT_ONCE, LibraryState } from './library_state.js';
import { Tools } from './library_tools.js';
import { refreshPerson } from '../../../lib/shell/known_person.js';
import { connectModel } from '../../../lib/shell/person_menu.js';
import { workLink } from '../../../lib/shell/assignment_bar.js';
import { PicturesAhead } from '../../../lib/parts/pictures_ahead.js';
import { chooseStages } from '../../../lib/parts/run_stages_dialog.js';
import { catchDrops } from './dropped_files.js';
import { removeVideo, Uploads } from './upload.js';

const SETTLE_MS = 1000; // of changes, before the list is asked for anew
const AHEAD_PX = 1600; // what is asked for before it comes into sight

/** @typedef {import('./library_row.js').LibraryRow} Row */
/** @typedef {LibraryPage} Page */

/** @param {import('../../../lib/shell/top_bar.js').Frame} frame */
export async function show(frame) {
  await new LibraryPage(frame).start();
}

class LibraryPage {
  /** @type {HTMLElement} */
  scroller;
  pictures = new PicturesAhead();

  /** @param {import('../../../lib/shell/top_bar.js').Frame} frame */
  constructor(frame) {
    this.frame = frame;
    this.can = frame.can;
    this.me = frame.me.person.id;
    this.list = new LibraryState(frame);
    this.firstMinute = new FirstMinute(this);
    this.uploads = new Uploads((...made) => this.#uploaded(...made));
    this.jobs = new JobPanel(frame.can);
    this.jobs.addEventListener(
      'progress',
      debounce(() => this.#newResults().catch(report), 150),
    );
  }

  async start() {
    const { frame, list } = this;
    frame.main.classList.add('dl-library');
    mount(frame.main, h(Library, { page: this }), pageSignal());
    frame.search.placeholder = 'Search videos';
    frame.search.addEventListener(
      'input',
      debounce(() => {
        address.set({ q: frame.search.value });
        return this.#ask();
      }, 200),
    );
    frame.evaluation.onchange(() => list.load().catch(report));
    if (this.can('add')) catchDrops(frame.main.parentElement, (files) => this.uploads.add(files));
    this.#keys();
    onChange(
      () => '',
      () => list.load(),
      SETTLE_MS,
    );
    const signal = pageSignal();
    document.addEventListener(
      'dl-changed',
      (/** @type {CustomEvent} */ { detail }) => {
        const imports = detail.changes.some((/** @type {{kind: string}} */ { kind }) => kind === 'import');
        (imports ? this.#newResults() : list.load()).catch(report);
      },
      { signal },
    );
    // Of the list, or of the whole page where that is narrow.
    document.addEventListener('scroll', () => this.more(), { capture: true, signal });
    await Promise.all([this.jobs.poll(), list.load()]);
  }

  /** Near the end of what is drawn: the next rows. */
  more() {
    const end = this.scroller?.lastElementChild.getBoundingClientRect().bottom;
    if (end <= innerHeight + AHEAD_PX) this.list.more().catch(report);
  }

  /** Other videos, or another order: from the first row on. */
  async #ask() {
    try {
      if (!(await this.list.load(AT_ONCE))) return;
      this.scroller.scrollTop = 0;
      await this.list.letGo();
    } catch (error) {
      report(error);
    }
  }

  // --- what is shown ----------------------------------------------------------------

  /** @param {string} sort */
  sortBy(sort) {
    this.list.sort.value = sort;
    address.set({ sort: sort === 'need' ? '' : sort });
    void this.#ask();
  }

  /** @param {string} work whose */
  showWork(work) {
    this.list.work.value = work;
    address.set({ work });
    void this.#ask();
  }

  showAll() {
    if (this.frame.search.value.trim()) address.set({ q: '' });
    this.frame.search.value = '';
    this.showWork('');
  }

  /** @param {boolean} on */
  selectAll(on) {
    return this.list.selectAll(on).catch(report);
  }

  /**
   * @param {number} by
   * @param {boolean} [range] whether the rows on the way are selected
   */
  #move(by, range = false) {
    const { list } = this;
    const to = list.rows[list.rows.indexOf(list.row) + by];
    if (!to) return;
    if (range) list.step(to.id);
    const node = this.scroller.querySelector('tbody').rows[list.rows.indexOf(to)];
    node.focus();
    node.scrollIntoView({ block: 'nearest' });
  }

  /** @param {string} page */
  #open(page) {
    const { row, evaluation } = this.list;
    if (!row) return;
    const judged = Object.keys(row.verdicts).length > 0;
    go(address.to(page, { video: row.id, evaluation: judged ? evaluation.value : '' }));
  }

  // --- work, running, removing --------------------------------------------------------

  resume() {
    const { queue, evaluation } = this.list;
    if (queue.value?.resume) go(workLink(queue.value.resume, evaluation.value));
    else notice('There is nothing left in your queue.');
  }

  openAssign() {
    return openField('assign', () => this.#assign());
  }

  async #assign() {
    const { list } = this;
    if (!this.can('edit')) throw new Refused('Only people who may edit can give work to somebody.');
    if (!list.row) throw new Refused('There is no video to give to somebody yet.');
    const still = wanted();
    const chosen = list.selection.ids.size ? await list.chosen() : [list.row];
    const { showAssign } = await import('../../../lib/shell/assign.js');
    if (still()) showAssign(chosen, list.queue.value, this.frame, () => list.load().catch(report));
  }

  openRun() {
    return openField('run', () => this.#run());
  }

  async #run() {
    if (!this.can('run')) throw new Refused('Only researchers and admins can run the pipeline.');
    if (!this.list.rows.length) throw new Refused('There is no video to run yet.');
    const still = wanted();
    const chosen = await this.list.chosen();
    if (still()) this.#askStages(chosen);
  }

  /** @param {Row[]} chosen */
  #askStages(chosen) {
    chooseStages(chosen, this.list.data.value.stages, async (stages, more) => {
      await api('/api/jobs', { videos: chosen.map((row) => row.id), stages, ...more });
      await this.jobs.poll();
      await this.list.load();
    });
  }

  connect() {
    return openField('connect a model', () => connectModel());
  }

  export() {
    return showExport(this.frame).catch(report);
  }

  openUrls() {
    return openField('add by URL', () => this.#addUrls());
  }

  async #addUrls() {
    if (!this.can('add')) throw new Refused('Only researchers and admins can add videos.');
    const still = wanted();
    const { showAddUrls } = await import('./add_urls.js');
    if (!still()) return;
    await showAddUrls(() =>
      this.jobs
        .poll()
        .then(() => this.list.load())
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
    if (videos.length && this.can('run')) this.#askStages(this.list.rowsOf(videos));
  }

  /** The clip and the annotations that come with Dailies; it can be undone. */
  async sample() {
    try {
      const { video } = await api('/api/sample', {});
      await this.#uploaded([video], 1);
    } catch (error) {
      report(error);
    }
  }

  /** A stage or an import has finished: rows follow, and so does the choice of evaluations. */
  async #newResults(opens = '') {
    const { evaluations } = await whileOpen(refreshPerson());
    const opened = evaluations.find(({ name }) => opens && name === opens);
    if (opened) address.set({ evaluation: opened.id });
    await this.list.load();
  }

  /** @param {Row} row */
  async remove({ id, title }) {
    try {
      const said = await confirmed(
        `Remove ${title}?`,
        [
          'Its captions, questions, verdicts and corrections in this workspace are deleted. This cannot be undone.',
          'A file of your own stays where it is; one that was fetched by its URL is deleted here.',
        ],
        'Remove',
      );
      if (!said) return;
      await removeVideo(id);
      this.list.selection.set(id, false);
      notice(`${title} was removed`);
      await this.#newResults();
    } catch (error) {
      report(error);
    }
  }

  /** @param {string | undefined} id */
  async join(id) {
    if (!this.can('add')) throw new Refused('Only people who may add videos can join two.');
    if (!id) throw new Refused('There is no video to join yet.');
    const still = wanted();
    const { showJoin } = await import('./join_videos.js');
    if (still()) await showJoin(id, () => this.#newResults());
  }

  #keys() {
    const { list, me } = this;
    bindKeys('library', {
      next: () => this.#move(1),
      previous: () => this.#move(-1),
      verdicts: () => this.#open('verdicts'),
      script: () => this.#open('script'),
      select: () => list.row && list.selection.toggle(list.row.id),
      select_next: () => this.#move(1, true),
      select_previous: () => this.#move(-1, true),
      select_to: () => list.range(list.current.value),
      select_all: () => this.selectAll(list.selection.ids.size < list.data.value.fit),
      about: () => this.firstMinute.toggle(),
      run: () => this.#run(),
      url: () => this.#addUrls(),
      join: () => this.join(list.row?.id),
      worst: () => go(address.to('verdicts', { evaluation: list.evaluation.value })),
      resume: () => this.resume(),
      assign: () => this.#assign(),
      mine: () => this.showWork(list.work.value === me ? '' : me),
    });
  }
}

/** @param {{page: Page}} props */
const Library = ({ page }) => [
  h(FirstLine, { line: page.firstMinute }),
  h(Tools, { page }),
  h(
    'div',
    {
      class: 'dl-librarybody',
      ref: (node) => {
        page.scroller = node;
      },
    },
    h(
      'div',
      { class: 'dl-news' },
      h(Added, { uploads: page.uploads }),
      held(page.jobs.node),
      h(MeasuredOnly, { page }),
    ),
    h('div', { class: 'dl-librarylist' }, h(List, { page })),
  ),
  h(Choosers, { uploads: page.uploads }),
];
