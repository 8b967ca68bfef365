// What stands behind a verdict: the raw reply and the runs it came from, other verdicts on the question, its history.
import { h } from '../../../lib/components/component.js';
import { badge, baselineBadge, hint, mark } from '../../../lib/components/small_components.js';
import { dayAndTime, scoreText, verdictWord } from '../../../lib/parts/words.js';

/** @typedef {import('../../../lib/components/component.js').Children} Children */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictDetail']} Verdict */

/**
 * The reply as it came, unfolded while `open`.
 * @param {{open: import('../../../lib/components/component.js').Signal<boolean>, heading: Children, raw: string, children?: Children}} props
 */
export const RawReply = ({ open, heading, raw, children }) =>
  h(
    'details',
    {
      class: 'dl-raw',
      open: open.value,
      onToggle: (event) => {
        open.value = event.currentTarget.open;
      },
    },
    h('summary', null, heading),
    h('pre', null, raw),
    children,
  );

/**
 * How the reply ended, what was done to it, and the runs behind it.
 * @param {{detail: Verdict}} props
 */
export function HowItWasMade({ detail: { call, run, answer_run: answerRun } }) {
  const { finish_reason: reason, note } = call || {};
  const words = [reason && `finish_reason: ${reason}`, note].filter(Boolean);
  return [
    words.length ? hint(words.join(' · ')) : null,
    h(RunLine, { name: 'judge', run }),
    h(RunLine, { name: 'extractor', run: answerRun }),
  ];
}

/** @param {{name: string, run: Verdict['run']}} props */
const RunLine = ({ name, run }) =>
  run &&
  hint(
    `${name}: ${run.model}`,
    run.endpoint ? ` at ${run.endpoint}` : '',
    run.prompt_hash ? ` · prompt ${run.prompt_hash}` : ' · prompt not recorded',
    ` · ${dayAndTime(run.created_at)}`,
  );

/** @typedef {{state?: string, label?: string, score?: number | null, answer?: string | null}} OneVerdict */

/**
 * A verdict in one line; it opens.
 * @param {{one: OneVerdict, open: () => unknown, none: string, children?: Children}} props `none`: said where it has no answer
 */
export const OtherVerdict = ({ one, open, none, children }) =>
  h(
    'button',
    { type: 'button', class: 'dl-other', onClick: open },
    mark(verdictWord(one)),
    h('span', null, one.state === 'done' ? scoreText(one.score) : ''),
    h('span', { class: 'dl-other-text' }, one.answer || none),
    children,
  );

/** @param {{others?: Verdict['others'], open: (id: string) => unknown}} props */
export function OtherVerdicts({ others, open }) {
  if (!others?.length) return null;
  return h(
    'details',
    { class: 'dl-others' },
    h('summary', null, `other verdicts on this question · ${others.length}`),
    others.map((one) =>
      h(
        OtherVerdict,
        { key: one.id, one, open: () => open(one.id), none: '–' },
        one.baseline ? baselineBadge() : badge(one.model),
        (one.superseded || one.stale) && mark('stale', ''),
      ),
    ),
  );
}

/**
 * Of a question or an item.
 * @param {{history?: Verdict['history'] | null}} props
 */
export function History({ history }) {
  if (!history?.length) return null;
  const value = ({ cleared, value: now }) => {
    if (cleared) return 'taken back';
    if (typeof now !== 'object') return now;
    return typeof now.score === 'number' ? `${now.label} · ${scoreText(now.score)}` : now.label;
  };
  return h(
    'details',
    { class: 'dl-historybox' },
    h('summary', null, `history · ${history.length}`),
    h(
      'ol',
      { class: 'dl-history' },
      history.map((entry) =>
        h(
          'li',
          null,
          h(
            'span',
            null,
            [dayAndTime(entry.at), entry.by, entry.what, entry.blind ? 'given blind' : '']
              .filter(Boolean)
              .join(' · '),
          ),
          h('p', null, value(entry)),
          entry.reason && h('q', null, entry.reason),
        ),
      ),
    ),
  );
}
