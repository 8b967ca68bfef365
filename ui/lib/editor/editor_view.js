// How the editor of a text is drawn: its head, the field, and below it what was asked for or what needs a choice.
import { h, useLayoutEffect, useRef } from '../components/component.js';
import { authorMarks, button, correctedMark, held, mark } from '../components/small_components.js';
import { diffView } from '../parts/diff_and_merge.js';
import { report } from '../parts/notices.js';
import { textLength } from '../parts/words.js';

/** @typedef {{editor: import('./editor.js').TextEditor}} Props */

/** @param {Props} props */
export const EditorView = ({ editor }) => [
  h(
    'div',
    { class: 'dl-editor-head' },
    editor.options.label ? h('span', { class: 'dl-label' }, editor.options.label) : null,
    h(Author, { editor }),
    h(Count, { editor }),
    h('span', { class: 'dl-savedroom' }, h(Said, { editor })),
    h(Tools, { editor }),
  ),
  h(Area, { editor }),
  h(Below, { editor }),
];

/** The field keeps its own words: what is typed is never written back into it. @param {Props} props */
function Area({ editor }) {
  const { options } = editor;
  return h('textarea', {
    class: 'dl-text',
    ref: (area) => {
      if (area) editor.area = area;
    },
    'aria-label': options.label || 'text',
    rows: options.rows || 2,
    spellcheck: true,
    readOnly: Boolean(options.readonly),
    title: editor.isOthers ? 'Another person wrote this: ask an expert to correct it' : undefined,
    placeholder: options.placeholder || undefined,
    onFocus: () => editor.entered(),
    onInput: () => editor.typed(),
    onBlur: () => editor.left(),
    onKeyDown: (event) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      if (!options.onenter || key !== 'Enter' || event.isComposing || ctrlKey || metaKey || altKey) return;
      event.preventDefault();
      options.onenter();
    },
  });
}

/** @param {Props} props */
function Said({ editor }) {
  const { kind, words } = editor.said.value;
  return h('span', { class: `dl-saved ${kind ? `dl-saved-${kind}` : ''}`, role: 'status' }, words);
}

/** @param {Props} props */
function Count({ editor }) {
  const { n, unit } = textLength(editor.words.value);
  const { limit } = editor.options;
  return h(
    'span',
    { class: `dl-count ${limit && n > limit ? 'dl-over-limit' : ''}` },
    limit ? `${n}/${limit} ${unit}` : `${n} ${unit}`,
  );
}

/** @param {Props} props */
function Author({ editor }) {
  const value = editor.record.value;
  const node = useRef(/** @type {HTMLElement | null} */ (null));
  const why = value.state !== 'done' && !value.corrected && value.reason;
  useLayoutEffect(() => {
    node.current.title = why || node.current.textContent;
  });
  return h(
    'span',
    { class: 'dl-author', ref: node },
    !value.subject
      ? mark('missing', 'not written')
      : editor.options.plain
        ? value.corrected && correctedMark(value)
        : authorMarks(value),
    value.stale ? mark('stale') : null,
    ['unparsed', 'failed'].includes(value.state) && !value.corrected ? mark(value.state) : null,
  );
}

/** @param {Props} props */
function Tools({ editor }) {
  const { corrected, person, revision } = editor.record.value;
  const machines = corrected && !person; // a person's text has no machine's version
  return h(
    'span',
    { class: 'dl-tools', hidden: !editor.isWhole },
    machines && editor.isWhole
      ? button('diff', () => editor.toggleDiff(), {
          key: 'diff',
          kind: 'quiet',
          title: 'Difference to the machine’s version',
        })
      : null,
    revision > 0 && editor.isWhole
      ? button('history', () => editor.toggleHistory().catch(report), {
          key: 'history',
          kind: 'quiet',
          title: 'Every version, each compared with the text as it is now',
        })
      : null,
    machines && editor.isWhole && !editor.options.readonly
      ? button('clear', () => editor.save({ cleared: true, value: null }), {
          key: 'clear',
          kind: 'quiet',
          title: 'Take the correction away: the machine’s version shows again',
        })
      : null,
  );
}

/** @param {Props} props */
function Below({ editor }) {
  const below = editor.below.value;
  const { corrected, machine } = editor.record.value;
  const kind = below?.kind === 'diff' && !corrected ? null : below?.kind;
  return h(
    'div',
    { class: 'dl-below', 'data-open': kind === 'diff' || kind === 'history' ? kind : null },
    kind === 'diff'
      ? held(diffView(machine ?? '', editor.words.peek(), 'difference to the machine’s version'))
      : null,
    below?.drawn || (below?.node ? held(below.node) : null),
    kind === 'refused'
      ? h(
          'div',
          { class: 'dl-row dl-discard' },
          button('Discard what I typed', () => editor.discard(), { name: 'discard' }),
        )
      : null,
  );
}
