// The label of the action that one video shows. It is saved when its field is left, and what is typed is kept in the
// browser until the server has confirmed it.
import { whenLeft } from '../../../lib/page/open_page.js';
import { h } from '../../../lib/parts/elements.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { ApiError, api, posted } from '../../../lib/requests/requests.js';
import { draftOf, dropDraft, keepDraft } from '../../../lib/editor/drafts.js';
import { watchSaver } from '../../../lib/editor/save_before_leaving.js';

const AGAIN_MS = 1500;

/**
 * As the server keeps it.
 * @param {string} words
 */
const tidy = (words) => words.trim().replace(/\s+/g, ' ');

export class ActionField {
  /**
   * `changed()` is called when the server has another label than before.
   * @param {{id: string, action: string}} video
   * @param {{readonly: boolean, changed: () => unknown}} options
   */
  constructor({ id, action }, { readonly, changed }) {
    this.id = id;
    this.saved = action;
    this.changed = changed;
    this.key = `action:${id}`;
    /** @type {Promise<void>} */
    this.sending = Promise.resolve();
    this.input = h('input', {
      class: 'dl-input dl-kf-action',
      'aria-label': 'Action label',
      placeholder: 'name the action',
      maxlength: '200',
      readonly: readonly || null,
      value: action,
      oninput: () => this.#keep(),
      onblur: () => this.save(),
      onkeydown: (event) => {
        if (event.key === 'Enter') this.input.blur();
      },
    });
    const saver = watchSaver({
      save: () => this.save(),
      why: () => (this.unsaved ? 'Action label: not saved yet' : ''),
    });
    const leave = () => this.#sendAndForget();
    addEventListener('pagehide', leave);
    this.close = () =>
      this.save().then(() => {
        saver();
        removeEventListener('pagehide', leave);
      });
    whenLeft(() => {
      saver();
      removeEventListener('pagehide', leave);
    });
    if (!readonly) this.#takeDraft();
  }

  get unsaved() {
    return tidy(this.input.value) !== this.saved;
  }

  /**
   * What the server has now; what is being typed stays.
   * @param {string} action
   */
  show(action) {
    const { unsaved } = this;
    this.saved = action;
    if (!unsaved && document.activeElement !== this.input) this.input.value = action;
  }

  #keep() {
    void keepDraft(this.key, {
      subject: null,
      place: null,
      video: this.id,
      label: 'action label',
      part: 'action',
      value: this.input.value,
      base: this.saved,
      revision: 0,
      sent: [],
      at: Date.now(),
    });
  }

  /** What was typed before a reload or a crash goes on, over the label that it was typed over. */
  #takeDraft() {
    const draft = draftOf(this.key);
    if (!draft) return;
    this.input.value = draft.value;
    if (!this.unsaved) dropDraft(this.key);
    else if (draft.base === this.saved) void this.save();
    else
      notice(
        `The action label is “${this.saved}” now. What you had typed stands in its field, and is saved when you leave it.`,
      );
  }

  /** Resolves when the server has confirmed the label, or has not; then it is tried again. */
  save() {
    if (this.sent !== this.input.value) this.sending = this.sending.then(() => this.#send());
    this.sent = this.input.value;
    return this.sending;
  }

  async #send() {
    const { value } = this.input;
    try {
      if (!this.unsaved) {
        dropDraft(this.key);
        return;
      }
      const { action } = await api(...this.#request(value));
      this.saved = action;
      if (this.unsaved) this.#keep();
      else this.#settled(value);
      await this.changed();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.sent = null;
    }
  }

  /** @param {string} value */
  #settled(value) {
    if (this.input.value === value && document.activeElement !== this.input) this.input.value = this.saved;
    dropDraft(this.key);
  }

  /** @param {Error} error */
  #failed(error) {
    const waits = error instanceof ApiError && (error.status === 0 || error.status >= 500);
    if (!waits || !this.again) report(error);
    clearTimeout(this.again);
    this.again = waits ? setTimeout(() => this.save(), AGAIN_MS) : 0;
  }

  /**
   * @param {string} action
   * @returns {[string, {action: string}]}
   */
  #request(action) {
    return [`/api/keyframes/${encodeURIComponent(this.id)}/action`, { action }];
  }

  /** The page is left: the last words go out without anybody who waits for the answer; the draft stays. */
  #sendAndForget() {
    if (!this.unsaved) return;
    this.#keep();
    const [path, body] = this.#request(this.input.value);
    fetch(path, posted(body, { keepalive: true })).catch(() => {});
  }
}
