// The line that says what Dailies is, and the three things that people come for. It can be hidden.
import { address } from '../../../lib/page/address.js';
import { whileOpen } from '../../../lib/page/open_page.js';
import { computed, h, signal } from '../../../lib/components/component.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { button, icon } from '../../../lib/components/small_components.js';
import { notice } from '../../../lib/parts/notices.js';
import { go } from '../../../lib/editor/save_before_leaving.js';
import { keyText } from '../../../lib/keys/keymap.js';
import { shelf } from '../../../lib/page/browser_storage.js';
import { workLink } from '../../../lib/shell/assignment_bar.js';

/** @typedef {import('./library_row.js').LibraryRow} Row */
/** @typedef {import('./library_state.js').LibraryState} LibraryState */
/** @typedef {import('./page_library.js').Page} Page */
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
 * @param {LibraryState} list
 * @param {(row: Row) => unknown} fits
 */
const best = ({ rows, row }, fits) => (row && fits(row) ? row : rows.find(fits));

export class FirstMinute {
  hidden = signal(Boolean(shelf.getItem(HIDDEN)));

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    /** What stands out: the first aim that can be opened; '' while the line is hidden. */
    this.main = computed(() => {
      if (this.hidden.value) return '';
      return Object.entries(this.aims()).find(([, { open }]) => open)?.[0] ?? '';
    });
  }

  /** Hides the line, or shows it again. */
  toggle() {
    this.hidden.value = !this.hidden.value;
    if (this.hidden.value) {
      shelf.setItem(HIDDEN, '1');
      notice(`${keyText('library.about') || '?'} shows the line again.`);
    } else shelf.removeItem(HIDDEN);
  }

  /** @param {string} name */
  async start(name) {
    await whileOpen(this.page.list.known);
    const { open, missing } = this.aims()[name];
    if (open) open();
    else missing();
  }

  /** @returns {Object<string, Aim>} */
  aims() {
    const { list } = this.page;
    const { evaluation, total } = list.data.value;
    const captioned = best(list, (row) => wasRun(row) || !row.file);
    const clip = best(list, (row) => row.file && wasRun(row));
    const resume = list.queue.value?.resume;
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
    const may = this.page.can('add');
    this.#tell('No verdicts yet', [
      'A score is the mean of a judge’s verdicts on answers from a caption. There are no verdicts yet.',
      may
        ? 'Add the log of an evaluation (lmms-eval, VLMEvalKit or LOVEU), or connect a model and run videos.'
        : 'Ask a researcher or an admin to add the log of an evaluation, or to run the videos.',
    ]);
  }

  /** @param {string} what */
  #notRun(what) {
    const { total } = this.page.list.data.value;
    if (!total)
      this.#tell('No videos yet', [
        this.page.can('add')
          ? `Add a video, or load the sample, to have ${what}.`
          : `Ask a researcher or an admin to add a video, to have ${what}.`,
      ]);
    else
      this.#tell('No video was run yet', [
        `A run cuts a video into scenes, transcribes its speech, measures its frames and captions it. After that there is ${what}.`,
        this.page.can('run') ? '' : 'Ask a researcher or an admin to run the videos.',
      ]);
  }

  /**
   * What is missing, with the ways to get it; the first one stands out.
   * @param {string} title
   * @param {string[]} words
   */
  #tell(title, words) {
    const { page } = this;
    const { can } = page;
    const { videos, total } = page.list.data.value;
    /** @type {[boolean, string, () => unknown, string][]} */
    const ways = [
      [
        total > 0 && !anythingRun(videos) && can('run'),
        'Run the videos',
        () => page.openRun(),
        'missing-run',
      ],
      [can('add'), 'Add files', () => page.uploads.choose(), 'missing-add'],
      [!total && can('add'), 'Load the sample', () => page.sample(), 'missing-sample'],
      [can('manage'), 'Connect a model', () => page.connect(), 'missing-model'],
    ];
    const buttons = ways
      .filter(([may]) => may)
      .map(([, label, act, name], n) => {
        const shown = () => {
          dialog.close();
          act();
        };
        return button(label, shown, { key: name, kind: n ? '' : 'main', name });
      });
    const lines = words.filter(Boolean).map((line) => h('p', { key: line }, line));
    const dialog = openDialog(title, lines, buttons.reverse(), { cancel: 'Close' });
    (dialog.node.querySelector('.dl-button-main') ?? dialog.node.querySelector('footer button')).focus();
  }
}

/** @param {{line: FirstMinute}} props */
export function FirstLine({ line }) {
  if (line.hidden.value) return null;
  return h(
    'section',
    { class: 'dl-firstminute', 'aria-label': 'What Dailies is for' },
    h('p', null, LINE),
    h(
      'div',
      { class: 'dl-firstaims' },
      Object.entries(line.aims()).map(([name, { words, about }]) =>
        button(words, () => line.start(name), {
          key: name,
          kind: name === line.main.value ? 'main' : '',
          name: `start-${name}`,
          title: about,
        }),
      ),
    ),
    h(
      'button',
      {
        type: 'button',
        class: 'dl-button dl-button-icon',
        'data-name': 'hide-first-minute',
        'aria-label': 'Hide this line',
        title: 'Hide this line',
        onClick: () => line.toggle(),
      },
      icon('close'),
    ),
  );
}
