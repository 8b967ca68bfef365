// The form in which a verdict is corrected or confirmed: yes or no, a score, a reason.
import { button, h, mark } from '../../../lib/parts/elements.js';
import { Refused, report } from '../../../lib/parts/notices.js';
import { finishing } from '../../../lib/editor/type_ahead_to_next_item.js';
import { keyHint } from '../../../lib/keys/keymap.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictValue']} Said of a question by a judge or a person */
/** @typedef {{value: Said | null, reason: string, cleared?: boolean}} Correction */
/** @typedef {{label: string, score: string, reason: string}} Chosen what stands in the form */

/** The reason of a label that was given without a look at the judge's; a later verdict is none such. */
export const BLIND = 'labelled blind';
const LONGEST_REASON = 2000;

export class VerdictForm {
  /**
   * @param {Said} value the verdict that it begins with
   * @param {string} reason
   * @param {{panel: HTMLElement, save: () => Promise<unknown>, close: () => void}} open `panel` is locked while it saves
   */
  constructor(value, reason, { panel, save, close }) {
    this.close = close;
    this.begin(value, reason);
    this.reason = h('input', {
      type: 'text',
      class: 'dl-input',
      placeholder: 'reason: what do the frames show?',
      'aria-label': 'reason',
      maxlength: LONGEST_REASON,
      value: this.start.reason,
    });
    this.node = h(
      'form',
      {
        class: 'dl-verdictform',
        onsubmit: (e) => {
          e.preventDefault();
          finishing(panel, save).catch(report);
        },
        onkeydown: (e) => this.#key(e),
      },
      pick('label', ['yes', 'no'], this.start.label, 'verdict'),
      pick('score', ['0', '1', '2', '3', '4', '5'], this.start.score, 'score'),
      this.reason,
      h(
        'div',
        { class: 'dl-row' },
        h(
          'button',
          { type: 'submit', class: 'dl-button dl-button-main', 'data-name': 'save-verdict' },
          'Save',
        ),
        button('Cancel', close, { kind: 'quiet' }),
        h('span', { class: 'dl-hint' }, keyHint('verdicts.save_next'), 'save, and on'),
      ),
    );
  }

  /**
   * @param {Said} value
   * @param {string} reason
   */
  begin(value, reason) {
    this.value = value;
    /** @type {Chosen} */
    this.start = {
      // In one line, as the field holds it; an imported one may have more, or be longer.
      reason: reason === BLIND ? '' : reason.replace(/[\r\n]+/g, ' ').slice(0, LONGEST_REASON),
      label: value.label || '',
      score: value.score === null || !value.label ? '' : String(Math.round(value.score)),
    };
  }

  /**
   * What it began with has changed; what was chosen and typed in it stays.
   * @param {Said} value
   * @param {string} reason
   */
  beginAnew(value, reason) {
    const untouched = this.reason.value === this.start.reason;
    this.begin(value, reason);
    if (untouched) this.reason.value = this.start.reason;
  }

  focus() {
    /** @type {HTMLElement} */ (
      this.node.querySelector('input:checked') || this.node.querySelector('input')
    ).focus();
  }

  /**
   * y and n set the verdict, 0 to 5 the score; the words of the reason are words.
   * @param {KeyboardEvent} event
   */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === this.reason) return;
    if (event.key === 'Escape' && !this.typed()) {
      event.preventDefault();
      event.stopPropagation();
      this.close();
      return;
    }
    const word = { y: 'yes', n: 'no' }[event.key.toLowerCase()] || event.key;
    const radios = /** @type {NodeListOf<HTMLInputElement>} */ (this.node.querySelectorAll('[type=radio]'));
    const choice = [...radios].find((radio) => radio.value === word);
    if (!choice) return;
    event.preventDefault();
    choice.checked = true;
    choice.focus();
  }

  /**
   * What is chosen, where that is another than it began with; null: nothing.
   * @returns {Chosen | null}
   */
  typed() {
    const data = new FormData(this.node);
    const now = {
      label: String(data.get('label') || ''),
      score: String(data.get('score') || ''),
      reason: this.reason.value,
    };
    const { start } = this;
    return now.label === start.label && now.score === start.score && now.reason === start.reason ? null : now;
  }

  /**
   * The change that is asked for. Unchanged, it confirms the verdict as it is, a score such as 4.8 too.
   * @returns {Correction}
   */
  correction() {
    const { start } = this;
    const { label, score, reason } = this.typed() || start;
    if (!label || !score) throw new Refused('Choose yes or no, and a score from 0 to 5.');
    const same = label === start.label && score === start.score;
    return { value: same ? this.value : { label, score: Number(score) }, reason };
  }
}

/**
 * @param {string} name
 * @param {string[]} options
 * @param {string} chosen
 * @param {string} label
 */
function pick(name, options, chosen, label) {
  return h(
    'fieldset',
    { class: 'dl-pick' },
    h('legend', {}, label),
    options.map((o) =>
      h(
        'label',
        {},
        h('input', { type: 'radio', name, value: o, checked: o === chosen }),
        h('span', {}, name === 'label' ? mark(o) : o),
      ),
    ),
  );
}
