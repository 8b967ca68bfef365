// Published figures beside one's own, with what differs.
import { aspectName, h } from '../../../lib/parts/elements_and_requests.js';
import { table } from '../../../lib/parts/table.js';
import { digits } from './scores_table.js';

/** @typedef {import('./scores_table.js').Scores} Scores */
/** @typedef {import('../../../lib/parts/elements_and_requests.js').Content} Content */

const COLUMNS = ['camera', 'short', 'background', 'main_object', 'detailed'];

const PUBLISHED_JUDGE = /llama-?3\.1-?8b/i;

/**
 * What is known of one's own runs beside the published ones; what a log does not say is said to be unknown.
 * @param {Scores} data
 */
function differences({ runs }) {
  /** @type {(role: string, name: 'model') => string} */
  const known = (role, name) => runs[role]?.[name] || 'not recorded';
  const judge = known('verdicts', 'model');
  /** @param {string} role */
  const prompt = (role) => runs[role]?.prompt?.slice(0, 8) || 'not recorded';
  return [
    PUBLISHED_JUDGE.test(judge) ? `the judge is the same model (${judge})` : `the judge (yours: ${judge})`,
    PUBLISHED_JUDGE.test(known('answers', 'model'))
      ? 'the extractor is the same model'
      : `the extractor (yours: ${known('answers', 'model')})`,
    `the prompts (yours: judge ${prompt('verdicts')}, extractor ${prompt('answers')})`,
    `the frames per video (yours: ${runs.captions?.frames ?? 'not recorded'})`,
    'the rule (yours: readable only, over videos)',
  ];
}

/** @type {(value: number | null | undefined, measure: string) => string} */
const shown = (value, measure) => (value === undefined || value === null ? '–' : digits(value, measure));

/**
 * @param {Scores} data
 * @param {Content} about what to know before one compares
 * @param {string[]} columns after model and frames
 * @param {string[]} own cells
 * @param {(row: Scores['published'][number]) => Content[]} cellsOf a published row
 */
function panel({ published }, about, columns, own, cellsOf) {
  /** @type {(model: string, cells: Content[], kind?: string) => HTMLElement} */
  const line = (model, cells, kind = null) =>
    h(
      'tr',
      { class: kind },
      h('th', { scope: 'row' }, model),
      cells.map((words) => h('td', {}, words)),
    );
  return h(
    'details',
    { class: 'dl-published' },
    h('summary', {}, `published figures · ${published.length} models`),
    h('p', { class: 'dl-hint' }, about),
    h(
      'div',
      { class: 'dl-publishedbox' },
      table(
        { class: 'dl-comparetable' },
        ['model', 'frames', ...columns],
        [
          line('this evaluation', own, 'dl-scoretotal'),
          published.map((row) => line(row.model, cellsOf(row))),
        ],
      ),
    ),
  );
}

/**
 * Video-MMLU's table: accuracies alone were published.
 * @param {Scores} data
 */
function mmluPanel(data) {
  /** @param {string} task */
  const own = (task) =>
    data.rows.find(
      (r) =>
        r.policy === 'parsed' &&
        r.metric === 'accuracy_macro' &&
        r.group.task === task &&
        !r.group.discipline,
    )?.value;
  const tasks = ['final', 'caption', 'qa'];
  return panel(
    data,
    `Video-MMLU's page: share of yes, Qwen2.5-72B as judge. Yours: judge ${data.judges.join(', ') || 'unknown'}, readable only, over videos. Judge, prompts and speech differ: a gap between rows is not yet a gap between models.`,
    ['final', 'caption', 'QA'],
    ['–', ...tasks.map((task) => shown(own(task), 'accuracy'))],
    (row) => [row.frames || 'none', ...tasks.map((task) => shown(row[task] / 100, 'accuracy'))],
  );
}

/**
 * @param {Scores} data
 * @param {string} measure
 */
export function publishedPanel(data, measure) {
  if (data.benchmark === 'video-mmlu')
    return data.by === 'discipline' && measure !== 'score' ? mmluPanel(data) : null;
  const own = Object.fromEntries(
    data.rows
      .filter((r) => r.policy === 'parsed' && r.metric === `${measure}_macro` && r.group.aspect)
      .map((r) => [r.group.aspect, r.value]),
  );
  const all = COLUMNS.map((aspect) => own[aspect]).filter((x) => x !== undefined && x !== null);
  if (!all.length) return null;
  const mean = all.length === COLUMNS.length ? all.reduce((a, b) => a + b, 0) / all.length : null;
  /** @param {number | null} [value] shares are published in percent */
  const published = (value) => shown(measure === 'score' ? value : value && value / 100, measure);
  return panel(
    data,
    [
      'VDCscore leaderboard of 3 July 2025: Llama-3.1-8B as judge, AuroraCap’s rule. What differs from yours: ',
      differences(data).map((words, n) => [n ? '; ' : '', words]),
      '. Until these are equal, a gap between rows is not yet a gap between captions.',
    ],
    ['mean', ...COLUMNS.map(aspectName)],
    [
      String(data.runs.captions?.frames || '–'),
      shown(mean, measure),
      ...COLUMNS.map((a) => shown(own[a], measure)),
    ],
    (row) => [
      row.frames || '–',
      published(row[measure].average),
      ...COLUMNS.map((a) => published(row[measure][a])),
    ],
  );
}
