// Keyframes, Study: per frame the best and the second best caption of several models, whose names are not here.
import { choice } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { badge, button, clear, h, icon, mark } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { empty } from '../../../lib/parts/empty.js';
import { confirmed } from '../../../lib/parts/dialog.js';
import { keyHint } from '../../../lib/keys/keymap.js';
import { newStudy, resultTable } from './frames_study_dialog_and_results.js';

/** @typedef {import('./page_keyframes.js').Page} Page */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudyFacts']} Study */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudyFrame']} StudyFrame */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudySequence']} StudySequence */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudyList']} StudyList */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudyResult']} StudyResult */

const LETTERS = ['A', 'B', 'C', 'D', 'E'];
/** The digits 1 to 5 of keys.json, which label pairs in the other views. */
const KEYS = ['yes', 'no', 'uncertain', 'choice_4', 'choice_5'];

/** @param {Page} page */
export const open = (page) => new StudyView(page);

class StudyView {
  /** @type {StudyList} */
  list;
  /** @type {Study | undefined} the one that is open */
  study;
  /** @type {StudySequence | null} */
  data;
  /** @type {StudyResult | null} of a study that is closed */
  result;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.at = 0;
    this.head = h('header', { class: 'dl-fs-head' });
    this.body = h('div', { class: 'dl-fs-body' });
    this.node = h(
      'section',
      { class: 'dl-fs', 'aria-label': 'Blind study of captions' },
      this.head,
      this.body,
    );
    /** @type {Promise<unknown>} */
    this.turn = Promise.resolve();
    const keys = {
      next: () => this.go(this.at + 1),
      previous: () => this.go(this.at - 1),
      first: () => this.go(0),
      last: () => this.go((this.data?.frames.length || 0) - 1),
      save_next: () => this.#onward(),
      clear: () => this.#none(),
      ...Object.fromEntries(KEYS.map((name, n) => [name, () => this.#toggle(n)])),
    };
    this.keys = Object.fromEntries(
      Object.entries(keys).map(([name, act]) => [name, () => this.#inTurn(act)]),
    );
  }

  /**
   * One key after the other: the second choice is made beside the first, on the frame that was open then.
   * @param {() => unknown} act
   */
  #inTurn(act) {
    this.turn = this.turn.then(act).catch(report);
    return this.turn.then(() => true);
  }

  leave() {
    return this.turn;
  }

  /** A study runs over many videos: the bar's video does not matter here. */
  async shown() {
    if (!this.list) await this.#load();
  }

  async changed() {
    await this.#load();
  }

  async #load() {
    this.list = await api('/api/studies');
    const wanted = address.get('study');
    this.study =
      this.list.studies.find((s) => s.id === wanted) ||
      this.list.studies.find((s) => !s.closed) ||
      this.list.studies[0];
    if (!this.study) {
      this.#none_yet();
      return;
    }
    const at = Number.parseInt(address.get('sequence'), 10);
    const open = this.study.done.findIndex((n, i) => n < this.study.sequences[i]);
    await this.#sequence(Number.isInteger(at) ? at - 1 : Math.max(0, open), {
      keep: this.data?.study === this.study.id,
    });
  }

  /** @param {number} number */
  async #sequence(number, { keep = false, last = false } = {}) {
    /** @type {StudySequence} */
    const data = await api(
      `/api/studies/${encodeURIComponent(this.study.id)}/sequences/${Math.max(0, number)}`,
    );
    const same = keep && this.data?.number === data.number;
    this.data = data;
    if (!same)
      this.at = last
        ? data.frames.length - 1
        : Math.max(
            0,
            data.frames.findIndex((f) => !f.mine),
          );
    address.set({ study: this.study.id, sequence: data.number + 1 });
    this.result = this.study.closed
      ? await api(`/api/studies/${encodeURIComponent(this.study.id)}/result`)
      : null;
    this.#draw();
  }

  /**
   * @param {number} n
   * @returns {Promise<void> | null}
   */
  go(n) {
    if (!this.data) return null;
    if (n < 0 && this.data.number > 0) return this.#sequence(this.data.number - 1, { last: true });
    if (n >= this.data.frames.length && this.data.number + 1 < this.data.of)
      return this.#sequence(this.data.number + 1);
    if (!this.data.frames[n] || n === this.at) return null;
    this.at = n;
    this.#draw();
    return null;
  }

  /** The next frame without a choice; where there is none in this sequence, the next sequence with one. */
  async #onward() {
    if (!this.data) return;
    const here = this.data.frames.findIndex((f, n) => n > this.at && !f.mine);
    const around = here >= 0 ? here : this.data.frames.findIndex((f) => !f.mine);
    if (around >= 0) {
      await this.go(around);
      return;
    }
    const order = this.study.sequences.map(
      (_, n) => (this.data.number + 1 + n) % this.study.sequences.length,
    );
    const open = order.find((n) => this.study.done[n] < this.study.sequences[n]);
    if (open !== undefined && open !== this.data.number) await this.#sequence(open);
    else this.#draw();
  }

  // --- choosing -----------------------------------------------------------------------

  /**
   * First the best, then the second best; once more takes it away.
   * @param {number} n
   */
  async #toggle(n) {
    const frame = this.data?.frames[this.at];
    if (!frame || n >= frame.captions.length) return;
    const { best = null, second = null } = frame.mine || {};
    if (best === n) await this.#choose(second, null);
    else if (second === n) await this.#choose(best, null);
    else await (best === null ? this.#choose(n, null) : this.#choose(best, n));
  }

  async #none() {
    const mine = this.data?.frames[this.at]?.mine;
    if (mine && mine.best === null) await this.#choose(null, null, { cleared: true });
    else await this.#choose(null, null, { none: true });
  }

  /**
   * @param {number | null} best
   * @param {number | null} second
   */
  async #choose(best, second, { none = false, cleared = false } = {}) {
    const frame = this.data?.frames[this.at];
    if (!frame || this.study.closed || !this.page.frame.can('edit')) return;
    const empty = cleared || (best === null && !none);
    await api(`/api/studies/${encodeURIComponent(this.study.id)}/choices`, {
      sequence: this.data.number,
      frame: frame.index,
      best,
      second,
      cleared: empty,
    });
    this.study.done[this.data.number] += (empty ? 0 : 1) - (frame.mine ? 1 : 0);
    frame.mine = empty ? null : { best, second };
    this.#draw();
  }

  // --- drawing ------------------------------------------------------------------------

  #none_yet() {
    clear(this.head);
    clear(
      this.body,
      empty(
        'No study yet. A study shows the captions of two to five models without their names, shuffled per sequence, and asks for the best and the second best of every frame.',
        this.list.may ? this.#new() : h('p', {}, 'An expert or a researcher makes one.'),
      ),
    );
  }

  #new() {
    return button([icon('plus'), 'New study'], () => newStudy((id) => this.#openStudy(id)).catch(report), {
      name: 'new-study',
      kind: this.study ? '' : 'main',
    });
  }

  #draw() {
    const { data, study } = this;
    const total = study.sequences.reduce((a, b) => a + b, 0);
    const done = study.done.reduce((a, b) => a + b, 0);
    clear(
      this.head,
      this.#picker(),
      button(icon('back'), () => this.#inTurn(() => this.#sequence(data.number - 1)), {
        kind: 'quiet',
        title: 'Previous sequence',
        name: 'previous-sequence',
      }),
      h('span', {}, `sequence ${data.number + 1} of ${data.of}`),
      button(icon('next'), () => this.#inTurn(() => this.#sequence(Math.min(data.of - 1, data.number + 1))), {
        kind: 'quiet',
        title: 'Next sequence',
        name: 'next-sequence',
      }),
      h('h2', {}, data.video.action || data.video.title),
      h('span', { class: 'dl-grow' }),
      study.closed ? badge('closed') : mark('blind', 'names hidden until it is closed'),
      badge(`${done} of ${plural(total, 'frame')} chosen by you`),
      this.list.may ? this.#new() : null,
      this.list.may && !study.closed
        ? button('Close study', () => this.#close().catch(report), { kind: 'danger', name: 'close-study' })
        : null,
    );
    clear(this.body, this.#frames(), this.#captions(), this.result ? resultTable(this.result) : null);
    this.body
      .querySelector('.dl-fs-frame[aria-current=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** @param {string} id */
  #openStudy(id) {
    address.set({ study: id, sequence: '' });
    this.data = null;
    this.#load().catch(report);
  }

  #picker() {
    return choice(
      'Study',
      this.list.studies.map((s) => [s.id, s.closed ? `${s.name} (closed)` : s.name]),
      this.study.id,
      (id) => this.#openStudy(id),
    );
  }

  #frames() {
    const { data } = this;
    return h(
      'div',
      { class: 'dl-fs-frames', role: 'group', 'aria-label': 'Frames of the sequence' },
      data.frames.map((frame, n) =>
        h(
          'button',
          {
            type: 'button',
            class: 'dl-fs-frame',
            'aria-current': String(n === this.at),
            'data-n': n,
            onclick: () => this.#inTurn(() => this.go(n)),
            'aria-label': `Frame ${n + 1} of ${data.frames.length}: ${this.#words(frame)}`,
          },
          data.video.file
            ? h('img', {
                src: `/media/${data.video.id}/preview/${frame.index}.jpg`,
                alt: '',
                decoding: 'async',
              })
            : h('span', { class: 'dl-fl-nopicture' }, 'no picture here'),
          h(
            'span',
            { class: 'dl-fs-under' },
            h('b', {}, `${n + 1}`),
            frameName(frame.index),
            frame.seconds === null ? null : h('span', {}, clock(frame.seconds)),
            mark(frame.mine ? 'done' : 'open', this.#words(frame)),
          ),
        ),
      ),
    );
  }

  /** @param {StudyFrame} frame */
  #words({ mine }) {
    if (!mine) return 'open';
    if (mine.best === null) return 'none';
    return LETTERS[mine.best] + (mine.second === null ? '' : `, ${LETTERS[mine.second]}`);
  }

  #captions() {
    const frame = this.data.frames[this.at];
    const locked = this.study.closed || !this.page.frame.can('edit');
    const { best = null, second = null } = frame.mine || {};
    return h(
      'div',
      { class: 'dl-fs-captions', role: 'group', 'aria-label': `Captions of frame ${this.at + 1}` },
      h(
        'p',
        { class: 'dl-hint' },
        locked
          ? 'This study is closed.'
          : [
              'Which caption describes frame ',
              h('b', {}, String(this.at + 1)),
              ' best, and which second best?',
              keyHint('keyframes.save_next'),
              'next open frame',
            ],
      ),
      frame.captions.map((words, n) =>
        h(
          'button',
          {
            type: 'button',
            class: `dl-fs-caption ${n === best ? 'dl-fs-best' : ''} ${n === second ? 'dl-fs-second' : ''}`,
            'data-letter': LETTERS[n],
            'aria-pressed': String(n === best || n === second),
            disabled: locked,
            onclick: () => this.#inTurn(() => this.#toggle(n)),
          },
          h('b', {}, LETTERS[n]),
          h(
            'span',
            { class: 'dl-fs-words' },
            words || '(no caption)',
            this.data.models ? h('small', {}, this.data.models[n]) : null,
          ),
          n === best
            ? badge('best')
            : n === second
              ? badge('second')
              : locked
                ? null
                : keyHint(`keyframes.${KEYS[n]}`),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          class: `dl-fs-caption dl-fs-none ${frame.mine && best === null ? 'dl-fs-best' : ''}`,
          'data-letter': 'none',
          'aria-pressed': String(Boolean(frame.mine) && best === null),
          disabled: locked,
          onclick: () => this.#inTurn(() => this.#none()),
        },
        h('b', {}, '–'),
        h('span', { class: 'dl-fs-words' }, 'none of them will do'),
        locked ? null : keyHint('keyframes.clear'),
      ),
    );
  }

  async #close() {
    if (
      !(await confirmed(
        `Close ${this.study.name}?`,
        ['It takes no more choices, and the models are named to everybody. There is no way back.'],
        'Close it',
      ))
    )
      return;
    await api(`/api/studies/${encodeURIComponent(this.study.id)}/close`, {});
    await this.#load();
  }
}
