// Keyframes, Label: two frames large, and whether the action moves on between them. Judges are heard afterwards.
import { toLibrary } from '../../../lib/components/small_components.js';
import { batch, h, mount, signal, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import {
  badge,
  baselineBadge,
  button,
  empty,
  icon,
  keyHint,
  mark,
  hint,
} from '../../../lib/components/small_components.js';
import { pageSignal } from '../../../lib/page/open_page.js';
import { h as element } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

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
const WORDS = Object.fromEntries(LABELS.map(([label, words]) => [label, words]));

/** @param {Page} page */
export const open = (page) => new LabelView(page);

class LabelView {
  /** @type {import('../../../lib/components/component.js').Signal<{video: FrameLabels['video'], pairs: LabelledPair[]} | null>} */
  data = signal(null);
  at = signal(0);
  /** Labels that the server has not confirmed. */
  waiting = signal(0);
  /** @type {Promise<unknown>} */
  saving = Promise.resolve();

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.canEdit = page.frame.can('edit');
    this.node = element('section', { class: 'dl-fl', 'aria-label': 'Label pairs of frames' });
    mount(this.node, h(Label, { view: this }), pageSignal());
    this.keys = {
      next: () => this.go(this.at.value + 1),
      previous: () => this.go(this.at.value - 1),
      first: () => this.go(0),
      last: () => this.go(this.pairs.length - 1),
      save_next: () => this.onward().then(() => true),
      clear: () => this.say(''),
      ...Object.fromEntries(LABELS.map(([label]) => [label, () => this.say(label)])),
    };
  }

  get pairs() {
    return this.data.value?.pairs || [];
  }

  /** @param {string} id */
  async shown(id) {
    /** @type {FrameLabels} */
    const data = await api(`/api/frame-labels/${encodeURIComponent(id)}`);
    if (this.page.bar.id !== id || this.waiting.value) return;
    const { pairs } = data;
    const same = this.data.value?.video.id === id;
    const at = same ? Math.min(this.at.value, pairs.length - 1) : pairs.findIndex((p) => !p.mine);
    batch(() => {
      this.data.value = data;
      this.at.value = Math.max(0, at);
    });
  }

  /** @param {import('./keyframes_views.js').Changed} detail */
  async changed({ video }) {
    if (!video || video === this.page.bar.id) await this.shown(this.page.bar.id);
  }

  /** @param {number} n */
  go(n) {
    if (this.pairs[n]) this.at.value = n;
  }

  /** The next pair without a label, from here on and around; after the last of all the queue goes on. */
  async onward() {
    const open = this.#nextOpen();
    if (open !== undefined) {
      this.go(open);
      return;
    }
    await this.saving;
    if (this.#nextOpen() === undefined) await this.page.bar.queue.done();
  }

  #nextOpen() {
    const { pairs } = this;
    const order = pairs.map((_, n) => (this.at.value + 1 + n) % pairs.length);
    return order.find((n) => !pairs[n].mine);
  }

  /**
   * The next open pair comes at once, so that a key is always about the pair on the screen; saving goes on behind.
   * @param {string} label empty: it is taken back
   */
  say(label) {
    const { pairs } = this;
    const pair = pairs[this.at.value];
    if (!pair || !this.canEdit || pair.mine === label) return;
    const { video } = this.data.value;
    this.waiting.value += 1;
    // One after the other: undo takes back the last that was said, not the last that arrived.
    this.saving = this.saving
      .then(() => this.#send({ video_id: video.id, first: pair.first, second: pair.second, label }))
      .catch(report);
    const said = { ...pair, mine: label, saving: this.saving };
    this.data.value = { video, pairs: pairs.map((each) => (each === pair ? said : each)) };
    if (label) this.go(this.#nextOpen());
  }

  /**
   * What the server holds after the last of several is shown; a label that it refused is gone again.
   * @param {SentLabel} label
   */
  async #send(label) {
    try {
      await api('/api/frame-labels', label);
    } finally {
      this.waiting.value -= 1;
      if (!this.waiting.value && label.video_id === this.page.bar.id) await this.shown(label.video_id);
    }
  }

  /** Labels that are under way are not on the server yet. */
  leave() {
    return this.saving;
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{view: LabelView}} props */
function Label({ view }) {
  const { pairs } = view;
  const at = view.at.value;
  const pair = pairs[at];
  const done = pairs.filter((p) => p.mine && !p.saving).length;
  return [
    h(
      'header',
      { class: 'dl-fl-head' },
      pair
        ? [
            h('h2', null, 'Does the action move on?'),
            h('span', { class: 'dl-fl-action' }, view.data.value.video.action || 'no action is named'),
            h('span', { class: 'dl-grow' }),
            h('span', null, `pair ${at + 1} of ${pairs.length}`),
            view.waiting.value
              ? h('span', { class: 'dl-saved dl-saved-saving', role: 'status' }, 'Saving …')
              : null,
            badge(`${done} of ${plural(pairs.length, 'pair')} labelled by you`),
          ]
        : null,
    ),
    h(
      'div',
      { class: 'dl-fl-frames' },
      pair
        ? [pair.first, pair.second].map((index, n) =>
            h(FrameOfPair, { key: n, view, index, seconds: pair.seconds[n], n }),
          )
        : view.data.value &&
            empty(
              'This video has no pairs of frames to label yet: they come with frame captions, or with a file of ProgressCaptioner.',
              toLibrary(),
            ),
    ),
    h(
      'div',
      { class: 'dl-fl-answer' },
      pair ? [h(Buttons, { view, pair }), h(Heard, { pair, all: done === pairs.length })] : null,
    ),
    h(
      'div',
      { class: 'dl-fl-list', role: 'listbox', 'aria-label': 'Pairs of frames', tabIndex: 0 },
      pairs.map((each, n) => h(PairOption, { key: n, view, pair: each, n, chosen: n === at })),
    ),
  ];
}

/** @param {{view: LabelView, index: number, seconds: number | null, n: number}} props */
function FrameOfPair({ view, index, seconds, n }) {
  const { video } = view.data.value;
  return h(
    'figure',
    { class: 'dl-fl-frame' },
    video.file
      ? h('img', {
          key: index, // another picture is not shown as this one while it comes
          src: `/media/${video.id}/preview/${index}.jpg`,
          alt: `${n ? 'second' : 'first'} frame, ${frameName(index)}`,
          decoding: 'async',
        })
      : h('div', { class: 'dl-fl-nopicture' }, 'no picture here: attach the video or its frames'),
    h(
      'figcaption',
      null,
      h('b', null, n + 1),
      ` ${frameName(index)}`,
      seconds === null ? null : ` · ${clock(seconds)}`,
    ),
  );
}

/** @param {{view: LabelView, pair: LabelledPair}} props */
const Buttons = ({ view, pair }) =>
  h(
    'div',
    { class: 'dl-fl-buttons', role: 'group', 'aria-label': 'Your label' },
    LABELS.map(([label, words, about]) =>
      h(
        'button',
        {
          key: label,
          type: 'button',
          class: `dl-button dl-is-${label}`,
          title: about,
          'data-name': `label-${label}`,
          'aria-pressed': pair.mine === label,
          disabled: !view.canEdit,
          onClick: () => view.say(label),
        },
        icon(label),
        words,
        keyHint(`keyframes.${label}`),
      ),
    ),
    pair.mine && view.canEdit
      ? button('take back', () => view.say(''), {
          kind: 'quiet',
          name: 'label-none',
          hint: 'keyframes.clear',
        })
      : null,
    button('next open', () => view.onward().catch(report), {
      kind: 'quiet',
      name: 'label-next',
      hint: 'keyframes.save_next',
    }),
  );

/**
 * What judges and other people say, once one's own label is on the server.
 * @param {{pair: LabelledPair, all: boolean}} props `all`: every pair has a label
 */
function Heard({ pair, all }) {
  if (pair.saving) return hint('saving …');
  if (!pair.mine)
    return hint(mark('blind', 'judges and other people are shown once you have labelled the pair'));
  return h(
    'div',
    { class: 'dl-fl-heard' },
    all ? hint(mark('done', 'every pair of this video has your label')) : null,
    pair.judges.length || pair.others.length
      ? h(
          'ul',
          null,
          pair.judges.map((j) =>
            h(
              'li',
              null,
              mark(WORDS[j.label] ? j.label : j.state, WORDS[j.label] || j.state),
              h('span', null, `${j.judge}, of ${j.captions || 'these captions'}`),
              j.baseline ? baselineBadge() : null,
            ),
          ),
          pair.others.map((o) => h('li', null, mark(o.label, WORDS[o.label]), h('span', null, o.by))),
        )
      : hint('Neither a judge nor another person has labelled this pair.'),
  );
}

/** @param {{view: LabelView, pair: LabelledPair, n: number, chosen: boolean}} props */
function PairOption({ view, pair, n, chosen }) {
  const node = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useLayoutEffect(() => {
    if (chosen) node.current.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [chosen]);
  const words = `${frameName(pair.first)} → ${frameName(pair.second)}`;
  return h(
    'button',
    {
      ref: node,
      type: 'button',
      class: 'dl-fl-pair',
      role: 'option',
      tabIndex: -1,
      'aria-selected': chosen,
      'data-n': n,
      title: `${words}: ${pair.mine ? WORDS[pair.mine] : 'not labelled'}`,
      onClick: () => view.go(n),
    },
    mark(pair.mine || 'open', ''),
    words,
  );
}
