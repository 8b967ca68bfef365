// Labelling without seeing the judge: the switch, the dialog that sets it for others, and the large form.
// The server decides what is sent; nothing of a verdict is hidden here.
import { button, clear, h, mark } from '../parts/elements.js';
import { notice, report } from '../parts/notices.js';
import { api } from '../requests/requests.js';
import { openDialog } from '../parts/dialog.js';
import { keyHint } from '../keys/keymap.js';

export class Blindness {
  /**
   * @param {import('./top_bar.js').Frame} frame
   * @param {() => unknown} changed draws the page anew
   */
  constructor(frame, changed) {
    this.frame = frame;
    this.changed = changed;
    this.mode = frame.me.blind || { on: false, locked: false };
    this.node = h('span', { class: 'dl-blindness' });
    this.#draw();
  }

  #draw() {
    const { on, locked } = this.mode;
    const mayEnd = !locked || this.frame.can('blind');
    clear(
      this.node,
      on
        ? h(
            'span',
            { class: 'dl-blindmark', title: 'The server sends you no verdict before your own label' },
            mark('blind', locked ? 'blind, set for you' : 'blind'),
          )
        : null,
      this.frame.can('edit') && mayEnd
        ? button(
            [on ? 'See verdicts' : 'Label blind', keyHint('verdicts.blind')],
            () => this.toggle().catch(report),
            {
              kind: 'quiet',
              name: 'blind',
              title: on ? 'End blind labelling' : 'Label without seeing the judge',
            },
          )
        : null,
      this.frame.can('blind')
        ? button('…', () => this.#others().catch(report), {
            kind: 'quiet',
            name: 'blind-others',
            title: 'Who labels blind',
          })
        : null,
    );
  }

  /** Also for the pages that are opened later. */
  #set(mode) {
    this.mode = mode;
    this.frame.me.blind = mode;
    this.#draw();
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

  async #others() {
    const people = await api('/api/blind');
    const line = (p) => {
      const box = h('input', {
        type: 'checkbox',
        checked: p.on,
        onchange: async () => {
          try {
            const mode = await api('/api/blind', { person: p.id, on: box.checked });
            if (p.id === this.frame.me.person.id) {
              this.#set(mode);
              this.changed();
            }
          } catch (error) {
            report(error);
            box.checked = !box.checked;
          }
        },
      });
      return h('label', { class: 'dl-check' }, box, h('span', {}, `${p.name} · ${p.role}`));
    };
    openDialog(
      'Who labels blind',
      [
        h(
          'p',
          { class: 'dl-hint' },
          'They see question, reference, answer, caption and frames, and a verdict only after their own. Whoever is switched on here cannot switch it off.',
        ),
        people.map(line),
      ],
      [],
      { cancel: 'Close' },
    );
  }
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
    /** @type {BlindVerdict} */
    this.chosen = saved || { label: '', score: null };
    this.node = h('div', { class: 'dl-blindform', role: 'group', 'aria-label': 'Your verdict' });
    this.#draw();
  }

  #draw() {
    const { label, score } = this.chosen;
    const choice = (words, key, pressed, run, name) =>
      h(
        'button',
        {
          type: 'button',
          class: 'dl-bigchoice',
          'aria-pressed': String(pressed),
          'data-name': name,
          onclick: run,
        },
        words,
        keyHint(key),
      );
    clear(
      this.node,
      h(
        'div',
        { class: 'dl-bigrow' },
        ['yes', 'no'].map((word) =>
          choice(
            mark(word),
            `verdicts.label_${word}`,
            label === word,
            () => this.label(word),
            `label-${word}`,
          ),
        ),
      ),
      h(
        'div',
        { class: 'dl-bigrow' },
        [0, 1, 2, 3, 4, 5].map((n) =>
          choice(
            String(n),
            n ? `verdicts.error_source_${n}` : 'verdicts.score_0',
            score === n,
            () => this.score(n),
            `score-${n}`,
          ),
        ),
      ),
      h(
        'p',
        { class: 'dl-hint' },
        label && score === null
          ? 'now the score, 0 to 5'
          : !label
            ? 'does the answer match the reference?'
            : 'saving …',
      ),
    );
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
    this.chosen = { ...this.chosen, ...what };
    this.#draw();
    if (this.chosen.label && this.chosen.score !== null) this.save(this.chosen).catch(report);
  }
}
