// Everything about one question: reference, extracted answer, verdict, error source, caption, raw reply, history - and
// the corrections of each.
import { h, useLayoutEffect } from '../../../lib/components/component.js';
import { part } from '../../../lib/components/item_parts.js';
import { authorMarks, badge, button, held, hint, mark } from '../../../lib/components/small_components.js';
import { aspectName } from '../../../lib/parts/words.js';
import { diffView } from '../../../lib/parts/diff_and_merge.js';
import { openField } from '../../../lib/keys/keymap.js';
import { SecondOpinions } from './ask_the_video.js';
import { Flags } from './flagged_question.js';
import { spanned, VerdictColumns } from './question_in_evaluations.js';
import { History, HowItWasMade, OtherVerdicts, RawReply } from './replies_and_history.js';
import { ErrorSource, VerdictNow, VerdictTools } from './verdict_now.js';

/** @typedef {import('../../../lib/components/component.js').Children} Children */
/** @typedef {import('./verdict_state.js').Verdict} Verdict */
/** @typedef {import('./verdict_state.js').TextName} TextName */
/** @typedef {import('./verdict_state.js').VerdictState} VerdictState */

/** @param {{panel: VerdictState}} props */
export function VerdictPanel({ panel }) {
  const d = panel.detail.value;
  return h(
    'article',
    { class: 'dl-verdict', 'aria-label': 'This question' },
    d.superseded && hint(mark('stale', 'a newer verdict on this question exists')),
    h(Question, { panel }),
    d.reference &&
      part(
        'reference',
        [h('p', { class: 'dl-value' }, d.reference.value), h(OpenEditor, { panel, name: 'reference' })],
        h(EditButton, { panel, name: 'reference' }),
      ),
    d.hidden ? h(Blind, { panel }) : h(Seen, { panel }),
    h(History, { history: d.history }),
  );
}

/**
 * Before one's own label: what a judge has, and nothing of what the judge said.
 * @param {{panel: VerdictState}} props
 */
function Blind({ panel }) {
  const { no_verdict: none } = panel.detail.value;
  return [
    h(Answer, { panel }),
    part(
      mark('blind', 'your verdict, blind'),
      panel.blindForm ? held(panel.blindForm.node) : hint(none || 'Only people who may edit label.'),
    ),
    h(Caption, { panel }),
  ];
}

/** @param {{panel: VerdictState}} props */
function Seen({ panel }) {
  const d = panel.detail.value;
  const { open } = panel.page;
  return [
    d.beside?.length ? h(SideBySide, { panel }) : null,
    h(Answer, { panel }),
    h(SecondOpinions, { opinion: panel.opinion }),
    part('verdict', h(VerdictNow, { panel }), h(VerdictTools, { panel })),
    part('error source', h(ErrorSource, { panel })),
    h(Caption, { panel }),
    h(
      RawReply,
      { open: panel.raw, heading: 'raw reply', raw: d.raw || '(no reply)' },
      h(HowItWasMade, { detail: d }),
    ),
    h(OtherVerdicts, { others: d.others, open }),
  ];
}

/** @param {{panel: VerdictState}} props */
function Question({ panel }) {
  const d = panel.detail.value;
  const aspect = aspectName(d.kind || '');
  const all = `${aspect}: the log keeps one ${d.no_verdict ? 'mean' : 'verdict'} for all questions`;
  return h(
    'header',
    { class: 'dl-question' },
    h(
      'div',
      null,
      h(Editable, { panel, name: 'question' }, h('p', { class: 'dl-q' }, d.question?.value ?? all)),
    ),
    hint(
      badge(aspect),
      d.category && badge(d.category),
      d.mean && meanWords(d.mean),
      !d.question_source || d.question_source === 'dataset' ? null : badge(`from ${d.question_source}`),
      d.question?.corrected && mark('corrected'),
      h('span', { class: 'dl-grow' }),
      h(EditButton, { panel, name: 'question', hint: 'verdicts.edit_question' }),
    ),
    h(Flags, { flagged: panel.flagged }),
  );
}

/**
 * What a log says of a mean: how many questions stand behind it, and the share of yes.
 * @param {{questions?: number, accuracy?: number, about?: string, answer?: string}} mean
 */
const meanWords = ({ questions, accuracy, about, answer }) => [
  questions ? badge(`${questions} questions`) : null,
  typeof accuracy === 'number' && badge(`${accuracy.toFixed(3)} yes`),
  about && h('span', null, about),
  answer && h('span', null, 'answer: ', h('q', null, answer)),
];

/**
 * The other evaluations that were chosen, beside this one.
 * @param {{panel: VerdictState}} props
 */
function SideBySide({ panel }) {
  const d = panel.detail.value;
  const { evaluation, frame, open } = panel.page;
  const { state, value, corrected, stale } = d.verdict;
  const here = {
    id: d.id,
    evaluation,
    name: frame.evaluation.all.find((one) => one.id === evaluation)?.name || 'this evaluation',
    baseline: d.baseline,
    model: d.run?.model,
    state,
    ...value,
    corrected,
    stale,
    answer: d.answer || { value: '', state: '', corrected: false },
    caption: d.caption?.value ?? null,
    span: d.span,
  };
  return part('side by side', h(VerdictColumns, { here, others: d.beside, open: (one) => open(one.id) }));
}

/** @param {{panel: VerdictState}} props */
function Answer({ panel }) {
  const { answer, answers, from_video: fromVideo, hidden } = panel.detail.value;
  return part(
    fromVideo ? 'answered from the video' : 'extracted',
    h(
      'div',
      null,
      answer
        ? h(
            Editable,
            { panel, name: 'answer' },
            answer.state === 'done' || answer.corrected
              ? h('p', { class: 'dl-value dl-extracted' }, answer.value)
              : hint(mark(answer.state), ' ', answer.reason),
            hint(
              answer.corrected && [mark('corrected'), h('s', null, answer.machine)],
              answer.stale && mark('stale', 'the caption has changed since'),
            ),
          )
        : h(GivenAnswers, { answers: answers || [] }),
    ),
    hidden ? null : h(EditButton, { panel, name: 'answer', hint: 'verdicts.edit_answer' }),
  );
}

/** @param {{answers: {question: string, answer: string, reference: string}[]}} props */
function GivenAnswers({ answers }) {
  if (!answers.length) return hint(mark('missing', 'none in the log'));
  /** @param {string} words */
  const quoted = (words) => h('q', null, words);
  const lines = answers.map(({ question, answer, reference }) => [
    h('span', null, question),
    h('span', null, quoted(answer || 'nothing'), ' · reference ', quoted(reference)),
  ]);
  return h(
    'ol',
    { class: 'dl-givenanswers' },
    lines.map((line) => h('li', null, line)),
  );
}

/** @param {{panel: VerdictState}} props */
function Caption({ panel }) {
  const { caption, span, kind, from_video: fromVideo, hidden } = panel.detail.value;
  if (fromVideo) return null;
  return part(
    `caption · ${aspectName(kind || '')}`,
    h(
      'div',
      { class: 'dl-captionbox' },
      caption
        ? h(
            Editable,
            { panel, name: 'caption' },
            h('p', { class: 'dl-caption' }, spanned(caption.value, span)),
            hint(authorMarks(caption), span ? null : 'nothing in the caption supports the answer'),
            caption.corrected &&
              h(
                'details',
                null,
                h('summary', null, 'difference to the machine’s caption'),
                held(diffView(caption.machine, caption.value)),
              ),
          )
        : hint(mark('missing', 'no caption in the log')),
    ),
    hidden ? null : h(EditButton, { panel, name: 'caption', hint: 'verdicts.edit_caption' }),
  );
}

// --- writing ----------------------------------------------------------------------------

/** @param {{panel: VerdictState, name: TextName, hint?: string}} props */
const EditButton = ({ panel, name, hint }) =>
  panel.detail.value[name] && panel.canEdit
    ? button('edit', () => openField('edit', () => panel.edit(name)), {
        kind: 'quiet',
        name: `edit-${name}`,
        hint,
      })
    : null;

/**
 * A text, or its editor in its place.
 * @param {{panel: VerdictState, name: TextName, children?: Children}} props
 */
const Editable = ({ panel, name, children }) =>
  panel.editors.value[name] ? h(OpenEditor, { panel, name }) : children;

/** @param {{panel: VerdictState, name: TextName}} props */
function OpenEditor({ panel, name }) {
  const editor = panel.editors.value[name];
  useLayoutEffect(() => editor?.area.focus(), [editor]);
  if (!editor) return null;
  const done = button('Done', () => panel.done(name), { kind: 'main', name: 'done' });
  return [held(editor.node), h('div', { class: 'dl-row' }, done)];
}
