// The table of the Merge tab: a row per part with the texts of two writers and the merged one.
import { h, render, useLayoutEffect } from '../../../lib/components/component.js';
import {
  button,
  choice,
  empty,
  held,
  hint,
  icon,
  mark,
  toLibrary,
} from '../../../lib/components/small_components.js';
import { diffView, wordDiff } from '../../../lib/parts/diff_and_merge.js';
import { plural, wordCount } from '../../../lib/parts/words.js';
import { openField } from '../../../lib/keys/keymap.js';
import { fits, PartEditor, workOf } from './aspects_view.js';

/** @typedef {import('./aspects_merge.js').View} View */
/** @typedef {[kind: 'same' | 'gone' | 'new', text: string]} Stretch of the difference between two texts */

const LEAST = 3; // words in a row
/** @param {number} share */
const percent = (share) => `${Math.round(share * 100)} %`;

/**
 * Single words in common are chance between two people's texts: only stretches of them count as the same.
 * @param {Stretch[]} parts
 * @returns {Stretch[]}
 */
const stretches = (parts) =>
  parts.flatMap(([kind, text]) =>
    kind === 'same' && wordCount(text) < LEAST
      ? [
          ['gone', text],
          ['new', text],
        ]
      : [[kind, text]],
  );

/**
 * One side of the difference: what is the same and what is only here, neighbours as one.
 * @param {Stretch[]} parts
 * @param {'gone' | 'new'} side
 */
function joined(parts, side) {
  /** @type {Stretch[]} */
  const out = [];
  for (const [kind, text] of parts.filter(([k]) => k === 'same' || k === side)) {
    if (out.at(-1)?.[0] === kind) out.at(-1)[1] += text;
    else out.push([kind, text]);
  }
  return out;
}

/** The two columns of writers: what is only there, and the key that takes it. */
const SIDES = /** @type {const} */ ([
  { side: 'left', kind: 'gone', own: 'dl-as-only-left', key: 'split.edit_full' },
  { side: 'right', kind: 'new', own: 'dl-as-only-right', key: 'split.edit_spatial' },
]);

/** @param {{view: View}} props */
export function MergeTable({ view }) {
  const { data } = view;
  if (!data) return null;
  if (!data.writers.length)
    return empty(
      'Nobody was given this video to write its four parts.',
      hint(
        'Give it to two annotators in the Library, task “aspects”; when both are done, an expert merges here.',
      ),
      toLibrary(),
    );
  return h(
    'div',
    { class: 'dl-as-grid', role: 'grid', 'aria-label': 'Parts' },
    h(
      'div',
      { class: 'dl-as-heads', role: 'row' },
      h(WriterHead, { view, side: 0 }),
      data.writers.length > 1
        ? h(WriterHead, { view, side: 1 })
        : h('div', { class: 'dl-as-colhead', role: 'columnheader' }, h('h2', null, 'nobody else')),
      h(MergeHead, { view }),
    ),
    data.parts.map(([name, words], n) => h(PartRow, { key: name, view, name, words, n })),
  );
}

// --- heads ------------------------------------------------------------------------------

/** @param {{view: View, side: 0 | 1}} props */
function WriterHead({ view, side }) {
  const { parts, writers } = view.data;
  const writer = writers[view.pair[side]];
  const { texts, work } = writer;
  const words = texts && parts.reduce((sum, [name]) => sum + wordCount(texts[name]?.value || ''), 0);
  return h(
    'div',
    { class: 'dl-as-colhead', role: 'columnheader', 'data-writer': writer.name },
    h(
      'div',
      { class: 'dl-row' },
      writers.length > 2
        ? choice(
            `${SIDES[side].side} text by`,
            writers.map((w) => [w.id, w.name]),
            writer.id,
            (id) => view.show(side, id),
          )
        : h('h2', null, writer.name),
      h('span', { class: 'dl-grow' }),
      view.returnable.includes(writer)
        ? button('Return', () => openField('return', () => view.giveBack(writer)), {
            kind: 'quiet',
            title: 'Give it back with a comment',
            name: 'return-work',
          })
        : null,
    ),
    h('div', { class: 'dl-as-about' }, workOf(work), texts ? h('span', null, plural(words, 'word')) : null),
    work.note ? h('p', { class: 'dl-queue-note' }, work.note) : null,
  );
}

/** @param {{view: View}} props */
function MergeHead({ view }) {
  const { merge } = view.data;
  return h(
    'div',
    { class: 'dl-as-colhead', role: 'columnheader' },
    h('div', { class: 'dl-row' }, h('h2', null, merge ? `merged by ${merge.name}` : 'merged')),
    h(
      'div',
      { class: 'dl-as-about' },
      merge ? [workOf(merge.work), h(MergedWords, { view })] : h('span', null, 'not begun'),
    ),
  );
}

/** @param {{view: View}} props */
const MergedWords = ({ view }) =>
  h(
    'p',
    { class: 'dl-as-sum', role: 'status' },
    view.editors.size ? [plural(view.count, 'word'), ' ', fits(view.count, view.data.words)] : null,
  );

// --- rows -------------------------------------------------------------------------------

/** @param {{view: View, name: string, words: string, n: number}} props */
function PartRow({ view, name, words, n }) {
  const [left, right] = view.texts(name);
  const parts = left && right ? stretches(wordDiff(left, right)) : [];
  const both = view.data.agreement[name];
  const here = view.at.value === n;
  const select = () => {
    view.at.value = n;
  };
  return h(
    'div',
    {
      class: 'dl-as-row',
      role: 'row',
      tabIndex: here ? 0 : -1,
      'data-row': n,
      'data-part': name,
      'aria-selected': here,
      onClick: select,
      onFocusIn: select,
    },
    h(
      'div',
      { class: 'dl-as-rowhead', role: 'rowheader' },
      h('h3', null, words),
      both
        ? h(
            'span',
            {
              class: 'dl-hint',
              title: 'How far the two agree: ROUGE-L F1, and the share of content words that both use',
            },
            `ROUGE-L ${percent(both.rouge_l)} · ${percent(both.shared)} of content words shared`,
          )
        : null,
    ),
    h(WriterCell, { view, name, words, n, text: left, parts, column: 0 }),
    view.data.writers.length > 1
      ? h(WriterCell, { view, name, words, n, text: right, parts, column: 1 })
      : h('div', { class: 'dl-as-cell', role: 'gridcell' }),
    h(MergedCell, { view, name }),
  );
}

/**
 * @param {{view: View, name: string, words: string, n: number, text: string | null, parts: Stretch[],
 *   column: 0 | 1}} props
 */
function WriterCell({ view, name, words, n, text, parts, column }) {
  const { side, kind, own, key } = SIDES[column];
  const was = view.was(name);
  /** What it says: what was rewritten since it was merged, or what is only here. */
  const shown = () => {
    if (text === null) return hint('shown when all who write are done');
    if (was?.side === column)
      return [
        hint(
          mark('stale', 'rewritten since it was merged'),
          ' ',
          h('del', null, 'words merged'),
          ' ',
          h('ins', null, 'words now'),
        ),
        held(diffView(was.words, text, `${words} by ${was.by}: merged words and words now`)),
      ];
    const found = joined(parts, kind).map(([k, t]) =>
      k === 'same' ? t : h('span', { class: own, title: 'only here' }, t),
    );
    if (found.length) return h('p', { class: 'dl-as-words' }, found);
    return h('p', { class: 'dl-as-words' }, text || h('span', { class: 'dl-hint' }, 'nothing written'));
  };
  const take = () => {
    view.at.value = n;
    view.choose(side);
  };
  return h(
    'div',
    { class: 'dl-as-cell', role: 'gridcell', 'data-side': side },
    shown(),
    view.mine && text
      ? button([icon('next'), `Take ${side}`], take, { kind: 'quiet', name: `take-${side}`, hint: key })
      : null,
  );
}

/** @param {{view: View, name: string}} props */
function MergedCell({ view, name }) {
  const { merge } = view.data;
  const editor = view.editors.get(name);
  const how = view.how(name);
  useLayoutEffect(() => {
    if (editor) render(mark(...how), editor.node.querySelector('.dl-as-from'));
  });
  return h(
    'div',
    { class: 'dl-as-cell dl-as-merged', role: 'gridcell', 'data-how': merge?.from?.[name]?.how },
    editor
      ? h(PartEditor, { view, name })
      : hint(merge ? (merge.texts ? 'nothing yet' : 'shown when all who write are done') : ''),
  );
}
