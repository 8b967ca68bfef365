// The aligned reading view of the Split page: one row per sentence of the full caption.
import { badge, baselineBadge, button, clear, dayAndTime, h, icon, mark, plural, wordCount } from './core.js';
import { keyHint } from './keymap.js';
import { pieces } from './split_text.js';

export const SIDES = ['spatial', 'temporal'];
export const COLUMNS = ['full', ...SIDES];
export const STATES = {
  neither: ['failed', 'in neither'], both: ['neutral', 'in both'], spatial: ['done', 'in spatial'], temporal: ['done', 'in temporal'],
  extra: ['unparsed', 'not in the full caption'],
};

export const stateMark = (row) => mark(...STATES[row.state]);

/** One column's head: name, words, author, states, and what can be done. `page` is the Split page. */
export function columnHead(page, name, number) {
  const text = page.data.texts[name];
  const editing = Boolean(page.editors[name]);
  const canEdit = page.frame.can('edit');
  return h('div', { class: 'dl-sx-head', role: 'columnheader', 'data-column': name },
    h('div', { class: 'dl-sx-headline' }, h('h2', {}, name === 'full' ? 'full caption' : name), text ? h('span', { class: 'dl-sx-count' }, plural(wordCount(text.value), 'word')) : null, h('span', { class: 'dl-grow' }),
      text && canEdit ? h('button', { type: 'button', class: 'dl-button dl-button-quiet', 'aria-pressed': String(editing), 'data-name': `edit-${name}`, title: editing ? 'Back to the aligned sentences' : `Edit the ${name} text`, onclick: () => page.edit(name) }, editing ? 'done' : 'edit', keyHint(`split.edit_${name}`)) : null),
    h('div', { class: 'dl-sx-about' }, text ? about(page, name, text) : [h('span', {}, `no ${name} text yet`),
      canEdit ? button(`Write ${name}`, () => page.write(name), { name: `write-${name}` }) : null]));
}

/** CaReBench asks for 150 to 300 words of a full caption. */
function target(page, value) {
  const words = wordCount(value);
  const [least, most] = page.data.words;
  const range = `${least} to ${most}`;
  if (words < least) return mark('failed', `short of ${range}`);
  return words > most ? mark('failed', `longer than ${range}`) : mark('done', `within ${range}`);
}

function about(page, name, text) {
  const standIn = text.kind === 'vdc:detailed';
  const elsewhere = name !== 'full' && text.source && page.data.texts.full && text.source !== page.data.texts.full.id;
  return [
    author(page, name, text), name === 'full' ? target(page, text.value) : null,
    text.baseline ? baselineBadge() : null, standIn ? badge('detailed VDC caption') : null,
    text.corrected && text.by !== 'person' ? mark('corrected') : null,
    text.stale ? h('span', { title: 'The full caption was changed after this was made from it' }, mark('stale', 'the full caption has changed')) : null,
    elsewhere ? h('span', { title: 'It was made from another full caption than the one beside it' }, mark('unparsed', 'of another full caption')) : null,
    ['failed', 'unparsed'].includes(text.state) && !text.corrected ? h('span', { title: text.reason }, mark(text.state)) : null,
    (text.by === 'run' || standIn) && text.value && page.frame.can('edit')
      ? button('Keep as mine', () => page.adopt(name), { kind: 'quiet', title: `Make it your own ${name} text: exports hold what people and data sets wrote`, name: `adopt-${name}` }) : null,
  ];
}

/** Who wrote it; a choice where several did. */
function author(page, name, text) {
  const versions = page.data.versions[name];
  if (versions.length < 2) return badge(text.author);
  const plain = (v) => `${v.author}${v.kind === 'vdc:detailed' ? ', detailed VDC' : ''}`;
  const words = (v) => (versions.filter((o) => plain(o) === plain(v)).length > 1 ? `${plain(v)} · ${dayAndTime(v.created_at)}` : plain(v));
  const select = h('select', { class: 'dl-select', 'aria-label': `${name} text by`, onchange: () => page.show(name, select.value) },
    versions.map((v) => h('option', { value: v.id }, words(v))).reverse());
  select.value = text.id;
  return select;
}

export function drawRows(page) {
  const chars = Object.fromEntries(COLUMNS.map((name) => [name, Array.from(page.data.texts[name]?.value || '')]));
  const names = new Map();
  page.data.rows.forEach((row, n) => SIDES.forEach((side) => row[side].forEach((span) => names.set(`${side}:${span[0]}`, n + 1))));
  clear(page.rowsBox, page.data.rows.map((row, n) => drawRow(page, row, n, chars, names)));
}

function drawRow(page, row, n, chars, names) {
  const node = h('div', { class: `dl-sx-row dl-sx-${row.state}`, role: 'row', tabindex: '-1', 'data-row': n, 'aria-selected': 'false', onclick: () => page.select(n), onfocus: () => page.select(n) },
    h('div', { class: 'dl-sx-cell dl-sx-full', role: 'gridcell' },
      h('span', { class: 'dl-sx-number' }, row.full ? String(n + 1) : '+'),
      h('div', {}, row.full ? h('p', {}, inked(chars.full, row.full, row.shared.full)) : h('p', { class: 'dl-hint' }, 'These sentences lean on no sentence of the full caption.'),
        ['neither', 'both', 'extra'].includes(row.state) ? h('p', { class: 'dl-sx-state' }, stateMark(row)) : null)),
    SIDES.map((side) => sideCell(page, row, n, side, chars[side], names)));
  return node;
}

function sideCell(page, row, n, side, chars, names) {
  const own = row[side].map((span) => h('p', {}, inked(chars, span, row.shared[side])));
  const also = row.also[side].map((span) => h('p', { class: 'dl-sx-also' }, icon('link'), ` told in row ${names.get(`${side}:${span[0]}`)}`));
  const there = own.length > 0;
  const words = there ? `Take away from ${side}` : `Send to ${side}`;
  const send = row.full && page.frame.can('edit')
    ? h('button', { type: 'button', class: 'dl-button dl-button-quiet dl-sx-send', tabindex: '-1', 'data-send': side, title: words, 'aria-label': words, onclick: (event) => { event.stopPropagation(); page.select(n); page.send(side); } },
      icon(there ? 'minus' : 'plus'), keyHint(`split.${side}`)) : null;
  return h('div', { class: 'dl-sx-cell dl-sx-side', role: 'gridcell', 'data-side': side }, h('div', {}, own, also), send);
}

/** Words that the columns of a row have in common are inked while the row is looked at. */
const inked = (chars, span, shared) => pieces(chars, span, shared).map(([text, label]) => (label ? h('span', { class: `dl-same dl-same-${label}` }, text) : text));
