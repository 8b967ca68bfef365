// CapST: an event or object of one caption, the caption that judged it, and all elements of both sides.
import { address } from '../../../lib/page/address.js';
import { badge, button, h, icon, mark } from '../../../lib/parts/elements.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { markedText, part } from '../../../lib/parts/item_parts.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ElementItem']} Item */
/** @typedef {import('../../../lib/parts/item_parts.js').Panel} ItemPanel */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ListedElement']} Extracted from a caption: an event or an object */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ElementList']} ElementList */
/** @typedef {'reference' | 'prediction'} Side */

export const counts = 'verdict';
/** @type {import('../../../lib/parts/item_parts.js').ItemSystem['row']} */
export const row = (r) => ({ label: r.note.startsWith('event') ? 'E' : 'O' });
/** @param {Item} d */
export const verdict = (d) => [
  mark(d.label || d.state),
  d.stale ? mark('stale', 'the words have changed since') : null,
];

/** @type {Object<string, string>} */
const SIDES = { reference: 'reference caption', prediction: 'predicted caption' };

/**
 * @param {Item} d
 * @param {ItemPanel} panel
 */
export function draw(d, panel) {
  const editor = new Elements(d, panel);
  const judging = d.side === 'reference' ? 'prediction' : 'reference';
  const nodes = [
    part(`${d.kind} of the ${SIDES[d.side]}`, editor.words()),
    caption(d, judging, 'judged by the '),
  ];
  return { nodes, below: [caption(d, d.side, 'from the '), editor.lists()], save: () => editor.save() };
}

/**
 * @param {Item} d
 * @param {Side} side
 * @param {string} words
 */
function caption(d, side, words) {
  const text = d.captions[side];
  const found = text.spans.length
    ? null
    : h('p', { class: 'dl-hint' }, 'no words of it lean on this element');
  return part(
    [words, SIDES[side], ' ', badge(text.author)],
    [
      h(
        'p',
        { class: 'dl-caption dl-reply dl-elementcaption', 'data-side': side },
        markedText(text.value, text.spans, { title: 'the words that are nearest to the element' }),
      ),
      found,
    ],
  );
}

/** The element's words, and the elements of both sides; each can be changed, taken out, or one added. */
class Elements {
  /**
   * @param {Item} d
   * @param {ItemPanel} panel
   */
  constructor(d, panel) {
    this.d = d;
    this.panel = panel;
    this.may = panel.page.can('edit');
    /** @type {(() => Promise<void> | null)[]} */
    this.fields = [];
  }

  /** What is typed in the fields and not kept yet, when somebody goes on. */
  async save() {
    for (const keep of this.fields.splice(0)) await keep();
  }

  words() {
    const { element } = this.d;
    const machine = element.corrected
      ? h(
          'p',
          { class: 'dl-hint' },
          mark('corrected', element.by ? `added by ${element.by}` : 'put right; extracted as '),
          element.by ? null : h('s', {}, element.machine),
        )
      : null;
    if (!this.may) return [h('p', { class: 'dl-elementwords' }, element.value), machine];
    const input = h('input', {
      type: 'text',
      class: 'dl-input',
      value: element.value,
      maxlength: '300',
      'aria-label': 'the element in words',
    });
    /** @param {SubmitEvent} event */
    const keep = (event) => {
      event.preventDefault();
      if (input.value.trim() !== element.value) this.edit(element, input.value.trim()).catch(report);
    };
    this.fields.push(() =>
      input.value.trim() && input.value.trim() !== element.value
        ? this.edit(element, input.value.trim())
        : null,
    );
    return [
      h(
        'form',
        { class: 'dl-elementform', onsubmit: keep },
        input,
        h('button', { type: 'submit', class: 'dl-button', 'data-name': 'keep-element' }, 'Keep'),
        button('Take out', () => this.edit(element, '').catch(report), {
          kind: 'quiet',
          name: 'drop-element',
          title: 'This is no element of the caption; undo brings it back',
        }),
      ),
      machine,
    ];
  }

  lists() {
    const { d } = this;
    const sides = ['reference', 'prediction'];
    return ['event', 'object'].map((kind) =>
      part(
        `${kind}s`,
        h(
          'div',
          { class: 'dl-elementlists' },
          sides.map((side) => this.#list(d.lists.find((l) => l.kind === kind && l.side === side))),
        ),
      ),
    );
  }

  /** @param {ElementList} list */
  #list(list) {
    const { d } = this;
    /** @param {Extracted} one */
    const state = (one) => (d.others ? mark(d.others[one.id] || 'missing', '') : null);
    /** @param {Extracted} e */
    const one = (e) =>
      h(
        'li',
        { class: e.id === d.element.id ? 'dl-element-open' : '' },
        state(e),
        e.item
          ? h(
              'a',
              {
                href: address.to('verdicts', { of: 'capst', evaluation: d.evaluation, item: e.item }),
                'aria-current': e.id === d.element.id ? 'true' : null,
              },
              e.words,
            )
          : h('span', {}, e.words),
        e.corrected ? mark('corrected', '') : null,
      );
    return h(
      'section',
      { class: 'dl-elementlist', 'aria-label': `${list.kind}s of the ${list.side}` },
      h(
        'h3',
        {},
        `${list.side} · ${plural(list.elements.length, list.kind)}`,
        list.stale ? mark('stale', 'the caption has changed since') : null,
      ),
      list.state === 'done'
        ? null
        : h('p', { class: 'dl-hint' }, mark(list.state, 'the elements could not be extracted')),
      list.elements.length ? h('ul', {}, list.elements.map(one)) : h('p', { class: 'dl-hint' }, 'none'),
      this.may ? this.#adder(list) : null,
    );
  }

  /** @param {ElementList} list */
  #adder(list) {
    const input = h('input', {
      type: 'text',
      class: 'dl-input',
      maxlength: '300',
      placeholder: `add an ${list.kind}`,
      'aria-label': `add an ${list.kind} of the ${list.side}`,
    });
    this.fields.push(() => add());
    const add = async () => {
      const words = input.value.trim();
      if (!words) return;
      input.value = '';
      await api('/api/elements', { text_id: list.text, kind: list.kind, words }).catch((error) => {
        input.value = words;
        throw error;
      });
      notice('Added. The next run of the stage capst judges it.');
      this.#moved();
    };
    return h(
      'form',
      {
        class: 'dl-elementform',
        onsubmit: (e) => {
          e.preventDefault();
          add().catch(report);
        },
      },
      input,
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
    );
  }

  /**
   * @param {Item['element']} element
   * @param {string} value empty: it is taken out
   */
  async edit(element, value) {
    await api('/api/edit', { subject: element.subject, value, base_revision: element.revision });
    notice(
      value
        ? 'Kept. The next run of the stage capst judges the new words.'
        : 'Taken out. Undo brings it back.',
    );
    this.#moved();
  }

  #moved() {
    document.dispatchEvent(
      new CustomEvent('dl-changed', { detail: { video: this.d.video.id, changes: [] } }),
    );
  }
}
