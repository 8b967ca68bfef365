// Keyframes, Pairs: what judges made of each model's captions of a sequence, and which became preferences.
import { h, mount, signal } from '../../../lib/components/component.js';
import { badge, baselineBadge, empty, mark } from '../../../lib/components/small_components.js';
import { column, table } from '../../../lib/components/table.js';
import { pageSignal } from '../../../lib/page/open_page.js';
import { h as element } from '../../../lib/parts/elements.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {import('./page_keyframes.js').Page} Page */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EvidenceSequence']} Sequence of frames: who captioned it, and the votes on its changes */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ModelEvidence']} Model that captioned a sequence */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FrameEvidence']} FrameEvidence */

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** @type {Object<string, string>} */
const OUTCOMES = { accepted: 'done', rejected: 'no', undecided: 'unparsed' };
/** @type {Object<string, string>} */
const WHY = {
  accepted: 'every frame found its own caption',
  rejected: 'more than half of the frames did not, or change is told wrongly',
  undecided: 'neither: some wrong, unreadable, or judges that disagree',
};

/** @param {Page} page */
export const open = (page) => new PairsView(page);

class PairsView {
  /** @type {import('../../../lib/components/component.js').Signal<FrameEvidence | null>} */
  data = signal(null);
  at = 0;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.node = element('section', { class: 'dl-fs', 'aria-label': 'Accepted and rejected captions' });
    mount(this.node, h(Pairs, { view: this }), pageSignal());
    this.keys = {
      next: () => this.#go(this.at + 1),
      previous: () => this.#go(this.at - 1),
      first: () => this.#go(0),
      last: () => this.#go((this.data.value?.sequences.length || 0) - 1),
    };
  }

  /** @param {string} id */
  async shown(id) {
    /** @type {FrameEvidence} */
    const data = await api(`/api/frame-evidence/${encodeURIComponent(id)}`);
    if (this.page.bar.id !== id) return;
    this.data.value = data;
    this.at = 0;
  }

  /** @param {import('./keyframes_views.js').Changed} detail */
  async changed({ video }) {
    if (!video || video === this.page.bar.id) await this.shown(this.page.bar.id);
  }

  /** @param {number} n */
  #go(n) {
    const to = this.node.querySelectorAll('.dl-fp-sequence')[n];
    if (!to) return;
    this.at = n;
    to.scrollIntoView({ block: 'start' });
    to.focus({ preventScroll: true });
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{view: PairsView}} props */
function Pairs({ view }) {
  const data = view.data.value;
  const { sequences, accepted, preferences, video } = data || { sequences: [] };
  return [
    h(
      'header',
      { class: 'dl-fl-head' },
      sequences.length
        ? [
            h('h2', null, 'Accepted and rejected captions'),
            h('span', { class: 'dl-grow' }),
            badge(plural(sequences.length, 'sequence')),
            badge(`${accepted} accepted`),
            badge(plural(preferences, 'preference pair')),
          ]
        : null,
    ),
    h(
      'div',
      { class: 'dl-fp-body' },
      sequences.map((sequence, n) =>
        h(SequenceTable, { key: `${video.id} ${n}`, sequence, n, pictures: video.file ? video.id : '' }),
      ),
      data && !sequences.length
        ? empty(
            'Nobody has judged these captions as training data yet. Votes on change and caption matching are stages of their own:',
            h('pre', null, 'python app.py judge-captions MODEL --stages changes,matching --judge …'),
          )
        : null,
    ),
  ];
}

/** @param {{sequence: Sequence, n: number, pictures: string}} props `pictures`: the video, where there are any */
const SequenceTable = ({ sequence: { frames, changes, models }, n, pictures }) =>
  h(
    'section',
    { class: 'dl-fp-sequence', tabIndex: -1, 'aria-label': `Sequence ${n + 1}` },
    table(
      { class: 'dl-fp-table', style: { '--dl-fp-n': String(frames.length) } },
      [
        `sequence ${n + 1}`,
        ...frames.map(({ index, seconds }, i) =>
          column([
            pictures
              ? h('img', {
                  src: `/media/${pictures}/strip/${index}.jpg`,
                  alt: '',
                  decoding: 'async',
                  loading: 'lazy',
                })
              : null,
            h(
              'span',
              null,
              h('b', null, LETTERS[i]),
              ` ${frameName(index)}`,
              seconds === null ? null : ` · ${clock(seconds)}`,
            ),
            i ? votesOn(changes[i - 1]) : null,
          ]),
        ),
      ],
      models.map(rowOf),
    ),
  );

/** @param {{yes: number, no: number, uncertain: number, word: string}} votes */
function votesOn({ yes, no, uncertain, word }) {
  if (!yes && !no && !uncertain) return null;
  return h(
    'span',
    {
      class: 'dl-fp-votes',
      title: 'Votes of all models and judges: does this frame differ from the one before?',
    },
    mark(word || 'unparsed', word === 'yes' ? 'changed' : word === 'no' ? 'alike' : 'no majority'),
    ` ${yes} : ${no}${uncertain ? `, ${uncertain} uncertain` : ''}`,
  );
}

/** @param {Model} model */
const rowOf = (model) =>
  h(
    'tr',
    { key: model.run },
    h(
      'th',
      { scope: 'row' },
      model.name,
      model.baseline ? baselineBadge() : null,
      h('span', { title: WHY[model.outcome] }, mark(OUTCOMES[model.outcome], model.outcome)),
      model.passed === false ? h('small', null, 'tells change against the majority') : null,
      h('small', null, model.choices.length ? `chosen: ${model.choices.join(' ')}` : 'not matched yet'),
    ),
    model.captions.map((words, i) =>
      h(
        'td',
        { class: model.correct[i] === false ? 'dl-fp-wrong' : '' },
        h('p', null, words),
        model.choices.length ? choiceOf(model, i) : null,
      ),
    ),
  );

/**
 * @param {Model} model
 * @param {number} i
 */
function choiceOf({ captions, choices }, i) {
  const letter = choices[i];
  if (letter === '?') return mark('unparsed', 'no letter');
  if (letter === LETTERS[i]) return mark('done', 'its own caption');
  return mark('no', letter === LETTERS[captions.length] ? 'none of them' : `taken for ${letter}`);
}
