// Why a frame was kept or dropped: the judge's letter and words, the measured difference, and a person's word over it.
import { badge, baselineBadge, button, clear, h, icon, mark } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { frameName } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { keyHint } from '../../../lib/keys/keymap.js';
import { keepWords, METHODS, pairMark, readable } from './keyframes_strip.js';

/** @typedef {import('./page_keyframes.js').Page} Page */
/** @typedef {import('./page_keyframes.js').Candidate} Candidate */
/** @typedef {import('./page_keyframes.js').Pair} Pair */
/** @typedef {import('./page_keyframes.js').MethodRow} MethodRow */

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
 * @param {Page} page
 * @param {HTMLElement} node
 */
export function drawWhy(page, node) {
  const frame = page.data.frames[page.at];
  const first = page.data.frames.findIndex((f) => f.readable);
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const held = node.contains(active) ? active.dataset.name : '';
  clear(
    node,
    frame.readable
      ? page.at > Math.max(0, first)
        ? pairBox(page, page.at)
        : h('p', { class: 'dl-hint' }, 'The first frame is always kept; it has no frame before it.')
      : h(
          'p',
          { class: 'dl-hint' },
          mark(frame.caption.state),
          'This caption cannot be compared. Write it yourself, or run again: failed requests are then made anew.',
        ),
    rowsBox(page, frame),
  );
  if (held) /** @type {HTMLElement | null} */ (node.querySelector(`[data-name="${held}"]`))?.focus();
}

/**
 * One line per row that is shown: kept or dropped, and why.
 * @param {Page} page
 * @param {Candidate} frame
 */
function rowsBox(page, frame) {
  const own = page.picks.has(frame.index);
  /** @param {MethodRow} row */
  const name = (row) => (row.key === 'as judged' ? 'as judged' : row.method);
  return h(
    'div',
    { class: 'dl-kf-kept' },
    page
      .machineRows()
      .map((row) =>
        h(
          'p',
          {},
          h('b', { title: METHODS[name(row)] }, name(row)),
          keepWords(row.frames.includes(frame.index)),
          h('span', {}, readable(row.reasons[frame.index])?.replace(/^(kept|dropped): /, '') || ''),
        ),
      ),
    page.frame.can('edit')
      ? h(
          'p',
          {},
          h('b', {}, 'yours'),
          button(
            [icon(own ? 'done' : 'plus'), own ? 'in your row' : 'add to your row', keyHint('keyframes.pick')],
            () => page.toggle(page.at),
            { name: 'pick' },
          ),
        )
      : null,
  );
}

/**
 * @param {Page} page
 * @param {number} n
 */
function pairBox(page, n) {
  const pair = page.pair(n);
  const after = page.data.frames[n].index;
  const before = pair?.frames[0] ?? page.data.frames[n - 1].index;
  page.raw = h(
    'details',
    { class: 'dl-raw' },
    h('summary', {}, 'raw reply ', keyHint('keyframes.raw')),
    h('pre', {}, pair?.raw || '(no reply)'),
  );
  return h(
    'div',
    { class: 'dl-kf-pair' },
    h('h2', {}, `progress from ${frameName(before)} to ${frameName(after)}`),
    verdict(page, pair),
    said(pair),
    difference(pair),
    fix(page, n, pair),
    pair ? page.raw : null,
  );
}

/**
 * The verdict in large, who gave it, and whether it still fits its captions.
 * @param {Page} page
 * @param {Pair | undefined} pair
 */
function verdict(page, pair) {
  if (!pair)
    return h(
      'p',
      { class: 'dl-kf-verdict' },
      mark('missing', 'no verdict'),
      page.frame.can('run')
        ? button('Judge it', () => page.runAgain().catch(report), { name: 'judge' })
        : null,
    );
  return h(
    'p',
    { class: 'dl-kf-verdict' },
    pairMark(pair),
    pair.baseline && !pair.by ? baselineBadge() : null,
    pair.by ? badge(pair.by) : null,
    pair.confirmed ? mark('confirmed') : pair.by ? h('s', {}, pair.judged || pair.judged_state) : null,
    pair.stale ? mark('stale', 'a caption or the action has changed since') : null,
  );
}

/**
 * The judge's letter and words.
 * @param {Pair | undefined} pair
 */
function said(pair) {
  if (!pair) return null;
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
    h('span', {}, 'judge: ', h('b', {}, meaning)),
    own ? h('q', {}, own.length > LONG ? `${own.slice(0, LONG)}…` : own) : null,
  );
}

/**
 * One's own opinion on the pair, the judge's label too; 0 takes it back.
 * @param {Page} page
 * @param {number} n
 * @param {Pair | undefined} pair
 */
function fix(page, n, pair) {
  if (!pair || !page.frame.can('edit')) return null;
  return h(
    'div',
    { class: 'dl-kf-fix', role: 'group', 'aria-label': 'Put the verdict right' },
    LABELS.map(([label, words, sign]) =>
      h(
        'button',
        {
          type: 'button',
          class: 'dl-choice',
          'data-name': `say-${label}`,
          'aria-pressed': String(pair.label === label),
          onclick: () => correct(page, n, label).catch(report),
        },
        keyHint(`keyframes.${label}`),
        mark(sign, words),
      ),
    ),
    pair.mine
      ? button(['take back', keyHint('keyframes.clear')], () => correct(page, n, '').catch(report), {
          kind: 'quiet',
          name: 'take-back',
        })
      : null,
  );
}

/**
 * Say what the verdict on frame n and its neighbour should be; an empty label takes one's own opinion back.
 * @param {Page} page
 * @param {number} n
 * @param {string} label
 */
export async function correct(page, n, label) {
  const pair = page.pair(n);
  if (!pair || !page.frame.can('edit')) return;
  if (pair.mine === label) return;
  try {
    await api('/api/edit', {
      subject: pair.subject,
      value: label ? { label, score: null } : null,
      base_revision: pair.revision,
      cleared: !label,
    });
  } finally {
    await page.refresh();
  }
}

/** @param {Pair | undefined} pair */
export function difference(pair) {
  if (typeof pair?.difference !== 'number') return null;
  return h(
    'p',
    { class: 'dl-kf-difference', title: 'How much the two pictures differ: colours and structure, measured' },
    h('span', {}, `picture difference ${pair.difference.toFixed(2)} of 0-1`),
    h(
      'span',
      { class: 'dl-kf-bar', 'aria-hidden': 'true' },
      h('span', { style: { width: `${Math.min(1, pair.difference) * 100}%` } }),
    ),
  );
}

/**
 * What stands in the bubble over a gap.
 * @param {Page} page
 * @param {number} n
 */
export function popWords(page, n) {
  const pair = page.pair(n);
  return [
    h(
      'p',
      {},
      pairMark(pair),
      ` ${frameName(page.data.frames[n].index)}`,
      pair?.stale ? mark('stale', 'stale') : null,
    ),
    h('p', {}, page.why(n)),
    said(pair),
    difference(pair),
  ];
}
