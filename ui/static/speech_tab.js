// Speech: segments with their words, and the stretches in which voice detection heard nobody.
import { button, clear, clock, h, mark, report } from './core.js';
import { TextEditor } from './editor.js';

const UNSURE = 0.6; // a word below this probability is underlined

export class SpeechTab {
  constructor(speech, page) {
    this.speech = speech;
    this.page = page;
    this.editors = [];
    this.current = null;
    this.now = 0; // seconds
    const rows = [...speech.segments.map((s) => ({ at: s.start_s, segment: s })), ...speech.gaps.map(([from, to]) => ({ at: from, gap: [from, to] }))].sort((a, b) => a.at - b.at);
    this.lines = rows.filter((r) => r.segment).map((r) => r.segment);
    this.nodes = new Map(this.lines.map((s) => [s.id, h('li', { class: 'dl-segment', 'data-id': s.id })]));
    this.node = h('div', { class: 'dl-speechtab' }, this.#about(), h('ol', { class: 'dl-segments', 'aria-label': 'Speech' }, rows.map((r) => (r.gap ? this.#gap(r.gap) : this.nodes.get(r.segment.id)))));
    this.lines.forEach((s) => this.#read(s));
  }

  #about() {
    const { speech } = this;
    if (!speech.heard) return h('div', { class: 'dl-empty' }, h('p', {}, 'No transcription yet: run the speech stage on this video in the Library.'), h('a', { class: 'dl-button dl-button-main', href: '/' }, 'To the Library'));
    const name = speech.language ? new Intl.DisplayNames(['en'], { type: 'language' }).of(speech.language) : 'language unknown';
    const unsure = this.lines.reduce((n, s) => n + s.words.filter((w) => w[3] < UNSURE).length, 0);
    const all = this.lines.reduce((n, s) => n + s.words.length, 0);
    return h('p', { class: 'dl-hint dl-speechabout' }, h('b', {}, name), h('span', {}, `${speech.language_probability ? `probability ${speech.language_probability.toFixed(2)} · ` : ''}heard by Whisper ${speech.model} · ${unsure} of ${all} words, those below probability ${UNSURE}, are`), h('u', { class: 'dl-unsureword' }, 'underlined'));
  }

  #gap([from, to]) {
    return h('li', { class: 'dl-silence' }, h('button', { type: 'button', class: 'dl-time', onclick: () => this.#seek(from) }, clock(from)), h('span', {}, `no speech ${clock(from)} to ${clock(to)}`));
  }

  #seek(seconds) { const { player } = this.page; if (player.pts) player.seek(player.frameAt(seconds)); }

  #read(segment) {
    const { text } = segment;
    const words = text.corrected ? h('p', { class: 'dl-saidtext' }, text.value) : h('p', { class: 'dl-saidtext' }, segment.words.length ? segment.words.map((w) => this.#word(w)) : text.value);
    const unsure = segment.words.filter((w) => w[3] < UNSURE);
    clear(this.nodes.get(segment.id),
      h('button', { type: 'button', class: 'dl-time', 'aria-label': `to ${clock(segment.start_s)}`, onclick: () => this.#seek(segment.start_s) }, clock(segment.start_s), h('small', {}, `${(segment.end_s - segment.start_s).toFixed(1)} s`)),
      h('div', { class: 'dl-saidbox' }, words,
        text.corrected ? h('p', { class: 'dl-hint' }, mark('corrected'), h('s', {}, segment.words.length ? segment.words.map((w) => this.#word(w)) : text.machine)) : null,
        unsure.length && !text.corrected ? h('p', { class: 'dl-unseen' }, `uncertain: ${unsure.map((w) => `${w[0]} ${w[3].toFixed(2)}`).join(', ')}`) : null),
      this.page.can('edit') ? button('edit', () => this.edit(segment), { kind: 'quiet', name: 'edit-segment' }) : null);
  }

  #word([word, start, , probability]) {
    return h('span', { class: `dl-word ${probability < UNSURE ? 'dl-unsureword' : ''}`, title: `${clock(start)} · probability ${probability.toFixed(2)}`, onclick: () => this.#seek(start) }, `${word} `);
  }

  edit(segment) {
    if (!segment || !this.page.can('edit')) return;
    const node = this.nodes.get(segment.id);
    const editor = new TextEditor(segment.text, { label: `${clock(segment.start_s)} to ${clock(segment.end_s)}`, rows: 1, onsaved: (value) => { segment.text = value; } });
    this.editors.push(editor);
    const done = button('Done', () => this.#close(segment, editor).then(() => node.querySelector('[data-name=edit-segment]')?.focus()).catch(report), { kind: 'main', name: 'done-segment' });
    clear(node, h('button', { type: 'button', class: 'dl-time', onclick: () => this.#seek(segment.start_s) }, clock(segment.start_s)), h('div', { class: 'dl-saidbox' }, editor.node, h('div', { class: 'dl-row' }, done)));
    editor.segment = segment;
    editor.area.focus();
  }

  async #close(segment, editor) {
    await editor.save();
    this.editors = this.editors.filter((e) => e !== editor);
    this.#read(segment);
  }

  async flush() { await Promise.all(this.editors.map((e) => e.save())); }

  /** Saves the segment that is being edited and opens the next one. */
  async next() {
    const editor = this.editors.find((e) => e.node.contains(document.activeElement)) || this.editors.at(-1);
    const at = editor ? this.lines.indexOf(editor.segment) : this.lines.indexOf(this.current) - 1;
    if (editor) await this.#close(editor.segment, editor);
    const to = this.lines[at + 1];
    if (to) { this.#seek(to.start_s); this.edit(to); }
  }

  /** What is said now, else what comes next. */
  focus() { this.edit(this.current || this.lines.find((s) => s.end_s > this.now) || this.lines[0]); }

  /** [from, to): when the frame on screen is shown, seconds. A word that begins while it is shown is being said. */
  follow(from, to) {
    this.now = from;
    const now = this.lines.find((s) => s.start_s < to && s.end_s > from) || null;
    if (now === this.current) return;
    if (this.current) this.nodes.get(this.current.id).removeAttribute('aria-current');
    this.current = now;
    if (!now) return;
    this.nodes.get(now.id).setAttribute('aria-current', 'true');
    this.nodes.get(now.id).scrollIntoView({ block: 'nearest' });
  }

  filter(words) {
    const wanted = words.toLowerCase();
    for (const s of this.lines) this.nodes.get(s.id).hidden = Boolean(wanted) && !String(s.text.value).toLowerCase().includes(wanted);
  }
}
