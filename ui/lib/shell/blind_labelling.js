// Labelling without seeing the judge: the switch, the dialog that sets it for others, and the large form.
// The server decides what is sent; nothing of a verdict is hidden here.
import { h, mount, render, signal } from '../components/component.js';
import { button, keyHint, mark } from '../components/small_components.js';
import { pageSignal } from '../page/open_page.js';
import { h as element } from '../parts/elements.js';
import { notice, report } from '../parts/notices.js';
import { api } from '../requests/requests.js';
import { openDialog } from '../parts/dialog.js';

/** @typedef {{on: boolean, locked: boolean}} Mode */
/** @typedef {import('../components/component.js').Children} Children */
/**
 * @template Value
 * @typedef {import('../components/component.js').Signal<Value>} Signal
 */

export class Blindness {
  /**
   * @param {import('./top_bar.js').Frame} frame
   * @param {() => unknown} changed draws the page anew
   */
  constructor(frame, changed) {
    this.frame = frame;
    this.changed = changed;
    /** @type {Signal<Mode>} */
    this.now = signal(frame.me.blind || { on: false, locked: false });
    this.node = element('span', { class: 'dl-blindness' });
    mount(this.node, h(Switch, { blindness: this }), pageSignal());
  }

  get mode() {
    return this.now.value;
  }

  /** Also for the pages that are opened later. @param {Mode} mode */
  #set(mode) {
    this.now.value = mode;
    this.frame.me.blind = mode;
  }

  async toggle() {
    if (this.mode.locked && !this.frame.can('blind')) {
      notice('Blind labelling was switched on for you; ask whoever did it to end it.', 'error');
      return;
    }
    this.#set(await api('/api/blind', { on: !this.mode.on }));
    notice(this.mode.on ? 'You label blind: a verdict shows after your own.' : 'Verdicts show again.');
    this.changed();
  }

  async others() {
    /** @type {{id: string, name: string, role: string, on: boolean}[]} */
    const people = await api('/api/blind');
    openDialog(
      'Who labels blind',
      [
        h(
          'p',
          { class: 'dl-hint' },
          'They see question, reference, answer, caption and frames, and a verdict only after their own. Whoever is switched on here cannot switch it off.',
        ),
        people.map(({ id, name, role, on }) =>
          h(
            'label',
            { key: id, class: 'dl-check' },
            h('input', {
              type: 'checkbox',
              defaultChecked: on,
              onChange: (event) => this.#setFor(id, event.currentTarget),
            }),
            h('span', null, `${name} · ${role}`),
          ),
        ),
      ],
      [],
      { cancel: 'Close' },
    );
  }

  /** @param {string} id of a person @param {HTMLInputElement} box */
  async #setFor(id, box) {
    try {
      const mode = await api('/api/blind', { person: id, on: box.checked });
      if (id !== this.frame.me.person.id) return;
      this.#set(mode);
      this.changed();
    } catch (error) {
      report(error);
      box.checked = !box.checked;
    }
  }
}

/** @param {{blindness: Blindness}} props */
function Switch({ blindness }) {
  const { frame } = blindness;
  const { on, locked } = blindness.now.value;
  const mayEnd = !locked || frame.can('blind');
  return [
    on
      ? h(
          'span',
          { class: 'dl-blindmark', title: 'The server sends you no verdict before your own label' },
          mark('blind', locked ? 'blind, set for you' : 'blind'),
        )
      : null,
    frame.can('edit') && mayEnd
      ? button(on ? 'See verdicts' : 'Label blind', () => blindness.toggle().catch(report), {
          kind: 'quiet',
          name: 'blind',
          title: on ? 'End blind labelling' : 'Label without seeing the judge',
          hint: 'verdicts.blind',
        })
      : null,
    frame.can('blind')
      ? button('…', () => blindness.others().catch(report), {
          kind: 'quiet',
          name: 'blind-others',
          title: 'Who labels blind',
        })
      : null,
  ];
}

/** @typedef {{label: string, score: number | null}} BlindVerdict as far as it is chosen */

/** Yes or no, 0 to 5: large, and saved as soon as both are chosen. */
export class BlindForm {
  /**
   * @param {(verdict: BlindVerdict) => Promise<unknown>} save
   * @param {BlindVerdict | null} [saved]
   */
  constructor(save, saved = null) {
    this.save = save;
    /** @type {Signal<BlindVerdict>} */
    this.chosen = signal(saved || { label: '', score: null });
    this.node = element('div', { class: 'dl-blindform', role: 'group', 'aria-label': 'Your verdict' });
    render(h(Choices, { form: this }), this.node);
  }

  /** @param {string} label */
  label(label) {
    this.#choose({ label });
  }

  /** @param {number} score */
  score(score) {
    this.#choose({ score });
  }

  /** @param {Partial<BlindVerdict>} what */
  #choose(what) {
    const chosen = { ...this.chosen.value, ...what };
    this.chosen.value = chosen;
    if (chosen.label && chosen.score !== null) this.save(chosen).catch(report);
  }
}

/** @param {{form: BlindForm}} props */
function Choices({ form }) {
  const { label, score } = form.chosen.value;
  /** @type {(words: Children, hint: string, pressed: boolean, run: () => void, name: string) => Children} */
  const choice = (words, hint, pressed, run, name) =>
    h(
      'button',
      {
        key: name,
        type: 'button',
        class: 'dl-bigchoice',
        'aria-pressed': pressed,
        'data-name': name,
        onClick: run,
      },
      words,
      keyHint(hint),
    );
  const next = label
    ? score === null
      ? 'now the score, 0 to 5'
      : 'saving …'
    : 'does the answer match the reference?';
  return [
    h(
      'div',
      { class: 'dl-bigrow' },
      ['yes', 'no'].map((word) =>
        choice(mark(word), `verdicts.label_${word}`, label === word, () => form.label(word), `label-${word}`),
      ),
    ),
    h(
      'div',
      { class: 'dl-bigrow' },
      [0, 1, 2, 3, 4, 5].map((n) =>
        choice(
          n,
          n ? `verdicts.error_source_${n}` : 'verdicts.score_0',
          score === n,
          () => form.score(n),
          `score-${n}`,
        ),
      ),
    ),
    h('p', { class: 'dl-hint' }, next),
  ];
}
