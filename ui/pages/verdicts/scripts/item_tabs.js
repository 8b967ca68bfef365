// Which kind of verdicts the Verdicts page shows: questions, or the items of another system (`?of=`).
import { address, h } from '../../../lib/parts/elements_and_requests.js';

/**
 * Every system that can have items, in the order of the switch, as ui/pages/verdicts/items_view.py has them.
 * @type {Object<string, string>}
 */
export const SYSTEMS = { hal: 'HAL', rr: 'RR', ero: 'ERO', capst: 'CapST' };
/** @type {Object<string, string>} */
const WHAT = {
  '': 'VDC and Video-MMLU: questions',
  hal: 'Vript-HAL: words of captions',
  rr: 'Vript-RR: questions about one scene',
  ero: 'Vript-ERO: the order of scenes',
  capst: 'CapST: events and objects',
};

/**
 * Links from one to the other; nothing where there are questions alone.
 * @param {import('../../../lib/shell/top_bar.js').Frame} frame
 */
export function itemSwitch(frame, now = '') {
  const names = Object.keys(SYSTEMS).filter((name) => frame.me.items?.[name] || name === now);
  if (!names.length) return null;
  /** @type {(of: string, words: string) => HTMLElement} */
  const link = (of, words) =>
    h(
      'a',
      {
        class: 'dl-tab',
        role: 'tab',
        'aria-selected': String(of === now),
        title: WHAT[of],
        href: address.to('verdicts', { of }),
        'data-of': of || 'vdc',
      },
      words,
    );
  return h(
    'div',
    { class: 'dl-tabs dl-items-switch', role: 'tablist', 'aria-label': 'What was judged' },
    link('', 'Questions'),
    names.map((name) => link(name, SYSTEMS[name])),
  );
}
