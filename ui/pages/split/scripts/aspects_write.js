// Write: the four parts of a CaReBench caption, by one annotator who sees nobody else's.
import { button, clear, h, icon, mark } from '../../../lib/parts/elements.js';
import { notice, Refused } from '../../../lib/parts/notices.js';
import { plural, wordCount } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { empty } from '../../../lib/parts/empty.js';
import { AspectView, readComment, stateOfVideo } from './aspects_view.js';
import { keyHint, keyText, openField } from '../../../lib/keys/keymap.js';
import { workMark } from '../../../lib/shell/assignment_bar.js';

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

/** @param {import('./page_split.js').Page} page */
export const open = (page) => new WriteView(page);

class WriteView extends AspectView {
  /** @param {import('./page_split.js').Page} page */
  constructor(page) {
    super(page, 'write');
    this.sum = h('div', { class: 'dl-as-sum', role: 'status' });
    this.right.addEventListener('input', () => this.#count());
    this.keys = {
      edit_full: () => this.go('overview'),
      edit_spatial: () => this.go('object'),
      edit_temporal: () => this.go('action'),
      part_4: () => this.go('misc'),
      next: () => this.#step(1),
      previous: () => this.#step(-1),
      save_next: () => this.#saveNext(),
      begin: () => this.#take(),
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

  draw() {
    const { mine } = this;
    this.#below();
    if (!mine) {
      clear(this.right, this.#nothing());
      return;
    }
    const { work } = mine;
    const comment = work.unfinished && work.note ? readComment(work.note, this.data.parts) : null;
    clear(
      this.right,
      this.#head(mine),
      comment && !comment.where ? this.#comment(comment) : null,
      this.data.parts.map(([name, words], n) => this.#field(name, words, n + 1, mine, comment)),
    );
    this.#count();
  }

  /** @param {Writer} mine */
  #head(mine) {
    const { work } = mine;
    const closed = work.unfinished
      ? null
      : h(
          'p',
          { class: 'dl-as-closed' },
          mark(work.state, `Your parts are ${work.state}.`),
          ' ',
          this.others.some((other) => other.texts === null || other.work.unfinished)
            ? 'They can be reopened until all who write are done.'
            : 'They stay as they are; an expert may give them back.',
        );
    return h('div', { class: 'dl-as-head' }, this.sum, closed);
  }

  /**
   * @param {string} name
   * @param {string} words
   * @param {number} number
   * @param {Writer} mine
   * @param {Comment | null} comment
   */
  #field(name, words, number, mine, comment) {
    const text = mine.texts?.[name];
    const [hint, rows] = ASKED[name];
    const here = comment?.where === name ? this.#comment(comment) : null;
    const box = h('div', { class: `dl-as-field ${here ? 'dl-as-asked' : ''}`, 'data-part': name });
    if (!text) {
      box.append(h('div', { class: 'dl-as-label' }, words), h('p', { class: 'dl-hint' }, 'nothing written'));
      return box;
    }
    const editor = this.editor(name, text, {
      label: words,
      rows,
      readonly: !mine.work.unfinished,
      plain: true,
      placeholder: hint,
    });
    editor.node
      .querySelector('.dl-label')
      .after(
        keyHint(
          number < 4
            ? ['split.edit_full', 'split.edit_spatial', 'split.edit_temporal'][number - 1]
            : 'split.part_4',
        ),
      );
    box.append(...[here, editor.node].filter(Boolean));
    return box;
  }

  /**
   * What an expert asks for, at the part that it is about, with the way to the words that are meant.
   * @param {Comment} comment
   */
  #comment({ where, quote, words }) {
    const there = where && quote && this.mine.texts?.[where]?.value.includes(quote);
    return h(
      'div',
      { class: 'dl-as-comment', role: 'note' },
      icon('returned'),
      h('p', {}, h('b', {}, 'Given back: '), quote ? h('q', {}, quote) : null, quote ? ' ' : null, words),
      there ? button('Go there', () => this.#mark(where, quote), { kind: 'quiet', name: 'go-there' }) : null,
    );
  }

  /**
   * @param {string} where
   * @param {string} quote
   */
  #mark(where, quote) {
    const { area } = this.editors.get(where);
    const at = area.value.indexOf(quote);
    area.focus();
    if (at >= 0) area.setSelectionRange(at, at + quote.length);
  }

  get others() {
    return this.data.writers.filter((writer) => writer.id !== this.me);
  }

  #below() {
    const { others, mine } = this;
    clear(
      this.below,
      h('p', { class: 'dl-as-state' }, stateOfVideo(this.data.state)),
      others.length
        ? h(
            'ul',
            { class: 'dl-work', 'aria-label': 'Others' },
            others.map((other) => h('li', {}, workMark({ ...other.work, task: '' }, other.name))),
          )
        : null,
      mine
        ? h(
            'p',
            { class: 'dl-hint' },
            others.some((other) => other.texts === null) || mine.work.unfinished
              ? 'You write alone: texts of others are shown when all who write this video are done.'
              : 'All who write are done: both texts stand side by side under Merge.',
          )
        : null,
      mine?.work.unfinished
        ? h(
            'p',
            { class: 'dl-hint' },
            'While typing: ',
            keyHint('player.typing_play'),
            ' plays, ',
            keyHint('player.typing_second_back'),
            ' ',
            keyHint('player.typing_second_on'),
            ' a second back or on.',
          )
        : null,
    );
  }

  /** Why letters run nothing: there is no field for them yet. */
  get resting() {
    if (!this.data || this.mine) return '';
    return this.frame.can('edit')
      ? `You have not taken this video yet: ${keyText('split.begin')} takes it, then you can write.`
      : 'Only people who may edit can write here.';
  }

  /** This video is mine to write; its first part is open then. */
  async #take() {
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

  #nothing() {
    const who = this.data.writers.map((writer) => writer.name);
    return empty(
      who.length
        ? `The four parts of this video were given to ${who.join(' and ')}.`
        : 'Nobody was given this video to write its four parts.',
      h(
        'p',
        { class: 'dl-hint' },
        'Two annotators write each video without seeing each other’s text; an expert makes one of both. Work is given in the Library.',
      ),
      h(
        'div',
        { class: 'dl-row' },
        this.frame.can('edit')
          ? button(
              ['Take this video', keyHint('split.begin')],
              () => openField('take this video', () => this.#take()),
              { kind: 'main', name: 'take-video' },
            )
          : null,
        h('a', { class: 'dl-button', href: '/' }, 'To the Library'),
      ),
    );
  }

  #count() {
    if (!this.mine) return;
    const [least, most] = this.data.words;
    const words = this.data.parts.reduce(
      (sum, [name]) => sum + wordCount(this.editors.get(name)?.area.value ?? ''),
      0,
    );
    const empty = this.data.parts
      .filter(([name]) => !this.editors.get(name)?.area.value.trim())
      .map(([, label]) => label);
    const fits =
      words < least
        ? mark('failed', `${least - words} short of ${least} to ${most}`)
        : words > most
          ? mark('failed', `${words - most} beyond ${least} to ${most}`)
          : mark('done', `within ${least} to ${most}`);
    clear(
      this.sum,
      h('b', {}, plural(words, 'word')),
      h(
        'span',
        { class: 'dl-as-bar', 'aria-hidden': 'true' },
        h('i', {
          style: {
            left: `${(least / (most * 1.2)) * 100}%`,
            width: `${((most - least) / (most * 1.2)) * 100}%`,
          },
        }),
        h('b', { style: { width: `${Math.min(100, (words / (most * 1.2)) * 100)}%` } }),
      ),
      fits,
      empty.length ? h('span', { class: 'dl-as-empty' }, `${empty.join(', ')} empty`) : null,
    );
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
    return this.data.parts.findIndex(([name]) => this.editors.get(name)?.area === document.activeElement);
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
