// A text that saves itself while it is typed. What is typed is kept in the browser until the server has confirmed it
// (drafts.js). editor.js adds what happens when somebody else was faster, and how it is drawn.
import { signal } from '../components/component.js';
import { address } from '../page/address.js';
import { debounce } from '../page/open_page.js';
import { can } from '../page/rights.js';
import { timeOfDay } from '../parts/words.js';
import { isSessionOver, request, whenSessionIsBack } from '../requests/requests.js';
import { draftKey, draftOf, dropDraft, keepDraft, writer } from './drafts.js';

/**
 * @template Value
 * @typedef {import('../components/component.js').Signal<Value>} Signal
 */
/** @typedef {{kind: 'diff' | 'history' | 'conflict' | 'over' | 'refused', node?: HTMLElement, drawn?: import('preact').VNode}} Below what stands under a text */

const SAVE_AFTER_MS = 400; // after the last key
const SAVE_AT_LEAST_MS = 800; // while somebody types on
const AGAIN_MS = 1500;
const wholeText = { key: '', encode: (text) => text, decode: (value) => value, accept: () => {} };
let visits = 0;

/** The value of a text that the person has not written yet. `place`: {video_id, kind, scene, source_text_id}. */
export const newText = (place) => ({
  subject: null,
  place,
  value: '',
  machine: '',
  revision: 0,
  corrected: false,
  stale: false,
  state: 'missing',
  author: writer().name,
  person: writer().id,
});

/**
 * [path, body] of a save: by the record, or by the place where a record is made. `draft`: {subject, place}.
 * @returns {[string, Object<string, unknown>]}
 */
export const saveOf = ({ subject, place }, change) =>
  subject ? ['/api/edit', { subject, ...change }] : ['/api/text', { ...place, ...change }];

export class SavedText {
  /**
   * `value` as value_json gives it, or `newText(place)`. options: label, limit (words), rows, readonly, plain (who
   * wrote it is said elsewhere), placeholder, onsaved(value), onenter() of a text of one line, and for a text that is a part of the value of its
   * subject `part`: {key, encode(text), decode(value), accept(value)}; `decode` gives null when the part is gone.
   */
  constructor(value, options = {}) {
    this.isOthers = Boolean(value.person && value.person !== writer().id && !can('edit_others'));
    this.options = this.isOthers ? { ...options, readonly: true } : options;
    this.part = options.part || wholeText;
    this.isWhole = this.part === wholeText;
    this.video = value.place?.video_id || address.get('video');
    this.key = draftKey(value, this.part.key);
    /** @type {Signal<any>} the text as the server has confirmed it */
    this.record = signal(value);
    this.words = signal(''); // what is in the field
    this.said = signal({ kind: '', words: '' }); // how the last change stands
    /** @type {Signal<Below | null>} what stands under the text */
    this.below = signal(null);
    this.saving = Promise.resolve();
    this.sent = []; // what is under way, or went out and was never answered
    this.unsavedSince = 0;
    this.inHand = false;
    /** @type {any} what `follow` could not show yet */
    this.newer = null;
    this.later = debounce(() => this.save(), SAVE_AFTER_MS);
    this.words.value = this.#startValue();
    /** @type {HTMLElement} that is drawn, and the field in it */
    this.node = null;
    /** @type {HTMLTextAreaElement} */
    this.area = null;
  }

  get value() {
    return this.record.value;
  }

  /** A draft that the server never confirmed goes on where it was, over the text that it was typed over. */
  #startValue() {
    const draft = draftOf(this.key);
    if (!draft || this.options.readonly) return this.value.value;
    if (draft.value === this.value.value) {
      dropDraft(this.key);
      return this.value.value;
    }
    this.sent = draft.sent;
    this.record.value = { ...this.value, value: draft.base, revision: draft.revision };
    this.visit = newVisit();
    this.say('typing', 'Not saved yet');
    this.later();
    return draft.value;
  }

  // --- the field ------------------------------------------------------------------------

  /** The caret is in the field. */
  entered() {
    this.inHand = true;
    this.visit = newVisit();
  }

  /** The caret has left it. A conflict waits for a choice: saving would move its buttons under the pointer. */
  left() {
    this.inHand = false;
    if (this.below.value?.kind === 'conflict') return;
    void this.save().then(() => this.newer && this.follow(this.newer));
  }

  /**
   * Takes the server's current version of the text. It is shown at once unless the field has the caret or something
   * under it is open; then it is shown when the field is left. `undone`: the person's own undo, shown in any case.
   * Unsaved words are never replaced.
   */
  follow(value, undone = false) {
    const { revision, stale, state } = this.value;
    const same = value.revision === revision && value.stale === stale && value.state === state;
    if (this.retired || this.unsaved || (same && value.value === this.value.value)) return;
    this.newer = (this.inHand || this.below.value) && !undone ? value : null;
    if (this.newer) return;
    if (value.value !== this.value.value) this.say('', '');
    this.record.value = value;
    this.put(value.value);
  }

  typed() {
    this.words.value = this.area.value;
    void this.keep();
    this.say('typing', 'Not saved yet');
    this.fit();
    this.unsavedSince ||= performance.now();
    if (performance.now() - this.unsavedSince > SAVE_AT_LEAST_MS) void this.save();
    else this.later();
  }

  /** Other words in the field, not typed by the person. The caret stays where it was. */
  put(text) {
    const { area } = this;
    if (area.value !== text) {
      const { selectionStart: start, selectionEnd: end } = area;
      area.value = text;
      area.setSelectionRange(start, end);
    }
    this.words.value = text;
    this.fit();
  }

  keep() {
    const { subject, place, value: base, revision } = this.value;
    return keepDraft(this.key, {
      subject,
      place,
      video: this.video,
      label: this.options.label || 'a text',
      part: this.part.key,
      value: this.area.value,
      base,
      revision,
      sent: this.sent.slice(-20),
      at: Date.now(),
    });
  }

  fit() {
    this.node.style.minHeight = `${this.node.offsetHeight}px`; // the pane does not scroll while this is measured
    this.area.style.height = 'auto';
    this.area.style.height = `${this.area.scrollHeight + 2}px`;
    this.node.style.minHeight = '';
  }

  /** Another editor has taken over this text, with the draft of this one. */
  retire() {
    this.retired = true;
    this.later.cancel();
  }

  /** What the server has confirmed to the editor before this one is newer than what this one was made from. */
  async takeOver(before) {
    await before.saving;
    const { stored } = before;
    if (!stored || !this.isWhole || stored.revision <= this.value.revision) return;
    if (!this.unsaved) this.put(stored.value);
    this.record.value = stored;
    this.sent = [];
    this.settled('Saved');
  }

  /** A text that is not there yet begins with its first word. */
  get unsaved() {
    return this.area.value !== this.value.value && Boolean(this.value.subject || this.area.value.trim());
  }

  /** Whether the caret is in the field, or the focus on a button beside it. */
  get holdsFocus() {
    return this.node.matches(':focus-within');
  }

  /** Whether the server will not take what is typed as it is. */
  get isRefused() {
    return this.said.value.kind === 'failed';
  }

  /** Why what is typed is not saved, in words; empty when it is. */
  get why() {
    if (!this.unsaved || this.retired || this.options.readonly) return '';
    return `${this.options.label || 'a text'}: ${this.said.value.words || 'not saved yet'}`;
  }

  // --- saving ---------------------------------------------------------------------------

  /** Resolves when the server has confirmed what is typed now, or has refused it. */
  save(extra = null) {
    this.later.cancel();
    this.unsavedSince = 0;
    if (!extra && this.queued) return this.queued;
    const done = this.saving.then(() => {
      this.queued = null;
      return this.saveNow(extra || {});
    });
    if (!extra) this.queued = done;
    this.saving = done;
    return done;
  }

  async saveNow(extra, tries = 0) {
    const typed = this.area.value;
    if (this.retired || this.options.readonly) return;
    if (!extra.cleared && !this.unsaved) {
      this.nothingToSave();
      return;
    }
    this.say('saving', 'Saving …');
    if (!extra.cleared) {
      this.sent.push(typed);
      // The draft says what was sent before it is sent: a browser that is killed now knows its own words again.
      await this.keep();
    }
    try {
      const saved = await request(...saveOf(this.value, { ...this.change(typed, extra), ...extra }));
      this.#confirmed(saved, extra.cleared && this.area.value === typed);
    } catch (error) {
      if (error.status === 409) await this.met(error.body, extra, tries);
      else this.#failed(error);
    }
  }

  /**
   * @param {string} typed
   * @param {{cleared?: boolean}} [extra]
   */
  change(typed, { cleared } = {}) {
    return {
      value: cleared ? null : this.part.encode(typed),
      base_revision: this.value.revision,
      visit: this.visit || '',
    };
  }

  #confirmed(saved, cleared) {
    this.part.accept(saved.value);
    const text = this.part.decode(saved.value) ?? '';
    this.sent = [];
    this.record.value = {
      ...this.value,
      ...saved,
      value: text,
      machine: this.isWhole ? saved.machine : this.value.machine,
    };
    this.stored = this.value;
    if (cleared) this.put(text);
    this.close('conflict', 'refused');
    this.settled(`Saved ${timeOfDay(saved.saved_at)}`);
    this.options.onsaved?.(this.value);
  }

  settled(words) {
    if (this.retired) return; // the draft is that of the editor that took over
    if (this.unsaved) {
      void this.keep();
      this.say('typing', 'Not saved yet');
      this.later();
    } else {
      dropDraft(this.key);
      this.say('saved', words);
    }
    this.fit();
  }

  /** "Saved" stays: words that go when the text is left would move the button that is being clicked. */
  nothingToSave() {
    if (this.said.value.kind === 'typing') this.say('', '');
    this.close('conflict');
    dropDraft(this.key);
  }

  #failed(error) {
    const over = isSessionOver(error);
    const waits = over || error.status === 0 || error.status >= 500;
    this.say(
      waits ? 'waiting' : 'failed',
      waits ? `Not saved yet, kept in this browser: ${error.message}` : `Not saved: ${error.message}`,
    );
    clearTimeout(this.again);
    if (over) void whenSessionIsBack(error).then(() => this.save());
    else if (waits) this.again = setTimeout(() => this.save(), AGAIN_MS);
    else this.below.value = { kind: 'refused' };
  }

  say(kind, words) {
    this.said.value = { kind, words };
  }

  close(...kinds) {
    if (kinds.includes(this.below.value?.kind)) this.below.value = null;
  }

  /**
   * The server holds another revision.
   * @param {any} _body of its answer
   * @param {{cleared?: boolean}} _extra
   * @param {number} _tries
   * @returns {Promise<void>}
   */
  met(_body, _extra, _tries) {
    throw new Error('a text that is edited says what happens then');
  }
}

/** A name for the time from entering a text to leaving it: its saves are undone together. */
function newVisit() {
  visits += 1;
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}-${visits}`;
}
