// Everything about one item. The system's module draws the evidence; what counts, and its correction, is drawn here.
import { api, badge, baselineBadge, button, clear, dayAndTime, h, mark, notice, report } from './core.js';
import { keyHint } from './keymap.js';

export class ItemPanel {
  /** `page`: {can, player, of, changed(detail)}. A module's `draw(detail, panel)` gives nodes, or {nodes, below, number, step, save, corrects}. */
  constructor(detail, system, page) {
    Object.assign(this, { detail, system, page, chosen: '', draft: '', turn: Promise.resolve() });
    this.node = h('article', { class: 'dl-verdict dl-itempanel', 'aria-label': 'This item' });
    this.draw();
  }

  draw() {
    const d = this.detail;
    const drawn = this.system.draw(d, this);
    this.own = Array.isArray(drawn) ? {} : drawn;
    this.box = h('div', { class: 'dl-verdictbox' });
    this.raw = d.hidden || !d.raw ? null : h('details', { class: 'dl-raw' }, h('summary', {}, 'raw reply ', keyHint('items.raw')), h('pre', {}, d.raw));
    clear(this.node, this.#head(), drawn.nodes || drawn,
      this.own.corrects ? null : part(d.hidden ? [mark('blind', 'your reading, blind')] : this.system.counts || 'what counts', this.box, this.#tools()), this.own.below, this.raw, this.#history());
    this.#drawBox();
  }

  #head() {
    const d = this.detail;
    return h('header', { class: 'dl-question' }, d.known === false ? h('p', { class: 'dl-hint' }, mark('missing', 'the benchmark’s annotations are not here; import them to see what is right')) : null,
      h('p', { class: 'dl-hint' }, d.model ? badge(d.model) : null, d.setting ? badge(d.setting) : null, d.place ? badge(`at ${d.place}`) : null, d.baseline ? baselineBadge() : null, d.name ? h('span', { class: 'dl-mono' }, d.name) : null));
  }

  #tools() {
    const d = this.detail;
    return [!d.hidden && d.corrected && this.page.can('edit') ? button(['take back', keyHint('items.clear')], () => this.takeBack().catch(report), { kind: 'quiet', name: 'clear', title: 'Take the correction away; the machine’s reading counts again' }) : null];
  }

  #drawBox() {
    const d = this.detail;
    if (this.own.corrects) return;
    const reason = h('input', { type: 'text', class: 'dl-input', 'aria-label': 'reason', placeholder: 'reason (optional)', maxlength: '2000', value: this.draft, oninput: () => { this.draft = reason.value; } });
    const choice = (option, n) => h('button', { type: 'button', class: 'dl-choice', 'aria-pressed': String((this.chosen || (d.hidden ? '' : d.label)) === option.value), 'data-value': option.value, onclick: () => this.choose(option.value) },
      keyHint(`items.choose_${option.value === 'none' ? 0 : n + 1}`), option.mark ? mark(option.mark, option.words) : option.words);
    clear(this.box, d.hidden ? null : this.#now(),
      this.page.can('edit') ? [h('div', { class: 'dl-blame dl-choices', role: 'group', 'aria-label': 'Set it to' }, d.choices.map(choice)),
        this.chosen ? h('form', { class: 'dl-verdictform', onsubmit: (e) => { e.preventDefault(); this.save().catch(report); } }, reason,
          h('div', { class: 'dl-row' }, h('button', { type: 'submit', class: 'dl-button dl-button-main', 'data-name': 'save-item' }, 'Save'), button('Cancel', () => { this.chosen = ''; this.#drawBox(); }, { kind: 'quiet' }), h('span', { class: 'dl-hint' }, keyHint('items.save_next'), 'save, and on'))) : null] : null);
    if (this.chosen) this.reason = reason;
  }

  #now() {
    const d = this.detail;
    const machine = d.machine?.label || d.machine_state;
    return [h('p', { class: 'dl-verdictline' }, this.system.verdict ? this.system.verdict(d) : mark(d.state === 'done' ? d.label : d.state),
      d.corrected ? [mark('corrected'), h('s', {}, machine)] : null),
    d.flag ? h('p', { class: 'dl-flagline' }, mark('flagged', d.flag)) : null,
    d.reason && d.reason !== d.flag && !d.corrected ? h('p', { class: 'dl-hint' }, d.reason) : null];
  }

  #history() {
    const { history } = this.detail;
    if (this.detail.hidden || !history?.length) return null;
    return h('details', { class: 'dl-historybox' }, h('summary', {}, `history · ${history.length}`), h('ol', { class: 'dl-history' }, history.map((e) => h('li', {}, h('span', {}, `${dayAndTime(e.at)} · ${e.by}`, e.what ? ` · ${e.what}` : ''), h('p', {}, e.cleared ? 'taken back' : e.value.label), e.reason ? h('q', {}, e.reason) : null))));
  }

  // --- what keys do -------------------------------------------------------------------

  /** A number key: the choices in their order; 0 is the last. */
  number(n) {
    if (!this.page.can('edit')) return;
    if (this.own.number) { this.own.number(n); return; }
    const { choices } = this.detail;
    const option = n ? choices[n - 1] : choices.at(-1);
    if (option) this.choose(option.value);
  }

  step(by) { this.own.step?.(by); }

  edit() { (this.reason || this.box.querySelector('.dl-choice') || this.node.querySelector('.dl-halword'))?.focus(); }

  toggleRaw() { if (this.raw) this.raw.open = !this.raw.open; }

  choose(value) {
    if (!this.page.can('edit')) return;
    this.chosen = value;
    this.#drawBox();
    this.box.querySelector(`[data-value="${CSS.escape(value)}"]`)?.focus();
  }

  async save() {
    await this.own.save?.();
    await this.send(() => this.chosen && { value: this.chosen, reason: this.draft });
  }

  takeBack() { return this.send((d) => d.corrected && { cleared: true }); }

  /**
   * Sends a correction: `make(detail)` gives it, or nothing. It may name a `target` and its own `base_revision`. One
   * after the other: each is made of what the server answered to the one before.
   */
  send(make) {
    const done = this.turn.then(() => { const change = make(this.detail); return change ? this.#send(change) : null; });
    this.turn = done.catch(() => null);
    return done;
  }

  async #send(change) {
    const d = this.detail;
    const { chosen } = this;
    try {
      this.detail = await api(`/api/items/${this.page.of}/${encodeURIComponent(d.id)}`, { base_revision: d.base_revision, ...change });
      if (this.chosen === chosen) Object.assign(this, { chosen: '', draft: '', reason: null });
      notice(change.cleared ? 'Correction taken back' : d.hidden ? 'Labelled' : 'Corrected');
    } catch (error) {
      if (error.status !== 409) throw error;
      const theirs = error.body.current;
      notice(theirs ? `Somebody else just set this to ${theirs.label || 'nothing'}. Look, then save again.` : 'Somebody else changed this meanwhile. Save yours again.', 'error');
      this.detail = await api(`/api/items/${this.page.of}/${encodeURIComponent(d.id)}`);
    }
    this.draw();
    await this.page.changed(this.detail);
  }
}

export const part = (name, content, tools = null) => h('section', { class: 'dl-part' }, h('h2', {}, name, h('span', { class: 'dl-grow' }), tools), content);

/** A text with the places [[from, to], ...] marked; places are counted in code points. */
export function markedText(text, spans, attributes = {}) {
  const points = [...text];
  const out = [];
  let at = 0;
  for (const [from, to] of spans || []) {
    out.push(points.slice(at, from).join(''), h('mark', attributes, points.slice(from, to).join('')));
    at = to;
  }
  return [...out, points.slice(at).join('')];
}

/** What the model replied, with what was read of it marked. */
export function replyPart(detail, words = 'reply') {
  const { reply, spans } = detail;
  if (!reply || reply.state !== 'done') return part(words, h('p', { class: 'dl-hint' }, mark('missing', 'no reply in the file')));
  return part(words, h('p', { class: 'dl-caption dl-reply' }, markedText(reply.value, spans, { title: 'what was read' })));
}
