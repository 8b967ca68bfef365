// Every version of a text: who, when, and the word difference from it to the text as it is now.
import { h, signal } from '../components/component.js';
import { button, held } from '../components/small_components.js';
import { dayAndTime, plural } from '../parts/words.js';
import { diffView } from '../parts/diff_and_merge.js';

/** @typedef {import('./editor.js').TextEditor} TextEditor */
/** @typedef {import('../components/component.js').Signal<string>} Compared the head of the version that is compared with now */

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

/**
 * The versions of the text of an editor.
 * @param {TextEditor} editor
 * @param {any[]} entries newest first
 */
export function historyOf(editor, entries) {
  const machine = editor.value.person ? null : (editor.value.machine ?? ''); // null for what a person wrote
  const compared = signal('');
  return h(
    'ol',
    { class: 'dl-history' },
    stretches(entries).map((group) => {
      const [entry] = group;
      return h(Version, {
        key: entry.revision,
        editor,
        compared,
        head: `${dayAndTime(entry.at)} · ${entry.by}`,
        text: entry.cleared ? machine : entry.value,
        notes: [
          entry.reason ? h('q', null, entry.reason) : null,
          entry.cleared ? h('em', null, 'correction taken away') : null,
          group.length > 1 ? h('small', null, plural(group.length, 'save')) : null,
        ],
        restores: !entry.cleared,
      });
    }),
    machine === null
      ? null
      : h(Version, { editor, compared, head: 'machine’s version', text: machine, restores: false }),
  );
}

/**
 * @param {{editor: TextEditor, compared: Compared, head: string, text: string, restores: boolean,
 *   notes?: import('preact').ComponentChildren}} props
 */
function Version({ editor, compared, head, text, restores, notes }) {
  const open = compared.value === head;
  return h(
    'li',
    null,
    h('span', null, head),
    notes,
    h('p', null, text),
    h('div', null, open ? held(diffView(text, editor.area.value, `from ${head} to now`)) : null),
    h(
      'div',
      { class: 'dl-row' },
      h(
        'button',
        {
          type: 'button',
          class: 'dl-button dl-button-quiet',
          'data-name': 'compare',
          'aria-expanded': open,
          onClick: () => {
            compared.value = open ? '' : head;
          },
        },
        'compare with now',
      ),
      restores && !editor.options.readonly
        ? button('restore', () => editor.restore(text), { kind: 'quiet' })
        : null,
    ),
  );
}
