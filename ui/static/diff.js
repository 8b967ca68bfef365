// Word differences, drawn with <ins> and <del>.
import { h } from './core.js';

const tokens = (text) => text.match(/\s+|[\p{L}\p{N}_'’-]+|[^\s\p{L}\p{N}_'’-]/gu) || [];
const MOST = 1500; // longer texts are compared without their common beginning and end first

/** [[kind, text]] with kind 'same', 'gone' or 'new'. */
export function wordDiff(before, after) {
  const a = tokens(before);
  const b = tokens(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = middleDiff(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return join([...a.slice(0, start).map((t) => ['same', t]), ...middle, ...a.slice(a.length - end).map((t) => ['same', t])]);
}

function middleDiff(a, b) {
  if (a.length > MOST || b.length > MOST) return [...a.map((t) => ['gone', t]), ...b.map((t) => ['new', t])];
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[i] === b[j] ? table[(i + 1) * width + j + 1] + 1 : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const out = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { out.push(['same', a[i]]); i += 1; j += 1; }
    else if (i < a.length && (j >= b.length || table[(i + 1) * width + j] >= table[i * width + j + 1])) { out.push(['gone', a[i]]); i += 1; }
    else { out.push(['new', b[j]]); j += 1; }
  }
  return out;
}

function join(parts) {
  const out = [];
  for (const [kind, text] of parts) {
    if (out.length && out.at(-1)[0] === kind) out.at(-1)[1] += text;
    else out.push([kind, text]);
  }
  return out;
}

export function diffView(before, after, label = '') {
  const parts = wordDiff(before, after).map(([kind, text]) => (kind === 'same' ? text : h(kind === 'gone' ? 'del' : 'ins', {}, text)));
  return h('div', { class: 'dl-diff', role: 'group', 'aria-label': label || 'word differences' }, parts);
}
