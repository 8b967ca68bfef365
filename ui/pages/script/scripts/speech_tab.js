// Speech: its lines with their words, and the stretches in which voice detection heard nobody.
// Lines are split, merged and moved in time; each change is one step of undo.
import { button, clear, h, mark } from '../../../lib/parts/elements.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { clock } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { empty, toLibrary } from '../../../lib/parts/empty.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { keyText, openField } from '../../../lib/keys/keymap.js';
import { lineTools } from './speech_tools.js';
import { languageName, speechChoice } from '../../../lib/parts/speech_choice.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Speech']} Speech */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SpeechLine']} SpeechLine */
/** @typedef {{at: number, line?: SpeechLine, gap?: [from: number, to: number]}} SpeechRow a line, or a stretch without any */

const UNSURE = 0.6; // a word below this probability is underlined; 0 is a word that a person wrote
/** @param {SpeechLine['words'][0]} word */
const unsure = (word) => word[3] > 0 && word[3] < UNSURE;
/** @param {SpeechLine} line */
const seen = (line) => ({ segment: line.segment, piece: line.piece, revisions: line.revisions });

export class SpeechTab {
  /**
   * @param {Speech} speech
   * @param {any} page
   */
  constructor(speech, page) {
    this.page = page;
    this.editors = [];
    this.current = null;
    this.now = 0; // seconds
    this.words = '';
    this.node = h('div', { class: 'dl-speechtab' });
    this.list = h('ol', { class: 'dl-segments', 'aria-label': 'Speech' });
    this.#draw(speech);
  }

  get video() {
    return this.page.player.data.id;
  }

  /** @param {Speech} speech */
  #draw(speech) {
    this.speech = speech;
    const rows = /** @type {SpeechRow[]} */ ([
      ...speech.segments.map((line) => ({ at: line.start_s, line })),
      ...speech.gaps.map(([from, to]) => ({ at: from, gap: [from, to] })),
    ]).sort((a, b) => a.at - b.at);
    this.lines = rows.filter((r) => r.line).map((r) => r.line);
    this.nodes = new Map(
      this.lines.map((line) => [line.id, h('li', { class: 'dl-segment', 'data-id': line.id })]),
    );
    clear(
      this.list,
      rows.map((r) => (r.gap ? this.#gap(r.gap) : this.nodes.get(r.line.id))),
    );
    clear(this.node, this.#about(), this.list);
    this.lines.forEach((line) => this.#read(line));
    this.filter(this.words);
  }

  #about() {
    const { speech } = this;
    if (!speech.heard)
      return empty('No transcription yet: run the speech stage on this video in the Library.', toLibrary());
    const name = speech.language ? languageName(speech.language) : 'language unknown';
    const heard = this.lines.flatMap((line) => line.words).filter((w) => w[3] > 0);
    const drops = speech.model?.startsWith('batched:') ? ' (may drop speech)' : '';
    return h(
      'p',
      { class: 'dl-hint dl-speechabout' },
      h('b', {}, name),
      h(
        'span',
        {},
        `${speech.language_probability ? `probability ${speech.language_probability.toFixed(2)} · ` : ''}heard by Whisper ${speech.model}${drops} · ${heard.filter(unsure).length} of ${heard.length} words, those below probability ${UNSURE}, are`,
      ),
      h('u', { class: 'dl-unsureword' }, 'underlined'),
      this.page.can('run')
        ? button('Hear again …', () => openField('hear again', () => this.#hearAgain()), {
            name: 'hear-again',
          })
        : null,
    );
  }

  /** In the language that is really spoken, or by a larger model. */
  #hearAgain() {
    const asked = speechChoice({ language: this.speech.language || 'auto' });
    const said = h('p', { class: 'dl-hint', role: 'status' });
    const go = button(
      'Hear again',
      async () => {
        go.disabled = true;
        try {
          await api(`/api/speech/${encodeURIComponent(this.video)}/hear`, asked.chosen());
          dialog.close();
          notice('Heard again in the background; the new lines come when it is done.');
        } catch (error) {
          said.textContent = error.message;
          go.disabled = false;
        }
      },
      { kind: 'main', name: 'hear' },
    );
    const dialog = openDialog(
      'Hear this video again',
      [
        asked.node,
        h(
          'p',
          { class: 'dl-hint' },
          'What was heard before stays with its corrections, and counts again when its language and size are chosen again. Later runs keep the choice.',
        ),
        said,
      ],
      [go],
    );
    asked.languages.focus();
  }

  #gap([from, to]) {
    return h(
      'li',
      { class: 'dl-silence' },
      h('button', { type: 'button', class: 'dl-time', onclick: () => this.#seek(from) }, clock(from)),
      h('span', {}, `no speech ${clock(from)} to ${clock(to)}`),
    );
  }

  #seek(seconds) {
    const { player } = this.page;
    if (player.pts) player.seek(player.frameAt(seconds));
  }

  #times(line) {
    return h(
      'button',
      {
        type: 'button',
        class: 'dl-time',
        'aria-label': `to ${clock(line.start_s)}`,
        onclick: () => this.#seek(line.start_s),
      },
      clock(line.start_s),
      h('small', {}, `${(line.end_s - line.start_s).toFixed(1)} s`),
    );
  }

  #read(line) {
    const { text } = line;
    const changed = text.corrected || line.cut;
    const words = line.words.length ? line.words.map((w) => this.#word(w)) : String(text.value);
    const uncertain = line.words.filter(unsure);
    const node = this.nodes.get(line.id);
    delete node.dataset.editing;
    clear(
      node,
      this.#times(line),
      h(
        'div',
        { class: 'dl-saidbox' },
        h('p', { class: 'dl-saidtext' }, text.value ? words : h('em', {}, 'no words')),
        changed
          ? h(
              'p',
              { class: 'dl-hint' },
              mark('corrected'),
              line.piece === 0 ? h('s', {}, String(text.machine)) : null,
            )
          : null,
        uncertain.length
          ? h(
              'p',
              { class: 'dl-unseen' },
              `uncertain: ${uncertain.map((w) => `${w[0]} ${w[3].toFixed(2)}`).join(', ')}`,
            )
          : null,
      ),
      this.page.can('edit')
        ? button('edit', () => this.edit(line), { kind: 'quiet', name: 'edit-segment' })
        : null,
    );
  }

  #word([word, start, , probability]) {
    const how =
      probability > 0 ? `probability ${probability.toFixed(2)}` : 'written by a person, time estimated';
    return h(
      'span',
      {
        class: `dl-word ${unsure(['', 0, 0, probability]) ? 'dl-unsureword' : ''}`,
        title: `${clock(start)} · ${how}`,
        onclick: () => this.#seek(start),
      },
      `${word} `,
    );
  }

  // --- editing ------------------------------------------------------------------------

  edit(line, caret = null, focus = true) {
    if (!line || !this.page.can('edit')) return;
    const there = this.editors.find((e) => e.line === line);
    if (there) {
      if (focus) there.area.focus();
      return;
    }
    const node = this.nodes.get(line.id);
    const editor = new TextEditor(line.text, {
      label: `speech ${clock(line.start_s)} to ${clock(line.end_s)}`,
      rows: 1,
      part: line.cut ? this.#part(line) : null,
      onsaved: (value) => this.#saved(line, value),
    });
    Object.assign(editor, { began: line.revisions.join() });
    this.editors.push(editor);
    const done = button(
      'Done',
      () =>
        this.#close(line, editor)
          .then(() => node.querySelector('[data-name=edit-segment]')?.focus())
          .catch(report),
      { kind: 'main', name: 'done-segment' },
    );
    node.dataset.editing = 'true';
    clear(
      node,
      this.#times(line),
      h('div', { class: 'dl-saidbox' }, editor.node, lineTools(line, this, done)),
    );
    Object.assign(editor, { line });
    if (focus) editor.area.focus();
    if (caret !== null) editor.area.setSelectionRange(caret, caret);
    node.scrollIntoView({ block: 'nearest' });
  }

  /** In a segment that was cut, a line is one piece of the value. */
  #part(line) {
    return {
      key: String(line.piece),
      encode: (text) => line.pieces.map((piece, n) => (n === line.piece ? { ...piece, text } : piece)),
      decode: (pieces) =>
        Array.isArray(pieces) && pieces.length === line.pieces.length ? pieces[line.piece].text : null,
      accept: (pieces) => {
        if (Array.isArray(pieces)) line.pieces = pieces;
      },
    };
  }

  #saved(line, value) {
    line.text = value;
    for (const other of this.lines.filter((one) => one.segment === line.segment)) {
      other.revisions = line.cut
        ? [other.revisions[0], value.revision]
        : [value.revision, other.revisions[1]];
      if (other === line || !line.cut) continue;
      other.pieces = line.pieces;
      if (!this.editors.some((e) => e.line === other))
        other.text = { ...other.text, revision: value.revision };
    }
  }

  /** The words of a corrected line get their times from the server. */
  async #close(line, editor) {
    await editor.save();
    if (editor.why) throw new Error(editor.why);
    this.editors = this.editors.filter((e) => e !== editor);
    if (editor.began !== line.revisions.join()) await this.#freshen(line);
    this.#read(line);
  }

  async #freshen(line) {
    /** @type {Speech} */
    const fresh = await api(`/api/speech/${encodeURIComponent(this.video)}`).catch(() => null);
    const found = fresh?.segments.find((one) => one.id === line.id);
    if (found) Object.assign(line, found);
    if (fresh) this.page.player.renew({ speech: { ...fresh, segments: this.lines } });
  }

  async flush() {
    await Promise.all(this.editors.map((e) => e.save()));
  }

  /** Saves the line that is being edited and opens the next one. */
  async next() {
    const editor = this.#editing();
    const at = editor ? this.lines.indexOf(editor.line) : this.lines.indexOf(this.current) - 1;
    const to = this.lines[at + 1];
    await requireSaved();
    if (to) {
      this.#seek(to.start_s);
      this.edit(to);
    }
    if (editor) await this.#close(editor.line, editor);
  }

  #editing() {
    return this.editors.find((e) => e.node.contains(document.activeElement)) || this.editors.at(-1);
  }

  /** Whether nothing comes after the line that is being edited, or said. */
  get atLast() {
    return Boolean(this.#chosen()) && this.#chosen() === this.lines.at(-1);
  }

  /** The line that was gone to, else what is said now, else what comes next. */
  focus() {
    const line = this.current || this.lines.find((s) => s.end_s > this.now) || this.lines[0];
    if (!line) throw new Refused('There is no line of speech here.');
    this.edit(line);
  }

  /** To the line before or after, wherever the player is. */
  step(by) {
    const { now } = this;
    const after = this.lines.findIndex((line) => line.start_s > now);
    const at = this.current
      ? this.lines.indexOf(this.current) + by
      : by > 0
        ? after
        : (after < 0 ? this.lines.length : after) - 1;
    const to = this.lines[at];
    if (!to)
      throw new Refused(
        this.lines.length
          ? `This is the ${by > 0 ? 'last' : 'first'} line.`
          : 'There is no line of speech here.',
      );
    this.#seek(to.start_s);
    this.follow(to.start_s, to.start_s + 0.001);
  }

  // --- split, merge, move -------------------------------------------------------------

  /** The line that keys are about: the one that is being edited, else the one that is said now. */
  #chosen() {
    return this.#editing()?.line || this.current || null;
  }

  /** `act(line)` gives {path, body, focus, caret}: saved first, then changed, then the line is open again, where it was. */
  async #change(act) {
    const line = this.#chosen();
    if (!this.page.can('edit')) throw new Refused('Only people who may edit can change the speech.');
    if (!line) throw new Refused('Go to a line of speech first.');
    if (this.busy) throw new Refused('The change before is not through yet.');
    this.busy = true;
    try {
      const typing = this.#editing();
      const held = typing?.area === document.activeElement;
      await this.flush();
      if (this.editors.some((e) => e.unsaved)) throw new Error('Settle what could not be saved first.');
      const wanted = act(line, typing?.line === line ? typing.area : null);
      if (!wanted) return null;
      /** @type {Speech} */
      const speech = await api(`/api/speech/${encodeURIComponent(this.video)}/${wanted.path}`, wanted.body);
      this.#renew(
        speech,
        typing ? (wanted.focus ?? line.id) : null,
        wanted.caret ?? typing?.area.selectionStart ?? 0,
        held,
      );
      return !held;
    } catch (error) {
      if (error.status === 409) await this.#reload();
      throw error;
    } finally {
      this.busy = false;
    }
  }

  #renew(speech, open = null, caret = 0, focus = false) {
    this.editors.forEach((e) => e.retire());
    this.editors = [];
    this.current = null;
    this.#draw(speech);
    this.page.player.renew({ speech });
    const line = this.lines.find((one) => one.id === open);
    if (line) this.edit(line, Math.min(caret, String(line.text.value).length), focus);
    this.follow(this.now, this.now + 0.001);
  }

  async #reload() {
    if (this.editors.some((e) => e.unsaved)) return;
    const open = this.#editing();
    /** @type {Speech} */
    const speech = await api(`/api/speech/${encodeURIComponent(this.video)}`);
    this.#renew(speech, open?.line.id, open?.area.selectionStart ?? 0, open?.area === document.activeElement);
  }

  /** At the caret; where the player stands when that is inside the line, else between the words. */
  split() {
    return this.#change((line, area) => {
      if (!area) {
        this.edit(line);
        notice(`Put the caret where the line ends, then press ${keyText('script.speech_split')} again.`);
        return null;
      }
      const caret = [...area.value.slice(0, area.selectionStart)].length;
      return {
        path: 'split',
        body: { line: seen(line), caret, at_s: this.followed ? this.now : null },
        focus: `${line.segment}.${line.piece + 1}`,
        caret: 0,
      };
    });
  }

  merge() {
    return this.#change((line) => {
      const following = this.lines[this.lines.indexOf(line) + 1];
      if (!following) throw new Refused('This is the last line.');
      return { path: 'merge', body: { line: seen(line), following: seen(following) } };
    });
  }

  /** Moves an end by seconds, or to a time. */
  move(edge, { by = 0, to = null }) {
    return this.#change((line) => {
      const time = (at) => to ?? at + by;
      const [start, end] =
        edge === 'start' ? [time(line.start_s), line.end_s] : [line.start_s, time(line.end_s)];
      if (end - start < 0.04) throw new Refused('A line lasts at least 0.04 s.');
      return { path: 'move', body: { line: seen(line), start_s: start, end_s: end } };
    });
  }

  toPlayhead(edge) {
    return this.move(edge, { to: this.now });
  }

  asHeard() {
    return this.#change((line) => {
      if (!line.cut && !line.text.corrected) throw new Refused('This line is as it was heard.');
      return { path: 'restore', body: { line: seen(line) }, focus: `${line.segment}.0` };
    });
  }

  /** For `bindKeys('script', ...)`. */
  static runs(current) {
    const run = (action) => () => action(current());
    return {
      speech_split: run((t) => t.split()),
      speech_merge: run((t) => t.merge()),
      speech_restore: run((t) => t.asHeard()),
      speech_start_earlier: run((t) => t.move('start', { by: -0.04 })),
      speech_start_later: run((t) => t.move('start', { by: 0.04 })),
      speech_end_earlier: run((t) => t.move('end', { by: -0.04 })),
      speech_end_later: run((t) => t.move('end', { by: 0.04 })),
      speech_start_much_earlier: run((t) => t.move('start', { by: -0.1 })),
      speech_start_much_later: run((t) => t.move('start', { by: 0.1 })),
      speech_end_much_earlier: run((t) => t.move('end', { by: -0.1 })),
      speech_end_much_later: run((t) => t.move('end', { by: 0.1 })),
      speech_start_here: run((t) => t.toPlayhead('start')),
      speech_end_here: run((t) => t.toPlayhead('end')),
    };
  }

  // --- the player, the search ---------------------------------------------------------

  /** [from, to): when the frame on screen is shown, seconds. A word that begins while it is shown is being said. */
  follow(from, to) {
    this.followed = this.followed || from !== this.now;
    this.now = from;
    const now = this.lines.find((s) => s.start_s < to && s.end_s > from) || null;
    if (now === this.current) return;
    if (this.current) this.nodes.get(this.current.id)?.removeAttribute('aria-current');
    this.current = now;
    if (!now) return;
    this.nodes.get(now.id).setAttribute('aria-current', 'true');
    if (!this.#editing()) this.nodes.get(now.id).scrollIntoView({ block: 'nearest' });
  }

  filter(words) {
    this.words = words;
    const wanted = words.toLowerCase();
    for (const s of this.lines)
      this.nodes.get(s.id).hidden = Boolean(wanted) && !String(s.text.value).toLowerCase().includes(wanted);
  }

  /** The line that is open, for a tab that takes the place of this one; null when there is none. */
  place() {
    const editor = this.#editing();
    return editor
      ? {
          id: editor.line.id,
          caret: editor.area.selectionStart,
          focused: editor.area === document.activeElement,
        }
      : null;
  }

  restore(place, index) {
    this.follow(
      this.page.player.pts?.[index] ?? 0,
      this.page.player.pts?.[index + 1] ?? this.page.player.end,
    );
    const line = this.lines.find((one) => one.id === place.id);
    if (line) this.edit(line, Math.min(place.caret, String(line.text.value).length), place.focused);
  }
}
