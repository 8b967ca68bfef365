// What the tabs Write and Merge share: one video with a player, its data, and editors that are saved before leaving.
import { signal, useLayoutEffect } from '../../../lib/components/component.js';
import { held, mark } from '../../../lib/components/small_components.js';
import { pageSignal, whileOpen } from '../../../lib/page/open_page.js';
import { h as element } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { wordCount } from '../../../lib/parts/words.js';
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
const STATE_MARKS = {
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

/**
 * "ana · aspects · done", with its shape; the comment is the tooltip.
 * @param {{state: string, note: string}} work
 * @param {string} [who]
 * @param {string} [task]
 */
export const workOf = ({ state, note }, who = '', task = '') =>
  mark(state, [who, task, state].filter(Boolean).join(' · '), note || undefined);

/**
 * Whether there are as many words as there should be.
 * @param {number} words
 * @param {[least: number, most: number]} range
 * @param {[short: string, beyond: string]} how
 */
export function fits(words, [least, most], [short, beyond] = ['short of', 'beyond']) {
  if (words < least) return mark('failed', `${short} ${least} to ${most}`);
  if (words > most) return mark('failed', `${beyond} ${least} to ${most}`);
  return mark('done', `within ${least} to ${most}`);
}

export class AspectView {
  /** @type {import('../../../lib/player/player.js').Player} */
  player;
  /** @type {import('../../../lib/components/component.js').Signal<Aspects | null>} of the video */
  answer = signal(null);
  /** @type {Map<string, TextEditor>} by part */
  editors = new Map();
  /** @type {{name: string, start: number, end: number} | null} where the caret goes when the editors are drawn */
  caret = null;
  said = 0;

  /**
   * @param {Page} page
   * @param {string} kind
   */
  constructor(page, kind) {
    this.page = page;
    this.frame = page.frame;
    this.left = element('div', { class: 'dl-pane dl-middle dl-as-left' });
    this.below = element('section', { class: 'dl-as-below', 'aria-label': 'This video' });
    this.right = element('div', { class: 'dl-pane dl-as-right' });
    this.node = element('div', { class: `dl-as dl-as-${kind}` }, this.left, this.right);
    const said = (/** @type {CustomEvent} */ event) => {
      if (page.tabs.view === this && event.detail.video === page.bar.id) this.refresh().catch(report);
    };
    document.addEventListener('dl-work', said, { signal: pageSignal() });
  }

  get data() {
    return this.answer.value;
  }

  get me() {
    return this.frame.me.person.id;
  }

  /** Makes the editors of `data`; each tab has its own. */
  edit() {}

  /** What stands in the editor of a part, and follows what is typed; null where there is none. @param {string} name */
  typedIn(name) {
    return this.editors.get(name)?.words.value ?? null;
  }

  /** How many words the editors hold. */
  get count() {
    return this.data.parts.reduce((sum, [name]) => sum + wordCount(this.typedIn(name) ?? ''), 0);
  }

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
    const [name, typing] = (same && [...this.editors].find(([, { area }]) => area.matches(':focus'))) || [];
    this.caret = typing ? { name, start: typing.area.selectionStart, end: typing.area.selectionEnd } : null;
    this.answer.value = data;
    this.editors.clear();
    this.edit();
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
    const made = new TextEditor(text, { plain: true, ...options });
    this.editors.set(name, made);
    return made;
  }
}

/**
 * The editor of a part. In another one of the same part the caret is where it was.
 * @param {{view: AspectView, name: string}} props
 */
export function PartEditor({ view, name }) {
  const editor = view.editors.get(name);
  useLayoutEffect(() => {
    const { caret } = view;
    if (caret?.name !== name) return;
    view.caret = null;
    editor.area.focus({ preventScroll: true });
    editor.area.setSelectionRange(caret.start, caret.end);
  }, [editor]);
  return held(editor.node);
}
