// Every version of a text: who, when, and the word difference from it to the text as it is now.
import { button, clear, h } from '../parts/elements.js';
import { dayAndTime, plural } from '../parts/words.js';
import { diffView } from '../parts/diff_and_merge.js';

const REST_S = 30; // saves of one person with no longer rest between them are one entry

/** Entries, newest first, with the saves of one stretch of typing drawn together to its last one. */
function stretches(entries) {
  const groups = [];
  for (const entry of entries) {
    const last = groups.at(-1)?.at(-1);
    const goesOn =
      last &&
      last.by === entry.by &&
      last.at - entry.at < REST_S &&
      !last.reason &&
      !entry.reason &&
      !last.cleared &&
      !entry.cleared;
    if (goesOn) groups.at(-1).push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/** `machine`: null for what a person wrote. `now()` gives the text as it is; `restore(text)` brings an earlier one back (null: nobody may). */
export function historyView(entries, machine, { now, restore }) {
  const row = (head, text, notes, mayRestore) => {
    const place = h('div', {});
    const compare = button(
      'compare with now',
      () => {
        const open = place.childElementCount > 0;
        clear(place, open ? null : diffView(text, now(), `from ${head} to now`));
        compare.setAttribute('aria-expanded', String(!open));
      },
      { kind: 'quiet', name: 'compare' },
    );
    compare.setAttribute('aria-expanded', 'false');
    return h(
      'li',
      {},
      h('span', {}, head),
      notes,
      h('p', {}, text),
      place,
      h(
        'div',
        { class: 'dl-row' },
        compare,
        mayRestore && restore ? button('restore', () => restore(text), { kind: 'quiet' }) : null,
      ),
    );
  };
  const rows = stretches(entries).map((group) => {
    const [entry] = group;
    const notes = [
      entry.reason ? h('q', {}, entry.reason) : null,
      entry.cleared ? h('em', {}, 'correction taken away') : null,
      group.length > 1 ? h('small', {}, plural(group.length, 'save')) : null,
    ];
    return row(
      `${dayAndTime(entry.at)} · ${entry.by}`,
      entry.cleared ? machine : entry.value,
      notes,
      !entry.cleared,
    );
  });
  return h(
    'ol',
    { class: 'dl-history' },
    rows,
    machine === null ? null : row('machine’s version', machine, null, false),
  );
}
