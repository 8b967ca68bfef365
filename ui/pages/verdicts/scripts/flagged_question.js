// What speaks against a question: findings of the checks, what its own reference reaches, and its exclusion.
import { h, signal } from '../../../lib/components/component.js';
import { button, mark } from '../../../lib/components/small_components.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { dayAndTime } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { openField, wanted } from '../../../lib/keys/keymap.js';
import { askWords } from '../../../lib/shell/assignment_bar.js';
import { OtherVerdict } from './replies_and_history.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['QuestionFacts']} Facts of a question */
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

export class FlaggedQuestion {
  /** @type {import('../../../lib/components/component.js').Signal<Facts | null>} */
  about = signal(null);

  /** @param {import('./verdict_state.js').VerdictState} panel */
  constructor(panel) {
    const { question_id: id } = panel.detail.value;
    this.path = id && `/api/questions/${encodeURIComponent(id)}`; // empty where the log names no question
    this.panel = panel;
    this.loading = this.load();
  }

  async load() {
    if (!this.path) return;
    try {
      this.about.value = await api(this.path);
    } catch (error) {
      report(error);
    }
  }

  async exclude() {
    const still = wanted();
    await this.loading;
    if (!still()) return;
    if (!this.about.value) throw new Refused('There is no question here that could be excluded.');
    if (!this.panel.canEdit) throw new Refused('Only people who may edit can exclude a question.');
    const { exclusion } = this.about.value;
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
    const { exclusion } = await api(`${this.path}/exclusion`, { reason });
    this.about.value = { ...this.about.value, exclusion };
    notice(exclusion ? 'Excluded: the corrected score leaves it out' : 'It counts again');
    const { page, detail } = this.panel;
    page.changed({ verdict: detail.value.id, row: { flag: exclusion ? 'excluded' : '' } }).catch(report);
  }
}

/** @param {{flagged: FlaggedQuestion}} props */
export function Flags({ flagged }) {
  if (!flagged.about.value) return null;
  const { findings, exclusion, ceiling } = flagged.about.value;
  const reached = ceiling?.state === 'done' && ceiling.label === 'yes';
  const { canEdit, page } = flagged.panel;
  if (!findings.length && !exclusion && !ceiling && !canEdit) return null;
  return h(
    'div',
    { class: 'dl-flags' },
    exclusion &&
      h(
        'p',
        { class: 'dl-excluded' },
        mark('skipped', 'excluded'),
        h('span', null, `${exclusion.by}, ${dayAndTime(exclusion.at)}: `, h('q', null, exclusion.reason)),
      ),
    findings.map((one) =>
      h(
        'p',
        { class: 'dl-finding' },
        mark(one.suspect ? 'flagged' : 'open', CHECKS[one.check] || one.check.replaceAll('_', ' ')),
        h('span', null, one.why),
      ),
    ),
    ceiling &&
      h(
        'p',
        { class: 'dl-finding' },
        mark(reached ? 'done' : 'flagged', 'its own reference caption'),
        h(OtherVerdict, {
          one: ceiling,
          open: () => page.open(ceiling.verdict_id),
          none: 'no answer',
        }),
      ),
    canEdit &&
      button(
        exclusion ? 'count it again …' : 'exclude …',
        () => openField('exclude the question', () => flagged.exclude()),
        {
          kind: 'quiet',
          name: 'exclude',
          hint: 'verdicts.exclude',
          title: exclusion
            ? 'Take the exclusion back, or give another reason'
            : 'Take this question out of the corrected score, with a reason',
        },
      ),
  );
}
