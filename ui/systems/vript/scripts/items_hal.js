// Vript-HAL: a caption with its words marked as matched or invented, the references with what was missed.
import { badge, button, h, mark } from '../../../lib/parts/elements.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { keyHint } from '../../../lib/keys/keymap.js';
import { part } from '../../../lib/parts/item_parts.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ClipItem']} Item */
/** @typedef {import('../../../lib/parts/item_parts.js').Panel} ItemPanel */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ComparedWord']} Word */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['WordsCompared']} WordsCompared */

/** @type {import('../../../lib/parts/item_parts.js').ItemSystem['row']} */
export const row = (r) => ({ label: r.label || '–' });

const STATES = { true: ['yes', 'matched'], false: ['no', 'invented'] };

/**
 * @param {Item} d
 * @param {ItemPanel} panel
 * @returns {import('../../../lib/parts/item_parts.js').Drawn}
 */
export function draw(d, panel) {
  if (d.hidden || !d.compared)
    return { corrects: true, nodes: [caption(d, [], -1), waiting(d, panel)], below: references(d) };
  const view = new Words(d, panel);
  return {
    corrects: true,
    nodes: [view.node],
    below: references(d),
    number: (n) => view.set(n === 1 ? 'matched' : n === 2 ? 'invented' : ''),
    step: (by) => view.step(by),
    field: () => view.node.querySelector('.dl-halword'),
  };
}

/**
 * @param {Item} d
 * @param {ItemPanel} panel
 */
function waiting(d, panel) {
  if (d.hidden)
    return h(
      'p',
      { class: 'dl-hint' },
      mark('blind', 'which words count is shown when blind labelling ends'),
    );
  const say = h('p', { class: 'dl-hint', role: 'status' });
  const compare = button(
    'Compare the words of all clips',
    async () => {
      compare.disabled = true;
      say.textContent = 'comparing: half a minute for a hundred clips …';
      try {
        /** @type {WordsCompared} */
        const { clips } = await api(
          `/api/items/hal/compare?evaluation=${encodeURIComponent(d.evaluation)}`,
          {},
        );
        notice(`${plural(clips, 'clip')} compared`);
        document.dispatchEvent(new CustomEvent('dl-changed', { detail: { video: '', changes: [] } }));
      } catch (error) {
        report(error);
        say.textContent = '';
        compare.disabled = false;
      }
    },
    { kind: 'main', name: 'compare' },
  );
  return part(
    'words',
    d.known
      ? [
          panel.page.can('run')
            ? compare
            : h('p', { class: 'dl-hint' }, 'Nobody has compared the words yet.'),
          say,
        ]
      : h(
          'p',
          { class: 'dl-hint' },
          'Import HAL_annotations.jsonl first: these words are compared with its captions.',
        ),
  );
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
    .split(/([\p{L}\p{N}’'-]+)/u)
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
 * @param {number} open
 * @param {(n: number) => void} [choose]
 */
function caption(d, words, open, choose = () => {}) {
  if (d.reply.state !== 'done')
    return part('caption', h('p', { class: 'dl-hint' }, mark('missing', 'no caption in the file')));
  const places = [];
  for (const [n, word] of words.entries()) places.push([word, n, stem(word.word)]);
  const pieces = d.reply.value.split(/([\p{L}\p{N}’'-]+)/u).map((piece) => {
    const found =
      places.find(([word]) => word.word === piece) ||
      places.find(([word]) => word.word.toLowerCase() === piece.toLowerCase()) ||
      places.find(([, , s]) => s.length > 2 && piece.toLowerCase().startsWith(s));
    if (!found) return piece;
    const [word, n] = found;
    return h(
      'span',
      {
        class: `dl-inword ${word.matched ? 'dl-in-matched' : 'dl-in-invented'} ${n === open ? 'dl-in-open' : ''}`,
        title: `${STATES[word.matched][1]}: nearest “${word.best}”, ${word.similarity.toFixed(2)}`,
        onclick: () => choose(n),
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
    this.open = Math.max(
      0,
      d.words.findIndex((w) => w.id === panel.openWord),
    );
    if (!panel.openWord)
      this.open = Math.max(
        0,
        d.words.findIndex((w) => !w.matched),
      );
    this.node = h('div', { class: 'dl-halwords' });
    this.#draw();
  }

  #draw() {
    const { d } = this;
    /** @type {(w: Word, n: number) => HTMLElement} */
    const word = (w, n) =>
      h(
        'button',
        {
          type: 'button',
          class: `dl-halword ${w.matched ? 'dl-halword-matched' : 'dl-halword-invented'}`,
          'aria-pressed': String(n === this.open),
          'data-word': w.word,
          onclick: () => this.choose(n),
        },
        mark(STATES[w.matched][0], w.word),
        w.corrected ? mark('corrected', '') : w.confirmed ? mark('confirmed', '') : null,
      );
    /** @param {number | null} value */
    const number = (value) => (value === null ? '–' : value.toFixed(3));
    this.node.replaceChildren(
      part('what counts', [
        h(
          'p',
          { class: 'dl-halfigures' },
          h('b', {}, `precision ${number(d.precision)}`),
          h('span', {}, `${d.matched} of ${d.predicted} words`),
          h('b', {}, `recall ${number(d.recall)}`),
          h('span', {}, `${d.matched} over ${d.counted_references}`),
          h('b', {}, `F1 ${number(d.f1)}`),
        ),
        d.flag ? h('p', { class: 'dl-flagline' }, mark('flagged', d.flag)) : null,
        d.reason ? h('p', { class: 'dl-hint' }, d.reason) : null,
        h('p', { class: 'dl-hint' }, badge(d.engines), ` matched: nearer than ${d.threshold}`),
      ]),
      caption(d, d.words, this.open, (n) => this.choose(n)),
      part(
        [`words of the caption · ${d.words.length} `, keyHint('items.word_next')],
        h('div', { class: 'dl-words', role: 'group', 'aria-label': 'Words' }, d.words.map(word)),
      ),
      this.#one(),
      part(
        `missed of the references · ${d.missed.length}`,
        h('p', { class: 'dl-missedlist' }, d.missed.join(' · ') || 'none'),
      ),
    );
  }

  #one() {
    const w = this.d.words[this.open];
    if (!w) return '';
    /** @type {(words: string, n: number, value: string) => HTMLElement} */
    const choice = (words, n, value) =>
      h(
        'button',
        {
          type: 'button',
          class: 'dl-choice',
          'aria-pressed': String(w.matched === (value === 'matched')),
          'data-value': value,
          onclick: () => this.set(value),
        },
        keyHint(`items.choose_${n}`),
        mark(STATES[value === 'matched'][0], words),
      );
    return part(`“${w.word}”, ${w.part === 'propn' ? 'name' : w.part}`, [
      h(
        'p',
        {},
        'nearest in the references: ',
        h('b', {}, w.best || '–'),
        ` · ${w.similarity.toFixed(3)}`,
        w.corrected
          ? [' ', mark('corrected'), h('s', {}, STATES[w.machine][1])]
          : w.confirmed
            ? [' ', mark('confirmed')]
            : null,
      ),
      this.panel.page.can('edit')
        ? h(
            'div',
            { class: 'dl-errorsource dl-choices', role: 'group', 'aria-label': 'Set it to' },
            choice('matched', 1, 'matched'),
            choice('invented', 2, 'invented'),
            w.mine
              ? button(['take back', keyHint('items.choose_0')], () => this.set(''), {
                  kind: 'quiet',
                  name: 'clear',
                })
              : null,
          )
        : null,
    ]);
  }

  /** @param {number} n */
  choose(n) {
    this.open = n;
    this.panel.openWord = this.d.words[n]?.id;
    this.#draw();
    this.node.querySelector('.dl-halword[aria-pressed=true]')?.focus();
  }

  /** @param {number} by */
  step(by) {
    if (this.d.words.length) this.choose((this.open + by + this.d.words.length) % this.d.words.length);
  }

  /**
   * `matched`, `invented`, or empty: one's own opinion is taken back.
   * @param {string} value
   */
  set(value) {
    const id = this.d.words[this.open]?.id;
    if (!id || !this.panel.page.can('edit')) return;
    this.panel.openWord = id;
    this.panel
      .send((/** @type {Item} */ { words }) => {
        const w = words.find((word) => word.id === id);
        return !w || w.mine === value
          ? null
          : { target: id, base_revision: w.base_revision, ...(value ? { value } : { cleared: true }) };
      })
      .catch(report);
  }
}
