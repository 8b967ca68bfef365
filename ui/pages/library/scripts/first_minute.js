// The line that says what Dailies is, and the three things that people come for. It can be hidden.
import { address } from '../../../lib/page/address.js';
import { whileOpen } from '../../../lib/page/open_page.js';
import { button, h, icon } from '../../../lib/parts/elements.js';
import { notice } from '../../../lib/parts/notices.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { go } from '../../../lib/editor/save_before_leaving.js';
import { keyText } from '../../../lib/keys/keymap.js';
import { shelf } from '../../../lib/page/browser_storage.js';
import { workLink } from '../../../lib/shell/assignment_bar.js';

/** @typedef {import('./library_row.js').LibraryRow} Row */

/**
 * @typedef {Object} Library what is here
 * @property {Row[]} videos those that are drawn
 * @property {number} total
 * @property {string} evaluation
 * @property {string} current the row that is open
 * @property {import('../../../lib/shell/assign.js').Queue} queue
 */

/**
 * @typedef {Object} Does what the page can do about what is missing
 * @property {() => unknown} add
 * @property {() => unknown} run
 * @property {() => unknown} sample
 * @property {() => unknown} connect
 * @property {() => unknown} toggled after the line was hidden or shown
 */

/** @typedef {{words: string, about: string, open: (() => unknown) | null, missing: () => unknown}} Aim */

const HIDDEN = 'dailies-first-minute-hidden';
const LINE =
  'Dailies shows video captions and the verdicts on them beside the frames, to find mistakes and correct them.';

/**
 * Whether anything beyond the facts of its file is known.
 * @param {Row} row
 */
const wasRun = (row) => row.stages?.some(({ stage, state }) => state === 'done' && stage !== 'probe');

/**
 * Whether any of the videos can be looked at: it was run, or came with an import.
 * @param {Row[]} rows
 */
export const anythingRun = (rows) => rows.some((row) => wasRun(row) || !row.file);

/**
 * The row that is open where it fits, else the first that does.
 * @param {Library} library
 * @param {(row: Row) => unknown} fits
 */
const best = ({ videos, current }, fits) => {
  const found = videos.filter(fits);
  return found.find(({ id }) => id === current) ?? found[0];
};

export class FirstMinute {
  /** @type {Library} */
  library = { videos: [], total: 0, evaluation: '', current: '', queue: null };
  /** @type {() => void} */
  #tellKnown;

  /**
   * @param {(action: string) => boolean} can
   * @param {Does} does
   */
  constructor(can, does) {
    this.can = can;
    this.does = does;
    /** @type {Promise<void>} that it is known what is here */
    this.known = new Promise((resolve) => {
      this.#tellKnown = resolve;
    });
    this.buttons = ['scores', 'captions', 'clip'].map((name) =>
      button('', () => whileOpen(this.known).then(() => this.#start(name)), { name: `start-${name}` }),
    );
    this.node = h(
      'section',
      {
        class: 'dl-firstminute',
        'aria-label': 'What Dailies is for',
        hidden: Boolean(shelf.getItem(HIDDEN)),
      },
      h('p', {}, LINE),
      h('div', { class: 'dl-firstaims' }, this.buttons),
      button(icon('close'), () => this.toggle(), {
        kind: 'icon',
        name: 'hide-first-minute',
        title: 'Hide this line',
      }),
    );
    this.node.lastElementChild.setAttribute('aria-label', 'Hide this line');
    this.#draw();
  }

  /** Hides the line, or shows it again. */
  toggle() {
    this.node.hidden = !this.node.hidden;
    if (this.node.hidden) {
      shelf.setItem(HIDDEN, '1');
      notice(`${keyText('library.about') || '?'} shows the line again.`);
    } else shelf.removeItem(HIDDEN);
    this.does.toggled();
  }

  /** The button that stands out; null while the line is hidden or nothing can be opened yet. */
  get primary() {
    if (this.node.hidden) return null;
    const at = Object.values(this.#aims()).findIndex(({ open }) => open);
    return at < 0 ? null : this.buttons[at];
  }

  /** @param {Library} library */
  draw(library) {
    this.library = library;
    this.#tellKnown();
    this.#draw();
  }

  #draw() {
    Object.values(this.#aims()).forEach(({ words, about }, n) => {
      this.buttons[n].textContent = words;
      this.buttons[n].title = about;
    });
    const { primary } = this;
    for (const one of this.buttons) one.classList.toggle('dl-button-main', one === primary);
  }

  /** @param {string} name */
  #start(name) {
    const { open, missing } = this.#aims()[name];
    if (open) open();
    else missing();
  }

  /** @returns {Object<string, Aim>} */
  #aims() {
    const { evaluation, queue, total } = this.library;
    const captioned = best(this.library, (row) => wasRun(row) || !row.file);
    const clip = best(this.library, (row) => row.file && wasRun(row));
    const resume = queue?.resume;
    return {
      scores: {
        words: 'Examine low scores',
        about: 'The failing questions of the video with the lowest mean, each beside its frames',
        open: total && evaluation ? () => go(address.to('verdicts', { evaluation })) : null,
        missing: () => this.#noVerdicts(),
      },
      captions: {
        words: 'Refine captions',
        about: resume
          ? `Goes on with your work: ${resume.title}, ${resume.task}`
          : 'The captions of a video, scene by scene beside the player, to be corrected in place',
        open: resume
          ? () => go(workLink(resume, evaluation))
          : captioned && (() => go(address.to('script', { video: captioned.id }))),
        missing: () => this.#notRun('captions to refine'),
      },
      clip: {
        words: 'Show a clip',
        about: 'The frames that were selected from a video, and why, for a talk',
        open: clip ? () => go(address.to('keyframes', { video: clip.id })) : null,
        missing: () => this.#notRun('a clip to show'),
      },
    };
  }

  #noVerdicts() {
    const may = this.can('add');
    this.#tell('No verdicts yet', [
      'A score is the mean of a judge’s verdicts on answers from a caption. There are no verdicts yet.',
      may
        ? 'Add the log of an evaluation (lmms-eval, VLMEvalKit or LOVEU), or connect a model and run videos.'
        : 'Ask a researcher or an admin to add the log of an evaluation, or to run the videos.',
    ]);
  }

  /** @param {string} what */
  #notRun(what) {
    const { total } = this.library;
    if (!total)
      this.#tell('No videos yet', [
        this.can('add')
          ? `Add a video, or load the sample, to have ${what}.`
          : `Ask a researcher or an admin to add a video, to have ${what}.`,
      ]);
    else
      this.#tell('No video was run yet', [
        `A run cuts a video into scenes, transcribes its speech, measures its frames and captions it. After that there is ${what}.`,
        this.can('run') ? '' : 'Ask a researcher or an admin to run the videos.',
      ]);
  }

  /**
   * What is missing, with the ways to get it; the first one stands out.
   * @param {string} title
   * @param {string[]} words
   */
  #tell(title, words) {
    const { can, does } = this;
    const { videos, total } = this.library;
    /** @type {[boolean, string, () => unknown, string][]} */
    const ways = [
      [total > 0 && !anythingRun(videos) && can('run'), 'Run the videos', does.run, 'missing-run'],
      [can('add'), 'Add files', does.add, 'missing-add'],
      [!total && can('add'), 'Load the sample', does.sample, 'missing-sample'],
      [can('manage'), 'Connect a model', does.connect, 'missing-model'],
    ];
    const dialog = openDialog(
      title,
      words.filter(Boolean).map((line) => h('p', {}, line)),
      ways
        .filter(([may]) => may)
        .map(([, label, act, name], n) => {
          const shown = () => {
            dialog.close();
            act();
          };
          return button(label, shown, { kind: n ? '' : 'main', name });
        })
        .reverse(),
      { cancel: 'Close' },
    );
    (dialog.node.querySelector('.dl-button-main') ?? dialog.node.querySelector('footer button')).focus();
  }
}
