// Where the error behind a verdict lies: what is proposed, and the choices of the person.
import { h } from '../../../lib/components/component.js';
import { button, keyHint } from '../../../lib/components/small_components.js';
import { ERROR_SOURCES } from './verdict_filters.js';

/** @typedef {import('./verdict_state.js').VerdictState} VerdictState */

/** @param {{panel: VerdictState}} props */
export function ErrorSource({ panel }) {
  const { proposed, mySource } = panel;
  const { proposed_source: proposal, error_source: counts } = panel.detail.value;
  return h(
    'div',
    { class: 'dl-errorsource', role: 'group', 'aria-label': 'Whose fault is it?' },
    proposal ? h(Proposed, { panel, ...proposal }) : null,
    ERROR_SOURCES.map(([kind, words], n) =>
      h(
        'button',
        {
          key: kind,
          type: 'button',
          class: proposed === kind ? 'dl-choice dl-proposed' : 'dl-choice',
          'aria-pressed': (mySource?.kind || counts) === kind,
          title: panel.namedBy(kind),
          disabled: !panel.canEdit,
          onClick: () => panel.setErrorSource(n),
        },
        keyHint(`verdicts.error_source_${n + 1}`),
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
    panel.proposed
      ? button('confirm', () => panel.confirmSource(), {
          kind: 'quiet',
          name: 'confirm-source',
          hint: 'verdicts.confirm_source',
        })
      : null,
    h(
      'span',
      null,
      'proposed: ',
      h('b', null, ERROR_SOURCES.find(([name]) => name === kind)?.[1] || kind),
      ` – ${reason}`,
    ),
  );
