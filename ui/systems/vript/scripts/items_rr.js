// Vript-RR: a question about one scene of a long video, the options, and what the model chose or said.
import { h } from '../../../lib/components/component.js';
import { badge, hint, mark } from '../../../lib/components/small_components.js';
import { frameName, plural } from '../../../lib/parts/words.js';
import { part, replyPart } from '../../../lib/components/item_parts.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ShotItem']} Item */
/** @typedef {{number: number, source: string, cuts: number, start_frame: number, end_frame: number}} Shot */

export const counts = 'answer';

/** @type {import('../../../lib/components/item_parts.js').ItemSystem['row']} */
export const row = (r) => ({ label: r.label === 'none' ? '–' : ({ yes: '', no: '' }[r.label] ?? r.label) });

/** @param {Item} d */
export const verdict = (d) => {
  if (d.state !== 'done') return mark(d.state);
  if (d.label === 'none') return mark('missing', 'names no option');
  const words = d.open ? { yes: 'right', no: 'wrong' }[d.label] : d.label;
  return mark(d.right === null ? 'done' : d.right ? 'yes' : 'no', words);
};

/** What the frames are looked for by. @param {Item} d */
export const asked = (d) => ({
  question: d.question,
  answer: d.open ? d.answer : (d.options['ABCDEFGHI'.indexOf(d.answer)] ?? ''),
});

/** @param {Item} d */
export function draw(d) {
  const nodes = [
    d.question && h('p', { class: 'dl-q' }, d.question),
    d.hint && part('hint', h('p', { class: 'dl-caption' }, d.hint)),
    d.open ? part('reference answer', h('p', { class: 'dl-value' }, d.answer || '–')) : options(d),
    d.open && replyPart(d),
  ];
  return {
    nodes,
    below: [
      d.open ? null : replyPart(d),
      d.others?.length
        ? hint(mark('flagged', ''), `the reply also names ${d.others.join(', ')}; the first counts`)
        : null,
      d.shot?.cuts
        ? hint(d.shot.source === 'detector' && mark('flagged', ''), shotWords(/** @type {Shot} */ (d.shot)))
        : null,
      d.scene &&
        h(
          'details',
          null,
          h('summary', null, 'description of the scene'),
          h('p', { class: 'dl-caption' }, d.scene),
        ),
    ],
  };
}

/**
 * Which frames "the scene alone" was, and who says so.
 * @param {Shot} shot
 */
function shotWords({ number, source, cuts, start_frame: from, end_frame: to }) {
  if (source === 'file') return `shown alone: the file of the scene, ${plural(to, 'frame')}`;
  const note = source === 'detector' ? '; their numbers need not be the benchmark’s' : '';
  return `shown alone: scene ${number} of ${cuts}, frames ${frameName(from)} to ${frameName(to - 1)}${note}`;
}

/** @param {Item} d */
function options(d) {
  if (!d.options.length) return null;
  const chosen = d.hidden ? '' : d.label;
  return part(
    'options',
    h(
      'ol',
      { class: 'dl-options' },
      d.options.map((words, n) => {
        const letter = 'ABCDEFGHI'[n];
        return h(
          'li',
          { class: letter === chosen ? 'dl-option-chosen' : '' },
          h('b', null, letter),
          h('span', null, words),
          letter === d.answer && badge('right answer'),
          letter === chosen && mark(letter === d.answer ? 'yes' : 'no', 'chosen'),
        );
      }),
    ),
  );
}
