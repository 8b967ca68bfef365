// The strip of the Keyframes page: candidates with captions, progress between them, one row per method.
import { h, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { baselineBadge, icon, mark } from '../../../lib/components/small_components.js';
import { METHODS, methodOf, pairMark, readable } from './method_words.js';

/** @typedef {import('./keyframes_state.js').KeyframesState} State */
/** @typedef {import('./keyframes_state.js').Candidate} Candidate */
/** @typedef {import('./keyframes_state.js').MethodRow} MethodRow */
/** @typedef {import('../../../lib/components/component.js').Children} Children */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['RowAgreement']} Agreement */

const ALIKE =
  'How much the row repeats itself: each kept frame’s similarity with the kept frame most like it, on average (0 to 1; lower says more)';
const REPEATS = 'Kept frames whose caption an earlier kept frame has already (nine tenths of the words)';

/** @param {{state: State}} props */
export function Strip({ state }) {
  const { frames, player, rows } = state.data.value;
  const own = state.can('edit');
  const others = rows.filter((row) => row.method === 'person' && row.person_id !== state.me);
  return h(
    'div',
    {
      class: 'dl-kf-strip',
      role: 'grid',
      'aria-label': 'Candidate frames',
      tabIndex: 0,
      hidden: !frames.length,
      style: {
        '--dl-kf-n': String(frames.length),
        '--dl-kf-shape': player.file ? `${player.width} / ${player.height}` : '16 / 9',
      },
      // Space belongs to buttons everywhere else; on a candidate it picks.
      onKeyDown: (event) => {
        const target = /** @type {Element} */ (event.target);
        if (event.key !== ' ' || !target.matches('.dl-kf-frame')) return;
        event.preventDefault();
        state.toggle(state.at.value);
      },
    },
    ROWS.map(({ name, extra, about, cell }) =>
      h(
        Row,
        {
          key: name,
          name,
          extra,
          about: [h('span', { class: 'dl-kf-count' }), h('span', { class: 'dl-kf-second' }, about(state))],
        },
        frames.map((frame, n) => h(cell, { key: frame.index, state, frame, n })),
      ),
    ),
    distinct(state.machineRows()).map(([row, ...same]) =>
      h(KeptRow, { key: methodOf(row), state, row, same }),
    ),
    own ? h(OwnRow, { key: 'yours', state }) : null,
    others.map((row) => h(KeptRow, { key: row.person_id, state, row, same: [] })),
  );
}

/**
 * @param {{name: string, about: Children, extra: string, title?: string, head?: Children,
 *   children?: Children}} props
 */
const Row = ({ name, about, extra, title, head = name, children }) =>
  h(
    'div',
    { class: `dl-kf-row ${extra}`, role: 'row', 'data-name': name },
    h('div', { class: 'dl-kf-name', role: 'rowheader', title }, h('b', null, head), about),
    children,
  );

/**
 * @param {{state: State, n: number, extra?: string, title?: string, inert?: boolean, children?: Children}} props
 *   `inert`: a click in it goes to its button alone
 */
const Cell = ({ state, n, extra = '', title, inert, children }) =>
  h(
    'div',
    {
      class: `dl-kf-cell ${extra} ${state.isAt(n) ? 'dl-kf-on' : ''}`,
      role: 'gridcell',
      title,
      'data-n': n,
      onClick: inert ? undefined : () => state.go(n),
    },
    children,
  );

/** @param {State} state */
function captionsBy(state) {
  const author = state.author();
  const name = author?.name || state.data.value.frames[0]?.caption.author || '';
  return h('span', { class: 'dl-kf-by' }, author?.baseline ? baselineBadge() : name);
}

/** @param {State} state */
function judgedBy(state) {
  const { judge, pairs } = state.data.value;
  if (!pairs.length) return 'not judged yet';
  return h(
    'span',
    { class: 'dl-kf-by' },
    'moved on since? ',
    judge?.baseline ? baselineBadge() : judge?.model || '',
  );
}

/** @type {(state: State, index: number) => import('../../../lib/components/component.js').Drawn} */
const picture = ({ data: { value: data } }, index) =>
  data.player.file
    ? h('img', {
        src: `/media/${data.video.id}/strip/${index}.jpg`,
        alt: '',
        loading: 'lazy',
        draggable: false,
      })
    : h('span', { class: 'dl-kf-nopicture' }, 'no file');

/**
 * When it comes into focus it comes into view, and takes the keyboard's focus from the one before.
 * @param {{state: State, frame: Candidate, n: number}} props
 */
function CandidateCell({ state, frame, n }) {
  const node = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const here = state.isAt(n);
  useLayoutEffect(() => {
    if (!here) return;
    showColumn(node.current.parentElement);
    if (node.current.closest('.dl-kf-strip').querySelector('.dl-kf-frame:focus'))
      node.current.focus({ preventScroll: true });
  }, [here]);
  const words = `Frame ${frame.index}${frame.seconds === null ? '' : ` at ${clock(frame.seconds)}`}`;
  return h(
    Cell,
    { state, n },
    h(
      'button',
      {
        ref: node,
        type: 'button',
        class: 'dl-kf-frame',
        tabIndex: here ? 0 : -1,
        'aria-current': here,
        'aria-label': `${words}${state.progression.value?.frames.includes(frame.index) ? ', kept by progression' : ''}`,
        'data-index': frame.index,
      },
      picture(state, frame.index),
      h('b', null, frameName(frame.index)),
      h('span', null, frame.seconds === null ? '–' : clock(frame.seconds)),
    ),
  );
}

/** Along the strip alone: in a low window the page stays at the picture. @param {Element} cell */
function showColumn(cell) {
  const strip = cell.closest('.dl-kf-strip');
  const [around, its] = [strip.getBoundingClientRect(), cell.getBoundingClientRect()];
  const heads = strip.querySelector('.dl-kf-name').clientWidth;
  const left = its.left - around.left - heads;
  strip.scrollLeft += left < 0 ? left : Math.max(0, its.right - around.right);
}

/** @param {{state: State, frame: Candidate, n: number}} props */
function CaptionCell({ state, frame, n }) {
  const { state: stands, value, corrected, reason, stale } = frame.caption;
  return h(
    Cell,
    { state, n, title: (frame.readable ? value : reason) || undefined },
    frame.readable ? h('span', { class: 'dl-kf-words' }, value || '(empty)') : mark(stands),
    corrected || stale || frame.other_frames.length
      ? h(
          'span',
          { class: 'dl-kf-flags' },
          corrected ? mark('corrected', '') : null,
          stale ? mark('stale', '') : null,
          frame.other_frames.length ? mark('flagged', 'other frame') : null,
        )
      : null,
  );
}

/**
 * Between candidate n - 1 and n: it stands on the border of the two columns.
 * @param {{state: State, frame: Candidate, n: number}} props
 */
function GapCell({ state, frame, n }) {
  if (!n) return h(Cell, { state, n, inert: true });
  const pair = state.pair(n);
  const before = pair?.frames[0] ?? state.data.value.frames[n - 1].index;
  /** @param {Event} event */
  const show = (event) => state.explain(n, /** @type {Element} */ (event.currentTarget));
  const hide = () => state.explain();
  return h(
    Cell,
    { state, n },
    h(
      'button',
      {
        type: 'button',
        class: 'dl-kf-gap',
        tabIndex: state.isAt(n) ? 0 : -1,
        'data-gap': frame.index,
        'aria-label': `From frame ${before} to frame ${frame.index}: ${pair ? pair.label || pair.state : 'no verdict'}. ${whyOf(state, n)}`,
        onMouseEnter: show,
        onFocus: show,
        onMouseLeave: hide,
        onBlur: hide,
      },
      pairMark(pair),
      pair?.stale ? mark('stale', '') : null,
    ),
  );
}

/** @type {(state: State, n: number) => string} */
export const whyOf = (state, n) =>
  readable(state.progression.value?.reasons[state.data.value.frames[n].index]) || 'No reason was recorded.';

/** What stands above what the methods keep: a cell for each candidate. */
const ROWS = [
  {
    name: 'frames',
    extra: 'dl-kf-frames',
    about: (/** @type {State} */ state) => plural(state.data.value.frames.length, 'candidate'),
    cell: CandidateCell,
  },
  { name: 'captions', extra: 'dl-kf-captions', about: captionsBy, cell: CaptionCell },
  { name: 'progress', extra: 'dl-kf-gaps', about: judgedBy, cell: GapCell },
];

// --- rows -----------------------------------------------------------------------------

/**
 * How many of the candidates a row has, and where in the video they lie, however far the strip is scrolled.
 * @param {{state: State, picked: Set<number>}} props
 */
function Counted({ state, picked }) {
  const { frames } = state.data.value;
  const here = frames.filter((f) => picked.has(f.index)).length;
  const more = picked.size - here;
  return [
    h('span', { class: 'dl-kf-count' }, `${here} of ${frames.length}${more ? ` + ${more} elsewhere` : ''}`),
    h(
      'span',
      { class: 'dl-kf-mini', 'aria-hidden': true },
      frames.map((f, n) =>
        picked.has(f.index)
          ? h('i', { key: f.index, style: { left: `${((n + 0.5) / frames.length) * 100}%` } })
          : null,
      ),
    ),
  ];
}

/**
 * Redundancy, repeated captions, and agreement with one's own row.
 * @param {{state: State, row: MethodRow | undefined}} props
 */
function Measures({ state, row }) {
  if (!row) return null;
  const { redundancy, repeated, agreement } = row;
  return h(
    'span',
    { class: 'dl-kf-measures' },
    redundancy === null
      ? null
      : h('span', { class: 'dl-kf-alike', title: ALIKE }, `alike ${redundancy.toFixed(2)}`),
    h('span', { class: 'dl-kf-repeats', title: REPEATS }, plural(repeated, 'repeat')),
    agreement
      ? h(
          'span',
          { class: 'dl-kf-agree', title: agreementWords(agreement, state.data.value.tolerance) },
          `F1 ${(agreement.f1 ?? 0).toFixed(2)}`,
        )
      : null,
  );
}

/**
 * @param {Agreement} agreement
 * @param {number} tolerance
 */
function agreementWords({ precision, recall, f1, matched, picked, wanted, exact }, tolerance) {
  /** @param {number | null} x */
  const share = (x) => (x === null ? '–' : x.toFixed(2));
  return `With your row, within ${plural(tolerance, 'candidate')} either way: precision ${share(precision)} (${matched} of ${picked}), recall ${share(recall)} (${matched} of ${wanted}), F1 ${share(f1)}; ${exact} are the very same frames`;
}

/** @param {{state: State, row: MethodRow, same: MethodRow[]}} props `same`: other methods with the very same frames */
function KeptRow({ state, row, same }) {
  const picked = new Set(row.frames);
  const key = methodOf(row);
  const others = same.map(methodOf).join(' and ');
  const note = [others ? `${others} ${same.length > 1 ? 'keep' : 'keeps'} the same frames` : '', row.note]
    .filter(Boolean)
    .join(' · ');
  const about = [
    h(Counted, { state, picked }),
    h('span', { class: 'dl-kf-second' }, h(Measures, { state, row }), row.baseline ? baselineBadge() : null),
    note ? h('span', { class: 'dl-kf-note' }, note) : null,
  ];
  return h(
    Row,
    {
      name: row.method === 'person' ? row.by || 'a person' : key,
      about,
      extra: 'dl-kf-method',
      title: [METHODS[key] || 'Picked by a person.', note].filter(Boolean).join(' '),
    },
    state.data.value.frames.map((frame, n) => {
      const lit = picked.has(frame.index);
      const why = `${frameName(frame.index)} ${readable(row.reasons[frame.index]) || (lit ? 'kept' : 'dropped')}`;
      return h(
        Cell,
        { key: frame.index, state, n, extra: `dl-kf-pick ${lit ? 'dl-kf-lit' : ''}`, title: why },
        picture(state, frame.index),
        lit ? icon('done') : null,
        h('span', { class: 'dl-unseen' }, why),
      );
    }),
  );
}

/**
 * Rows that keep the very same frames stand together: they are shown as one.
 * @param {MethodRow[]} rows
 */
const distinct = (rows) => [...Map.groupBy(rows, (row) => row.frames.join()).values()];

/** @param {{state: State}} props */
function OwnRow({ state }) {
  const picks = state.picks.value;
  const { kind, words } = state.saved.value;
  const about = [
    picks.size ? h(Counted, { state, picked: picks }) : h('span', { class: 'dl-kf-count' }),
    h(
      'span',
      { class: 'dl-kf-second' },
      picks.size ? h(Measures, { state, row: state.mine() }) : 'click frames, or Space ',
    ),
  ];
  return h(
    Row,
    {
      name: 'yours',
      about,
      extra: 'dl-kf-method dl-kf-mine',
      title: 'Your own selection: click, or press Space or x on a frame.',
      head: [
        'yours',
        h('span', { class: `dl-saved ${kind ? `dl-saved-${kind}` : ''}`, role: 'status' }, words),
      ],
    },
    state.data.value.frames.map((frame, n) =>
      h(OwnCell, { key: frame.index, state, index: frame.index, n, lit: picks.has(frame.index) }),
    ),
  );
}

/** @param {{state: State, index: number, n: number, lit: boolean}} props */
const OwnCell = ({ state, index, n, lit }) =>
  h(
    Cell,
    { state, n, inert: true },
    h(
      'button',
      {
        type: 'button',
        class: `dl-kf-pick dl-kf-own ${lit ? 'dl-kf-lit' : ''}`,
        tabIndex: state.isAt(n) ? 0 : -1,
        'aria-pressed': lit,
        'data-own': index,
        'aria-label': `Frame ${index} in your row`,
        title: lit ? 'Take it out' : 'Pick it',
        onClick: () => {
          state.go(n);
          state.toggle(n);
        },
      },
      picture(state, index),
      icon(lit ? 'done' : 'plus'),
    ),
  );
