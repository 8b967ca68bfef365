// The row of tools under a line of speech that is being edited: its ends, split, merge.
import { h } from '../../../lib/components/component.js';
import { button, keyHint } from '../../../lib/components/small_components.js';
import { clock } from '../../../lib/parts/words.js';
import { keyText, openField } from '../../../lib/keys/keymap.js';

/** @typedef {import('./speech_state.js').SpeechState} SpeechState */
/** @typedef {import('./speech_state.js').SpeechLine} SpeechLine */

/**
 * Takes no focus from the text: the caret stays where the line is to be cut.
 * @param {{words: string, name: string, title: string, run: () => unknown, small?: boolean}} props
 */
const Tool = ({ words, name, title, run, small = false }) =>
  h(
    'button',
    {
      type: 'button',
      class: `dl-button dl-button-quiet ${small ? 'dl-nudge' : ''}`,
      'aria-label': small ? title : undefined,
      title: small ? `${title} (${keyText(`script.${name}`)})` : title,
      'data-name': small ? null : name,
      onMouseDown: (event) => event.preventDefault(),
      onClick: () => openField(title, run),
    },
    words,
    small ? null : keyHint(`script.${name}`),
  );

/** @param {{state: SpeechState, line: SpeechLine, close: () => void}} props */
export const LineTools = ({ state, line, close }) =>
  h(
    'div',
    { class: 'dl-linetools' },
    h(Edge, { state, edge: 'start', at: line.start_s }),
    h(Edge, { state, edge: 'end', at: line.end_s }),
    h('span', { class: 'dl-grow' }),
    h(Tool, {
      words: 'split',
      name: 'speech_split',
      title: 'Two lines, cut at the caret',
      run: () => state.split(),
    }),
    h(Tool, {
      words: 'merge',
      name: 'speech_merge',
      title: 'One line with the next',
      run: () => state.merge(),
    }),
    line.cut || line.text.corrected
      ? h(Tool, {
          words: 'as heard',
          name: 'speech_restore',
          title: 'The line as it was heard, before its words or times were changed',
          run: () => state.asHeard(),
        })
      : null,
    button('Done', close, { kind: 'main', name: 'done-segment' }),
  );

/** @param {{state: SpeechState, edge: 'start' | 'end', at: number}} props */
function Edge({ state, edge, at }) {
  const move = (/** @type {number} */ by) => state.move(edge, { by });
  return h(
    'span',
    { class: 'dl-edge', role: 'group', 'aria-label': `${edge} ${clock(at)}` },
    h(Tool, {
      small: true,
      words: '−',
      name: `speech_${edge}_earlier`,
      title: `${edge} 0.04 s earlier`,
      run: () => move(-0.04),
    }),
    h('span', null, h('small', null, edge), ' ', clock(at)),
    h(Tool, {
      small: true,
      words: '+',
      name: `speech_${edge}_later`,
      title: `${edge} 0.04 s later`,
      run: () => move(0.04),
    }),
    h(Tool, {
      small: true,
      words: 'here',
      name: `speech_${edge}_here`,
      title: `${edge} where the player stands`,
      run: () => state.toPlayhead(edge),
    }),
  );
}
