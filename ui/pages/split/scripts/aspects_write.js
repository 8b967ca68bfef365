// Write: the four parts of a CaReBench caption, by one annotator who sees nobody else's.
import { h, mount } from '../../../lib/components/component.js';
import { button, empty, hint, icon, keyHint, mark } from '../../../lib/components/small_components.js';
import { pageSignal } from '../../../lib/page/open_page.js';
import { notice, Refused } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { keyHint as keyElement, keyText, openField } from '../../../lib/keys/keymap.js';
import { AspectView, fits, PartEditor, readComment, stateOfVideo, workOf } from './aspects_view.js';

/** @typedef {import('./aspects_view.js').Aspects} Aspects */
/** @typedef {import('./aspects_view.js').Comment} Comment */
/** @typedef {import('./aspects_view.js').Writer} Writer */

/** @type {Object<string, [hint: string, rows: number]>} */
const ASKED = {
  overview: ['One sentence that sums the video up.', 1],
  object: [
    'What is there: people and things, their place, colour and shape, how they stand to each other.',
    5,
  ],
  action: ['What happens, in order (first, then, after that), and how it is done.', 5],
  misc: ['Camera and perspective, kind of video, style of filming.', 2],
};
const KEYS = ['edit_full', 'edit_spatial', 'edit_temporal', 'part_4']; // of the parts

/** @param {import('./page_split.js').Page} page */
export const open = (page) => new WriteView(page);

class WriteView extends AspectView {
  /** @param {import('./page_split.js').Page} page */
  constructor(page) {
    super(page, 'write');
    mount(this.right, h(OwnParts, { view: this }), pageSignal());
    mount(this.below, h(Below, { view: this }), pageSignal());
    this.keys = {
      ...Object.fromEntries(KEYS.map((key, n) => [key, () => this.go(this.data.parts[n][0])])),
      next: () => this.#step(1),
      previous: () => this.#step(-1),
      save_next: () => this.#saveNext(),
      begin: () => this.begin(),
    };
  }

  get mine() {
    return this.data.writers.find((writer) => writer.id === this.me);
  }

  /**
   * @param {Aspects} data
   * @returns {Promise<Aspects>}
   */
  async prepared(data) {
    const mine = data.writers.find((writer) => writer.id === this.me);
    const missing = mine?.work.unfinished && data.parts.some(([name]) => !mine.texts?.[name]);
    return missing && this.frame.can('edit')
      ? api(`/api/aspects/${encodeURIComponent(data.video.id)}/write`, {})
      : data;
  }

  edit() {
    const { mine } = this;
    this.data.parts.forEach(([name, label], n) => {
      const text = mine?.texts?.[name];
      if (!text) return;
      const [placeholder, rows] = ASKED[name];
      const { node } = this.editor(name, text, { label, rows, readonly: !mine.work.unfinished, placeholder });
      node.querySelector('.dl-label').after(keyElement(`split.${KEYS[n]}`));
    });
  }

  /** What an expert asks for, where the parts were given back. */
  get comment() {
    const { work } = this.mine;
    return work.unfinished && work.note ? readComment(work.note, this.data.parts) : null;
  }

  /**
   * The words that are meant in a part.
   * @param {string} where
   * @param {string} quote
   */
  select(where, quote) {
    const { area } = this.editors.get(where);
    const at = area.value.indexOf(quote);
    area.focus();
    if (at >= 0) area.setSelectionRange(at, at + quote.length);
  }

  get others() {
    return this.data.writers.filter((writer) => writer.id !== this.me);
  }

  /** Why letters run nothing: there is no field for them yet. */
  get resting() {
    if (!this.data || this.mine) return '';
    return this.frame.can('edit')
      ? `You have not taken this video yet: ${keyText('split.begin')} takes it, then you can write.`
      : 'Only people who may edit can write here.';
  }

  /** This video is mine to write; its first part is open then. */
  async begin() {
    if (this.mine) {
      this.go('overview');
      return;
    }
    if (!this.frame.can('edit')) throw new Refused('Only people who may edit can write here.');
    await api('/api/queue', { videos: [this.page.bar.shown], person: this.me, task: 'aspects' });
    await this.refresh();
    this.told();
    this.go('overview');
  }

  // --- keys -------------------------------------------------------------------------

  /** @param {string} name */
  go(name) {
    const area = this.editors.get(name)?.area;
    if (!area) throw new Refused(this.resting || 'Nothing can be written here.');
    if (area.readOnly) throw new Refused('Your parts are handed in: reopen them to write.');
    area.focus();
    area.setSelectionRange(area.value.length, area.value.length);
  }

  get at() {
    return this.data.parts.findIndex(([name]) => this.editors.get(name)?.area.matches(':focus'));
  }

  /** @param {number} by */
  #step(by) {
    this.go(this.data.parts[Math.max(0, Math.min(3, this.at + by))][0]);
  }

  async #saveNext() {
    // What is typed next is meant for the next part: it has the caret while this one is being saved.
    if (this.at < 3) this.#step(1);
    else notice('That was the last part. Ctrl+Shift+Enter hands the video in.');
    await this.leave();
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{view: WriteView}} props */
function OwnParts({ view }) {
  if (!view.data) return null;
  const { mine, data } = view;
  if (!mine) return h(NotMine, { view });
  const { comment } = view;
  return [
    h(
      'div',
      { key: 'head', class: 'dl-as-head' },
      h(Sum, { view }),
      mine.work.unfinished ? null : h(HandedIn, { view }),
    ),
    comment && !comment.where ? h(CommentBox, { key: 'comment', view, comment }) : null,
    data.parts.map(([name, words]) => {
      const here = comment?.where === name;
      return h(
        'div',
        { key: name, class: `dl-as-field ${here ? 'dl-as-asked' : ''}`, 'data-part': name },
        view.editors.has(name)
          ? [here ? h(CommentBox, { view, comment }) : null, h(PartEditor, { key: name, view, name })]
          : [h('div', { class: 'dl-as-label' }, words), hint('nothing written')],
      );
    }),
  ];
}

/** @param {{view: WriteView}} props */
const HandedIn = ({ view: { mine, others } }) =>
  h(
    'p',
    { class: 'dl-as-closed' },
    mark(mine.work.state, `Your parts are ${mine.work.state}.`),
    ' ',
    others.some((other) => other.texts === null || other.work.unfinished)
      ? 'They can be reopened until all who write are done.'
      : 'They stay as they are; an expert may give them back.',
  );

/**
 * What an expert asks for, at the part that it is about, with the way to the words that are meant.
 * @param {{view: WriteView, comment: Comment}} props
 */
function CommentBox({ view, comment: { where, quote, words } }) {
  const there = where && quote && view.mine.texts?.[where]?.value.includes(quote);
  return h(
    'div',
    { class: 'dl-as-comment', role: 'note' },
    icon('returned'),
    h('p', null, h('b', null, 'Given back: '), quote ? [h('q', null, quote), ' '] : null, words),
    there ? button('Go there', () => view.select(where, quote), { kind: 'quiet', name: 'go-there' }) : null,
  );
}

/** @param {{view: WriteView}} props */
function Below({ view }) {
  if (!view.data) return null;
  const { others, mine, data } = view;
  return [
    h('p', { class: 'dl-as-state' }, stateOfVideo(data.state)),
    others.length
      ? h(
          'ul',
          { class: 'dl-work', 'aria-label': 'Others' },
          others.map((other) => h('li', { key: other.id }, workOf(other.work, other.name))),
        )
      : null,
    mine
      ? hint(
          others.some((other) => other.texts === null) || mine.work.unfinished
            ? 'You write alone: texts of others are shown when all who write this video are done.'
            : 'All who write are done: both texts stand side by side under Merge.',
        )
      : null,
    mine?.work.unfinished
      ? hint(
          'While typing: ',
          keyHint('player.typing_play'),
          ' plays, ',
          keyHint('player.typing_second_back'),
          ' ',
          keyHint('player.typing_second_on'),
          ' a second back or on.',
        )
      : null,
  ];
}

/** @param {{view: WriteView}} props */
function NotMine({ view }) {
  const who = view.data.writers.map((writer) => writer.name);
  return empty(
    who.length
      ? `The four parts of this video were given to ${who.join(' and ')}.`
      : 'Nobody was given this video to write its four parts.',
    hint(
      'Two annotators write each video without seeing each other’s text; an expert makes one of both. Work is given in the Library.',
    ),
    h(
      'div',
      { class: 'dl-row' },
      view.frame.can('edit')
        ? button('Take this video', () => openField('take this video', () => view.begin()), {
            kind: 'main',
            name: 'take-video',
            hint: 'split.begin',
          })
        : null,
      h('a', { class: 'dl-button', href: '/' }, 'To the Library'),
    ),
  );
}

/** @param {{view: WriteView}} props */
function Sum({ view }) {
  const { count, data } = view;
  const [least, most] = data.words;
  const missing = data.parts.filter(([name]) => !view.typedIn(name)?.trim()).map(([, label]) => label);
  /** @param {number} words */
  const width = (words) => `${Math.min(100, (words / (most * 1.2)) * 100)}%`;
  return h(
    'div',
    { class: 'dl-as-sum', role: 'status' },
    h('b', null, plural(count, 'word')),
    h(
      'span',
      { class: 'dl-as-bar', 'aria-hidden': true },
      h('i', { style: { left: width(least), width: width(most - least) } }),
      h('b', { style: { width: width(count) } }),
    ),
    fits(count, data.words, [`${least - count} short of`, `${count - most} beyond`]),
    missing.length ? h('span', { class: 'dl-as-empty' }, `${missing.join(', ')} empty`) : null,
  );
}
