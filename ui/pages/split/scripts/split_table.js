// The aligned reading view of the Split page: one row per clause of the full caption.
import { choice } from '../../../lib/parts/choice.js';
import {
  badge,
  baselineBadge,
  button,
  clear,
  dayAndTime,
  h,
  icon,
  mark,
  plural,
  wordCount,
} from '../../../lib/parts/elements_and_requests.js';
import { authorMarks, correctedMark } from '../../../lib/editor/editor.js';
import { keyHint } from '../../../lib/keys/keymap.js';
import { flawed, flawsOf, seenMark } from './split_findings.js';
import { pieces } from './split_text.js';

/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {import('./split_findings.js').Finding} Finding */
/** @typedef {import('./split_text.js').Column} Column */
/** @typedef {import('./split_text.js').Row} Row */
/** @typedef {import('./split_text.js').Side} Side */
/** @typedef {import('./split_text.js').Span} Span */
/** @typedef {import('./split_text.js').ColumnText} ColumnText */
/** @typedef {import('./split_text.js').Version} Version */
/** @typedef {import('../../../lib/parts/elements_and_requests.js').Content} Content */
/** @typedef {[from: number, to: number, label: Finding | string]} Mark over words of a text */

/**
 * @typedef {Object} Drawn what all rows are drawn with
 * @property {Object<string, string[]>} chars of each column
 * @property {Map<string, number>} names the row of each clause of a side
 * @property {Object<string, Mark[]>} marks of each column
 */

/** @type {Side[]} */
export const SIDES = ['spatial', 'temporal'];
/** @type {Column[]} */
export const COLUMNS = ['full', ...SIDES];
/** @type {Record<Row['state'], [state: string, words: string]>} */
export const STATES = {
  neither: ['failed', 'in neither'],
  both: ['neutral', 'in both'],
  spatial: ['done', 'in spatial'],
  temporal: ['done', 'in temporal'],
  extra: ['unparsed', 'not in the full caption'],
};

/** @param {Row} row */
export const stateMark = (row) => mark(...STATES[row.state]);

/**
 * One column's head: name, words, author, states, and what can be done.
 * @param {Page} page
 * @param {Column} name
 */
export function columnHead(page, name) {
  const text = page.data.texts[name];
  const editing = Boolean(page.editors[name]);
  const canEdit = page.frame.can('edit');
  return h(
    'div',
    { class: 'dl-sx-head', role: 'columnheader', 'data-column': name },
    h(
      'div',
      { class: 'dl-sx-headline' },
      h('h2', {}, name === 'full' ? 'full caption' : name),
      text ? h('span', { class: 'dl-sx-count' }, plural(wordCount(text.value), 'word')) : null,
      h('span', { class: 'dl-grow' }),
      (text || editing) && canEdit
        ? h(
            'button',
            {
              type: 'button',
              class: 'dl-button dl-button-quiet',
              'aria-pressed': String(editing),
              'data-name': `edit-${name}`,
              title: editing ? 'Back to the aligned clauses' : `Edit the ${name} text`,
              onclick: () => page.openByButton(name),
            },
            editing ? 'done' : 'edit',
            keyHint(`split.edit_${name}`),
          )
        : null,
    ),
    h(
      'div',
      { class: 'dl-sx-about' },
      text
        ? about(page, name, text)
        : [
            h('span', {}, `no ${name} text yet`),
            name === 'full' ? null : othersOf(page, name),
            canEdit && !editing
              ? button([`Write ${name}`, keyHint(`split.edit_${name}`)], () => page.openByButton(name), {
                  name: `write-${name}`,
                })
              : null,
          ],
    ),
  );
}

/**
 * CaReBench asks for 150 to 300 words of a full caption.
 * @param {Page} page
 * @param {string} value
 */
function target(page, value) {
  const words = wordCount(value);
  const [least, most] = page.data.words;
  const range = `${least} to ${most}`;
  if (words < least) return mark('failed', `short of ${range}`);
  return words > most ? mark('failed', `longer than ${range}`) : mark('done', `within ${range}`);
}

/**
 * @param {Page} page
 * @param {Column} name
 * @param {ColumnText} text
 */
function about(page, name, text) {
  const standIn = text.kind === 'vdc:detailed';
  return [
    author(page, name, text),
    name === 'full' ? target(page, text.value) : null,
    standIn ? badge('detailed VDC caption') : null,
    text.stale
      ? h(
          'span',
          { title: 'The full caption was changed after this was made from it' },
          mark('stale', 'the full caption has changed'),
        )
      : null,
    text.of_other
      ? h(
          'span',
          { title: 'It was made from another full caption than the one beside it' },
          mark('unparsed', 'of another full caption'),
        )
      : null,
    ['failed', 'unparsed'].includes(text.state) && !text.corrected
      ? h('span', { title: text.reason }, mark(text.state))
      : null,
    (text.by === 'run' || standIn) && text.value && page.frame.can('edit')
      ? button('Keep as mine', () => page.adopt(name), {
          kind: 'quiet',
          title: `Make it your own ${name} text: exports hold what people and data sets wrote`,
          name: `adopt-${name}`,
        })
      : null,
  ];
}

/**
 * Who wrote it; a choice where several did.
 * @param {Page} page
 * @param {Column} name
 * @param {ColumnText} text
 */
function author(page, name, text) {
  const versions = page.data.versions[name];
  // A clause that was sent and taken back leaves the machine's words.
  const shown = { ...text, corrected: text.corrected && text.value !== text.machine };
  if (versions.length < 2) return authorMarks(shown);
  /** @param {Version} v */
  const plain = (v) => `${v.author}${v.kind === 'vdc:detailed' ? ', detailed VDC' : ''}`;
  /** @param {Version} v */
  const words = (v) =>
    versions.filter((o) => plain(o) === plain(v)).length > 1
      ? `${plain(v)} · ${dayAndTime(v.created_at)}`
      : plain(v);
  return [
    choice(`${name} text by`, versions.map((v) => [v.id, words(v)]).reverse(), text.id, (id) =>
      page.show(name, id),
    ),
    shown.corrected ? correctedMark(shown) : text.baseline ? baselineBadge() : null,
  ];
}

/**
 * Splits of other full captions: they are not this one's, and stay readable.
 * @param {Page} page
 * @param {Side} name
 */
function othersOf(page, name) {
  const versions = page.data.versions[name];
  if (!versions.length) return null;
  const options = versions.map((v) => [v.id, `${v.author} · ${dayAndTime(v.created_at)}`]).reverse();
  return choice(`${name} text of another full caption`, [['', 'of other captions'], ...options], '', (id) =>
    page.show(name, id),
  );
}

/** @param {Page} page */
export function drawRows(page) {
  const { data, values } = page;
  const chars = Object.fromEntries(COLUMNS.map((name) => [name, Array.from(values[name])]));
  /** @type {Map<string, number>} */
  const names = new Map();
  data.rows.forEach((row, n) =>
    SIDES.forEach((side) => row[side].forEach((span) => names.set(`${side}:${span[0]}`, n + 1))),
  );
  const seen = Object.fromEntries(
    COLUMNS.map((name) => [
      name,
      (data.seen || [])
        .filter((one) => one.side === name)
        .map((one) => /** @type {Mark} */ ([one.start, one.end, 'seen'])),
    ]),
  );
  const marks = Object.fromEntries(
    COLUMNS.map((name) => [name, [...flawsOf(data.findings || [], name), ...seen[name]]]),
  );
  clear(
    page.rowsBox,
    data.rows.map((row, n) => drawRow(page, row, n, { chars, names, marks })),
  );
}

/**
 * @param {Page} page
 * @param {Row} row
 * @param {number} n
 * @param {Drawn} drawn
 */
function drawRow(page, row, n, drawn) {
  /** @type {(name: Column, span: Span) => Content} */
  const text = (name, span) =>
    inked(drawn.chars[name], span, row.shared[name], drawn.marks[name], page.findings.at);
  return h(
    'div',
    {
      class: `dl-sx-row dl-sx-${row.state} ${row.continues ? 'dl-sx-goes-on' : ''}`,
      role: 'row',
      tabindex: '-1',
      'data-row': n,
      'aria-selected': 'false',
      onclick: (event) => page.clicked(n, event),
      onfocus: () => page.select(n),
    },
    h(
      'div',
      { class: 'dl-sx-cell dl-sx-full', role: 'gridcell' },
      h('span', { class: 'dl-sx-number' }, row.full ? String(n + 1) : '+'),
      h(
        'div',
        {},
        row.full
          ? h('p', {}, text('full', row.full))
          : h('p', { class: 'dl-hint' }, 'These lean on no clause of the full caption.'),
        ['neither', 'both', 'extra'].includes(row.state)
          ? h('p', { class: 'dl-sx-state' }, stateMark(row))
          : null,
        page.proposal.why(row, n === page.at),
      ),
    ),
    SIDES.map((side) => sideCell(page, row, n, side, text, drawn.names)),
  );
}

/**
 * @param {Page} page
 * @param {Row} row
 * @param {number} n
 * @param {Side} side
 * @param {(name: Column, span: Span) => Content} text
 * @param {Map<string, number>} names
 */
function sideCell(page, row, n, side, text, names) {
  const own = row[side].map((span) => h('p', {}, text(side, span)));
  const also = row.also[side].map((span) =>
    h('p', { class: 'dl-sx-also' }, icon('link'), ` told in row ${names.get(`${side}:${span[0]}`)}`),
  );
  const there = own.length > 0;
  const words = there ? `Take away from ${side}` : `Send to ${side}`;
  const send =
    row.full && page.frame.can('edit')
      ? h(
          'button',
          {
            type: 'button',
            class: 'dl-button dl-button-quiet dl-sx-send',
            tabindex: '-1',
            'data-send': side,
            title: words,
            'aria-label': words,
            onclick: (event) => {
              event.stopPropagation();
              page.select(n);
              page.send(side);
            },
          },
          icon(there ? 'minus' : 'plus'),
          keyHint(`split.${side}`),
        )
      : null;
  // The line from the clause to its place.
  const line =
    row.full && (there || also.length)
      ? h('span', { class: `dl-sx-line ${there ? '' : 'dl-sx-line-also'}`, 'aria-hidden': 'true' })
      : null;
  return h(
    'div',
    { class: 'dl-sx-cell dl-sx-side', role: 'gridcell', 'data-side': side },
    line,
    h('div', {}, own, also, page.proposal.words(row, side)),
    send,
  );
}

/**
 * Words that the columns of a row have in common are inked while the row is looked at; findings are underlined.
 * @param {string[]} chars
 * @param {Span} span
 * @param {[from: number, to: number, label?: string][]} shared
 * @param {Mark[]} marks
 * @param {string} chosen the id of the finding in focus
 */
function inked(chars, span, shared, marks, chosen) {
  return pieces(chars, span, [
    ...shared.map(([from, to, label]) => /** @type {Mark} */ ([from, to, label || 'same'])),
    ...marks,
  ]).map(([text, labels]) => {
    const label = labels.find((one) => typeof one === 'string' && one !== 'seen');
    const words = labels.includes('seen') ? seenMark(text) : flawed(text, labels, chosen);
    return label ? h('span', { class: `dl-same dl-same-${label}` }, words) : words;
  });
}
