// What the tabs Write and Merge share: one video with a player, its data, and editors that are saved before leaving.
import { pageSignal, whileOpen } from '../../../lib/page/open_page.js';
import { h, mark } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';

/** @typedef {import('../../../lib/shell/assignment_bar.js').Work} Work */
/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {import('./page_split.js').PlayerData} PlayerData */
/** @typedef {import('./split_text.js').TextValue} TextValue */
/** @typedef {[name: string, words: string]} Part of a caption */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PartsWork']} Writer */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PartSource']} Source where the words of a part come from */

/** @typedef {Object<string, Source>} Sources by part */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['AspectsPage']} Aspects */

/** @typedef {{where: string, quote: string, words: string}} Comment of an expert; `where` is a part, or empty for the whole caption */

const MOST_TRIES = 6; // who types on without a pause is shown what there is

/** @type {Object<string, string>} */
export const STATE_MARKS = {
  given: 'open',
  writing: 'working',
  returned: 'returned',
  done: 'done',
  merged: 'neutral',
  approved: 'approved',
  split: 'moved',
  'split approved': 'approved',
};
/**
 * The state of a video: "writing", "split approved" ... with its shape.
 * @param {string} state
 */
export const stateOfVideo = (state) => mark(STATE_MARKS[state] || 'missing', state || 'given to nobody');

/**
 * What "Actions “he runs”: which hand?" says.
 * @param {string} note
 * @param {Part[]} parts
 * @returns {Comment}
 */
export function readComment(note, parts) {
  for (const [name, words] of parts) {
    const found = new RegExp(`^${words}(?: “([^”]*)”)?: `).exec(note);
    if (found) return { where: name, quote: found[1] || '', words: note.slice(found[0].length) };
  }
  return { where: '', quote: '', words: note };
}

export class AspectView {
  /** @type {import('../../../lib/player/player.js').Player} */
  player;

  /**
   * @param {Page} page
   * @param {string} kind
   */
  constructor(page, kind) {
    this.page = page;
    this.frame = page.frame;
    /** @type {Map<string, TextEditor>} by part */
    this.editors = new Map();
    /** @type {Aspects | null} */
    this.data = null;
    this.said = 0;
    this.left = h('div', { class: 'dl-pane dl-middle dl-as-left' });
    this.below = h('section', { class: 'dl-as-below', 'aria-label': 'This video' });
    this.right = h('div', { class: 'dl-pane dl-as-right' });
    this.node = h('div', { class: `dl-as dl-as-${kind}` }, this.left, this.right);
    const said = (/** @type {CustomEvent} */ event) => {
      if (page.tabs.view === this && event.detail.video === page.bar.id) this.refresh().catch(report);
    };
    document.addEventListener('dl-work', said, { signal: pageSignal() });
  }

  get me() {
    return this.frame.me.person.id;
  }

  /** Each tab draws `data` in its own way. */
  draw() {}

  /** @param {string} id */
  async shown(id) {
    await whileOpen(this.leave());
    /** @type {Aspects} */
    const given = await api(`/api/aspects/${encodeURIComponent(id)}`);
    if (this.page.bar.id !== id) return; // nobody takes a video that was only passed
    const data = await this.prepared(given);
    if (this.page.bar.id !== id) return;
    this.page.bar.named(data.video.title);
    this.player = playerOf(given.player);
    this.left.replaceChildren(this.player.node, this.below);
    this.player.start().catch(report);
    await this.take(data);
  }

  async refresh(tries = 0) {
    const id = this.page.bar.shown;
    await whileOpen(this.leave());
    const { version } = this;
    const data = await api(`/api/aspects/${encodeURIComponent(id)}?player=false`);
    if (this.page.bar.id !== id) return;
    if (this.version !== version && tries < MOST_TRIES) await this.refresh(tries + 1);
    else await this.take(data);
  }

  /** Another one since something was asked: what the server answers to that may be older than what is shown. */
  get version() {
    return JSON.stringify([
      this.said,
      [...this.editors].map(([name, editor]) => [name, editor.value.revision, editor.unsaved]),
    ]);
  }

  /**
   * The data with what has to be there before it is drawn.
   * @param {Aspects} data
   */
  async prepared(data) {
    return data;
  }

  /**
   * Whoever is typing goes on typing: a draft holds the words, and the caret comes back. In the same part of another
   * video it does not: the words were not meant for that one.
   * @param {Aspects} given
   */
  async take(given) {
    const data = await this.prepared(given);
    const same = this.data?.video.id === data.video.id;
    const [name, held] =
      (same && [...this.editors].find(([, editor]) => editor.area === document.activeElement)) || [];
    this.data = data;
    this.editors.clear();
    this.draw();
    const area = held && this.editors.get(name)?.area;
    if (!area) return;
    area.focus({ preventScroll: true });
    area.setSelectionRange(held.area.selectionStart, held.area.selectionEnd);
  }

  /**
   * Something is asked of the server about this video; what it answers is drawn.
   * @param {string} what
   * @returns {Promise<Aspects>}
   */
  async say(what, body = {}) {
    await requireSaved();
    this.said += 1;
    const { version } = this;
    const id = this.page.bar.shown;
    try {
      const data = await api(`/api/aspects/${encodeURIComponent(id)}/${what}`, body);
      if (this.version !== version) await this.refresh();
      else if (this.page.bar.id === id) await this.take(data);
      return data;
    } finally {
      this.said += 1;
    }
  }

  /** Work of somebody is another now: the bar on top says so too. */
  told() {
    document.dispatchEvent(
      new CustomEvent('dl-changed', { detail: { video: this.page.bar.id, changes: [] } }),
    );
  }

  /** @param {import('./split_tabs.js').Changed} detail */
  async changed({ video }) {
    if (this.data && (!video || video === this.page.bar.id)) await this.refresh();
  }

  leave() {
    return Promise.all([...this.editors.values()].map((editor) => editor.save()));
  }

  /**
   * A TextEditor that is saved with the rest.
   * @param {string} name of the part
   * @param {TextValue} text
   * @param {ConstructorParameters<typeof TextEditor>[1]} options
   */
  editor(name, text, options) {
    const made = new TextEditor(text, options);
    this.editors.set(name, made);
    return made;
  }
}
