// Two people changed one text: what each did, and the ways out. Nothing is merged unseen.
import { button, h } from '../parts/elements.js';
import { diffView, mergedText, threeWay, threeWayView } from '../parts/diff_and_merge.js';

// What the two texts are called: another person's, or one's own of another window.
const OF_TWO_PEOPLE = {
  mine: 'yours',
  theirs: 'theirs',
  keepMine: 'Keep mine',
  keepTheirs: 'Keep theirs',
  edit: 'Edit mine over theirs',
};
const OF_TWO_WINDOWS = {
  mine: 'of this window',
  theirs: 'of the other window',
  keepMine: 'Keep this one',
  keepTheirs: 'Keep the other one',
  edit: 'Edit this one over the other',
};

/**
 * @param {{base: string, mine: string, theirs: string}} texts
 * @param {{who: string, self: boolean}} by who changed it, such as "ana"; `self`: it was oneself, in another window
 * @param {{take: (text: string) => void, edit: () => void}} ways `take(text)` saves a text over the other one; `edit()`
 *   leaves mine to be typed on
 */
export function conflictView({ base, mine, theirs }, { who, self }, { take, edit }) {
  const parts = threeWay(base, mine, theirs);
  const both = mergedText(parts);
  const clashes = parts.filter((part) => part.kind === 'clash').length;
  const named = self ? OF_TWO_WINDOWS : OF_TWO_PEOPLE;
  return h(
    'div',
    { class: 'dl-conflict', role: 'group', 'aria-label': `${who} changed this text` },
    h(
      'p',
      { class: 'dl-conflict-head' },
      h('b', {}, `${who} changed this while you typed here.`),
      h(
        'span',
        { class: 'dl-hint' },
        both === null
          ? ` The same words were changed in ${clashes === 1 ? 'one place' : `${clashes} places`}.`
          : ' The two changes are at different words.',
      ),
    ),
    h(
      'p',
      { class: 'dl-conflict-key' },
      h('ins', { class: 'dl-by-mine' }, named.mine),
      h('ins', { class: 'dl-by-theirs' }, named.theirs),
      clashes ? h('span', { class: 'dl-clash' }, `${named.theirs} / ${named.mine}`) : null,
    ),
    threeWayView(parts),
    both === null
      ? null
      : h(
          'details',
          { open: true },
          h('summary', {}, 'both changes together'),
          h('p', { class: 'dl-merged' }, both),
        ),
    h(
      'details',
      {},
      h('summary', {}, `${named.theirs} alone`),
      diffView(base, theirs, `changes, ${named.theirs}`),
    ),
    h('details', {}, h('summary', {}, `${named.mine} alone`), diffView(base, mine, `changes, ${named.mine}`)),
    h(
      'div',
      { class: 'dl-row' },
      both === null ? null : button('Take both', () => take(both), { kind: 'main', name: 'take-both' }),
      button(named.keepMine, () => take(mine), {
        kind: both === null ? 'main' : '',
        name: 'keep-mine',
        title: 'It replaces the other one, which stays in the history',
      }),
      button(named.keepTheirs, () => take(theirs), { name: 'keep-theirs' }),
      button(named.edit, edit, { name: 'edit-mine' }),
    ),
  );
}
