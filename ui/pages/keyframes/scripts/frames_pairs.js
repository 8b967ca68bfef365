// Keyframes, Pairs: what judges made of each model's captions of a sequence, and which became preferences.
import { badge, baselineBadge, clear, h, mark } from '../../../lib/parts/elements.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { empty } from '../../../lib/parts/empty.js';
import { column, table } from '../../../lib/parts/table.js';

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
  /** @type {FrameEvidence} */
  data;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.at = 0;
    this.head = h('header', { class: 'dl-fl-head' });
    this.body = h('div', { class: 'dl-fp-body' });
    this.node = h(
      'section',
      { class: 'dl-fs', 'aria-label': 'Accepted and rejected captions' },
      this.head,
      this.body,
    );
    /** @param {number} by */
    const go = (by) => () => this.#go(this.at + by);
    this.keys = {
      next: go(1),
      previous: go(-1),
      first: () => this.#go(0),
      last: () => this.#go((this.data?.sequences.length || 0) - 1),
    };
  }

  /** @param {string} id */
  async shown(id) {
    /** @type {FrameEvidence} */
    const data = await api(`/api/frame-evidence/${encodeURIComponent(id)}`);
    if (this.page.bar.id !== id) return;
    this.data = data;
    this.at = 0;
    this.#draw();
  }

  /** @param {import('./keyframes_views.js').Changed} detail */
  async changed({ video }) {
    if (!video || video === this.page.bar.id) await this.shown(this.page.bar.id);
  }

  /** @param {number} n */
  #go(n) {
    const to = this.body.querySelectorAll('.dl-fp-sequence')[n];
    if (!to) return;
    this.at = n;
    to.scrollIntoView({ block: 'start' });
    to.focus({ preventScroll: true });
  }

  #draw() {
    const { data } = this;
    if (!data.sequences.length) {
      clear(this.head);
      clear(
        this.body,
        empty(
          'Nobody has judged these captions as training data yet. Votes on change and caption matching are stages of their own:',
          h('pre', {}, 'python app.py judge-captions MODEL --stages changes,matching --judge …'),
        ),
      );
      return;
    }
    clear(
      this.head,
      h('h2', {}, 'Accepted and rejected captions'),
      h('span', { class: 'dl-grow' }),
      badge(plural(data.sequences.length, 'sequence')),
      badge(`${data.accepted} accepted`),
      badge(plural(data.preferences, 'preference pair')),
    );
    clear(
      this.body,
      data.sequences.map((sequence, n) => this.#sequence(sequence, n)),
    );
  }

  /**
   * @param {Sequence} sequence
   * @param {number} n
   */
  #sequence(sequence, n) {
    return h(
      'section',
      { class: 'dl-fp-sequence', tabindex: '-1', 'aria-label': `Sequence ${n + 1}` },
      table(
        { class: 'dl-fp-table', style: { '--dl-fp-n': String(sequence.frames.length) } },
        [
          `sequence ${n + 1}`,
          ...sequence.frames.map((frame, i) =>
            column([
              this.#picture(frame),
              h(
                'span',
                {},
                h('b', {}, LETTERS[i]),
                ` ${frameName(frame.index)}`,
                frame.seconds === null ? null : ` · ${clock(frame.seconds)}`,
              ),
              i ? this.#votes(sequence.changes[i - 1]) : null,
            ]),
          ),
        ],
        sequence.models.map((model) => this.#model(model)),
      ),
    );
  }

  /** @param {{index: number}} frame */
  #picture(frame) {
    return this.data.video.file
      ? h('img', {
          src: `/media/${this.data.video.id}/strip/${frame.index}.jpg`,
          alt: '',
          decoding: 'async',
          loading: 'lazy',
        })
      : null;
  }

  /** @param {{yes: number, no: number, uncertain: number, word: string}} votes */
  #votes({ yes, no, uncertain, word }) {
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
  #model(model) {
    return h(
      'tr',
      {},
      h(
        'th',
        { scope: 'row' },
        model.name,
        model.baseline ? baselineBadge() : null,
        h('span', { title: WHY[model.outcome] }, mark(OUTCOMES[model.outcome], model.outcome)),
        model.passed === false ? h('small', {}, 'tells change against the majority') : null,
        model.choices.length
          ? h('small', {}, `chosen: ${model.choices.join(' ')}`)
          : h('small', {}, 'not matched yet'),
      ),
      model.captions.map((words, i) =>
        h(
          'td',
          { class: model.correct[i] === false ? 'dl-fp-wrong' : '' },
          h('p', {}, words),
          model.choices.length ? this.#choice(model, i) : null,
        ),
      ),
    );
  }

  /**
   * @param {Model} model
   * @param {number} i
   */
  #choice(model, i) {
    const letter = model.choices[i];
    if (letter === '?') return mark('unparsed', 'no letter');
    if (letter === LETTERS[i]) return mark('done', 'its own caption');
    return mark('no', letter === LETTERS[model.captions.length] ? 'none of them' : `taken for ${letter}`);
  }
}
