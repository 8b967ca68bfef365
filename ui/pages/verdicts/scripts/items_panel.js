// Everything about one item. The system's module draws the evidence; what counts, and its correction, is drawn here.
import { h } from '../../../lib/components/component.js';
import { ChoiceButton, part } from '../../../lib/components/item_parts.js';
import {
  badge,
  baselineBadge,
  button,
  hint,
  keyHint,
  mark,
} from '../../../lib/components/small_components.js';
import { report } from '../../../lib/parts/notices.js';
import { History, RawReply } from './replies_and_history.js';

/** @typedef {import('./items_state.js').ItemState} ItemState */

/** @param {{panel: ItemState}} props */
export function ItemPanel({ panel }) {
  const d = panel.detail.value;
  const { nodes, below, corrects } = panel.drawn.value;
  return h(
    'article',
    { class: 'dl-verdict dl-itempanel', 'aria-label': 'This item' },
    h(Head, { panel }),
    nodes,
    corrects
      ? null
      : part(
          d.hidden ? mark('blind', 'your reading, blind') : panel.system.counts || 'what counts',
          h('div', { class: 'dl-verdictbox' }, d.hidden ? null : h(Now, { panel }), h(Form, { panel })),
          d.mine &&
            panel.canEdit &&
            button('take back', () => panel.takeBack().catch(report), {
              kind: 'quiet',
              name: 'clear',
              hint: 'items.clear',
              title: 'Take your own correction or confirmation back',
            }),
        ),
    below,
    d.hidden
      ? null
      : [
          d.raw &&
            h(RawReply, { open: panel.raw, heading: ['raw reply ', keyHint('items.raw')], raw: d.raw }),
          h(History, { history: d.history }),
        ],
  );
}

/** @param {{panel: ItemState}} props */
function Head({ panel }) {
  const d = panel.detail.value;
  return h(
    'header',
    { class: 'dl-question' },
    d.known === false &&
      hint(mark('missing', 'the benchmark’s annotations are not here; import them to see what is right')),
    hint(
      d.model && badge(d.model),
      d.setting && badge(d.setting),
      d.place && badge(`at ${d.place}`),
      d.baseline && baselineBadge(),
      d.name && h('span', { class: 'dl-mono' }, d.name),
    ),
  );
}

/** @param {{panel: ItemState}} props */
function Now({ panel }) {
  const d = panel.detail.value;
  return [
    h(
      'p',
      { class: 'dl-verdictline' },
      panel.system.verdict ? panel.system.verdict(d) : mark(d.state === 'done' ? d.label : d.state),
      d.corrected && [mark('corrected'), h('s', null, d.machine?.label || d.machine_state)],
      d.confirmed && mark('confirmed', `confirmed by ${d.by}`),
    ),
    d.flag && h('p', { class: 'dl-flagline' }, mark('flagged', d.flag)),
    d.reason && d.reason !== d.flag && !d.corrected && hint(d.reason),
  ];
}

/** @param {{panel: ItemState}} props */
function Form({ panel }) {
  if (!panel.canEdit) return null;
  const d = panel.detail.value;
  const chosen = panel.chosen.value;
  const shown = chosen || (d.hidden ? '' : d.label);
  return h(
    'form',
    {
      class: 'dl-itemform',
      onSubmit: (event) => {
        event.preventDefault();
        panel.finish(panel.save);
      },
      onKeyDown: (event) => formKey(event, panel),
    },
    h(
      'div',
      { class: 'dl-errorsource dl-choices', role: 'group', 'aria-label': 'Set it to' },
      d.choices.map((option, n) =>
        h(
          ChoiceButton,
          {
            key: option.value,
            of: `items.choose_${option.value === 'none' ? 0 : n + 1}`,
            value: option.value,
            pressed: shown === option.value,
            act: () => panel.choose(option.value),
          },
          option.mark ? mark(option.mark, option.words) : option.words,
        ),
      ),
    ),
    chosen && h(Reason, { panel }),
  );
}

/** @param {{panel: ItemState}} props */
const Reason = ({ panel }) =>
  h(
    'div',
    { class: 'dl-verdictform' },
    h('input', {
      type: 'text',
      class: 'dl-input',
      'aria-label': 'reason',
      placeholder: 'reason (optional)',
      maxLength: 2000,
      value: panel.draft.value,
      onInput: (event) => {
        panel.draft.value = event.currentTarget.value;
      },
    }),
    h(
      'div',
      { class: 'dl-row' },
      h('button', { type: 'submit', class: 'dl-button dl-button-main', 'data-name': 'save-item' }, 'Save'),
      button('Cancel', () => panel.choose(''), { kind: 'quiet' }),
      h('span', { class: 'dl-hint' }, keyHint('items.save_next'), 'save, and on'),
    ),
  );

/**
 * In the form the digits choose and the arrows go from choice to choice; the words of the reason are words.
 * @param {import('preact').TargetedKeyboardEvent<HTMLFormElement>} event
 * @param {ItemState} panel
 */
function formKey(event, panel) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches('[type=text]')) return;
  const choices = /** @type {HTMLElement[]} */ ([...event.currentTarget.querySelectorAll('.dl-choice')]);
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (by && choices.includes(target)) choices.at((choices.indexOf(target) + by) % choices.length).focus();
  else if (/^\d$/.test(event.key)) {
    panel.number(Number(event.key));
    choices.at(Number(event.key) - 1)?.focus();
  } else return;
  event.preventDefault();
}
