// One text with autosave, its machine version, history, and a three-way difference when two people meet.
import { api, badge, baselineBadge, button, dayAndTime, debounce, h, mark, report, timeOfDay, wordCount } from './core.js';
import { diffView } from './diff.js';

const SAVE_AFTER_MS = 600;
const draftKey = (subject) => `dailies-draft:${subject.join(':')}`;

export class TextEditor {
  /**
   * `value` as value_json gives it. options: label, limit (words), rows, readonly, onsaved(value),
   * highlight ([start, end] shown while not editing).
   */
  constructor(value, options = {}) {
    this.value = value;
    this.options = options;
    this.saving = Promise.resolve();
    this.later = debounce(() => this.save(), SAVE_AFTER_MS);
    this.area = h('textarea', {
      class: 'dl-text', 'aria-label': options.label || 'text', rows: String(options.rows || 2), spellcheck: 'true', readonly: options.readonly || null,
      oninput: () => this.#typed(), onblur: () => { this.later.cancel(); this.save(); },
    });
    this.status = h('span', { class: 'dl-saved', role: 'status' });
    this.count = h('span', { class: 'dl-count' });
    this.author = h('span', { class: 'dl-author' });
    this.tools = h('span', { class: 'dl-tools' });
    this.below = h('div', { class: 'dl-below' });
    this.node = h('div', { class: 'dl-editor' },
      h('div', { class: 'dl-editor-head' }, options.label ? h('span', { class: 'dl-label' }, options.label) : null, this.author, h('span', { class: 'dl-grow' }), this.status, this.count, this.tools),
      this.area, this.below);
    this.area.value = this.#startValue();
    this.#refresh();
    // Height needs layout, which is there only after the node was put into the page.
    requestAnimationFrame(() => this.fit());
  }

  /** A draft that the server never confirmed survives a reload or a crash. */
  #startValue() {
    const kept = localStorage.getItem(draftKey(this.value.subject));
    if (kept === null) return this.value.value;
    const draft = JSON.parse(kept);
    if (draft.value === this.value.value) { localStorage.removeItem(draftKey(this.value.subject)); return this.value.value; }
    this.value = { ...this.value, revision: draft.revision };
    this.later();
    return draft.value;
  }

  #typed() {
    localStorage.setItem(draftKey(this.value.subject), JSON.stringify({ value: this.area.value, revision: this.value.revision }));
    this.#say('typing', 'Not saved yet');
    this.fit();
    this.#counts();
    this.later();
  }

  fit() {
    this.area.style.height = 'auto';
    this.area.style.height = `${this.area.scrollHeight + 2}px`;
  }

  /** Resolves when the server has confirmed what is typed now. */
  save(extra = {}) {
    this.later.cancel();
    this.saving = this.saving.then(() => this.#saveNow(extra));
    return this.saving;
  }

  async #saveNow(extra) {
    const typed = this.area.value;
    if (!extra.cleared && typed === this.value.value) { this.#nothingToSave(); return; }
    this.#say('saving', 'Saving …');
    try {
      const saved = await api('/api/edit', { subject: this.value.subject, value: typed, base_revision: this.value.revision, ...extra });
      this.value = { ...this.value, ...saved };
      if (extra.cleared) this.area.value = saved.value;
      if (this.area.value === saved.value) localStorage.removeItem(draftKey(this.value.subject));
      else this.later();
      this.#say('saved', `Saved ${timeOfDay(saved.saved_at)}`);
      this.#refresh();
      this.options.onsaved?.(this.value);
    } catch (error) {
      if (error.status === 409) this.#conflict(error.body, typed);
      else this.#failed(error);
    }
  }

  /** "Saved" stays: words that go when the text is left would move the button that is being clicked. */
  #nothingToSave() {
    if (this.status.classList.contains('dl-saved-typing')) this.#say('', '');
    localStorage.removeItem(draftKey(this.value.subject));
    this.#refresh();
  }

  #failed(error) {
    this.#say('failed', `Not saved: ${error.message}`);
    if (error.status === 0) setTimeout(() => this.save(), 3000);
  }

  #say(kind, words) {
    this.status.className = `dl-saved ${kind ? `dl-saved-${kind}` : ''}`;
    this.status.textContent = words;
  }

  /** Three versions: where I began, what somebody else saved, what I typed. Nothing is merged in silence. */
  #conflict(body, typed) {
    this.#say('failed', 'Somebody else changed this');
    const keep = (value) => {
      this.value = { ...this.value, value: body.current, revision: body.revision };
      this.area.value = value;
      this.below.replaceChildren();
      this.fit();
      this.save();
    };
    this.below.replaceChildren(h('div', { class: 'dl-conflict' },
      h('h4', {}, 'theirs'), diffView(this.value.value, body.current, 'their changes'),
      h('h4', {}, 'yours'), diffView(this.value.value, typed, 'your changes'),
      h('div', { class: 'dl-row' }, button('Keep theirs', () => keep(body.current)), button('Keep mine', () => keep(typed), { kind: 'main' }),
        button('Edit mine over theirs', () => { this.value = { ...this.value, value: body.current, revision: body.revision }; this.below.replaceChildren(diffView(body.current, typed)); this.area.focus(); }))));
  }

  #counts() {
    const words = wordCount(this.area.value);
    const { limit } = this.options;
    this.count.textContent = limit ? `${words}/${limit} words` : `${words} words`;
    this.count.classList.toggle('dl-over-limit', Boolean(limit && words > limit));
  }

  #refresh() {
    const { value } = this;
    this.#counts();
    this.author.replaceChildren(...[
      value.baseline ? baselineBadge() : value.author ? badge(value.author) : null,
      value.corrected ? mark('corrected') : null, value.stale ? mark('stale') : null,
      ['unparsed', 'failed'].includes(value.state) && !value.corrected ? mark(value.state) : null,
    ].filter(Boolean));
    if (value.reason && value.state !== 'done' && !value.corrected) this.author.title = value.reason;
    this.#drawTools();
    if (this.below.dataset.open === 'diff') this.#showDiff();
  }

  /** Drawn anew only when they change: leaving the text saves it, and the button being clicked must stay. */
  #drawTools() {
    const { value } = this;
    const shown = `${value.corrected} ${value.revision > 0}`;
    if (this.toolsShown === shown) return;
    this.toolsShown = shown;
    this.tools.replaceChildren(
      ...(value.corrected ? [button('diff', () => this.#toggleDiff(), { kind: 'quiet', title: 'Difference to the machine’s version' })] : []),
      ...(value.revision > 0 ? [button('history', () => this.#toggleHistory().catch(report), { kind: 'quiet' })] : []),
      ...(value.corrected && !this.options.readonly ? [button('clear', () => this.save({ cleared: true, value: null }), { kind: 'quiet', title: 'Take the correction away: the machine’s version shows again' })] : []));
  }

  #toggleDiff() {
    if (this.below.dataset.open === 'diff') this.#closeBelow();
    else this.#showDiff();
  }

  #showDiff() {
    this.below.dataset.open = 'diff';
    this.below.replaceChildren(diffView(this.value.machine ?? '', this.area.value, 'difference to the machine’s version'));
  }

  async #toggleHistory() {
    if (this.below.dataset.open === 'history') { this.#closeBelow(); return; }
    const entries = await api(`/api/history/${this.value.subject.map(encodeURIComponent).join('/')}`);
    this.below.dataset.open = 'history';
    this.below.replaceChildren(h('ol', { class: 'dl-history' }, entries.map((e) => h('li', {},
      h('span', {}, `${dayAndTime(e.at)} · ${e.by}`), e.reason ? h('q', {}, e.reason) : null,
      e.cleared ? h('em', {}, 'cleared') : h('p', {}, e.value),
      e.cleared || this.options.readonly ? null : button('restore', () => { this.area.value = e.value; this.fit(); this.save({ reason: 'restored' }); }, { kind: 'quiet' })))));
  }

  #closeBelow() {
    delete this.below.dataset.open;
    this.below.replaceChildren();
  }
}
