// Clauses in and out of a text. Places come from Python and count code points, not UTF-16 units.

/** @typedef {[number, number]} Span where a clause begins and ends */
/** @typedef {'spatial' | 'temporal'} Side */
/** @typedef {'full' | Side} Column */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EditableText']} TextValue */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ColumnText']} ColumnText of the split; `source` is the id of what it was made of */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['TextVersion']} Version of a text that somebody wrote */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['AlignedRow']} Row a clause of the full caption beside those of the sides that came from it */

/** @type {Side[]} */
export const SIDES = ['spatial', 'temporal'];
/** @type {Column[]} */
export const COLUMNS = ['full', ...SIDES];

const ENDS = /[.!?…。！？]["”’」]?$/;

/**
 * Without the clauses at these places, and without the white space that set them apart. What is left of a sentence
 * ends as the sentence did, and begins with a capital.
 * @param {string} text
 * @param {Span[]} spans
 */
export function without(text, spans) {
  let out = text;
  for (const [start, end] of [...spans].sort((a, b) => b[0] - a[0]))
    out = withoutOne(Array.from(out), start, end);
  return out;
}

/**
 * @param {string[]} chars
 * @param {number} start
 * @param {number} end
 */
function withoutOne(chars, start, end) {
  const gone = chars.slice(start, end).join('');
  let left = chars.slice(0, start).join('');
  let right = chars.slice(end).join('').replace(/^\s+/, '');
  const before = left.trimEnd();
  if (before && !ENDS.test(before) && ENDS.test(gone))
    left = `${before.replace(/[\s,;]+$/, '')}${/["”’」]?$/.exec(gone)[0] ? '.' : gone.at(-1)}${/\s$/.test(left) ? ' ' : ''}`;
  else if ((!before || ENDS.test(before)) && !ENDS.test(gone)) right = opened(right);
  return right ? left + right : left.trimEnd();
}

/**
 * A clause as the beginning of a sentence.
 * @param {string} words
 */
function opened(words) {
  const plain = words.replace(/^[\s,;]+/, '').replace(/^(?:and then|and|but|while|then)\s+/i, '');
  return plain && plain !== words ? plain[0].toUpperCase() + plain.slice(1) : words;
}

/**
 * With `words` at `place`; `glue` stands between sentences.
 * @param {string} text
 * @param {number} place
 * @param {string} words
 * @param {string} glue
 */
export function withWords(text, place, words, glue) {
  const chars = Array.from(text);
  const left = chars.slice(0, place).join('');
  const right = chars.slice(place).join('');
  return (
    left + (left && !/\s$/.test(left) ? glue : '') + words + (right && !/^\s/.test(right) ? glue : '') + right
  );
}

/**
 * With a clause of the full caption at its place. Where the clause above stands right before it and both belong to
 * one sentence, the sentence goes on: "He fills the kettle, | sets it on the stove."
 * @param {string} text
 * @param {Row[]} rows
 * @param {number} n
 * @param {Side} side
 * @param {string} full
 * @param {string} glue
 */
export function withClause(text, rows, n, side, full, glue) {
  const row = rows[n];
  const above = rows[n - 1];
  const place = row.place[side];
  const left = Array.from(text).slice(0, place).join('');
  const goesOn = row.continues && above?.[side].at(-1)?.[1] === place && /[.。]$/.test(left);
  if (!goesOn) return withWords(text, place, row.told, glue);
  const right = Array.from(text).slice(place).join('');
  const comma = /[,;，；]$/.exec(words(full, above.full));
  const own = words(full, row.full).replace(/[,;，；]$/, '.');
  return (
    left.slice(0, -1) +
    (comma ? comma[0] : '') +
    glue +
    (/[.!?…。！？]["”’」]?$/.test(own) ? own : `${own}.`) +
    right
  );
}

/**
 * What stands between the sentences of a text: nothing in scripts that write no spaces.
 * @param {string} text
 * @param {Row[]} rows
 */
export function glueOf(text, rows) {
  const chars = Array.from(text);
  const first = rows.find((row) => row.full && row.full[1] < chars.length);
  return !first || /\s/.test(chars[first.full[1]]) ? ' ' : '';
}

/** @type {(text: string, span: Span) => string} */
export const words = (text, [start, end]) => Array.from(text).slice(start, end).join('');

/**
 * A stretch of a text as pieces [text, marks]: `marks` are [start, end, label] that may overlap; those of a piece
 * are the labels that lie over it.
 * @template Label
 * @param {string[]} chars
 * @param {Span} span
 * @param {[from: number, to: number, label: Label][]} marks
 * @returns {[text: string, labels: Label[]][]}
 */
export function pieces(chars, [start, end], marks) {
  const inside = marks.filter(([from, to]) => from < end && to > start);
  const cuts = [
    ...new Set([start, end, ...inside.flatMap(([from, to]) => [Math.max(start, from), Math.min(end, to)])]),
  ].sort((a, b) => a - b);
  /** @type {[string, Label[]][]} */
  const out = [];
  for (let n = 0; n + 1 < cuts.length; n += 1) {
    const [from, to] = [cuts[n], cuts[n + 1]];
    out.push([
      chars.slice(from, to).join(''),
      inside.filter(([a, b]) => a < to && b > from).map(([, , label]) => label),
    ]);
  }
  return out;
}
