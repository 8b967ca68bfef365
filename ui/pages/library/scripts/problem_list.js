// What is wrong with files, folded up.
import { h, plural } from '../../../lib/parts/elements_and_requests.js';

/**
 * @param {{where: string, what: string}[]} problems
 * @param {number} count
 */
export function problemList(problems, count, words = plural(count, 'problem')) {
  if (!count) return null;
  return h(
    'details',
    { class: 'dl-uploadproblems' },
    h('summary', {}, words),
    h(
      'ul',
      {},
      problems.map((p) => h('li', {}, h('b', {}, p.where), ` ${p.what}`)),
      count > problems.length ? h('li', {}, `and ${count - problems.length} more`) : null,
    ),
  );
}
