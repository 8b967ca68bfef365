// The row of tools under a line of speech that is being edited: its ends, split, merge.
import { h } from '../../../lib/parts/elements.js';
import { clock } from '../../../lib/parts/words.js';
import { keyHint, keyText, openField } from '../../../lib/keys/keymap.js';

const small = (words, key, title, run) =>
  h(
    'button',
    {
      type: 'button',
      class: 'dl-button dl-button-quiet dl-nudge',
      'aria-label': title,
      title: `${title} (${keyText(`script.${key}`)})`,
      onmousedown: (e) => e.preventDefault(),
      onclick: () => openField(title, run),
    },
    words,
  );

/** Buttons take no focus from the text: the caret stays where the line is to be cut. */
const tool = (words, key, title, run) =>
  h(
    'button',
    {
      type: 'button',
      class: 'dl-button dl-button-quiet',
      title,
      'data-name': key,
      onmousedown: (e) => e.preventDefault(),
      onclick: () => openField(title, run),
    },
    words,
    keyHint(`script.${key}`),
  );

export function lineTools(line, tab, done) {
  const edge = (name, at) =>
    h(
      'span',
      { class: 'dl-edge', role: 'group', 'aria-label': `${name} ${clock(at)}` },
      small('−', `speech_${name}_earlier`, `${name} 0.04 s earlier`, () => tab.move(name, { by: -0.04 })),
      h('span', {}, h('small', {}, name), ' ', clock(at)),
      small('+', `speech_${name}_later`, `${name} 0.04 s later`, () => tab.move(name, { by: 0.04 })),
      small('here', `speech_${name}_here`, `${name} where the player stands`, () => tab.toPlayhead(name)),
    );
  return h(
    'div',
    { class: 'dl-linetools' },
    edge('start', line.start_s),
    edge('end', line.end_s),
    h('span', { class: 'dl-grow' }),
    tool('split', 'speech_split', 'Two lines, cut at the caret', () => tab.split()),
    tool('merge', 'speech_merge', 'One line with the next', () => tab.merge()),
    line.cut || line.text.corrected
      ? tool(
          'as heard',
          'speech_restore',
          'The line as it was heard, before its words or times were changed',
          () => tab.asHeard(),
        )
      : null,
    done,
  );
}
