// Why a frame was kept or dropped: the judge's letter and words, the measured difference, and a person's word over it.
import { h } from '../../../lib/components/component.js';
import { report } from '../../../lib/parts/notices.js';
import { frameName } from '../../../lib/parts/words.js';
import {
  badge,
  baselineBadge,
  button,
  icon,
  keyHint,
  mark,
  hint,
} from '../../../lib/components/small_components.js';
import { whyOf } from './keyframes_strip.js';
import { keepWords, METHODS, methodOf, pairMark, readable } from './method_words.js';

/** @typedef {import('./keyframes_state.js').KeyframesState} State */
/** @typedef {import('./keyframes_state.js').Pair} Pair */
/** @typedef {import('./captioning.js').Captioning} Captioning */

const LABELS = [
  ['yes', 'moved on', 'yes'],
  ['no', 'no progress', 'no'],
  ['uncertain', 'unclear', 'neutral'],
];
/** @type {Object<string, string>} */
const LETTERS = { yes: 'action progression', no: 'no action progression', uncertain: 'uncertain' };
const LONG = 240;

/**
 * Everything beside the caption of the frame in focus.
 * @param {{state: State, captioning: Captioning}} props
 */
export function Why({ state, captioning }) {
  const { frames } = state.data.value;
  const at = state.at.value;
  const { caption, readable: isReadable } = frames[at];
  const hasBefore =
    at >
    Math.max(
      0,
      frames.findIndex((f) => f.readable),
    );
  return [
    !isReadable
      ? hint(
          mark(caption.state),
          'This caption cannot be compared. Write it yourself, or run again: failed requests are then made anew.',
        )
      : hasBefore
        ? h(PairBox, { state, captioning })
        : hint('The first frame is always kept; it has no frame before it.'),
    h(RowsBox, { state }),
  ];
}

/**
 * One line per row that is shown: kept or dropped, and why.
 * @param {{state: State}} props
 */
function RowsBox({ state }) {
  const { index } = state.data.value.frames[state.at.value];
  const own = state.picks.value.has(index);
  return h(
    'div',
    { class: 'dl-kf-kept' },
    state
      .machineRows()
      .map((row) =>
        h(
          'p',
          { key: row.key },
          h('b', { title: METHODS[methodOf(row)] }, methodOf(row)),
          keepWords(row.frames.includes(index)),
          h('span', null, readable(row.reasons[index])?.replace(/^(kept|dropped): /, '')),
        ),
      ),
    state.can('edit')
      ? h(
          'p',
          { key: 'yours' },
          h('b', null, 'yours'),
          button(
            [icon(own ? 'done' : 'plus'), own ? 'in your row' : 'add to your row'],
            () => state.toggle(state.at.value),
            { name: 'pick', hint: 'keyframes.pick' },
          ),
        )
      : null,
  );
}

/** @param {{state: State, captioning: Captioning}} props */
function PairBox({ state, captioning }) {
  const n = state.at.value;
  const pair = state.pair(n);
  const { frames } = state.data.value;
  return h(
    'div',
    { class: 'dl-kf-pair' },
    h(
      'h2',
      null,
      `progress from ${frameName(pair?.frames[0] ?? frames[n - 1].index)} to ${frameName(frames[n].index)}`,
    ),
    pair
      ? [
          verdict(pair),
          said(pair),
          difference(pair),
          state.can('edit') ? h(PutRight, { state, pair }) : null,
          h(
            'details',
            {
              class: 'dl-raw',
              open: state.raw.value,
              onToggle: (event) => {
                state.raw.value = event.currentTarget.open;
              },
            },
            h('summary', null, 'raw reply ', keyHint('keyframes.raw')),
            h('pre', null, pair.raw || '(no reply)'),
          ),
        ]
      : h(
          'p',
          { class: 'dl-kf-verdict' },
          mark('missing', 'no verdict'),
          state.can('run')
            ? button('Judge it', () => captioning.again().catch(report), { name: 'judge' })
            : null,
        ),
  );
}

/**
 * The verdict in large, who gave it, and whether it still fits its captions.
 * @param {Pair} pair
 */
const verdict = (pair) =>
  h(
    'p',
    { class: 'dl-kf-verdict' },
    pairMark(pair),
    pair.baseline && !pair.by ? baselineBadge() : null,
    pair.by ? badge(pair.by) : null,
    pair.confirmed ? mark('confirmed') : pair.by ? h('s', null, pair.judged || pair.judged_state) : null,
    pair.stale ? mark('stale', 'a caption or the action has changed since') : null,
  );

/**
 * The judge's letter and words.
 * @param {Pair} pair
 */
function said(pair) {
  const meaning = pair.letter
    ? `${pair.letter}: ${LETTERS[pair.judged] || pair.judged}`
    : pair.reason || 'no letter in the reply';
  const words = pair.raw
    .replace(/^\W*[ABC]\b[.:)]*\s*/, '')
    .replace(/\s+/g, ' ')
    .trim();
  const own = words.toLowerCase() === (LETTERS[pair.judged] || '') ? '' : words;
  return h(
    'p',
    { class: 'dl-kf-said' },
    h('span', null, 'judge: ', h('b', null, meaning)),
    own ? h('q', null, own.length > LONG ? `${own.slice(0, LONG)}…` : own) : null,
  );
}

/**
 * One's own opinion on the pair, the judge's label too; 0 takes it back.
 * @param {{state: State, pair: Pair}} props
 */
function PutRight({ state, pair }) {
  /** @param {string} label */
  const say = (label) => () => state.correct(label).catch(report);
  return h(
    'div',
    { class: 'dl-kf-fix', role: 'group', 'aria-label': 'Put the verdict right' },
    LABELS.map(([label, words, sign]) =>
      h(
        'button',
        {
          key: label,
          type: 'button',
          class: 'dl-choice',
          'data-name': `say-${label}`,
          'aria-pressed': pair.label === label,
          onClick: say(label),
        },
        keyHint(`keyframes.${label}`),
        mark(sign, words),
      ),
    ),
    pair.mine
      ? button('take back', say(''), { kind: 'quiet', name: 'take-back', hint: 'keyframes.clear' })
      : null,
  );
}

/** @param {Pair} pair */
function difference(pair) {
  if (typeof pair.difference !== 'number') return null;
  return h(
    'p',
    { class: 'dl-kf-difference', title: 'How much the two pictures differ: colours and structure, measured' },
    h('span', null, `picture difference ${pair.difference.toFixed(2)} of 0-1`),
    h(
      'span',
      { class: 'dl-kf-bar', 'aria-hidden': true },
      h('span', { style: { width: `${Math.min(1, pair.difference) * 100}%` } }),
    ),
  );
}

/**
 * The bubble over the gap that is pointed at or focused.
 * @param {{state: State}} props
 */
export function Explanation({ state }) {
  const explained = state.explained.value;
  const frame = explained && state.data.value.frames[explained.n];
  const pair = frame && state.pair(explained.n);
  return h(
    'div',
    {
      class: 'dl-kf-pop',
      role: 'tooltip',
      hidden: !frame,
      style: explained && { left: `${explained.left}px`, top: `${explained.top}px` },
    },
    frame
      ? [
          h(
            'p',
            null,
            pairMark(pair),
            ` ${frameName(frame.index)}`,
            pair?.stale ? mark('stale', 'stale') : null,
          ),
          h('p', null, whyOf(state, explained.n)),
          pair ? [said(pair), difference(pair)] : null,
        ]
      : null,
  );
}
