// The editor of one text: it saves itself (saved_text.js), and shows the machine's version, the history, and a three-way
// difference when two people meet. editor_view.js draws it.
import { h, render } from '../components/component.js';
import { debounce } from '../page/open_page.js';
import { report } from '../parts/notices.js';
import { api, posted } from '../requests/requests.js';
import { diffView } from '../parts/diff_and_merge.js';
import { writer } from './drafts.js';
import { conflictView } from './editor_conflict.js';
import { EditorView } from './editor_view.js';
import { watchSaver } from './save_before_leaving.js';
import { SavedText, saveOf } from './saved_text.js';

const MOST_TRIES = 6;
/** @type {Map<string, TextEditor>} by key of its draft: the editors on the page */
const live = new Map();

export class TextEditor extends SavedText {
  /**
   * As SavedText.
   * @param {any} value
   * @param {any} [options]
   */
  constructor(value, options = {}) {
    super(value, options);
    const before = live.get(this.key);
    live.set(this.key, this);
    this.node = document.createElement('div');
    this.node.className = 'dl-editor';
    this.node.dataset.key = this.key;
    render(h(EditorView, { editor: this }), this.node);
    this.area.value = this.words.value;
    if (before) {
      before.retire();
      this.saving = this.takeOver(before);
    }
    // Height needs layout, which is there only after the node was put into the page.
    requestAnimationFrame(() => {
      this.fit();
      forget();
    });
  }

  // --- somebody else was faster ---------------------------------------------------------

  /**
   * The server holds another revision. Often that is no conflict: an answer of ours got lost on the way,
   * or another part was changed. All else is shown; nothing is merged in silence.
   */
  async met(body, extra, tries) {
    const theirs = this.part.decode(body.current);
    this.record.value = { ...this.value, subject: this.value.subject || body.subject };
    if (theirs === null) {
      this.say('failed', 'Not saved: this line was cut anew; show the speech again');
      return;
    }
    if (theirs === this.value.value || this.sent.includes(theirs)) {
      this.#adopt(body, theirs);
      if ((this.unsaved || extra.cleared) && tries < MOST_TRIES) await this.saveNow(extra, tries + 1);
      else this.settled('Saved');
      return;
    }
    const since = (await this.#history()).filter((entry) => entry.revision > this.value.revision);
    const mine = since.find((entry) => !entry.cleared && this.sent.includes(this.part.decode(entry.value)));
    const base = mine ? this.part.decode(mine.value) : this.value.value;
    const now = this.area.value; // somebody may have typed on
    const by = since[0]?.by;
    const self = by === writer().name;
    const who = self ? 'You, in another window,' : by || 'Somebody else';
    if (mine && base === now) this.#builtOn(body, theirs, who);
    else this.#conflict(body, { base, theirs, mine: now }, { who, self });
  }

  #history() {
    return api(`/api/history/${this.value.subject.map(encodeURIComponent).join('/')}`).catch(() => []);
  }

  #adopt(body, text) {
    this.part.accept(body.current);
    this.record.value = {
      ...this.value,
      value: text,
      revision: body.revision,
      corrected: !this.value.person || this.value.corrected,
    };
    this.sent = [];
  }

  /** What was typed here was saved, and somebody changed it since. */
  #builtOn(body, theirs, who) {
    this.#adopt(body, theirs);
    this.put(theirs);
    this.settled(`Saved; then ${who} changed this`);
    this.options.onsaved?.(this.value);
  }

  #conflict(body, texts, by) {
    this.say('failed', `${by.who} changed this`);
    const take = (text) => {
      const mine = this.area.value; // somebody may have typed on since the choice was shown
      const both = text !== texts.mine && text !== texts.theirs;
      if (both && mine !== texts.mine) {
        this.#conflict(body, { ...texts, mine }, by);
        return;
      }
      this.#adopt(body, texts.theirs);
      this.put(text === texts.mine ? mine : text);
      this.below.value = null;
      void this.save();
    };
    const edit = () => {
      this.#adopt(body, texts.theirs);
      void this.keep();
      this.below.value = {
        kind: 'over',
        node: diffView(texts.theirs, texts.mine, 'your text over theirs'),
      };
      this.area.focus();
    };
    this.below.value = { kind: 'conflict', node: conflictView(texts, by, { take, edit }) };
  }

  // --- under the text -------------------------------------------------------------------

  toggleDiff() {
    this.below.value = this.below.value?.kind === 'diff' ? null : { kind: 'diff' };
  }

  async toggleHistory() {
    if (this.below.value?.kind === 'history') {
      this.below.value = null;
      return;
    }
    const opened = { kind: /** @type {const} */ ('history') };
    this.below.value = opened;
    const [entries, { historyOf }] = await Promise.all([this.#history(), import('./editor_history.js')]);
    if (this.below.value === opened) this.below.value = { ...opened, drawn: historyOf(this, entries) };
  }

  /** An earlier version takes the place of the text. */
  restore(text) {
    this.put(text);
    void this.save({ reason: 'restored' });
  }

  /** The page is left: the last words go out without anybody who waits for the answer. */
  sendAndForget() {
    if (!this.unsaved || this.retired || this.options.readonly || this.below.value?.kind === 'conflict')
      return;
    this.sent.push(this.area.value);
    void this.keep();
    const [path, body] = saveOf(this.value, this.change(this.area.value));
    fetch(path, posted(body, { keepalive: true })).catch(() => {});
  }

  /** The server will never take what is typed: it is thrown away. */
  discard() {
    this.put(this.value.value);
    this.below.value = null;
    this.nothingToSave();
    this.say('', '');
    this.area.focus();
  }
}

/** Editors that have left the page with nothing to save need no watching. */
function forget() {
  for (const [key, editor] of live) if (!editor.node.isConnected && !editor.unsaved) live.delete(key);
}

/** Whether an editor on the page holds this draft. */
export const isLive = (key) => Boolean(live.get(key)?.node.isConnected);

addEventListener(
  'resize',
  debounce(
    () =>
      live.forEach((editor) => {
        if (editor.node.isConnected) editor.fit();
      }),
    100,
  ),
);
addEventListener('pagehide', () => live.forEach((editor) => editor.sendAndForget()));
addEventListener('online', () =>
  live.forEach((editor) => {
    if (editor.unsaved) editor.save().catch(report);
  }),
);
document.addEventListener('visibilitychange', () => {
  if (document.hidden)
    live.forEach((editor) => {
      if (editor.unsaved) editor.save().catch(report);
    });
});
watchSaver({
  save: () => Promise.all([...live.values()].map((editor) => editor.save())),
  why: () =>
    [...live.values()].map((editor) => (editor.node.isConnected ? editor.why : '')).find(Boolean) || '',
});
