// The form in which a verdict is corrected or confirmed: yes or no, a score, a reason.
import { h, signal, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { button, keyHint, mark } from '../../../lib/components/small_components.js';
import { Refused } from '../../../lib/parts/notices.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictValue']} Said of a question by a judge or a person */
/** @typedef {{value: Said | null, reason: string, cleared?: boolean}} Correction */
/** @typedef {{label: string, score: string, reason: string}} Chosen what stands in the form */

/** The reason of a label that was given without a look at the judge's; a later verdict is none such. */
export const BLIND = 'labelled blind';
const LONGEST_REASON = 2000;
const CHOICES = { label: ['yes', 'no'], score: ['0', '1', '2', '3', '4', '5'] };

/** @type {(value: Said, reason: string) => Chosen} */
const chosenIn = (value, reason) => ({
  label: value.label || '',
  score: value.score === null || !value.label ? '' : String(Math.round(value.score)),
  // In one line, as the field holds it; an imported one may have more, or be longer.
  reason: reason === BLIND ? '' : reason.replace(/[\r\n]+/g, ' ').slice(0, LONGEST_REASON),
});

export class VerdictForm {
  /** Grows when the form is to have the keyboard's focus again. */
  caret = signal(0);

  /**
   * @param {Said} value the verdict that it begins with
   * @param {string} reason
   */
  constructor(value, reason) {
    this.value = value;
    this.start = chosenIn(value, reason);
    this.chosen = signal(this.start);
  }

  /**
   * What it began with has changed; what was chosen and typed in it stays.
   * @param {Said} value
   * @param {string} reason
   */
  beginAnew(value, reason) {
    const untouched = this.chosen.value.reason === this.start.reason;
    this.value = value;
    this.start = chosenIn(value, reason);
    if (untouched) this.choose({ reason: this.start.reason });
  }

  /** @param {Partial<Chosen>} what */
  choose(what) {
    this.chosen.value = { ...this.chosen.value, ...what };
  }

  /** Whether something else is chosen than it began with. */
  get typed() {
    return !this.#same('label', 'score', 'reason');
  }

  /** @param {(keyof Chosen)[]} names */
  #same(...names) {
    return names.every((name) => this.chosen.value[name] === this.start[name]);
  }

  /**
   * The change that is asked for. Unchanged, it confirms the verdict as it is, a score such as 4.8 too.
   * @returns {Correction}
   */
  correction() {
    const { label, score, reason } = this.chosen.value;
    if (!label || !score) throw new Refused('Choose yes or no, and a score from 0 to 5.');
    return { value: this.#same('label', 'score') ? this.value : { label, score: Number(score) }, reason };
  }
}

/** @param {{panel: import('./verdict_state.js').VerdictState, form: VerdictForm}} props */
export function OpenForm({ panel, form }) {
  const node = useRef(/** @type {HTMLFormElement | null} */ (null));
  const focuses = form.caret.value;
  const close = () => {
    panel.form.value = null;
  };
  useLayoutEffect(() => node.current.scrollIntoView({ block: 'nearest' }), []);
  useLayoutEffect(() => {
    /** @type {HTMLElement} */ (
      node.current.querySelector('input:checked') || node.current.querySelector('input')
    ).focus();
  }, [focuses]);
  return h(
    'form',
    {
      ref: node,
      class: 'dl-verdictform',
      onSubmit: (event) => {
        event.preventDefault();
        panel.finish(panel.save);
      },
      onKeyDown: (event) => formKey(event, form, close),
    },
    h(Pick, { form, name: 'label', legend: 'verdict' }),
    h(Pick, { form, name: 'score', legend: 'score' }),
    h('input', {
      type: 'text',
      class: 'dl-input',
      placeholder: 'reason: what do the frames show?',
      'aria-label': 'reason',
      maxLength: LONGEST_REASON,
      value: form.chosen.value.reason,
      onInput: (event) => form.choose({ reason: event.currentTarget.value }),
    }),
    h(
      'div',
      { class: 'dl-row' },
      h('button', { type: 'submit', class: 'dl-button dl-button-main', 'data-name': 'save-verdict' }, 'Save'),
      button('Cancel', close, { kind: 'quiet' }),
      h('span', { class: 'dl-hint' }, keyHint('verdicts.save_next'), 'save, and on'),
    ),
  );
}

/**
 * y and n set the verdict, 0 to 5 the score; the words of the reason are words.
 * @param {import('preact').TargetedKeyboardEvent<HTMLFormElement>} event
 * @param {VerdictForm} form
 * @param {() => void} close
 */
function formKey(event, form, close) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches('[type=text]')) return;
  if (event.key === 'Escape' && !form.typed) {
    event.preventDefault();
    event.stopPropagation();
    close();
    return;
  }
  const word = { y: 'yes', n: 'no' }[event.key.toLowerCase()] || event.key;
  const name = CHOICES.label.includes(word) ? 'label' : CHOICES.score.includes(word) ? 'score' : '';
  if (!name) return;
  event.preventDefault();
  form.choose({ [name]: word });
  /** @type {HTMLElement} */ (event.currentTarget.querySelector(`[name=${name}][value="${word}"]`)).focus();
}

/** @param {{form: VerdictForm, name: 'label' | 'score', legend: string}} props */
const Pick = ({ form, name, legend }) =>
  h(
    'fieldset',
    { class: 'dl-pick' },
    h('legend', null, legend),
    CHOICES[name].map((value) =>
      h(
        'label',
        { key: value },
        h('input', {
          type: 'radio',
          name,
          value,
          checked: form.chosen.value[name] === value,
          onChange: () => form.choose({ [name]: value }),
        }),
        h('span', null, name === 'label' ? mark(value) : value),
      ),
    ),
  );
