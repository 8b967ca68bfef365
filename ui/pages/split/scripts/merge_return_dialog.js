// The dialog by which an expert gives parts back to their writer, with a comment.
import { openDialog } from '../../../lib/parts/dialog.js';
import { h, signal } from '../../../lib/components/component.js';
import { button, choice, field } from '../../../lib/components/small_components.js';
import { notice, report } from '../../../lib/parts/notices.js';

/** @typedef {import('./aspects_merge.js').View} View */
/** @typedef {import('./aspects_view.js').Writer} Writer */

/**
 * @param {View} view
 * @param {Writer[]} writers
 * @param {Writer} chosen
 */
export function returnDialog(view, writers, chosen) {
  const { parts } = view.data;
  const quote = getSelection().toString().trim().slice(0, 300);
  const said = signal({ person: chosen.id, where: parts[view.at.value]?.[0] || '', quote, note: '' });
  const send = () => {
    const { note, ...about } = said.value;
    if (!note.trim()) {
      notice('Say first what is to be done.');
      dialog.node.querySelector('textarea').focus();
      return;
    }
    dialog.close();
    view
      .say('return', { ...about, quote: about.where ? about.quote : '', note: note.trim() })
      .then(() => view.told())
      .catch(report);
  };
  const dialog = openDialog(
    'Give the parts back',
    h(Fields, { said, writers, parts }),
    button(['Return', h('kbd', null, 'Enter')], send, { kind: 'main', name: 'send-return' }),
  );
  dialog.node.querySelector('textarea').focus();
}

/**
 * @param {{said: import('../../../lib/components/component.js').Signal<{person: string, where: string, quote: string, note: string}>,
 *   writers: Writer[], parts: [string, string][]}} props
 */
function Fields({ said, writers, parts }) {
  const { person, where, quote, note } = said.value;
  /** @param {Partial<typeof said.value>} some */
  const set = (some) => {
    said.value = { ...said.value, ...some };
  };
  return [
    field(
      'whose',
      choice(
        'Whose',
        writers.map((w) => [w.id, w.name]),
        person,
        (id) => set({ person: id }),
      ),
    ),
    field(
      'where',
      choice('Where', [['', 'the whole caption'], ...parts], where, (name) => set({ where: name })),
    ),
    field(
      'words',
      h('input', {
        type: 'text',
        class: 'dl-input',
        'aria-label': 'Words that are meant',
        value: quote,
        maxLength: 300,
        placeholder: 'words that are meant (optional)',
        onInput: (event) => set({ quote: event.currentTarget.value }),
      }),
    ),
    field(
      'What is to be done',
      h('textarea', {
        class: 'dl-text',
        rows: 3,
        'aria-label': 'What is to be done',
        value: note,
        maxLength: 1500,
        onInput: (event) => set({ note: event.currentTarget.value }),
      }),
      'dl-asked',
    ),
  ];
}
