// Offsets of marks, and how they move with edits.

/** @typedef {{start: number, end: number, kind: string, note: string}} Span */
/** @typedef {{start: number, end: number, words: string}} Edit [start, end) of a text is replaced by words */

/**
 * UTF-16 units before the code point with this number.
 * @param {string} text
 * @param {number} points
 */
function unitOf(text, points) {
  let unit = 0;
  for (let point = 0; point < points && unit < text.length; point += 1)
    unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
  return unit;
}

/** @type {(text: string, unit: number) => number} */
const pointOf = (text, unit) => [...text.slice(0, unit)].length;

/**
 * Offsets in UTF-16 units, as here, of spans in code points, as in Python. What is not in the text is left out.
 * @type {(text: string, spans: Span[]) => Span[]}
 */
export const inUnits = (text, spans) =>
  spans
    .map((span) => ({ ...span, start: unitOf(text, span.start), end: unitOf(text, span.end) }))
    .filter(({ start, end }) => start < end);

/** @type {(text: string, spans: Span[]) => Span[]} */
export const inPoints = (text, spans) =>
  spans.map((span) => ({ ...span, start: pointOf(text, span.start), end: pointOf(text, span.end) }));

/**
 * What has changed. What was `selected` before and where the `caret` is now tell which of two equal letters is new.
 * @param {string} before
 * @param {string} after
 * @param {number[] | null} [selected]
 * @param {number} [caret]
 * @returns {Edit}
 */
export function editOf(before, after, selected = null, caret = -1) {
  const most = Math.min(before.length, after.length);
  const behind = after.length - caret;
  const isCaret = caret >= 0 && behind <= before.length && before.endsWith(after.slice(caret));
  let tail = isCaret ? Math.min(behind, most) : 0;
  let start = 0;
  while (start < most - tail && before[start] === after[start]) start += 1;
  if (!isCaret) while (tail < most - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const end = before.length - tail;
  // What was selected is replaced, also where the new words begin with the same letters.
  if (selected && selected[0] < start && selected[1] > selected[0] && selected[1] <= end) [start] = selected;
  return { start, end, words: after.slice(start, after.length - tail) };
}

/**
 * Where the spans are after an edit. One whose words are all gone is gone; new words at its ends are not of it.
 * @param {Span[]} spans
 * @param {Edit} edit
 * @returns {Span[]}
 */
export function moved(spans, { start, end, words }) {
  const by = words.length - (end - start);
  return spans.flatMap((span) => {
    if (start < end && start <= span.start && span.end <= end) return [];
    let from = span.start;
    if (span.start >= end) from += by;
    else if (span.start > start) from = start + words.length;
    let to = span.end;
    if (span.end > start) to = span.end >= end ? span.end + by : start;
    return from < to ? [{ ...span, start: from, end: to }] : [];
  });
}

/** @type {(text: string, edit: Edit) => string} */
export const applied = (text, { start, end, words }) => text.slice(0, start) + words + text.slice(end);

/**
 * With the line ends that a field has: the browser makes \n of \r\n and \r.
 * @param {string} text
 * @param {Span[]} spans
 * @returns {{text: string, spans: Span[]}}
 */
export function withFieldsLineEnds(text, spans) {
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at)) {
    const edit = text[at + 1] === '\n' ? { start: at, end: at + 1, words: '' } : null;
    if (edit) spans = moved(spans, edit);
    text = applied(text, edit || { start: at, end: at + 1, words: '\n' });
  }
  return { text, spans };
}
