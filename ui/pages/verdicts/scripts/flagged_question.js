// What speaks against a question: findings of the checks, what its own reference reaches, and its exclusion.
import { button, clear, h, mark } from '../../../lib/parts/elements.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { dayAndTime, scoreText, verdictWord } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { keyHint, openField, wanted } from '../../../lib/keys/keymap.js';
import { askWords } from '../../../lib/shell/assignment_bar.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['QuestionFacts']} Flags of a question */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ExclusionSaved']} ExclusionSaved */

/** @type {Object<string, string>} */
const CHECKS = {
  comma_split: 'split at a comma',
  question_mark_in_answer: 'question mark in the answer',
  placeholder: 'placeholder answer',
  unknown_answer: 'unknown answer',
  duplicate_question: 'duplicate question',
  stray_quote: 'stray quote',
  empty: 'empty',
  not_in_reference: 'not in the reference',
};

export class FlaggedQuestions {
  /**
   * `changed(exclusion)` is called when the question was taken out of the count or back in.
   * @param {string} questionId empty where the log names no question
   * @param {{can: (action: string) => boolean, changed: (exclusion: Flags['exclusion']) => unknown, open: (id: string) => unknown}} page
   */
  constructor(questionId, { can, changed, open }) {
    this.id = questionId;
    this.can = can;
    this.changed = changed;
    this.open = open;
    /** @type {Flags | null} */
    this.about = null;
    this.node = h('div', { class: 'dl-flags', hidden: true });
    this.loading = questionId ? this.load().catch(report) : Promise.resolve();
  }

  async load() {
    this.about = await api(`/api/questions/${encodeURIComponent(this.id)}`);
    this.#draw();
  }

  #draw() {
    const { findings, exclusion, ceiling } = this.about;
    const poor = ceiling && (ceiling.state !== 'done' || ceiling.label !== 'yes');
    this.node.hidden = !findings.length && !exclusion && !ceiling && !this.can('edit');
    clear(
      this.node,
      exclusion
        ? h(
            'p',
            { class: 'dl-excluded' },
            mark('skipped', 'excluded'),
            h('span', {}, `${exclusion.by}, ${dayAndTime(exclusion.at)}: `, h('q', {}, exclusion.reason)),
          )
        : null,
      findings.map((f) =>
        h(
          'p',
          { class: 'dl-finding' },
          mark(f.suspect ? 'flagged' : 'open', CHECKS[f.check] || f.check.replaceAll('_', ' ')),
          h('span', {}, f.why),
        ),
      ),
      ceiling
        ? h(
            'p',
            { class: 'dl-finding' },
            mark(poor ? 'flagged' : 'done', 'its own reference caption'),
            h(
              'button',
              { type: 'button', class: 'dl-other', onclick: () => this.open(ceiling.verdict_id) },
              mark(verdictWord(ceiling)),
              ceiling.score === null ? '' : scoreText(ceiling.score),
              h('span', { class: 'dl-other-text' }, ceiling.answer || 'no answer'),
            ),
          )
        : null,
      this.can('edit')
        ? button(
            [exclusion ? 'count it again …' : 'exclude …', keyHint('verdicts.exclude')],
            () => openField('exclude the question', () => this.exclude()),
            {
              kind: 'quiet',
              name: 'exclude',
              title: exclusion
                ? 'Take the exclusion back, or give another reason'
                : 'Take this question out of the corrected score, with a reason',
            },
          )
        : null,
    );
  }

  async exclude() {
    const still = wanted();
    await this.loading;
    if (!still()) return;
    if (!this.about) throw new Refused('There is no question here that could be excluded.');
    if (!this.can('edit')) throw new Refused('Only people who may edit can exclude a question.');
    const { exclusion } = this.about;
    askWords(
      exclusion ? 'This question is excluded' : 'Exclude this question',
      'Why can it not be answered fairly?',
      (reason) => this.#send(reason),
      exclusion ? 'Change the reason' : 'Exclude',
      exclusion ? { value: exclusion.reason, other: ['Count it again', () => this.#send('')] } : {},
    );
  }

  /** @param {string} reason empty: the exclusion is taken back */
  async #send(reason) {
    /** @type {ExclusionSaved} */
    const { exclusion } = await api(`/api/questions/${encodeURIComponent(this.id)}/exclusion`, { reason });
    this.about.exclusion = exclusion;
    this.#draw();
    notice(exclusion ? 'Excluded: the corrected score leaves it out' : 'It counts again');
    this.changed(exclusion);
  }
}
