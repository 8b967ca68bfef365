// Sentences in and out of a text. Places come from Python and count code points, not UTF-16 units.

/** Without the sentences at these places, and without the white space that set them apart. */
export function without(text, spans) {
  const chars = Array.from(text);
  for (const [start, end] of [...spans].sort((a, b) => b[0] - a[0])) {
    let from = start;
    let to = end;
    while (to < chars.length && /\s/.test(chars[to])) to += 1;
    if (to === chars.length) while (from > 0 && /\s/.test(chars[from - 1])) from -= 1;
    chars.splice(from, to - from);
  }
  return chars.join('');
}

/** With `words` at `place`; `glue` stands between sentences. */
export function withWords(text, place, words, glue) {
  const chars = Array.from(text);
  const left = chars.slice(0, place).join('');
  const right = chars.slice(place).join('');
  return left + (left && !/\s$/.test(left) ? glue : '') + words + (right && !/^\s/.test(right) ? glue : '') + right;
}

/** What stands between the sentences of a text: nothing in scripts that write no spaces. */
export function glueOf(text, rows) {
  const chars = Array.from(text);
  const first = rows.find((row) => row.full && row.full[1] < chars.length);
  return !first || /\s/.test(chars[first.full[1]]) ? ' ' : '';
}

export const words = (text, [start, end]) => Array.from(text).slice(start, end).join('');

/** A sentence as pieces [text, label or '']: `shared` are [start, end, label] inside the span. */
export function pieces(chars, [start, end], shared) {
  const out = [];
  let at = start;
  for (const [from, to, label] of shared) {
    if (from < start || to > end) continue;
    if (from > at) out.push([chars.slice(at, from).join(''), '']);
    out.push([chars.slice(from, to).join(''), label || 'same']);
    at = to;
  }
  if (at < end) out.push([chars.slice(at, end).join(''), '']);
  return out;
}
