// The same question in several evaluations: answer, verdict and caption in columns, words that differ marked.
import { h } from '../../../lib/components/component.js';
import { badge, baselineBadge, button, hint, mark } from '../../../lib/components/small_components.js';
import { scoreText, verdictWord } from '../../../lib/parts/words.js';
import { wordDiff } from '../../../lib/parts/diff_and_merge.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictBeside']} Column of one evaluation; an empty id lacks the question */

/** @param {{here: Column, others: Column[], open: (one: Column) => unknown}} props */
export function VerdictColumns({ here, others, open }) {
  const all = [here, ...others];
  /** @type {(name: string, cell: (one: Column) => import('../../../lib/components/component.js').Children) => import('../../../lib/components/component.js').Children} */
  const row = (name, cell) => [
    h('h3', { class: 'dl-columns-name' }, name),
    all.map((one) =>
      h('div', { class: 'dl-column' }, one.id ? cell(one) : h('span', { class: 'dl-hint' }, '–')),
    ),
  ];
  return h(
    'div',
    { class: 'dl-columns', style: { gridTemplateColumns: `repeat(${all.length}, minmax(0, 1fr))` } },
    all.map((one) =>
      h(
        'div',
        { class: 'dl-column dl-column-head' },
        h('b', null, one.name),
        one.baseline ? baselineBadge() : one.model ? badge(one.model) : null,
        !one.id
          ? hint(mark('missing', 'lacks this question'))
          : one === here
            ? null
            : button('open', () => open(one), { kind: 'quiet', name: `open-${one.evaluation}` }),
      ),
    ),
    row('verdict', (one) =>
      h(
        'p',
        { class: 'dl-verdictline' },
        mark(verdictWord(one)),
        one.score === null ? null : h('span', null, `${scoreText(one.score)} of 5`),
        one.corrected && mark('corrected', ''),
        one.stale && mark('stale', ''),
      ),
    ),
    row('extracted', (one) =>
      h(
        'p',
        { class: 'dl-value' },
        one === here ? one.answer.value : marked(here.answer.value, one.answer.value),
      ),
    ),
    row('caption', (one) =>
      one.caption === null
        ? mark('missing', 'none')
        : h(
            'p',
            { class: 'dl-caption' },
            one === here ? spanned(one.caption, one.span) : marked(here.caption || '', one.caption, one.span),
          ),
    ),
  );
}

/**
 * A text with the words that the other text has not; `span` in code points is where the answer was taken from.
 * @param {string} other
 * @param {string} text
 * @param {number[] | null} [span]
 */
function marked(other, text, span = null) {
  let at = 0;
  return wordDiff(other, text)
    .filter(([kind]) => kind !== 'gone')
    .map(([kind, words]) => {
      const begin = at;
      at += [...words].length;
      const inside = spanned(words, span && [Math.max(0, span[0] - begin), Math.max(0, span[1] - begin)]);
      return kind === 'new' ? h('ins', null, inside) : inside;
    });
}

/**
 * @param {string} text
 * @param {number[] | null} span
 */
export function spanned(text, span) {
  if (!span || span[0] >= span[1]) return [text];
  const points = [...text]; // places are counted in code points, not in UTF-16 units
  /** @type {(from: number, to?: number) => string} */
  const piece = (from, to) => points.slice(from, to).join('');
  return [
    piece(0, span[0]),
    points.length > span[0] &&
      h('mark', { title: 'what the answer was taken from' }, piece(span[0], span[1])),
    piece(span[1]),
  ];
}
