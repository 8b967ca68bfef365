// Which kind of verdicts the Verdicts page shows: questions, or the items of another system (`?of=`).
import { address } from '../../../lib/page/address.js';
import { h } from '../../../lib/parts/elements.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ItemKind']} ItemKind */

/**
 * Links from one to the other; nothing where there are questions alone.
 * @param {import('../../../lib/shell/top_bar.js').Frame} frame
 */
export function itemSwitch(frame, now = '') {
  const [questions, ...others] = frame.me.items;
  const shown = others.filter(({ name, evaluations }) => evaluations || name === now);
  if (!shown.length) return null;
  /** @type {(kind: ItemKind) => HTMLElement} */
  const link = ({ name, label, title }) =>
    h(
      'a',
      {
        class: 'dl-tab',
        role: 'tab',
        'aria-selected': String(name === now),
        title,
        href: address.to('verdicts', { of: name }),
        'data-of': name || 'questions',
      },
      label,
    );
  return h(
    'div',
    { class: 'dl-tabs dl-items-switch', role: 'tablist', 'aria-label': 'What was judged' },
    link(questions),
    shown.map(link),
  );
}
