// Keyframes, Label: two frames large, and whether the action moves on between them. Judges are heard afterwards.
import { badge, baselineBadge, button, clear, h, icon, mark } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { empty, toLibrary } from '../../../lib/parts/empty.js';
import { keyHint } from '../../../lib/keys/keymap.js';

/** @typedef {import('./page_keyframes.js').Page} Page */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PairToLabel']} PairToLabel */
/** @typedef {PairToLabel & {saving?: Promise<unknown>}} LabelledPair of frames; `saving`: until the server has it */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FrameLabels']} FrameLabels */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['LabelBody']} SentLabel */

const LABELS = [
  ['yes', 'it moves on', 'The action has advanced from the first frame to the second.'],
  ['no', 'no progress', 'The action is where it was; the view or a hand may have moved.'],
  ['uncertain', 'uncertain', 'It cannot be told from the two frames.'],
];
/** @type {Object<string, string>} */
const SHAPE = { yes: 'yes', no: 'no', uncertain: 'uncertain' };
const WORDS = Object.fromEntries(LABELS.map(([label, words]) => [label, words]));

/** @param {Page} page */
export const open = (page) => new LabelView(page);

class LabelView {
  /** @type {{video: FrameLabels['video'], pairs: LabelledPair[]}} */
  data;

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.at = 0;
    /** @type {Promise<unknown>} */
    this.saving = Promise.resolve();
    this.waiting = 0; // labels that the server has not confirmed
    this.head = h('header', { class: 'dl-fl-head' });
    this.frames = h('div', { class: 'dl-fl-frames' });
    this.answer = h('div', { class: 'dl-fl-answer' });
    this.list = h('div', {
      class: 'dl-fl-list',
      role: 'listbox',
      'aria-label': 'Pairs of frames',
      tabindex: '0',
    });
    this.node = h(
      'section',
      { class: 'dl-fl', 'aria-label': 'Label pairs of frames' },
      this.head,
      this.frames,
      this.answer,
      this.list,
    );
    this.keys = {
      next: () => this.go(this.at + 1),
      previous: () => this.go(this.at - 1),
      first: () => this.go(0),
      last: () => this.go((this.data?.pairs.length || 0) - 1),
      save_next: () => this.#onward().then(() => true),
      clear: () => this.#say(''),
      ...Object.fromEntries(LABELS.map(([label]) => [label, () => this.#say(label)])),
    };
  }

  /** @param {string} id */
  async shown(id) {
    /** @type {FrameLabels} */
    const data = await api(`/api/frame-labels/${encodeURIComponent(id)}`);
    if (this.page.bar.id !== id || this.waiting) return;
    const same = this.data?.video.id === id;
    this.data = data;
    this.at = same
      ? Math.min(this.at, Math.max(0, data.pairs.length - 1))
      : Math.max(
          0,
          data.pairs.findIndex((p) => !p.mine),
        );
    this.#draw();
  }

  /** @param {import('./keyframes_views.js').Changed} detail */
  async changed({ video }) {
    if (!video || video === this.page.bar.id) await this.shown(this.page.bar.id);
  }

  /** @param {number} n */
  go(n) {
    if (!this.data?.pairs[n] || n === this.at) return;
    this.at = n;
    this.#draw();
  }

  /** The next pair without a label, from here on and around; after the last of all the queue goes on. */
  async #onward() {
    const open = this.#nextOpen();
    if (open !== undefined) {
      this.go(open);
      return;
    }
    await this.saving;
    if (this.#nextOpen() === undefined && !(await this.page.bar.queue.done())) this.#draw();
  }

  #nextOpen() {
    const pairs = this.data?.pairs || [];
    const order = pairs.map((_, n) => (this.at + 1 + n) % pairs.length);
    return order.find((n) => !pairs[n].mine);
  }

  /**
   * The next open pair comes at once, so that a key is always about the pair on the screen; saving goes on behind.
   * @param {string} label empty: it is taken back
   */
  #say(label) {
    const { video, pairs } = this.data || { pairs: [] };
    const pair = pairs[this.at];
    if (!pair || !this.page.frame.can('edit') || pair.mine === label) return;
    this.waiting += 1;
    // One after the other: undo takes back the last that was said, not the last that arrived.
    this.saving = this.saving
      .then(() => this.#send({ video_id: video.id, first: pair.first, second: pair.second, label }))
      .catch(report);
    Object.assign(pair, { mine: label, saving: this.saving });
    const open = label ? this.#nextOpen() : undefined;
    if (open === undefined) this.#draw();
    else this.go(open);
  }

  /**
   * What the server holds after the last of several is shown; a label that it refused is gone again.
   * @param {SentLabel} label
   */
  async #send(label) {
    try {
      await api('/api/frame-labels', label);
    } finally {
      this.waiting -= 1;
      if (!this.waiting && label.video_id === this.page.bar.id) await this.shown(label.video_id);
    }
  }

  /** Labels that are under way are not on the server yet. */
  leave() {
    return this.saving;
  }

  #draw() {
    const { video, pairs } = this.data;
    const pair = pairs[this.at];
    if (!pair) {
      this.#empty();
      return;
    }
    const done = pairs.filter((p) => p.mine && !p.saving).length;
    clear(
      this.head,
      h('h2', {}, 'Does the action move on?'),
      h('span', { class: 'dl-fl-action' }, video.action || 'no action is named'),
      h('span', { class: 'dl-grow' }),
      h('span', {}, `pair ${this.at + 1} of ${pairs.length}`),
      this.waiting ? h('span', { class: 'dl-saved dl-saved-saving', role: 'status' }, 'Saving …') : null,
      badge(`${done} of ${plural(pairs.length, 'pair')} labelled by you`),
    );
    clear(
      this.frames,
      [pair.first, pair.second].map((index, n) => this.#frame(index, pair.seconds[n], n)),
    );
    clear(this.answer, this.#buttons(pair), this.#heard(pair, done));
    clear(
      this.list,
      pairs.map((each, n) => this.#row(each, n)),
    );
    this.list.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #empty() {
    clear(this.head);
    clear(
      this.frames,
      empty(
        'This video has no pairs of frames to label yet: they come with frame captions, or with a file of ProgressCaptioner.',
        toLibrary(),
      ),
    );
    clear(this.answer);
    clear(this.list);
  }

  /**
   * @param {number} index
   * @param {number | null} seconds
   * @param {number} n
   */
  #frame(index, seconds, n) {
    const { video } = this.data;
    const name = `${n ? 'second' : 'first'} frame`;
    return h(
      'figure',
      { class: 'dl-fl-frame' },
      video.file
        ? h('img', {
            src: `/media/${video.id}/preview/${index}.jpg`,
            alt: `${name}, ${frameName(index)}`,
            decoding: 'async',
          })
        : h('div', { class: 'dl-fl-nopicture' }, 'no picture here: attach the video or its frames'),
      h(
        'figcaption',
        {},
        h('b', {}, n ? '2' : '1'),
        ` ${frameName(index)}`,
        seconds === null ? null : ` · ${clock(seconds)}`,
      ),
    );
  }

  /** @param {LabelledPair} pair */
  #buttons(pair) {
    const can = this.page.frame.can('edit');
    return h(
      'div',
      { class: 'dl-fl-buttons', role: 'group', 'aria-label': 'Your label' },
      LABELS.map(([label, words, about]) => {
        const node = button(
          [icon(SHAPE[label]), words, keyHint(`keyframes.${label}`)],
          () => this.#say(label),
          { title: about, name: `label-${label}` },
        );
        node.classList.add(`dl-is-${SHAPE[label]}`);
        node.setAttribute('aria-pressed', String(pair.mine === label));
        node.disabled = !can;
        return node;
      }),
      pair.mine && can
        ? button(['take back', keyHint('keyframes.clear')], () => this.#say(''), {
            kind: 'quiet',
            name: 'label-none',
          })
        : null,
      button(['next open', keyHint('keyframes.save_next')], () => this.#onward().catch(report), {
        kind: 'quiet',
        name: 'label-next',
      }),
    );
  }

  /**
   * @param {LabelledPair} pair
   * @param {number} done how many have a label
   */
  #heard(pair, done) {
    if (pair.saving) return h('p', { class: 'dl-hint' }, 'saving …');
    if (!pair.mine)
      return h(
        'p',
        { class: 'dl-hint' },
        mark('blind', 'judges and other people are shown once you have labelled the pair'),
      );
    const judges = pair.judges.map((j) =>
      h(
        'li',
        {},
        mark(SHAPE[j.label] || j.state, WORDS[j.label] || j.state),
        h('span', {}, `${j.judge}, of ${j.captions || 'these captions'}`),
        j.baseline ? baselineBadge() : null,
      ),
    );
    const people = pair.others.map((o) =>
      h('li', {}, mark(SHAPE[o.label], WORDS[o.label]), h('span', {}, o.by)),
    );
    const all =
      done === this.data.pairs.length
        ? h('p', { class: 'dl-hint' }, mark('done', 'every pair of this video has your label'))
        : null;
    return h(
      'div',
      { class: 'dl-fl-heard' },
      all,
      judges.length || people.length
        ? h('ul', {}, judges, people)
        : h('p', { class: 'dl-hint' }, 'No judge and nobody else has labelled this pair.'),
    );
  }

  /**
   * @param {LabelledPair} pair
   * @param {number} n
   */
  #row(pair, n) {
    const words = `${frameName(pair.first)} → ${frameName(pair.second)}`;
    return h(
      'button',
      {
        type: 'button',
        class: 'dl-fl-pair',
        role: 'option',
        tabindex: '-1',
        'aria-selected': String(n === this.at),
        'data-n': n,
        title: `${words}: ${pair.mine ? WORDS[pair.mine] : 'not labelled'}`,
        onclick: () => this.go(n),
      },
      mark(pair.mine ? SHAPE[pair.mine] : 'open', ''),
      words,
    );
  }
}
