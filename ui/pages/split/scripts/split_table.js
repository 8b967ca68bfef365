// The aligned reading view of the Split page: one row per clause of the full caption, and the editors over its columns.
import { h, render, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { held, icon, keyHint, mark } from '../../../lib/components/small_components.js';
import { ColumnHead } from './split_heads.js';
import { ProposalBar, ProposedPlace, ProposedWords } from './split_proposal.js';
import { COLUMNS, pieces, SIDES } from './split_text.js';

/** @typedef {import('./split_state.js').SplitState} SplitState */
/** @typedef {import('./split_findings.js').Finding} Finding */
/** @typedef {import('./split_text.js').Column} Column */
/** @typedef {import('./split_text.js').Row} Row */
/** @typedef {import('./split_text.js').Side} Side */
/** @typedef {import('./split_text.js').Span} Span */
/** @typedef {import('./split_text.js').ColumnText} ColumnText */
/** @typedef {import('./split_text.js').Version} Version */
/** @typedef {[from: number, to: number, label: Finding | string]} Marked words of a text */
/** @typedef {{chars: string[], marks: Marked[]}} Ink the letters of a column, and what lies over them */

/** @type {Record<Row['state'], [state: string, words: string]>} */
const STATES = {
  neither: ['failed', 'in neither'],
  both: ['neutral', 'in both'],
  spatial: ['done', 'in spatial'],
  temporal: ['done', 'in temporal'],
  extra: ['unparsed', 'not in the full caption'],
};

/** @param {Row} row */
export const rowState = ({ state }) => mark(...STATES[state]);

/** @param {{split: SplitState}} props */
export function SplitTable({ split }) {
  const rows = useRef(/** @type {HTMLDivElement | null} */ (null));
  const table = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => {
    const { offsetWidth, clientWidth } = rows.current;
    table.current.style.setProperty('--dl-gutter', `${offsetWidth - clientWidth}px`);
  });
  return h(
    'div',
    { ref: table, class: 'dl-sx-table', role: 'grid', 'aria-label': 'Clauses' },
    h(
      'div',
      { class: 'dl-sx-heads', role: 'row' },
      COLUMNS.map((name) => h(ColumnHead, { key: name, split, name })),
    ),
    h('div', null, h(ProposalBar, { proposal: split.proposal })),
    h(
      'div',
      { class: 'dl-sx-body' },
      h('div', { ref: rows, class: 'dl-sx-rows', role: 'rowgroup' }, h(Rows, { split })),
      h(
        'div',
        { class: 'dl-sx-editors' },
        COLUMNS.map((name, n) =>
          split.editors.value[name] ? h(OpenEditor, { key: name, split, name, n }) : null,
        ),
      ),
    ),
  );
}

// --- rows -------------------------------------------------------------------------------

/** @param {{split: SplitState}} props */
function Rows({ split }) {
  const nodes = useRef(/** @type {Map<number, HTMLElement>} */ (new Map()));
  const { rows, seen = [], findings = [] } = split.data.value;
  const { values } = split;
  const at = split.at.value;
  const chosen = split.findings.at.value;
  const focusing = split.focusing.value;
  split.letters.value; // what is typed is underlined as the texts are
  const ink = Object.fromEntries(
    COLUMNS.map((name) => [
      name,
      {
        chars: Array.from(values[name]),
        marks: [
          ...flawsOf(findings, name),
          ...seen
            .filter((one) => one.side === name)
            .map((one) => /** @type {Marked} */ ([one.start, one.end, 'seen'])),
        ],
      },
    ]),
  );
  /** @type {Map<string, number>} the row of each clause of a side */
  const rowOf = new Map();
  rows.forEach((row, n) =>
    SIDES.forEach((side) => row[side].forEach((span) => rowOf.set(`${side}:${span[0]}`, n + 1))),
  );
  useLayoutEffect(() => {
    if (!focusing) return;
    nodes.current.get(at)?.focus({ preventScroll: true });
    nodes.current.get(at)?.scrollIntoView({ block: 'nearest' });
  }, [focusing]);
  useLayoutEffect(() => {
    if (!chosen) return;
    const row = nodes.current.get(at);
    const flawed = row?.parentElement.querySelector('.dl-flaw-here')?.closest('.dl-sx-row');
    (flawed || row)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return rows.map((row, n) =>
    h(ClauseRow, {
      key: row.full ? `full ${row.full[0]}` : `extra ${n}`,
      split,
      row,
      n,
      here: n === at,
      ink,
      rowOf,
      chosen,
      hold: (node) => (node ? nodes.current.set(n, node) : nodes.current.delete(n)),
    }),
  );
}

/**
 * @param {{split: SplitState, row: Row, n: number, here: boolean, ink: Record<string, Ink>, rowOf: Map<string, number>,
 *   chosen: string, hold: (node: HTMLElement | null) => void}} props
 */
function ClauseRow({ split, row, n, here, ink, rowOf, chosen, hold }) {
  /** @param {MouseEvent} event */
  const click = (event) => {
    split.at.value = n;
    const flaw = /** @type {HTMLElement} */ (event.target).closest('.dl-flaw');
    const id = /** @type {HTMLElement | null} */ (flaw)?.dataset.finding;
    if (id) split.findings.choose(id);
  };
  return h(
    'div',
    {
      ref: hold,
      class: `dl-sx-row dl-sx-${row.state} ${row.continues ? 'dl-sx-goes-on' : ''}`,
      role: 'row',
      tabIndex: here ? 0 : -1,
      'data-row': n,
      'aria-selected': here,
      onClick: click,
      onFocus: () => {
        split.at.value = n;
      },
    },
    h(
      'div',
      { class: 'dl-sx-cell dl-sx-full', role: 'gridcell' },
      h('span', { class: 'dl-sx-number' }, row.full ? String(n + 1) : '+'),
      h(
        'div',
        null,
        row.full
          ? h('p', null, h(Inked, { ink: ink.full, span: row.full, shared: row.shared.full, chosen }))
          : h('p', { class: 'dl-hint' }, 'These lean on no clause of the full caption.'),
        ['neither', 'both', 'extra'].includes(row.state)
          ? h('p', { class: 'dl-sx-state' }, rowState(row))
          : null,
        h(ProposedPlace, { proposal: split.proposal, row, chosen: here }),
      ),
    ),
    SIDES.map((side) => h(SideCell, { key: side, split, row, n, side, here, ink: ink[side], rowOf, chosen })),
  );
}

/**
 * @param {{split: SplitState, row: Row, n: number, side: Side, here: boolean, ink: Ink, rowOf: Map<string, number>,
 *   chosen: string}} props
 */
function SideCell({ split, row, n, side, here, ink, rowOf, chosen }) {
  const there = row[side].length > 0;
  const words = there ? `Take away from ${side}` : `Send to ${side}`;
  /** @param {MouseEvent} event */
  const send = (event) => {
    event.stopPropagation();
    split.at.value = n;
    split.sending.send(side);
  };
  return h(
    'div',
    { class: 'dl-sx-cell dl-sx-side', role: 'gridcell', 'data-side': side },
    // The line from the clause to its place.
    row.full && (there || row.also[side].length)
      ? h('span', { class: `dl-sx-line ${there ? '' : 'dl-sx-line-also'}`, 'aria-hidden': true })
      : null,
    h(
      'div',
      null,
      row[side].map((span) =>
        h('p', { key: span[0] }, h(Inked, { ink, span, shared: row.shared[side], chosen })),
      ),
      row.also[side].map((span) =>
        h(
          'p',
          { key: `also ${span[0]}`, class: 'dl-sx-also' },
          icon('link'),
          ` told in row ${rowOf.get(`${side}:${span[0]}`)}`,
        ),
      ),
      h(ProposedWords, { proposal: split.proposal, row, n, side }),
    ),
    row.full && split.canEdit
      ? h(
          'button',
          {
            type: 'button',
            class: 'dl-button dl-button-quiet dl-sx-send',
            tabIndex: here ? 0 : -1,
            'data-send': side,
            title: words,
            'aria-label': words,
            onClick: send,
          },
          icon(there ? 'minus' : 'plus'),
          keyHint(`split.${side}`),
        )
      : null,
  );
}

// --- words ------------------------------------------------------------------------------

/**
 * Words that the columns of a row have in common are inked while the row is looked at; findings are underlined.
 * @param {{ink: Ink, span: Span, shared: [from: number, to: number, label?: string][], chosen: string}} props
 */
const Inked = ({ ink, span, shared, chosen }) =>
  pieces(ink.chars, span, [
    ...shared.map(([from, to, label]) => /** @type {Marked} */ ([from, to, label || 'same'])),
    ...ink.marks,
  ]).map(([text, labels]) => {
    const label = labels.find((one) => typeof one === 'string' && one !== 'seen');
    const words = labels.includes('seen')
      ? h(
          'span',
          { class: 'dl-seen-text', title: 'Quoted: text that is seen in the picture, it may stay' },
          text,
        )
      : flawed(text, labels, chosen);
    return label ? h('span', { class: `dl-same dl-same-${label}` }, words) : words;
  });

/**
 * Marks for `pieces` of one text.
 * @type {(findings: Finding[], side: Column) => Marked[]}
 */
const flawsOf = (findings, side) =>
  findings.filter((one) => one.side === side && one.end > one.start).map((one) => [one.start, one.end, one]);

/**
 * A piece of text under findings: underlined, with what they say.
 * @param {string} text
 * @param {(Finding | string)[]} labels
 * @param {string} chosen the id of the one in focus
 */
function flawed(text, labels, chosen) {
  const found = labels.filter((label) => typeof label !== 'string');
  if (!found.length) return text;
  const open = found.filter((one) => !one.dismissal);
  const here = found.some((one) => one.id === chosen);
  const title = found
    .map(
      (one) =>
        `${one.name}: ${one.dismissal ? `dismissed by ${one.dismissal.by}: ${one.dismissal.reason}` : one.why}`,
    )
    .join('\n');
  return h(
    'mark',
    {
      class: `dl-flaw ${open.length ? '' : 'dl-flaw-dismissed'} ${here ? 'dl-flaw-here' : ''}`,
      title,
      'data-finding': found[0].id,
    },
    text,
  );
}

// --- editors ----------------------------------------------------------------------------

/**
 * The editor of a column, with the findings underlined under what is typed.
 * @param {{split: SplitState, name: Column, n: number}} props
 */
function OpenEditor({ split, name, n }) {
  const editor = split.editors.value[name];
  const mirror = useRef(document.createElement('div'));
  const chars = Array.from(editor.words.value); // drawn again with every letter
  const findings = split.data.value.findings || [];
  useLayoutEffect(() => {
    Object.assign(mirror.current, { className: 'dl-sf-mirror', ariaHidden: 'true' });
    editor.area.before(mirror.current);
    if (split.takesCaret === name) editor.area.focus();
    split.takesCaret = '';
  }, [editor]);
  render(
    pieces(chars, [0, chars.length], flawsOf(findings, name)).map(([text, labels]) =>
      flawed(text, labels, split.findings.at.value),
    ),
    mirror.current,
  );
  return h(
    'div',
    {
      class: 'dl-sx-editor',
      role: 'row',
      'data-editor': name,
      style: { left: `calc(${n} * (100% - var(--dl-gutter)) / 3)` },
    },
    h('div', { role: 'gridcell' }, held(editor.node)),
  );
}
