// CapST: an event or object of one caption, the caption that judged it, and all elements of both sides. Each element can
// be changed, taken out, or one added.
import { h } from '../../../lib/components/component.js';
import { markedText, part } from '../../../lib/components/item_parts.js';
import { badge, button, hint, icon, mark } from '../../../lib/components/small_components.js';
import { address } from '../../../lib/page/address.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ElementItem']} Item */
/** @typedef {import('../../../lib/components/item_parts.js').Panel} ItemPanel */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ListedElement']} Extracted from a caption: an event or an object */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ElementList']} ElementList */
/** @typedef {'reference' | 'prediction'} Side */
/** @typedef {{d: Item, panel: ItemPanel}} Props */

export const counts = 'verdict';
/** @type {import('../../../lib/components/item_parts.js').ItemSystem['row']} */
export const row = (r) => ({ label: r.note.startsWith('event') ? 'E' : 'O' });
/** @param {Item} d */
export const verdict = (d) => [
  mark(d.label || d.state),
  d.stale && mark('stale', 'the words have changed since'),
];

/** @type {Object<string, string>} */
const SIDES = { reference: 'reference caption', prediction: 'predicted caption' };
const LONGEST = 300;

/**
 * @param {Item} d
 * @param {ItemPanel} panel
 */
export function draw(d, panel) {
  const judging = d.side === 'reference' ? 'prediction' : 'reference';
  return {
    nodes: [
      part(`${d.kind} of the ${SIDES[d.side]}`, h(Words, { d, panel })),
      caption(d, judging, 'judged by the '),
    ],
    below: [
      caption(d, d.side, 'from the '),
      ['event', 'object'].map((kind) =>
        part(
          `${kind}s`,
          h(
            'div',
            { class: 'dl-elementlists' },
            Object.keys(SIDES).map((side) =>
              h(List, { d, panel, list: d.lists.find((one) => one.kind === kind && one.side === side) }),
            ),
          ),
        ),
      ),
    ],
    save: async () => {
      await keep(d, panel);
      for (const list of d.lists) await add(d, panel, list);
    },
  };
}

/**
 * @param {Item} d
 * @param {Side} side
 * @param {string} words
 */
function caption(d, side, words) {
  const { value, spans, author } = d.captions[side];
  return part(
    [words, SIDES[side], ' ', badge(author)],
    [
      h(
        'p',
        { class: 'dl-caption dl-reply dl-elementcaption', 'data-side': side },
        markedText(value, spans, 'the words that are nearest to the element'),
      ),
      spans.length ? null : hint('no words of it lean on this element'),
    ],
  );
}

/** @param {Props} props */
function Words({ d, panel }) {
  const { element } = d;
  return [
    panel.canEdit
      ? h(
          'form',
          { class: 'dl-elementform', onSubmit: submitted(() => keep(d, panel, true)) },
          field(panel, 'element', 'the element in words', element.value),
          h('button', { type: 'submit', class: 'dl-button', 'data-name': 'keep-element' }, 'Keep'),
          button('Take out', () => change(d, panel, '').catch(report), {
            kind: 'quiet',
            name: 'drop-element',
            title: 'This is no element of the caption; undo brings it back',
          }),
        )
      : h('p', { class: 'dl-elementwords' }, element.value),
    element.corrected &&
      hint(
        mark('corrected', element.by ? `added by ${element.by}` : 'put right; extracted as '),
        element.by ? null : h('s', null, element.machine),
      ),
  ];
}

/** @param {Props & {list: ElementList}} props */
function List({ d, panel, list }) {
  /** @param {Extracted} one */
  const line = (one) => {
    const open = one.id === d.element.id;
    const href = address.to('verdicts', { of: 'capst', evaluation: d.evaluation, item: one.item });
    return h(
      'li',
      { key: one.id, class: open ? 'dl-element-open' : '' },
      d.others && mark(d.others[one.id] || 'missing', ''),
      one.item
        ? h('a', { href, 'aria-current': open ? 'true' : null }, one.words)
        : h('span', null, one.words),
      one.corrected && mark('corrected', ''),
    );
  };
  return h(
    'section',
    { class: 'dl-elementlist', 'aria-label': `${list.kind}s of the ${list.side}` },
    h(
      'h3',
      null,
      `${list.side} · ${plural(list.elements.length, list.kind)}`,
      list.stale && mark('stale', 'the caption has changed since'),
    ),
    list.state === 'done' ? null : hint(mark(list.state, 'the elements could not be extracted')),
    list.elements.length ? h('ul', null, list.elements.map(line)) : hint('none'),
    panel.canEdit &&
      h(
        'form',
        { class: 'dl-elementform', onSubmit: submitted(() => add(d, panel, list)) },
        field(panel, nameOf(list), `add an ${list.kind} of the ${list.side}`, '', `add an ${list.kind}`),
        h(
          'button',
          {
            type: 'submit',
            class: 'dl-button dl-button-icon',
            title: 'Add',
            'aria-label': `Add the ${list.kind}`,
          },
          icon('plus'),
        ),
      ),
  );
}

// --- writing ----------------------------------------------------------------------------

/** The field of a list. @param {ElementList} list */
const nameOf = (list) => `${list.kind} of ${list.side}`;

/**
 * @param {ItemPanel} panel
 * @param {string} name of what is typed in it
 * @param {string} label
 * @param {string} value while nothing is
 */
const field = ({ typed }, name, label, value, placeholder = undefined) =>
  h('input', {
    type: 'text',
    class: 'dl-input',
    maxLength: LONGEST,
    placeholder,
    'aria-label': label,
    value: typed.value[name] ?? value,
    onInput: (event) => {
      typed.value = { ...typed.value, [name]: event.currentTarget.value };
    },
  });

/** @param {() => Promise<void>} act */
const submitted = (act) => (/** @type {Event} */ event) => {
  event.preventDefault();
  act().catch(report);
};

/**
 * What is typed in a field; it is not typed there any more.
 * @param {ItemPanel} panel
 * @param {string} name
 */
function take({ typed }, name) {
  const { [name]: words = '', ...others } = typed.value;
  typed.value = others;
  return words.trim();
}

/**
 * The words of the element as they are typed.
 * @param {Item} d
 * @param {ItemPanel} panel
 * @param {boolean} [dropped] none means that the element is taken out
 */
async function keep(d, panel, dropped = false) {
  const { kept = d.element.value, element = kept } = panel.typed.value;
  const words = element.trim();
  if (words !== kept && (words || dropped)) await change(d, panel, words);
}

/**
 * @param {Item} d
 * @param {ItemPanel} panel
 * @param {string} value empty: it is taken out
 */
async function change({ element, video }, panel, value) {
  await api('/api/edit', { subject: element.subject, value, base_revision: element.revision });
  panel.typed.value = { ...panel.typed.value, element: value, kept: value };
  notice(
    value ? 'Kept. The next run of the stage capst judges the new words.' : 'Taken out. Undo brings it back.',
  );
  tell(video.id);
}

/**
 * The element that is typed under a list.
 * @param {Item} d
 * @param {ItemPanel} panel
 * @param {ElementList} list
 */
async function add({ video }, panel, list) {
  const name = nameOf(list);
  const words = take(panel, name);
  if (!words) return;
  try {
    await api('/api/elements', { text_id: list.text, kind: list.kind, words });
  } catch (error) {
    panel.typed.value = { [name]: words, ...panel.typed.value };
    throw error;
  }
  notice('Added. The next run of the stage capst judges it.');
  tell(video.id);
}

/** @param {string} video whose elements have changed */
const tell = (video) =>
  document.dispatchEvent(new CustomEvent('dl-changed', { detail: { video, changes: [] } }));
