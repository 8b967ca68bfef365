// The label of the action that one video shows. It is saved when its field is left, and what is typed is kept in the
// browser until the server has confirmed it.
import { h, signal } from '../../../lib/components/component.js';
import { whenLeft } from '../../../lib/page/open_page.js';
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

export class ActionLabel {
  /**
   * `changed()` is called when the server has another label than before.
   * @param {{id: string, action: string}} video
   * @param {{readonly: boolean, changed: () => unknown}} options
   */
  constructor({ id, action }, { readonly, changed }) {
    this.id = id;
    this.saved = action;
    this.readonly = readonly;
    this.changed = changed;
    this.key = `action:${id}`;
    this.typed = signal(action);
    /** @type {Promise<void>} */
    this.sending = Promise.resolve();
    const saver = watchSaver({
      save: () => this.save(),
      why: () => (this.unsaved ? 'Action label: not saved yet' : ''),
    });
    const leave = () => this.#sendAndForget();
    addEventListener('pagehide', leave);
    const end = () => {
      saver();
      removeEventListener('pagehide', leave);
    };
    this.close = () => this.save().then(end);
    whenLeft(end);
    if (!readonly) this.#takeDraft();
  }

  get unsaved() {
    return tidy(this.typed.value) !== this.saved;
  }

  /**
   * What the server has now; what is being typed stays.
   * @param {string} action
   */
  show(action) {
    const { unsaved } = this;
    this.saved = action;
    if (!unsaved && this.unsaved) this.typed.value = action;
  }

  /** @param {string} words */
  type(words) {
    this.typed.value = words;
    this.#keep();
  }

  leaveField() {
    this.typed.value = tidy(this.typed.value);
    return this.save();
  }

  #keep() {
    void keepDraft(this.key, {
      subject: null,
      place: null,
      video: this.id,
      label: 'action label',
      part: 'action',
      value: this.typed.value,
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
    this.typed.value = draft.value;
    if (!this.unsaved) dropDraft(this.key);
    else if (draft.base === this.saved) void this.save();
    else
      notice(
        `The action label is “${this.saved}” now. What you had typed stands in its field, and is saved when you leave it.`,
      );
  }

  /** Resolves when the server has confirmed the label, or has not; then it is tried again. */
  save() {
    if (this.sent !== this.typed.value) this.sending = this.sending.then(() => this.#send());
    this.sent = this.typed.value;
    return this.sending;
  }

  async #send() {
    try {
      if (this.unsaved) {
        const { action } = await api(...this.#request());
        this.saved = action;
        if (this.unsaved) this.#keep();
        else dropDraft(this.key);
        await this.changed();
      } else dropDraft(this.key);
    } catch (error) {
      this.#failed(error);
    } finally {
      this.sent = null;
    }
  }

  /** @param {Error} error */
  #failed(error) {
    const waits = error instanceof ApiError && (error.status === 0 || error.status >= 500);
    if (!waits || !this.again) report(error);
    clearTimeout(this.again);
    this.again = waits ? setTimeout(() => this.save(), AGAIN_MS) : 0;
  }

  /** @returns {[string, {action: string}]} */
  #request() {
    return [`/api/keyframes/${encodeURIComponent(this.id)}/action`, { action: this.typed.value }];
  }

  /** The page is left: the last words go out without anybody who waits for the answer; the draft stays. */
  #sendAndForget() {
    if (!this.unsaved) return;
    this.#keep();
    const [path, body] = this.#request();
    fetch(path, posted(body, { keepalive: true })).catch(() => {});
  }
}

/**
 * In the bar, with the action of the video.
 * @param {{state: import('./keyframes_state.js').KeyframesState}} props
 */
export function ActionBox({ state }) {
  const action = state.action.value;
  if (!action) return null;
  return h(
    'label',
    { class: 'dl-kf-actionbox' },
    h('span', null, 'action'),
    h('input', {
      key: action.id,
      class: 'dl-input dl-kf-action',
      'aria-label': 'Action label',
      placeholder: 'name the action',
      maxLength: 200,
      readOnly: action.readonly,
      value: action.typed.value,
      onInput: (event) => action.type(event.currentTarget.value),
      onBlur: () => action.leaveField(),
      onKeyDown: (event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      },
    }),
  );
}
