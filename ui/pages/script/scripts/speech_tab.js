// Speech: its lines with their words, and the stretches in which voice detection heard nobody.
import { h, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { button, empty, held, mark, toLibrary } from '../../../lib/components/small_components.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { clock } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { button as element, h as made } from '../../../lib/parts/elements.js';
import { openField } from '../../../lib/keys/keymap.js';
import { languageName, speechChoice } from '../../../lib/parts/speech_choice.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { LineTools } from './speech_tools.js';

/** @typedef {import('./speech_state.js').SpeechState} SpeechState */
/** @typedef {import('./speech_state.js').SpeechLine} SpeechLine */
/** @typedef {{state: SpeechState, line: SpeechLine}} Props */

const UNSURE = 0.6; // a word below this probability is underlined; 0 is a word that a person wrote
/** @param {SpeechLine['words'][0]} word */
const unsure = (word) => word[3] > 0 && word[3] < UNSURE;

/** @param {{state: SpeechState}} props */
export function Speech({ state }) {
  const { segments, gaps } = state.speech.value;
  const rows = [
    ...segments.map((line) => ({ at: line.start_s, row: h(Line, { key: line.id, state, line }) })),
    ...gaps.map(([from, to]) => ({ at: from, row: h(Gap, { key: `gap ${from}`, state, from, to }) })),
  ].sort((a, b) => a.at - b.at);
  return h(
    'div',
    { class: 'dl-speechtab' },
    h(About, { state }),
    h(
      'ol',
      { class: 'dl-segments', 'aria-label': 'Speech' },
      rows.map(({ row }) => row),
    ),
  );
}

/** @param {{state: SpeechState}} props */
function About({ state }) {
  const speech = state.speech.value;
  if (!speech.heard)
    return empty('No transcription yet: run the speech stage on this video in the Library.', toLibrary());
  const name = speech.language ? languageName(speech.language) : 'language unknown';
  const heard = state.lines.flatMap((line) => line.words).filter((word) => word[3] > 0);
  const drops = speech.model?.startsWith('batched:') ? ' (may drop speech)' : '';
  const sure = speech.language_probability ? `probability ${speech.language_probability.toFixed(2)} · ` : '';
  return h(
    'p',
    { class: 'dl-hint dl-speechabout' },
    h('b', null, name),
    h(
      'span',
      null,
      `${sure}heard by Whisper ${speech.model}${drops} · ${heard.filter(unsure).length} of ${heard.length} words, those below probability ${UNSURE}, are`,
    ),
    h('u', { class: 'dl-unsureword' }, 'underlined'),
    state.page.frame.can('run')
      ? button('Hear again …', () => openField('hear again', () => hearAgain(state)), { name: 'hear-again' })
      : null,
  );
}

/** In the language that is really spoken, or by a larger model. @param {SpeechState} state */
function hearAgain(state) {
  const asked = speechChoice({ language: state.speech.value.language || 'auto' });
  const said = made('p', { class: 'dl-hint', role: 'status' });
  const go = element(
    'Hear again',
    async () => {
      go.disabled = true;
      try {
        await api(`/api/speech/${encodeURIComponent(state.page.data.value.video.id)}/hear`, asked.chosen());
        dialog.close();
        notice('Heard again in the background; the new lines come when it is done.');
      } catch (error) {
        said.textContent = error.message;
        go.disabled = false;
      }
    },
    { kind: 'main', name: 'hear' },
  );
  const dialog = openDialog(
    'Hear this video again',
    [
      asked.node,
      made(
        'p',
        { class: 'dl-hint' },
        'What was heard before stays with its corrections, and counts again when its language and size are chosen again. Later runs keep the choice.',
      ),
      said,
    ],
    [go],
  );
  asked.languages.focus();
}

/** @param {{state: SpeechState, from: number, to: number}} props */
const Gap = ({ state, from, to }) =>
  h(
    'li',
    { class: 'dl-silence' },
    h('button', { type: 'button', class: 'dl-time', onClick: () => state.seek(from) }, clock(from)),
    h('span', null, `no speech ${clock(from)} to ${clock(to)}`),
  );

/** @param {Props} props */
function Line({ state, line }) {
  const node = useRef(/** @type {HTMLLIElement | null} */ (null));
  const edited = state.edited.value.find(({ id }) => id === line.id);
  const current = state.current.value === line.id;
  const words = state.words.value;
  useLayoutEffect(() => {
    const { id, caret } = state.takesFocus;
    if (id !== line.id) return;
    state.takesFocus = { id: '', caret: null };
    if (!edited) node.current.querySelector(/** @type {'button'} */ ('[data-name=edit-segment]'))?.focus();
    else edited.editor.area.focus();
    if (edited && caret !== null) edited.editor.area.setSelectionRange(caret, caret);
  });
  useLayoutEffect(() => {
    if (edited || (current && !state.edited.value.length)) node.current.scrollIntoView({ block: 'nearest' });
  }, [edited, current]);
  const close = () => {
    state
      .close(edited)
      .then(() => {
        state.takesFocus = { id: line.id, caret: null };
      })
      .catch(report);
  };
  return h(
    'li',
    {
      ref: node,
      class: 'dl-segment',
      'data-id': line.id,
      'data-editing': edited ? 'true' : null,
      'aria-current': current ? 'true' : undefined,
      hidden: Boolean(words) && !String(line.text.value).toLowerCase().includes(words),
    },
    h(
      'button',
      {
        type: 'button',
        class: 'dl-time',
        'aria-label': `to ${clock(line.start_s)}`,
        onClick: () => state.seek(line.start_s),
      },
      clock(line.start_s),
      h('small', null, `${(line.end_s - line.start_s).toFixed(1)} s`),
    ),
    edited
      ? h(
          'div',
          { key: 'edited', class: 'dl-saidbox' },
          held(edited.editor.node),
          h(LineTools, { state, line, close }),
        )
      : h(SaidBox, { key: 'said', state, line }),
    !edited && state.page.frame.can('edit')
      ? button('edit', () => state.edit(line), { kind: 'quiet', name: 'edit-segment' })
      : null,
  );
}

/** @param {Props} props */
function SaidBox({ state, line }) {
  const { text } = line;
  const uncertain = line.words.filter(unsure);
  return h(
    'div',
    { class: 'dl-saidbox' },
    h(
      'p',
      { class: 'dl-saidtext' },
      !text.value
        ? h('em', null, 'no words')
        : line.words.length
          ? line.words.map((word) => h(Word, { state, word }))
          : String(text.value),
    ),
    text.corrected || line.cut
      ? h(
          'p',
          { class: 'dl-hint' },
          mark('corrected'),
          line.piece === 0 ? h('s', null, String(text.machine)) : null,
        )
      : null,
    uncertain.length
      ? h(
          'p',
          { class: 'dl-unseen' },
          `uncertain: ${uncertain.map((word) => `${word[0]} ${word[3].toFixed(2)}`).join(', ')}`,
        )
      : null,
  );
}

/** @param {{state: SpeechState, word: SpeechLine['words'][0]}} props */
const Word = ({ state, word }) =>
  h(
    'span',
    {
      class: `dl-word ${unsure(word) ? 'dl-unsureword' : ''}`,
      title: `${clock(word[1])} · ${word[3] > 0 ? `probability ${word[3].toFixed(2)}` : 'written by a person, time estimated'}`,
      onClick: () => state.seek(word[1]),
    },
    `${word[0]} `,
  );
