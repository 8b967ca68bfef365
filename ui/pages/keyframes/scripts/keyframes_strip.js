// The strip of the Keyframes page: candidates with captions, progress between them, one row per method.
import { baselineBadge, clear, h, icon, mark } from '../../../lib/parts/elements.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';

/** @typedef {import('./page_keyframes.js').Page} Page */
/** @typedef {import('./page_keyframes.js').Candidate} Candidate */
/** @typedef {import('./page_keyframes.js').Pair} Pair */
/** @typedef {import('./page_keyframes.js').MethodRow} MethodRow */
/** @typedef {import('../../../lib/parts/elements.js').Content} Content */
/** @typedef {import('../../../lib/parts/elements.js').Attributes} Attributes */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['RowAgreement']} Agreement */

/** @type {Object<string, string>} */
export const METHODS = {
  progression:
    'A frame is kept when the action has moved on since the frame before it; the first is always kept.',
  'as judged': 'What the judge’s own verdicts would keep, without people’s corrections.',
  uniform: 'The middles of equal stretches.',
  clusters:
    'One frame per group of frames that look alike (k-means; its own number of groups is 3 to 6, by silhouette).',
};
const ALIKE =
  'How much the row repeats itself: each kept frame’s similarity with the kept frame most like it, on average (0 to 1; lower says more)';
const REPEATS = 'Kept frames whose caption an earlier kept frame has already (nine tenths of the words)';

/**
 * The verdict on a pair of neighbours: yes, no, uncertain, or why there is none.
 * @param {Pair | undefined} pair
 */
export function pairMark(pair) {
  if (!pair) return mark('missing', 'none');
  if (pair.by)
    return h(
      'span',
      { class: 'dl-kf-put' },
      icon(pair.confirmed ? 'confirmed' : 'corrected'),
      mark({ yes: 'yes', no: 'no' }[pair.label] || 'neutral', pair.label),
    );
  if (pair.state !== 'done') return mark(pair.state);
  return mark({ yes: 'yes', no: 'no' }[pair.label] || 'neutral', pair.label);
}

/** @param {boolean} kept */
export const keepWords = (kept) => (kept ? mark('done', 'kept') : mark('missing', 'dropped'));

/**
 * `frame 30` of a reason as people read it.
 * @param {string | undefined} why
 */
export const readable = (why) => why?.replace(/frame (\d+)/g, (_, i) => frameName(Number(i)));

/**
 * Draws everything again.
 * @param {Page} page
 */
export function drawStrip(page) {
  const { strip } = page;
  const { frames } = page.data;
  strip.style.setProperty('--dl-kf-n', String(frames.length));
  strip.style.setProperty(
    '--dl-kf-shape',
    page.data.player.file ? `${page.data.player.width} / ${page.data.player.height}` : '16 / 9',
  );
  clear(
    strip,
    row(
      'frames',
      kept('', plural(frames.length, 'candidate')),
      frames.map((frame, n) => candidate(page, frame, n)),
      'dl-kf-frames',
    ),
    row(
      'captions',
      kept('', captionsBy(page)),
      frames.map((frame, n) => caption(page, frame, n)),
      'dl-kf-captions',
    ),
    row(
      'progress',
      kept('', judgedBy(page)),
      frames.map((_, n) => gap(page, n)),
      'dl-kf-gaps',
    ),
    distinct(page.machineRows()).map(([one, ...same]) => methodRow(page, one, same)),
    page.frame.can('edit') ? ownRow(page) : null,
    page.otherPeople().map((one) => methodRow(page, one)),
  );
}

/** @type {(name: string, about: Content, cells: Content, extra: string, title?: string, head?: Content) => HTMLElement} */
const row = (name, about, cells, extra, title = '', head = name) =>
  h(
    'div',
    { class: `dl-kf-row ${extra}`, role: 'row', 'data-name': name },
    h('div', { class: 'dl-kf-name', role: 'rowheader', title: title || null }, h('b', {}, head), about),
    cells,
  );

/**
 * A row's name with what it kept, and a second line.
 * @param {Content} count
 * @param {...Content} second
 */
const kept = (count, ...second) => [
  h('span', { class: 'dl-kf-count' }, count),
  h('span', { class: 'dl-kf-second' }, second),
];

/** @type {(page: Page, n: number, content: Content, extra?: Attributes) => HTMLElement} */
const cell = (page, n, content, extra = {}) =>
  h(
    'div',
    { class: 'dl-kf-cell', role: 'gridcell', 'data-n': n, onclick: () => page.go(n), ...extra },
    content,
  );

/** @param {Page} page */
function captionsBy(page) {
  const author = page.author();
  return h(
    'span',
    { class: 'dl-kf-by' },
    author?.baseline ? baselineBadge() : author?.name || page.data.frames[0]?.caption.author || '',
  );
}

/** @param {Page} page */
function judgedBy(page) {
  const { judge, pairs } = page.data;
  if (!pairs.length) return 'not judged yet';
  return h(
    'span',
    { class: 'dl-kf-by' },
    'moved on since? ',
    judge?.baseline ? baselineBadge() : judge?.model || '',
  );
}

/** @type {(page: Page, index: number, alt?: string) => HTMLElement} */
const picture = (page, index, alt = '') =>
  page.data.player.file
    ? h('img', {
        src: `/media/${page.data.video.id}/strip/${index}.jpg`,
        alt,
        loading: 'lazy',
        draggable: false,
      })
    : h('span', { class: 'dl-kf-nopicture' }, 'no file');

/**
 * @param {Page} page
 * @param {Candidate} frame
 * @param {number} n
 */
function candidate(page, frame, n) {
  const words = `Frame ${frame.index}${frame.seconds === null ? '' : ` at ${clock(frame.seconds)}`}`;
  return cell(
    page,
    n,
    h(
      'button',
      {
        type: 'button',
        class: 'dl-kf-frame',
        tabindex: '-1',
        'aria-label': `${words}${page.keptBy(frame.index) ? ', kept by progression' : ''}`,
        'data-index': frame.index,
      },
      picture(page, frame.index),
      h('b', {}, frameName(frame.index)),
      h('span', {}, frame.seconds === null ? '–' : clock(frame.seconds)),
    ),
  );
}

/**
 * @param {Page} page
 * @param {Candidate} frame
 * @param {number} n
 */
function caption(page, frame, n) {
  const { state, value, corrected, reason, stale } = frame.caption;
  const flags = [
    corrected ? mark('corrected', '') : null,
    stale ? mark('stale', '') : null,
    frame.other_frames.length ? mark('flagged', 'other frame') : null,
  ].filter(Boolean);
  return cell(
    page,
    n,
    [
      frame.readable ? h('span', { class: 'dl-kf-words' }, value || '(empty)') : mark(state),
      flags.length ? h('span', { class: 'dl-kf-flags' }, flags) : null,
    ],
    { title: (frame.readable ? value : reason) || null },
  );
}

/**
 * Between candidate n - 1 and n: it stands on the border of the two columns.
 * @param {Page} page
 * @param {number} n
 */
function gap(page, n) {
  if (!n) return h('div', { class: 'dl-kf-cell', role: 'gridcell', 'data-n': 0 });
  const pair = page.pair(n);
  const [a, b] = [pair?.frames[0] ?? page.data.frames[n - 1].index, page.data.frames[n].index];
  /** @param {Event} event */
  const show = (event) => page.explain(n, /** @type {HTMLElement} */ (event.currentTarget));
  return cell(
    page,
    n,
    h(
      'button',
      {
        type: 'button',
        class: 'dl-kf-gap',
        tabindex: '-1',
        'data-gap': b,
        'aria-label': `From frame ${a} to frame ${b}: ${pair ? pair.label || pair.state : 'no verdict'}. ${page.why(n)}`,
        onmouseenter: show,
        onfocus: show,
        onmouseleave: () => page.explain(),
        onblur: () => page.explain(),
      },
      pairMark(pair),
      pair?.stale ? mark('stale', '') : null,
    ),
  );
}

// --- rows -----------------------------------------------------------------------------

/**
 * @param {Page} page
 * @param {Set<number>} picked
 */
function counted(page, picked) {
  const here = page.data.frames.filter((f) => picked.has(f.index)).length;
  const more = picked.size - here;
  return `${here} of ${page.data.frames.length}${more ? ` + ${more} elsewhere` : ''}`;
}

/**
 * Where in the video the picks lie, however far the strip is scrolled.
 * @param {Page} page
 * @param {Set<number>} picked
 */
function mini(page, picked) {
  const { frames } = page.data;
  return h(
    'span',
    { class: 'dl-kf-mini', 'aria-hidden': 'true' },
    frames.map((f, n) =>
      picked.has(f.index) ? h('i', { style: { left: `${((n + 0.5) / frames.length) * 100}%` } }) : null,
    ),
  );
}

/**
 * Redundancy, repeated captions, and agreement with one's own row.
 * @param {Page} page
 * @param {MethodRow | undefined} data
 */
function measures(page, data) {
  if (!data) return null;
  const { redundancy, repeated, agreement: a } = data;
  const lines = [
    redundancy === null
      ? null
      : h('span', { class: 'dl-kf-alike', title: ALIKE }, `alike ${redundancy.toFixed(2)}`),
    h('span', { class: 'dl-kf-repeats', title: REPEATS }, plural(repeated, 'repeat')),
    a
      ? h('span', { class: 'dl-kf-agree', title: agreementWords(page, a) }, `F1 ${(a.f1 ?? 0).toFixed(2)}`)
      : null,
  ];
  return h('span', { class: 'dl-kf-measures' }, lines);
}

/**
 * @param {Page} page
 * @param {Agreement} a
 */
export function agreementWords(page, a) {
  /** @param {number | null} x */
  const share = (x) => (x === null ? '–' : x.toFixed(2));
  return `With your row, within ${plural(page.data.tolerance, 'candidate')} either way: precision ${share(a.precision)} (${a.matched} of ${a.picked}), recall ${share(a.recall)} (${a.matched} of ${a.wanted}), F1 ${share(a.f1)}; ${a.exact} are the very same frames`;
}

/**
 * @param {Page} page
 * @param {MethodRow} data
 * @param {MethodRow[]} same other methods that keep the very same frames
 */
function methodRow(page, data, same = []) {
  const picked = new Set(data.frames);
  /** @param {MethodRow} one */
  const keyOf = (one) => (one.key === 'as judged' ? 'as judged' : one.method);
  const key = keyOf(data);
  const name = data.method === 'person' ? data.by || 'a person' : key;
  const others = same.map(keyOf).join(' and ');
  const note = [others ? `${others} ${same.length > 1 ? 'keep' : 'keeps'} the same frames` : '', data.note]
    .filter(Boolean)
    .join(' · ');
  const about = [
    h('span', { class: 'dl-kf-count' }, counted(page, picked)),
    mini(page, picked),
    h('span', { class: 'dl-kf-second' }, measures(page, data), data.baseline ? baselineBadge() : null),
    note ? h('span', { class: 'dl-kf-note' }, note) : null,
  ];
  return row(
    name,
    about,
    page.data.frames.map((frame, n) => {
      const lit = picked.has(frame.index);
      const why = readable(data.reasons[frame.index]) || (lit ? 'kept' : 'dropped');
      return cell(
        page,
        n,
        [
          picture(page, frame.index),
          lit ? icon('done') : null,
          h('span', { class: 'dl-unseen' }, `${frameName(frame.index)} ${why}`),
        ],
        {
          class: `dl-kf-cell dl-kf-pick ${lit ? 'dl-kf-lit' : ''}`,
          title: `${frameName(frame.index)} ${why}`,
        },
      );
    }),
    'dl-kf-method',
    [METHODS[key] || 'Picked by a person.', note].filter(Boolean).join(' '),
  );
}

/**
 * Rows that keep the very same frames stand together: they are shown as one.
 * @param {MethodRow[]} rows
 */
function distinct(rows) {
  /** @type {Map<string, MethodRow[]>} */
  const found = new Map();
  for (const one of rows) {
    const key = one.frames.join();
    found.set(key, [...(found.get(key) || []), one]);
  }
  return [...found.values()];
}

/** @param {Page} page */
function ownRow(page) {
  const { picks } = page;
  const about = [
    h('span', { class: 'dl-kf-count' }, picks.size ? counted(page, picks) : ''),
    picks.size ? mini(page, picks) : null,
    h(
      'span',
      { class: 'dl-kf-second' },
      picks.size ? measures(page, page.mine()) : 'click frames, or Space ',
    ),
  ];
  return row(
    'yours',
    about,
    page.data.frames.map((frame, n) => {
      const lit = picks.has(frame.index);
      return h(
        'div',
        { class: 'dl-kf-cell', role: 'gridcell', 'data-n': n },
        h(
          'button',
          {
            type: 'button',
            class: `dl-kf-pick dl-kf-own ${lit ? 'dl-kf-lit' : ''}`,
            tabindex: '-1',
            'aria-pressed': String(lit),
            'data-own': frame.index,
            'aria-label': `Frame ${frame.index} in your row`,
            title: lit ? 'Take it out' : 'Pick it',
            onclick: () => {
              page.go(n);
              page.toggle(n);
            },
          },
          picture(page, frame.index),
          icon(lit ? 'done' : 'plus'),
        ),
      );
    }),
    'dl-kf-method dl-kf-mine',
    'Your own selection: click, or press Space or x on a frame.',
    ['yours', page.status],
  );
}
