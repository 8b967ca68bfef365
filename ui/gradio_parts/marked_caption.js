// The script of MarkedCaption. Gradio runs it as a function with `element`, `props`, `trigger` and `watch`, once
// for every caption on the page. Text is set as text; nothing of it is read as HTML or code.
//
// While a text is edited it stands in a <textarea>, whose undo, caret and input methods are the browser's own.
// Its marks are drawn on a copy of the text behind it, so that drawing them never touches what is being typed.
// Offsets are code points in values, as in Python, and UTF-16 units in here.
/// <reference path="gradio.d.ts" />
import { isNew, make } from './elements.js';
import { applied, editOf, inPoints, inUnits, moved, withFieldsLineEnds } from './text_edits.js';

const INPUT_MS = 300;
const REMEMBERED = 20; // texts that were sent, for answers that come late
const COLOURS = 6;
const LINES = 4;

// --- the parts of the component ------------------------------------------------------------

const title = make('div', { class: 'title', hidden: true });
const drawn = make('div', { class: 'text' });
const field = make('textarea', { class: 'field', rows: 1, spellcheck: 'false' });
const box = make('div', { class: 'box' }, drawn, field);
const note = make('div', { class: 'note', role: 'status' });
const legend = make('div', { class: 'legend' });
const root = /** @type {HTMLElement} */ (element.firstElementChild);
root.append(title, box, note, legend);

let text = '';
let spans = []; // in UTF-16 units
let sent = ''; // the text that Python has received last, or has sent
let earlier = []; // texts that were sent before, since the person is in the field
let began = ''; // the text that the person has typed into: when the field was entered, or submitted
let selected = null; // before an edit
let later = 0;
let editable = false;
const styles = new Map(); // kind -> number of its colour and line

const inLegend = (kind) => props.kinds?.[kind] || kind;

function styleOf(kind) {
  if (!styles.has(kind)) styles.set(kind, styles.size);
  const number = styles.get(kind);
  return { 'data-colour': number % COLOURS, 'data-line': number % LINES };
}

const wordsOf = ({ kind, note: about }) => [inLegend(kind), about].filter(Boolean).join(': ');

// --- drawing ---------------------------------------------------------------------------------

/** The text in pieces, each with the numbers of the spans that hold it, the longest first. */
function pieces() {
  const cuts = [...new Set([0, text.length, ...spans.flatMap(({ start, end }) => [start, end])])];
  cuts.sort((a, b) => a - b);
  const longest = [...spans.keys()].sort(
    (a, b) => spans[b].end - spans[b].start - (spans[a].end - spans[a].start) || a - b,
  );
  return cuts.slice(1).map((end, index) => {
    const start = cuts[index];
    const holders = longest.filter((one) => spans[one].start <= start && spans[one].end >= end);
    return { words: text.slice(start, end), start, holders };
  });
}

function draw() {
  drawn.replaceChildren(...pieces().map(drawPiece));
  // An empty last line has no height otherwise.
  if (editable) drawn.append(text.endsWith('\n') || !text ? '\u200b' : '');
  if (!text && !editable) drawn.append(make('span', { class: 'placeholder' }, props.placeholder || ''));
  drawLegend();
  note.hidden = !spans.some((span) => span.note);
  showNote();
}

/** Nested marks; the innermost one, of the shortest span, is what is clicked. */
function drawPiece({ words: piece, start, holders }) {
  /** @type {any} */
  let node = document.createTextNode(piece);
  for (const [at, index] of [...holders.entries()].reverse()) {
    const isInner = at === holders.length - 1;
    node = make('mark', { ...styleOf(spans[index].kind), style: `--depth: ${at}` }, node);
    if (isInner) {
      node.dataset.span = String(index);
      node.title = holders
        .map((one) => wordsOf(spans[one]))
        .filter(Boolean)
        .reverse()
        .join('\n');
      if (!editable) operate(node, index, start, holders);
    }
  }
  return node;
}

/** A mark that keys reach: the first piece of its span. */
function operate(node, index, start, holders) {
  const span = spans[index];
  node.setAttribute('role', 'button');
  node.tabIndex = span.start === start ? 0 : -1;
  const about = holders.map((one) => wordsOf(spans[one])).filter(Boolean);
  node.setAttribute('aria-label', [text.slice(span.start, span.end), ...about.reverse()].join('. '));
}

function drawLegend() {
  const found = [...new Set(spans.map(({ kind }) => kind))].filter(Boolean);
  legend.hidden = found.length === 0;
  legend.replaceChildren(
    ...found.map((kind) =>
      make('span', {}, make('mark', { ...styleOf(kind), 'aria-hidden': true }, 'abc'), ` ${inLegend(kind)}`),
    ),
  );
}

/** Of the span at the pointer, the focus or the caret. */
function showNote(index = atCaret()) {
  const span = spans[index];
  note.textContent = span?.note ? wordsOf(span) : '';
}

function atCaret() {
  if (!editable) return Number(/** @type {any} */ (document.activeElement)?.dataset?.span ?? -1);
  if (document.activeElement !== field) return -1;
  const caret = field.selectionStart;
  return shortest([...spans.keys()].filter((one) => spans[one].start <= caret && caret <= spans[one].end));
}

const shortest = (numbers) =>
  numbers.reduce((best, one) => (best < 0 || size(one) < size(best) ? one : best), -1);
const size = (one) => spans[one].end - spans[one].start;

/** The mark under the pointer, also behind the field. */
function under(event) {
  const marks = document.elementsFromPoint(event.clientX, event.clientY).filter((one) => drawn.contains(one));
  const mark = /** @type {any} */ (marks.map((one) => one.closest('mark[data-span]')).find(Boolean));
  return mark ? Number(mark.dataset.span) : -1;
}

// --- to Python ---------------------------------------------------------------------------------

function store() {
  if (text !== sent) earlier = [...earlier, sent].slice(-REMEMBERED);
  sent = text;
  props.value = { text, spans: inPoints(text, spans) };
}

function flush() {
  if (!later) return;
  clearTimeout(later);
  later = 0;
  store();
  trigger('input');
}

function choose(index) {
  if (index < 0) return;
  const [span] = inPoints(text, [spans[index]]);
  const chosen = text.slice(spans[index].start, spans[index].end);
  trigger('select', { index, value: chosen, ...span, text: chosen });
}

// --- from Python ---------------------------------------------------------------------------------

/** The value: a text with its marks. */
function take() {
  const value = props.value || { text: '', spans: [] };
  if (value.text === undefined) hear(value.props?.marks);
  else {
    const given = { text: value.text, spans: inUnits(value.text, value.spans || []) };
    const comes = editable ? withFieldsLineEnds(given.text, given.spans) : given;
    if (comes.text === text) spans = comes.spans;
    else if (isAnswer(comes.text)) spans = moved(comes.spans, editOf(comes.text, text));
    else join(comes.text, comes.spans);
  }
  settle();
  hear();
}

/** Marks alone: they are for the text that was sent last, which may come after them. */
function hear(message = props.marks) {
  if (!text || !isNew(message)) return;
  spans = moved(inUnits(sent, message.content), editOf(sent, text));
  settle();
}

const isTyping = () => document.activeElement === field && text !== began;
/** For a text from before the last letters. */
const isAnswer = (comes) => isTyping() && [began, sent, ...earlier].includes(comes);

/**
 * Another text. What was typed meanwhile is kept beside what Python has changed. Where both have changed the same
 * words, those stay that Python has not received yet.
 */
function join(comes, marks) {
  const bases = isTyping() ? [began, ...(later ? [sent] : [])] : [];
  for (const base of bases) {
    const theirs = editOf(base, comes);
    const ours = editOf(base, text);
    if (ours.start <= theirs.end && theirs.start <= ours.end) continue;
    const by = ours.start > theirs.end ? theirs.words.length - (theirs.end - theirs.start) : 0;
    const mine = { ...ours, start: ours.start + by, end: ours.end + by };
    replace(applied(comes, mine));
    spans = moved(marks, mine);
    began = comes;
    return;
  }
  if (later) return;
  replace(comes);
  spans = marks;
  began = comes;
}

function replace(now) {
  if (field.value !== now) {
    const change = editOf(text, now);
    const place = (at) => (at <= change.start ? at : Math.max(change.start, at + now.length - text.length));
    const [from, to] = [field.selectionStart, field.selectionEnd].map(place);
    field.value = now;
    if (document.activeElement === field) field.setSelectionRange(from, to);
  }
  text = now;
}

/** What stands there is the value now, in the form that handlers receive. Letters that wait are sent later. */
function settle() {
  draw();
  if (later) return;
  const value = { text, spans: inPoints(text, spans) };
  sent = text;
  if (JSON.stringify(props.value || { text: '', spans: [] }) !== JSON.stringify(value)) props.value = value;
}

function begin() {
  began = text;
  earlier = [];
}

// --- the person ------------------------------------------------------------------------------------

function onInput() {
  const now = field.value;
  spans = moved(spans, editOf(text, now, selected, field.selectionEnd));
  text = now;
  draw();
  later ||= setTimeout(flush, INPUT_MS);
}

function onKey(event) {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    flush();
    begin();
    trigger('submit');
  } else if (!editable && (event.key === 'Enter' || event.key === ' ')) {
    const mark = event.target.closest('mark[data-span]');
    if (!mark) return;
    event.preventDefault();
    choose(Number(mark.dataset.span));
  }
}

/** What does not change with the text. */
function drawFrame() {
  editable = Boolean(props.editable);
  for (const kind of Object.keys(props.kinds || {})) styleOf(kind);
  const { lines = 6, max_lines = 20 } = props;
  root.style.setProperty('--lines', String(lines));
  root.style.setProperty('--most', String(Math.max(lines, max_lines)));
  title.textContent = props.label || '';
  title.hidden = !props.label;
  box.classList.toggle('editable', editable);
  drawn.setAttribute('aria-hidden', String(editable));
  field.hidden = !editable;
  field.placeholder = props.placeholder || '';
  field.setAttribute('aria-label', props.label || 'Caption');
  box.setAttribute('role', 'group');
  box.setAttribute('aria-label', props.label || 'Caption');
}

field.addEventListener('beforeinput', () => {
  selected = [field.selectionStart, field.selectionEnd];
});
field.addEventListener('focus', begin);
field.addEventListener('input', onInput);
field.addEventListener('blur', flush);
for (const moves of ['keyup', 'pointerup', 'focus', 'blur']) field.addEventListener(moves, () => showNote());
root.addEventListener('keydown', onKey);
box.addEventListener('click', (event) => choose(under(event)));
box.addEventListener('pointermove', (event) => {
  const index = under(event);
  showNote(index < 0 ? atCaret() : index);
  field.title = index < 0 ? '' : wordsOf(spans[index]);
});
box.addEventListener('pointerleave', () => showNote());
box.addEventListener('focusin', () => showNote());
drawFrame();
take();
watch('value', take);
watch('marks', () => hear());
watch(['label', 'editable', 'kinds', 'lines', 'max_lines', 'placeholder'], () => {
  drawFrame();
  draw();
});
