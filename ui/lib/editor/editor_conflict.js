// Two people changed one text: what each did, and the ways out. Nothing is merged unseen.
import { button, h } from '../parts/elements_and_requests.js';
import { diffView, mergedText, threeWay, threeWayView } from '../parts/diff_and_merge.js';

/** `texts`: {base, mine, theirs}. `who`: who changed it, such as "ana". `take(text)` saves a text over theirs; `edit()` leaves mine to be typed on. */
export function conflictView({ base, mine, theirs }, who, { take, edit }) {
  const parts = threeWay(base, mine, theirs);
  const both = mergedText(parts);
  const clashes = parts.filter((part) => part.kind === 'clash').length;
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
          ? ` You both changed the same words in ${clashes === 1 ? 'one place' : `${clashes} places`}.`
          : ' Your changes and theirs are at different words.',
      ),
    ),
    h(
      'p',
      { class: 'dl-conflict-key' },
      h('ins', { class: 'dl-by-mine' }, 'yours'),
      h('ins', { class: 'dl-by-theirs' }, 'theirs'),
      clashes ? h('span', { class: 'dl-clash' }, 'theirs / yours') : null,
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
    h('details', {}, h('summary', {}, 'theirs alone'), diffView(base, theirs, 'their changes')),
    h('details', {}, h('summary', {}, 'yours alone'), diffView(base, mine, 'your changes')),
    h(
      'div',
      { class: 'dl-row' },
      both === null ? null : button('Take both', () => take(both), { kind: 'main', name: 'take-both' }),
      button('Keep mine', () => take(mine), {
        kind: both === null ? 'main' : '',
        name: 'keep-mine',
        title: 'Your text replaces theirs; theirs stays in the history',
      }),
      button('Keep theirs', () => take(theirs), { name: 'keep-theirs' }),
      button('Edit mine over theirs', edit, { name: 'edit-mine' }),
    ),
  );
}
