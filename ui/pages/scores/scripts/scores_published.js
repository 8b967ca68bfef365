// Published figures beside one's own, with what differs.
import { aspectName, h } from '../../../lib/parts/elements_and_requests.js';
import { table } from '../../../lib/parts/table.js';
import { digits } from './scores_table.js';

/** @typedef {import('./scores_table.js').Scores} Scores */

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
  /** @param {number | null | undefined} value */
  const share = (value) => (value === undefined || value === null ? '–' : digits(value, 'accuracy'));
  const tasks = ['final', 'caption', 'qa'];
  return h(
    'details',
    { class: 'dl-published' },
    h('summary', {}, `published figures · ${data.published.length} models`),
    h(
      'p',
      { class: 'dl-hint' },
      `Video-MMLU's page: share of yes, Qwen2.5-72B as judge. Yours: judge ${data.judges.join(', ') || 'unknown'}, readable only, over videos. Judge, prompts and speech differ: a gap between rows is not yet a gap between models.`,
    ),
    h(
      'div',
      { class: 'dl-publishedbox' },
      table(
        { class: 'dl-comparetable' },
        ['model', 'frames', 'final', 'caption', 'QA'],
        [
          h(
            'tr',
            { class: 'dl-scoretotal' },
            h('th', { scope: 'row' }, 'this evaluation'),
            h('td', {}, '–'),
            tasks.map((task) => h('td', {}, share(own(task)))),
          ),
          data.published.map((row) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, row.model),
              h('td', {}, row.frames || 'none'),
              tasks.map((task) => h('td', {}, share(row[task] / 100))),
            ),
          ),
        ],
      ),
    ),
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
  if (!COLUMNS.some((aspect) => own[aspect] !== undefined && own[aspect] !== null)) return null;
  /** @param {number | null | undefined} value */
  const shown = (value) =>
    value === undefined || value === null
      ? '–'
      : measure === 'score'
        ? value.toFixed(2)
        : (value / 100).toFixed(3);
  const all = COLUMNS.map((aspect) => own[aspect]).filter((x) => x !== undefined && x !== null);
  const mean = all.length === COLUMNS.length ? all.reduce((a, b) => a + b, 0) / all.length : null;
  return h(
    'details',
    { class: 'dl-published' },
    h('summary', {}, `published figures · ${data.published.length} models`),
    h(
      'p',
      { class: 'dl-hint' },
      'VDCscore leaderboard of 3 July 2025: Llama-3.1-8B as judge, AuroraCap’s rule. What differs from yours: ',
      differences(data).map((words, n) => [n ? '; ' : '', words]),
      '. Until these are equal, a gap between rows is not yet a gap between captions.',
    ),
    h(
      'div',
      { class: 'dl-publishedbox' },
      table(
        { class: 'dl-comparetable' },
        ['model', 'frames', 'mean', ...COLUMNS.map(aspectName)],
        [
          h(
            'tr',
            { class: 'dl-scoretotal' },
            h('th', { scope: 'row' }, 'this evaluation'),
            h('td', {}, data.runs.captions?.frames ? String(data.runs.captions.frames) : '–'),
            h('td', {}, mean === null ? '–' : digits(mean, measure)),
            COLUMNS.map((a) =>
              h('td', {}, own[a] === undefined || own[a] === null ? '–' : digits(own[a], measure)),
            ),
          ),
          data.published.map((row) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, row.model),
              h('td', {}, row.frames || '–'),
              h('td', {}, shown(row[measure].average)),
              COLUMNS.map((a) => h('td', {}, shown(row[measure][a]))),
            ),
          ),
        ],
      ),
    ),
  );
}
