// Above the list: which kind of verdicts it has, questions or the items of another system (`?of=`), and whether it is
// narrowed to one video.
import { h } from '../../../lib/components/component.js';
import { address } from '../../../lib/page/address.js';

/**
 * Links from one kind to the other; nothing where there are questions alone.
 * @param {{frame: import('../../../lib/shell/top_bar.js').Frame, now: string}} props
 */
export function ItemSwitch({ frame, now }) {
  const [questions, ...others] = frame.me.items;
  const shown = others.filter(({ name, evaluations }) => evaluations || name === now);
  if (!shown.length) return null;
  return h(
    'div',
    { class: 'dl-tabs dl-items-switch', role: 'tablist', 'aria-label': 'What was judged' },
    [questions, ...shown].map(({ name, label, title }) =>
      h(
        'a',
        {
          key: name,
          class: 'dl-tab',
          role: 'tab',
          'aria-selected': name === now,
          title,
          href: address.to('verdicts', { of: name }),
          'data-of': name || 'questions',
        },
        label,
      ),
    ),
  );
}

/** @param {{widen: () => unknown}} props */
export const OneVideo = ({ widen }) =>
  h(
    'span',
    { class: 'dl-chip' },
    h('span', null, 'one video'),
    h('button', { type: 'button', 'aria-label': 'Show all videos', onClick: widen }, '×'),
  );
