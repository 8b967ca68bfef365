// The verdict on a question as it counts, what each person says of it, and where its error lies.
import { h } from '../../../lib/components/component.js';
import { ChoiceButton } from '../../../lib/components/item_parts.js';
import { badge, baselineBadge, button, held, hint, mark } from '../../../lib/components/small_components.js';
import { report } from '../../../lib/parts/notices.js';
import { scoreText, verdictWord } from '../../../lib/parts/words.js';
import { openField } from '../../../lib/keys/keymap.js';
import { ERROR_SOURCES } from './verdict_filters.js';
import { OpenForm } from './verdict_form.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Opinion']} Opinion */
/** @typedef {import('./verdict_state.js').VerdictState} VerdictState */

/** @param {{panel: VerdictState}} props */
export function VerdictNow({ panel }) {
  const { contradicts, reason } = panel.detail.value;
  const form = panel.form.value;
  const wait = panel.waiting.value;
  return h(
    'div',
    { class: 'dl-verdictbox' },
    h(VerdictLine, { panel }),
    contradicts &&
      hint('≠ contradicts itself: its word and its score say different things; both count as they stand'),
    reason && hint(reason),
    h(Opinions, { panel }),
    form && h(OpenForm, { panel, form }),
    wait && held(wait.node),
  );
}

/** @param {{panel: VerdictState}} props */
function VerdictLine({ panel }) {
  const { verdict, machine_state: state, baseline, opinions } = panel.detail.value;
  const { value: now, machine } = verdict;
  const confirmer = opinions.find((one) => one.counts)?.by || 'a person';
  return h(
    'p',
    { class: 'dl-verdictline' },
    mark(verdict.corrected ? now.label : verdictWord({ state, label: now.label })),
    now.score === null ? null : h('span', null, `${scoreText(now.score)} of 5`),
    verdict.corrected && [
      mark('corrected'),
      h(
        's',
        null,
        verdictWord({ state, label: machine?.label }),
        machine?.score === null ? '' : ` · ${scoreText(machine.score)}`,
      ),
    ],
    verdict.confirmed && mark('confirmed', `confirmed by ${confirmer}`),
    verdict.stale && mark('stale', 'made before a change'),
    baseline && baselineBadge(),
  );
}

/** @param {Opinion} one */
const changedSince = (one) => Boolean(one.given_blind) && one.given_blind !== one.value.label;

/**
 * Who says what, where more than one person does, or where one's own does not count; else the reason alone.
 * @param {{panel: VerdictState}} props
 */
function Opinions({ panel }) {
  const { opinions, opinion_rule: rule } = panel.detail.value;
  if (opinions.length < 2 && opinions.every((one) => one.counts && !changedSince(one)))
    return opinions[0]?.reason ? hint(h('q', null, opinions[0].reason)) : null;
  return h(
    'div',
    { class: 'dl-opinions' },
    h(
      'ul',
      { 'aria-label': 'What people say' },
      opinions.map((one) => h(OneOpinion, { key: one.person, one })),
    ),
    h('p', { class: 'dl-hint', title: rule.what }, `rule: ${rule.name}; ${rule.what}`),
  );
}

/** @param {{one: Opinion}} props */
const OneOpinion = ({ one }) =>
  h(
    'li',
    null,
    h('b', null, one.by),
    ' ',
    mark(
      one.value.label,
      one.value.label + (one.value.score === null ? '' : ` · ${scoreText(one.value.score)}`),
    ),
    one.counts && badge('counts'),
    changedSince(one) &&
      h(
        'span',
        { class: 'dl-hint', title: 'Figures on judge against people use the label that was given blind' },
        ` given blind: ${one.given_blind}`,
      ),
    one.reason && h('q', null, one.reason),
  );

/** @param {{panel: VerdictState}} props */
export function VerdictTools({ panel }) {
  const { question_id: question, no_verdict: none } = panel.detail.value;
  const runs = panel.page.can('run') && question;
  /** @type {(words: string, what: 'question' | 'video', name: string, which: string) => import('preact').VNode} */
  const again = (words, what, name, which) =>
    button(words, () => panel.rerun(what).catch(report), {
      kind: 'quiet',
      title: `Extract and judge ${which}; both results stay`,
      name,
    });
  return [
    runs && [
      again('again', 'question', 'rerun', 'this question again (Shift R)'),
      again('whole video', 'video', 'rerun-video', 'every question of this video again'),
    ],
    panel.mine &&
      panel.canEdit &&
      button('clear', () => panel.takeBack().catch(report), {
        kind: 'quiet',
        title: 'Take your own correction or confirmation back',
      }),
    panel.canEdit &&
      !none &&
      button('correct', () => openField('edit the verdict', () => panel.editVerdict()), {
        kind: 'quiet',
        name: 'correct',
        hint: 'verdicts.edit',
      }),
  ];
}

// --- error source -----------------------------------------------------------------------

/** @param {{panel: VerdictState}} props */
export function ErrorSource({ panel }) {
  const { proposed, mySource } = panel;
  const { proposed_source: proposal, error_source: counts } = panel.detail.value;
  return h(
    'div',
    { class: 'dl-errorsource', role: 'group', 'aria-label': 'Whose fault is it?' },
    proposal && h(Proposed, { panel, ...proposal }),
    ERROR_SOURCES.map(([kind, words], n) =>
      h(
        ChoiceButton,
        {
          key: kind,
          of: `verdicts.error_source_${n + 1}`,
          pressed: (mySource?.kind || counts) === kind,
          kind: proposed === kind ? 'dl-proposed' : '',
          title: panel.namedBy(kind),
          disabled: !panel.canEdit,
          act: () => panel.setErrorSource(n),
        },
        words,
      ),
    ),
  );
}

/** @param {{panel: VerdictState, kind: string, reason: string}} props */
const Proposed = ({ panel, kind, reason }) =>
  h(
    'p',
    { class: 'dl-proposal' },
    panel.proposed &&
      button('confirm', () => panel.confirmSource(), {
        kind: 'quiet',
        name: 'confirm-source',
        hint: 'verdicts.confirm_source',
      }),
    h(
      'span',
      null,
      'proposed: ',
      h('b', null, ERROR_SOURCES.find(([name]) => name === kind)?.[1] || kind),
      ` – ${reason}`,
    ),
  );
