// What is wrong with files, folded up.
import { h } from '../../../lib/components/component.js';
import { plural } from '../../../lib/parts/words.js';

/**
 * @param {{where: string, what: string}[]} problems
 * @param {number} count
 */
export const problemList = (problems, count, words = plural(count, 'problem')) =>
  foldedLines(
    count,
    words,
    problems.map((p) => [h('b', null, p.where), ` ${p.what}`]),
  );

/**
 * @param {number} count of all, of which some lines are here
 * @param {string} words
 * @param {import('../../../lib/components/component.js').Children[]} lines
 */
export const foldedLines = (count, words, lines) =>
  count
    ? h(
        'details',
        { class: 'dl-uploadproblems' },
        h('summary', null, words),
        h(
          'ul',
          null,
          lines.map((line) => h('li', null, line)),
          andMore(count - lines.length),
        ),
      )
    : null;

/** @param {number} count */
export const andMore = (count) => (count > 0 ? h('li', null, `and ${count} more`) : null);
