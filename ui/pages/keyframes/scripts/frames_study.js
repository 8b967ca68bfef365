// Keyframes, Study: per frame the best and the second best caption of several models, whose names are not here.
import { batch, h, mount, signal } from '../../../lib/components/component.js';
import { badge, button, choice, empty, icon, mark } from '../../../lib/components/small_components.js';
import { address } from '../../../lib/page/address.js';
import { pageSignal } from '../../../lib/page/open_page.js';
import { confirmed } from '../../../lib/parts/dialog.js';
import { h as element } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { Captions, Frames, KEYS } from './frames_study_frames.js';
import { newStudy, ResultTable } from './frames_study_dialog_and_results.js';

/** @typedef {import('./page_keyframes.js').Page} Page */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudyFacts']} Study */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudyFrame']} StudyFrame */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudySequence']} StudySequence */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudyList']} StudyList */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudyResult']} StudyResult */

/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

/** @typedef {StudyView} View */

/** @param {Page} page */
export const open = (page) => new StudyView(page);

class StudyView {
  /** @type {Signal<StudyList | null>} */
  list = signal(null);
  /** @type {Signal<Study | null>} the one that is open */
  study = signal(null);
  /** @type {Signal<StudySequence | null>} */
  data = signal(null);
  /** @type {Signal<StudyResult | null>} of a study that is closed */
  result = signal(null);
  /** The frame of the sequence in focus. */
  at = signal(0);
  /** @type {Promise<unknown>} */
  turn = Promise.resolve();

  /** @param {Page} page */
  constructor(page) {
    this.canEdit = page.frame.can('edit');
    this.node = element('section', { class: 'dl-fs', 'aria-label': 'Blind study of captions' });
    mount(this.node, h(StudyPage, { view: this }), pageSignal());
    const keys = {
      next: () => this.go(this.at.value + 1),
      previous: () => this.go(this.at.value - 1),
      first: () => this.go(0),
      last: () => this.go((this.data.value?.frames.length || 0) - 1),
      save_next: () => this.#onward(),
      clear: () => this.none(),
      ...Object.fromEntries(KEYS.map((name, n) => [name, () => this.toggle(n)])),
    };
    this.keys = Object.fromEntries(Object.entries(keys).map(([name, act]) => [name, () => this.inTurn(act)]));
  }

  /**
   * One key after the other: the second choice is made beside the first, on the frame that was open then.
   * @param {() => unknown} act
   */
  inTurn(act) {
    this.turn = this.turn.then(act).catch(report);
    return this.turn.then(() => true);
  }

  leave() {
    return this.turn;
  }

  /** A study runs over many videos: the bar's video does not matter here. */
  async shown() {
    if (!this.list.value) await this.#load();
  }

  async changed() {
    await this.inTurn(() => this.#load());
  }

  async #load() {
    /** @type {StudyList} */
    const list = await api('/api/studies');
    const wanted = address.get('study');
    const { studies } = list;
    const study = studies.find((s) => s.id === wanted) || studies.find((s) => !s.closed) || studies[0];
    if (!study) {
      this.list.value = list;
      return;
    }
    const at = Number.parseInt(address.get('sequence'), 10);
    const open = study.done.findIndex((n, i) => n < study.sequences[i]);
    const keep = this.data.value?.study === study.id;
    await this.sequence(Number.isInteger(at) ? at - 1 : Math.max(0, open), { keep, study, list });
  }

  /**
   * @param {number} number
   * @param {{keep?: boolean, last?: boolean, study?: Study, list?: StudyList}} [options] `keep`: the frame in focus stays
   *   where it is the same sequence; `last`: its last frame comes into focus
   */
  async sequence(
    number,
    { keep = false, last = false, study = this.study.value, list = this.list.value } = {},
  ) {
    const path = `/api/studies/${encodeURIComponent(study.id)}`;
    /** @type {StudySequence} */
    const data = await api(`${path}/sequences/${Math.max(0, number)}`);
    const result = study.closed ? await api(`${path}/result`) : null;
    const same = keep && this.data.value?.number === data.number;
    address.set({ study: study.id, sequence: data.number + 1 });
    batch(() => {
      this.list.value = list;
      this.study.value = study;
      this.data.value = data;
      this.result.value = result;
      if (!same)
        this.at.value = Math.max(0, last ? data.frames.length - 1 : data.frames.findIndex((f) => !f.mine));
    });
  }

  /**
   * @param {number} n
   * @returns {Promise<void> | null}
   */
  go(n) {
    const data = this.data.value;
    if (!data) return null;
    if (n < 0 && data.number > 0) return this.sequence(data.number - 1, { last: true });
    if (n >= data.frames.length && data.number + 1 < data.of) return this.sequence(data.number + 1);
    if (data.frames[n]) this.at.value = n;
    return null;
  }

  /** The next frame without a choice; where there is none in this sequence, the next sequence with one. */
  async #onward() {
    const data = this.data.value;
    if (!data) return;
    const here = data.frames.findIndex((f, n) => n > this.at.value && !f.mine);
    const around = here >= 0 ? here : data.frames.findIndex((f) => !f.mine);
    if (around >= 0) {
      await this.go(around);
      return;
    }
    const { done, sequences } = this.study.value;
    const order = sequences.map((_, n) => (data.number + 1 + n) % sequences.length);
    const open = order.find((n) => done[n] < sequences[n]);
    if (open !== undefined && open !== data.number) await this.sequence(open);
  }

  /** @param {string} id */
  open(id) {
    address.set({ study: id, sequence: '' });
    void this.inTurn(() => this.#load());
  }

  async close() {
    const { id, name } = this.study.value;
    const sure = await confirmed(
      `Close ${name}?`,
      ['The study takes no more choices, and everyone sees the names of the models. This cannot be undone.'],
      'Close it',
    );
    if (!sure) return;
    await api(`/api/studies/${encodeURIComponent(id)}/close`, {});
    await this.inTurn(() => this.#load());
  }

  // --- choosing -----------------------------------------------------------------------

  get frame() {
    return this.data.value?.frames[this.at.value];
  }

  get locked() {
    return this.study.value.closed || !this.canEdit;
  }

  /**
   * First the best, then the second best; once more takes it away.
   * @param {number} n
   */
  async toggle(n) {
    const { frame } = this;
    if (!frame || n >= frame.captions.length) return;
    const { best = null, second = null } = frame.mine || {};
    if (best === n) await this.#choose(second, null);
    else if (second === n) await this.#choose(best, null);
    else await (best === null ? this.#choose(n, null) : this.#choose(best, n));
  }

  async none() {
    const mine = this.frame?.mine;
    if (mine && mine.best === null) await this.#choose(null, null, { cleared: true });
    else await this.#choose(null, null, { none: true });
  }

  /**
   * @param {number | null} best
   * @param {number | null} second
   */
  async #choose(best, second, { none = false, cleared = false } = {}) {
    const { frame } = this;
    if (!frame || this.locked) return;
    const data = this.data.value;
    const study = this.study.value;
    const empty = cleared || (best === null && !none);
    await api(`/api/studies/${encodeURIComponent(study.id)}/choices`, {
      sequence: data.number,
      frame: frame.index,
      best,
      second,
      cleared: empty,
    });
    const more = (empty ? 0 : 1) - (frame.mine ? 1 : 0);
    const chosen = { ...frame, mine: empty ? null : { best, second } };
    batch(() => {
      this.study.value = { ...study, done: study.done.with(data.number, study.done[data.number] + more) };
      this.data.value = { ...data, frames: data.frames.map((f) => (f === frame ? chosen : f)) };
    });
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{view: StudyView}} props */
function StudyPage({ view }) {
  const list = view.list.value;
  const study = view.study.value;
  const result = view.result.value;
  return [
    h('header', { class: 'dl-fs-head' }, study && view.data.value ? h(Head, { view }) : null),
    h(
      'div',
      { class: 'dl-fs-body' },
      list && !study
        ? empty(
            'No study yet. A study shows the captions of two to five models without their names, shuffled per sequence, and asks for the best and the second best of every frame.',
            list.may ? h(NewStudy, { view }) : h('p', null, 'An expert or a researcher makes one.'),
          )
        : null,
      view.data.value
        ? [h(Frames, { view }), h(Captions, { view }), result ? h(ResultTable, { result }) : null]
        : null,
    ),
  ];
}

/** @param {{view: StudyView}} props */
const NewStudy = ({ view }) =>
  button([icon('plus'), 'New study'], () => newStudy((id) => view.open(id)).catch(report), {
    name: 'new-study',
    kind: view.study.value ? '' : 'main',
  });

/** @param {{view: StudyView}} props */
function Head({ view }) {
  const { number, of, video } = view.data.value;
  const study = view.study.value;
  const { may, studies } = view.list.value;
  /** @param {number[]} counts */
  const sum = (counts) => counts.reduce((a, b) => a + b, 0);
  return [
    choice(
      'Study',
      studies.map((s) => [s.id, s.closed ? `${s.name} (closed)` : s.name]),
      study.id,
      (id) => view.open(id),
    ),
    button(icon('back'), () => view.inTurn(() => view.sequence(number - 1)), {
      kind: 'quiet',
      title: 'Previous sequence',
      name: 'previous-sequence',
    }),
    h('span', null, `sequence ${number + 1} of ${of}`),
    button(icon('next'), () => view.inTurn(() => view.sequence(Math.min(of - 1, number + 1))), {
      kind: 'quiet',
      title: 'Next sequence',
      name: 'next-sequence',
    }),
    h('h2', null, video.action || video.title),
    h('span', { class: 'dl-grow' }),
    study.closed ? badge('closed') : mark('blind', 'names hidden until it is closed'),
    badge(`${sum(study.done)} of ${plural(sum(study.sequences), 'frame')} chosen by you`),
    may ? h(NewStudy, { view }) : null,
    may && !study.closed
      ? button('Close study', () => view.close().catch(report), { kind: 'danger', name: 'close-study' })
      : null,
  ];
}
