// Above a list: which kind of verdicts it has, questions or the items of another system (`?of=`), and what it shows in
// which order. The address holds it, so that a link has it too; signals show it.
import { batch, h, signal } from '../../../lib/components/component.js';
import { address } from '../../../lib/page/address.js';

/** @template Known what the server says there is to choose from */
export class ListFilters {
  /**
   * @param {string} open what the address calls the one that is open
   * @param {string[]} names of what else the address holds
   * @param {Known} known
   * @param {() => unknown} changed draws the list anew
   */
  constructor(open, names, known, changed) {
    address.set({ only: address.get('only') || (address.get(open) ? '' : address.get('video')) });
    this.open = open;
    this.names = [...names, 'only', 'sort'];
    this.chosen = signal(this.#inAddress());
    this.known = signal(known);
    this.changed = changed;
  }

  #inAddress() {
    return Object.fromEntries(this.names.map((name) => [name, address.get(name)]));
  }

  /** @param {Object<string, string>} values */
  set(values) {
    this.narrow(address.get('only'), { [this.open]: '', ...values });
    this.changed();
  }

  /**
   * Only one video; empty: all.
   * @param {string} only its id
   * @param {Object<string, string>} [values]
   */
  narrow(only, values = {}) {
    address.set({ only, ...values });
    this.chosen.value = this.#inAddress();
  }

  /** @param {Known} known */
  show(known) {
    batch(() => {
      this.known.value = known;
      this.chosen.value = this.#inAddress();
    });
  }
}

/**
 * That the list is narrowed to one video.
 * @param {{filters: ListFilters<any>}} props
 */
export const OneVideo = ({ filters }) =>
  filters.chosen.value.only &&
  h(
    'span',
    { class: 'dl-chip' },
    h('span', null, 'one video'),
    h(
      'button',
      {
        type: 'button',
        'aria-label': 'Show all videos',
        onClick: () => filters.set({ only: '', video: '' }),
      },
      '×',
    ),
  );

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
