// What stands behind a verdict: the raw reply and the runs it came from, other verdicts on the question, its history.
import { badge, baselineBadge, h, mark } from '../../../lib/parts/elements.js';
import { dayAndTime, scoreText, verdictWord } from '../../../lib/parts/words.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictDetail']} Verdict */

/** @param {Verdict} detail */
export const rawReply = (detail) =>
  h(
    'details',
    { class: 'dl-raw' },
    h('summary', {}, 'raw reply'),
    h('pre', {}, detail.raw || '(no reply)'),
    howItEnded(detail),
    runLine('judge', detail.run),
    runLine('extractor', detail.answer_run),
  );

/**
 * How the reply ended, and what was done to it.
 * @param {Verdict} detail
 */
function howItEnded({ call }) {
  const { finish_reason: reason, note } = call || {};
  const words = [reason && `finish_reason: ${reason}`, note].filter(Boolean);
  return words.length ? h('p', { class: 'dl-hint' }, words.join(' · ')) : null;
}

/**
 * @param {string} name
 * @param {Verdict['run']} run
 */
const runLine = (name, run) =>
  run &&
  h(
    'p',
    { class: 'dl-hint' },
    `${name}: ${run.model}`,
    run.endpoint ? ` at ${run.endpoint}` : '',
    run.prompt_hash ? ` · prompt ${run.prompt_hash}` : ' · prompt not recorded',
    ` · ${dayAndTime(run.created_at)}`,
  );

/**
 * @param {Verdict} detail
 * @param {(id: string) => unknown} open
 */
export function otherVerdicts({ others }, open) {
  if (!others?.length) return null;
  return h(
    'details',
    { class: 'dl-others' },
    h('summary', {}, `other verdicts on this question · ${others.length}`),
    others.map((o) =>
      h(
        'button',
        { type: 'button', class: 'dl-other', onclick: () => open(o.id) },
        mark(verdictWord(o)),
        h('span', {}, o.state === 'done' ? scoreText(o.score) : ''),
        h('span', { class: 'dl-other-text' }, o.answer || '–'),
        o.baseline ? baselineBadge() : badge(o.model),
        o.superseded || o.stale ? mark('stale', '') : null,
      ),
    ),
  );
}

/**
 * @param {{history?: Verdict['history'] | null}} detail of a question or an item
 */
export function historyOf({ history }) {
  if (!history?.length) return null;
  const value = ({ cleared, value: now }) => {
    if (cleared) return 'taken back';
    if (typeof now !== 'object') return now;
    return typeof now.score === 'number' ? `${now.label} · ${scoreText(now.score)}` : now.label;
  };
  return h(
    'details',
    { class: 'dl-historybox' },
    h('summary', {}, `history · ${history.length}`),
    h(
      'ol',
      { class: 'dl-history' },
      history.map((e) =>
        h(
          'li',
          {},
          h(
            'span',
            {},
            [dayAndTime(e.at), e.by, e.what, e.blind ? 'given blind' : ''].filter(Boolean).join(' · '),
          ),
          h('p', {}, value(e)),
          e.reason ? h('q', {}, e.reason) : null,
        ),
      ),
    ),
  );
}
