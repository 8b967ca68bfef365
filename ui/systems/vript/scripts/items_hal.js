// Vript-HAL: a caption with its words marked as matched or invented, the references with what was missed.
import { h, signal } from '../../../lib/components/component.js';
import { ChoiceButton, part } from '../../../lib/components/item_parts.js';
import { badge, button, hint, keyHint, mark } from '../../../lib/components/small_components.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ClipItem']} Item */
/** @typedef {import('../../../lib/components/component.js').Children} Children */
/** @typedef {import('../../../lib/components/item_parts.js').Panel} ItemPanel */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ComparedWord']} Word */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['WordsCompared']} WordsCompared */

/** @type {import('../../../lib/components/item_parts.js').ItemSystem['row']} */
export const row = (r) => ({ label: r.label || '–' });

const STATES = { true: ['yes', 'matched'], false: ['no', 'invented'] };
const WORDS = /([\p{L}\p{N}’'-]+)/u;

/** Whether the words of all clips are being compared. */
const comparing = signal(false);

/**
 * @param {Item} d
 * @param {ItemPanel} panel
 * @returns {import('../../../lib/components/item_parts.js').Drawn}
 */
export function draw(d, panel) {
  const below = references(d);
  if (d.hidden || !d.compared)
    return { corrects: true, nodes: [caption(d, [], null), h(Waiting, { d, panel })], below };
  const view = new Words(d, panel);
  return {
    corrects: true,
    nodes: h('div', { class: 'dl-halwords' }, view.drawn()),
    below,
    number: (n) => view.set(n === 1 ? 'matched' : n === 2 ? 'invented' : ''),
    step: (by) => view.step(by),
    field: '.dl-halword',
  };
}

/** @param {{d: Item, panel: ItemPanel}} props */
function Waiting({ d, panel }) {
  if (d.hidden) return hint(mark('blind', 'which words count is shown when blind labelling ends'));
  if (!d.known)
    return part(
      'words',
      hint('Import HAL_annotations.jsonl first: these words are compared with its captions.'),
    );
  const busy = comparing.value;
  return part('words', [
    panel.page.can('run')
      ? h(
          'button',
          {
            type: 'button',
            class: 'dl-button dl-button-main',
            'data-name': 'compare',
            disabled: busy,
            onClick: () => compare(d.evaluation),
          },
          'Compare the words of all clips',
        )
      : hint('Nobody has compared the words yet.'),
    h('p', { class: 'dl-hint', role: 'status' }, busy && 'comparing: half a minute for a hundred clips …'),
  ]);
}

/** @param {string} evaluation */
async function compare(evaluation) {
  comparing.value = true;
  try {
    /** @type {WordsCompared} */
    const { clips } = await api(`/api/items/hal/compare?evaluation=${encodeURIComponent(evaluation)}`, {});
    notice(`${plural(clips, 'clip')} compared`);
    document.dispatchEvent(new CustomEvent('dl-changed', { detail: { video: '', changes: [] } }));
  } catch (error) {
    report(error);
  } finally {
    comparing.value = false;
  }
}

/** @param {Item} d */
const references = (d) =>
  (d.references || []).map((/** @type {string} */ text, /** @type {number} */ n) =>
    part(`reference ${n + 1}`, h('p', { class: 'dl-caption' }, missedIn(text, d))),
  );

/**
 * The reference with the words that the caption lacks marked.
 * @param {string} text
 * @param {Item} d
 */
function missedIn(text, d) {
  const missed = new Set((d.missed || []).map((word) => word.toLowerCase()));
  if (!missed.size) return text;
  return text
    .split(WORDS)
    .map((piece) =>
      missed.has(piece.toLowerCase())
        ? h('u', { class: 'dl-missed', title: 'no word of the caption is close to it' }, piece)
        : piece,
    );
}

/**
 * The caption; each word that counts is marked where it stands.
 * @param {Item} d
 * @param {Word[]} words
 * @param {Word | null} open
 * @param {(word: Word) => void} [choose]
 */
function caption(d, words, open, choose = () => {}) {
  if (d.reply.state !== 'done') return part('caption', hint(mark('missing', 'no caption in the file')));
  /** @param {string} piece */
  const wordOf = (piece) => {
    const small = piece.toLowerCase();
    return (
      words.find(({ word }) => word === piece) ||
      words.find(({ word }) => word.toLowerCase() === small) ||
      words.find(({ word }) => stem(word).length > 2 && small.startsWith(stem(word)))
    );
  };
  const pieces = d.reply.value.split(WORDS).map((piece) => {
    const word = wordOf(piece);
    if (!word) return piece;
    const kind = word.matched ? 'dl-in-matched' : 'dl-in-invented';
    return h(
      'span',
      {
        class: `dl-inword ${kind} ${word === open ? 'dl-in-open' : ''}`,
        title: `${STATES[word.matched][1]}: nearest “${word.best}”, ${word.similarity.toFixed(2)}`,
        onClick: () => choose(word),
      },
      piece,
    );
  });
  return part('caption', h('p', { class: 'dl-caption dl-reply' }, pieces));
}

/** @param {string} word */
const stem = (word) => word.toLowerCase().replace(/(e|y)$/, '');

class Words {
  /**
   * @param {Item} d
   * @param {ItemPanel} panel
   */
  constructor(d, panel) {
    this.d = d;
    this.panel = panel;
    this.open =
      d.words.find((word) => word.id === panel.openWord.value) ||
      (panel.openWord.value ? null : d.words.find((word) => !word.matched)) ||
      d.words[0];
  }

  drawn() {
    const { d, open } = this;
    /** @param {number | null} value */
    const number = (value) => (value === null ? '–' : value.toFixed(3));
    return [
      part('what counts', [
        h(
          'p',
          { class: 'dl-halfigures' },
          h('b', null, `precision ${number(d.precision)}`),
          h('span', null, `${d.matched} of ${d.predicted} words`),
          h('b', null, `recall ${number(d.recall)}`),
          h('span', null, `${d.matched} over ${d.counted_references}`),
          h('b', null, `F1 ${number(d.f1)}`),
        ),
        d.flag && h('p', { class: 'dl-flagline' }, mark('flagged', d.flag)),
        d.reason && hint(d.reason),
        hint(badge(d.engines), ` matched: nearer than ${d.threshold}`),
      ]),
      caption(d, d.words, open, (word) => this.choose(word)),
      part(
        [`words of the caption · ${d.words.length} `, keyHint('items.word_next')],
        h(
          'div',
          { class: 'dl-words', role: 'group', 'aria-label': 'Words' },
          d.words.map((word) => this.#word(word)),
        ),
      ),
      open && this.#one(open),
      part(
        `missed of the references · ${d.missed.length}`,
        h('p', { class: 'dl-missedlist' }, d.missed.join(' · ') || 'none'),
      ),
    ];
  }

  /** @param {Word} word */
  #word(word) {
    return h(
      'button',
      {
        key: word.id,
        type: 'button',
        class: `dl-halword ${word.matched ? 'dl-halword-matched' : 'dl-halword-invented'}`,
        'aria-pressed': word === this.open,
        'data-word': word.word,
        onClick: () => this.choose(word),
      },
      mark(STATES[word.matched][0], word.word),
      word.corrected ? mark('corrected', '') : word.confirmed ? mark('confirmed', '') : null,
    );
  }

  /** @param {Word} word the open one */
  #one(word) {
    /** @type {(n: number, matched: boolean) => Children} */
    const choice = (n, matched) => {
      const [state, value] = STATES[matched];
      const pressed = word.matched === matched;
      return h(
        ChoiceButton,
        { of: `items.choose_${n}`, value, pressed, act: () => this.set(value) },
        mark(state, value),
      );
    };
    return part(`“${word.word}”, ${word.part === 'propn' ? 'name' : word.part}`, [
      h(
        'p',
        null,
        'nearest in the references: ',
        h('b', null, word.best || '–'),
        ` · ${word.similarity.toFixed(3)}`,
        word.corrected
          ? [' ', mark('corrected'), h('s', null, STATES[word.machine][1])]
          : word.confirmed
            ? [' ', mark('confirmed')]
            : null,
      ),
      this.panel.canEdit &&
        h(
          'div',
          { class: 'dl-errorsource dl-choices', role: 'group', 'aria-label': 'Set it to' },
          choice(1, true),
          choice(2, false),
          word.mine &&
            button('take back', () => this.set(''), {
              kind: 'quiet',
              name: 'clear',
              hint: 'items.choose_0',
            }),
        ),
    ]);
  }

  /** The open word has the focus too. @param {Word} word */
  choose(word) {
    this.panel.openWord.value = word.id;
    const words = this.panel.page.pane.querySelectorAll('.dl-halword');
    /** @type {HTMLElement | undefined} */ (words[this.d.words.indexOf(word)])?.focus();
  }

  /** @param {number} by */
  step(by) {
    const { words } = this.d;
    if (words.length) this.choose(words.at((words.indexOf(this.open) + by) % words.length));
  }

  /**
   * `matched`, `invented`, or empty: one's own opinion is taken back.
   * @param {string} value
   */
  set(value) {
    const id = this.open?.id;
    if (!id || !this.panel.canEdit) return;
    this.panel.openWord.value = id;
    this.panel
      .send((/** @type {Item} */ { words }) => {
        const word = words.find((one) => one.id === id);
        return !word || word.mine === value
          ? null
          : { target: id, base_revision: word.base_revision, ...(value ? { value } : { cleared: true }) };
      })
      .catch(report);
  }
}
