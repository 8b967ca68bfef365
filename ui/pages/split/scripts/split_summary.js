// Under the player of the Split page: how many clauses are placed, and what can be done with the one in focus.
import { h } from '../../../lib/components/component.js';
import { plural } from '../../../lib/parts/words.js';
import { baselineBadge, button, mark } from '../../../lib/components/small_components.js';
import { rowState } from './split_table.js';
import { SIDES } from './split_text.js';

/** @typedef {import('./split_state.js').SplitState} SplitState */
/** @typedef {import('./split_text.js').Row} Row */

const MOST_JUMPS = 12;

/** @param {{split: SplitState}} props */
export function Summary({ split }) {
  const { rows, texts } = split.data.value;
  const whole = rows.filter((row) => row.full);
  const placed = whole.filter((row) => row.state !== 'neither').length;
  const row = rows[split.at.value];
  return [
    h('h2', null, `${placed} of ${plural(whole.length, 'clause')} placed`),
    h(RowsOfState, { split, shape: 'failed', state: 'neither' }),
    h(RowsOfState, { split, shape: 'neutral', state: 'both' }),
    SIDES.map((side) => {
      const extra = rows.filter((one) => !one.full).reduce((sum, one) => sum + one[side].length, 0);
      return extra
        ? h(
            'p',
            { key: side, class: 'dl-sx-finding' },
            mark('unparsed', `${side}: ${plural(extra, 'clause')} not in the full caption`),
          )
        : null;
    }),
    row?.full ? h(ThisClause, { split, row }) : null,
    split.canEdit && texts.full
      ? h(
          'div',
          { class: 'dl-row' },
          button('Propose a split', () => split.act(() => split.proposal.ask()), {
            name: 'propose',
            title: 'The model that writes proposes a split, clause by clause',
            hint: 'split.propose',
          }),
        )
      : null,
    SIDES.some((side) => texts[side]?.by === 'run' && !texts[side].corrected)
      ? h(
          'p',
          { class: 'dl-hint' },
          SIDES.some((side) => texts[side]?.baseline) ? baselineBadge() : null,
          'A machine’s proposal counts, also in the download, until somebody writes or keeps a text.',
        )
      : null,
  ];
}

/**
 * How many rows are in a state, with a way to each.
 * @param {{split: SplitState, shape: string, state: Row['state']}} props
 */
function RowsOfState({ split, shape, state }) {
  const { rows } = split.data.value;
  const found = [...rows.keys()].filter((n) => rows[n].state === state);
  if (!found.length) return null;
  return h(
    'p',
    { class: 'dl-sx-finding' },
    mark(shape, `${found.length} in ${state}`),
    h(
      'span',
      null,
      found
        .slice(0, MOST_JUMPS)
        .map((n) => button(n + 1, () => split.go(n), { key: n, kind: 'quiet', title: 'Go to this clause' })),
      found.length > MOST_JUMPS ? ' …' : null,
    ),
  );
}

/** @param {{split: SplitState, row: Row}} props */
const ThisClause = ({ split, row }) =>
  h(
    'div',
    { class: 'dl-sx-this' },
    h('p', null, h('b', null, `Clause ${split.at.value + 1}`), ' ', rowState(row)),
    split.canEdit
      ? h(
          'div',
          { class: 'dl-row' },
          SIDES.map((side) =>
            button(
              row[side].length ? `Take from ${side}` : `Send to ${side}`,
              () => split.sending.send(side),
              {
                key: side,
                hint: `split.${side}`,
              },
            ),
          ),
        )
      : null,
    split.canEdit ? h('p', { class: 'dl-hint' }, 'The same key takes it back.') : null,
  );
