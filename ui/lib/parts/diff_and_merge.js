// Word differences between two texts, and between two people's changes of one.
import { h } from './elements.js';

/**
 * @typedef {Object} Part a stretch of two people's changes
 * @property {'same' | 'mine' | 'theirs' | 'agreed' | 'clash'} kind
 * @property {string} base
 * @property {string} mine
 * @property {string} theirs
 */

/**
 * @param {string} text
 * @returns {string[]}
 */
const tokens = (text) => text.match(/\s+|[\p{L}\p{N}_'’-]+|[^\s\p{L}\p{N}_'’-]/gu) || [];
const MOST = 1500; // longer texts are compared without their common beginning and end only

/**
 * Places [i, j] of a longest common subsequence of two lists of words.
 * @param {string[]} a
 * @param {string[]} b
 * @returns {[number, number][]}
 */
function commonPlaces(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const middle = middlePlaces(a.slice(start, a.length - end), b.slice(start, b.length - end));
  /** @type {[number, number][]} */
  const places = [];
  for (let n = 0; n < start; n += 1) places.push([n, n]);
  for (const [i, j] of middle) places.push([i + start, j + start]);
  for (let n = end; n > 0; n -= 1) places.push([a.length - n, b.length - n]);
  return places;
}

/**
 * @param {string[]} a
 * @param {string[]} b
 * @returns {[number, number][]}
 */
function middlePlaces(a, b) {
  if (a.length > MOST || b.length > MOST) return [];
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1] + 1
          : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  /** @type {[number, number][]} */
  const places = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      places.push([i, j]);
      i += 1;
      j += 1;
    } else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return places;
}

/**
 * [kind, text] of every stretch.
 * @param {string} before
 * @param {string} after
 * @returns {['same' | 'gone' | 'new', string][]}
 */
export function wordDiff(before, after) {
  const a = tokens(before);
  const b = tokens(after);
  /** @type {['same' | 'gone' | 'new', string][]} */
  const parts = [];
  /** @type {(kind: 'same' | 'gone' | 'new', words: string[]) => void} */
  const add = (kind, words) => {
    if (words.length) parts.push([kind, words.join('')]);
  };
  let [i, j] = [0, 0];
  for (const [k, l] of [...commonPlaces(a, b), [a.length, b.length]]) {
    add('gone', a.slice(i, k));
    add('new', b.slice(j, l));
    if (k < a.length) add('same', [a[k]]);
    [i, j] = [k + 1, l + 1];
  }
  return join(parts);
}

/**
 * @param {['same' | 'gone' | 'new', string][]} parts
 * @returns {['same' | 'gone' | 'new', string][]}
 */
function join(parts) {
  /** @type {['same' | 'gone' | 'new', string][]} */
  const out = [];
  for (const [kind, text] of parts) {
    if (out.length && out.at(-1)[0] === kind) out.at(-1)[1] += text;
    else out.push([kind, text]);
  }
  return out;
}

/**
 * @param {string} before
 * @param {string} after
 */
export function diffView(before, after, label = '') {
  const parts = wordDiff(before, after).map(([kind, text]) =>
    kind === 'same' ? text : h(kind === 'gone' ? 'del' : 'ins', {}, text),
  );
  return h('div', { class: 'dl-diff', role: 'group', 'aria-label': label || 'word differences' }, parts);
}

// --- two people's changes of one text ---------------------------------------------------

/**
 * What two people made of `base`: the kind is 'same', 'mine' or 'theirs' (that one changed it), 'agreed' (both did
 * the same) or 'clash' (both changed the same words, each in another way).
 * @param {string} base
 * @param {string} mine
 * @param {string} theirs
 * @returns {Part[]}
 */
export function threeWay(base, mine, theirs) {
  const [o, m, t] = [tokens(base), tokens(mine), tokens(theirs)];
  const [inMine, inTheirs] = [new Map(commonPlaces(o, m)), new Map(commonPlaces(o, t))];
  /** @type {Part[]} */
  const parts = [];
  let [i, j, k] = [0, 0, 0];
  for (let at = 0; at <= o.length; at += 1) {
    const end = at === o.length;
    if (!end && !(inMine.has(at) && inTheirs.has(at))) continue;
    const [toMine, toTheirs] = end ? [m.length, t.length] : [inMine.get(at), inTheirs.get(at)];
    changed(parts, o.slice(i, at).join(''), m.slice(j, toMine).join(''), t.slice(k, toTheirs).join(''));
    if (end) break;
    changed(parts, o[at], o[at], o[at]);
    [i, j, k] = [at + 1, toMine + 1, toTheirs + 1];
  }
  return wholeClashes(parts);
}

/**
 * Words that both changed belong together when only a space lies between them.
 * @param {Part[]} parts
 */
function wholeClashes(parts) {
  /** @type {Part[]} */
  const out = [];
  for (const part of parts) {
    const [before, space] = out.slice(-2);
    const near =
      space?.kind === 'same' && !space.base.trim() && before.kind !== 'same' && part.kind !== 'same';
    if (!near || ![before.kind, part.kind].includes('clash')) {
      out.push({ ...part });
      continue;
    }
    out.pop();
    before.kind = 'clash';
    for (const version of ['base', 'mine', 'theirs']) before[version] += space[version] + part[version];
  }
  return out;
}

/**
 * @param {Part[]} parts
 * @param {string} base
 * @param {string} mine
 * @param {string} theirs
 */
function changed(parts, base, mine, theirs) {
  if (!base && !mine && !theirs) return;
  const kind =
    mine === theirs
      ? mine === base
        ? 'same'
        : 'agreed'
      : mine === base
        ? 'theirs'
        : theirs === base
          ? 'mine'
          : 'clash';
  const last = parts.at(-1);
  if (last?.kind === kind && kind === 'same') {
    last.base += base;
    last.mine += mine;
    last.theirs += theirs;
  } else parts.push({ kind, base, mine, theirs });
}

/**
 * Both people's changes in one text; null when they changed the same words.
 * @param {Part[]} parts
 */
export function mergedText(parts) {
  if (parts.some((part) => part.kind === 'clash')) return null;
  return parts.map((part) => (part.kind === 'mine' ? part.mine : part.theirs)).join('');
}

/**
 * One text with each change marked as yours or theirs.
 * @param {Part[]} parts
 */
export function threeWayView(parts) {
  /** @type {(whose: 'mine' | 'theirs', before: string, after: string) => import('./elements.js').Content} */
  const words = (whose, before, after) => [
    before
      ? h(
          'del',
          { class: `dl-by-${whose}`, title: `taken out ${whose === 'mine' ? 'here' : 'meanwhile'}` },
          before,
        )
      : null,
    after
      ? h(
          'ins',
          { class: `dl-by-${whose}`, title: `written ${whose === 'mine' ? 'here' : 'meanwhile'}` },
          after,
        )
      : null,
  ];
  const drawn = parts.map((part) => {
    if (part.kind === 'same') return part.base;
    if (part.kind === 'agreed')
      return [
        part.base ? h('del', { title: 'taken out by both' }, part.base) : null,
        part.mine ? h('ins', { title: 'written by both' }, part.mine) : null,
      ];
    if (part.kind !== 'clash') return words(part.kind, part.base, part[part.kind]);
    return h(
      'span',
      { class: 'dl-clash', title: 'both changed these words' },
      part.base ? h('del', {}, part.base) : null,
      words('theirs', '', part.theirs),
      ' / ',
      words('mine', '', part.mine),
    );
  });
  return h('div', { class: 'dl-diff dl-threeway', role: 'group', 'aria-label': 'changes of both' }, drawn);
}
