// What the tab of speech knows and does: its lines, which of them are being edited, and which one is said now.
// Lines are split, merged and moved in time; each change is one step of undo.
import { signal } from '../../../lib/components/component.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';
import { keyText } from '../../../lib/keys/keymap.js';
import { notice, Refused } from '../../../lib/parts/notices.js';
import { clock } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Speech']} Speech */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SpeechLine']} SpeechLine */
/** @typedef {{id: string, editor: TextEditor, began: string}} Edited a line that is being edited; `began`: its revisions then */
/** @typedef {{path: string, body: Object<string, unknown>, focus?: string, caret?: number}} Wanted change of lines */
/** @typedef {'start' | 'end'} Edge */

const SHORTEST_S = 0.04;
/** @param {SpeechLine} line */
const seen = (line) => ({ segment: line.segment, piece: line.piece, revisions: line.revisions });

export class SpeechState {
  /** @type {import('../../../lib/components/component.js').Signal<Speech>} */
  speech = signal({ heard: false, segments: [], gaps: [] });
  /** @type {import('../../../lib/components/component.js').Signal<Edited[]>} in the order in which they were opened */
  edited = signal([]);
  /** The id of the line that is said now, or was gone to. */
  current = signal('');
  words = signal('');
  now = 0; // seconds
  followed = false; // whether the player has moved since the tab was opened
  behind = false; // others have changed lines while one is being edited
  busy = false;
  /** What gets the focus once it is drawn: the button of a line, or its text with the caret there. */
  takesFocus = { id: '', caret: /** @type {number | null} */ (null) };

  /** @param {import('./page_script.js').ScriptPage} page */
  constructor(page) {
    this.page = page;
    this.speech.value = page.data.value.player.speech || this.speech.value;
  }

  get lines() {
    return this.speech.value.segments;
  }

  get editors() {
    return this.edited.value.map(({ editor }) => editor);
  }

  get #path() {
    return `/api/speech/${encodeURIComponent(this.page.data.value.video.id)}`;
  }

  /** @param {string} id */
  line(id) {
    return this.lines.find((line) => line.id === id);
  }

  /** @param {number} seconds */
  seek(seconds) {
    const { player } = this.page;
    if (player.pts) void player.seek(player.frameAt(seconds));
  }

  // --- editing ------------------------------------------------------------------------

  /**
   * @param {SpeechLine | undefined} line
   * @param {number | null} [caret]
   */
  edit(line, caret = null, focus = true) {
    if (!line || !this.page.frame.can('edit')) return;
    const there = this.edited.value.find(({ id }) => id === line.id);
    if (there) {
      if (focus) there.editor.area.focus();
      return;
    }
    const editor = new TextEditor(line.text, {
      label: `speech ${clock(line.start_s)} to ${clock(line.end_s)}`,
      rows: 1,
      part: line.cut ? this.#part(line) : null,
      onsaved: (/** @type {any} */ value) => this.#saved(line.id, value),
    });
    if (caret !== null) editor.area.setSelectionRange(caret, caret);
    if (focus) this.takesFocus = { id: line.id, caret };
    this.edited.value = [...this.edited.value, { id: line.id, editor, began: line.revisions.join() }];
  }

  /** In a segment that was cut, a line is one piece of the value. @param {SpeechLine} line */
  #part({ id, piece }) {
    const pieces = () => /** @type {any[]} */ (this.line(id).pieces);
    return {
      key: String(piece),
      encode: (/** @type {string} */ text) =>
        pieces().map((one, n) => (n === piece ? { ...one, text } : one)),
      decode: (/** @type {any} */ found) =>
        Array.isArray(found) && found.length === pieces().length ? found[piece].text : null,
      accept: (/** @type {any} */ found) => {
        if (Array.isArray(found)) this.line(id).pieces = found;
      },
    };
  }

  /** @param {string} id @param {any} value */
  #saved(id, value) {
    const line = this.line(id);
    if (!line) return;
    line.text = value;
    for (const other of this.lines.filter((one) => one.segment === line.segment)) {
      other.revisions = line.cut
        ? [other.revisions[0], value.revision]
        : [value.revision, other.revisions[1]];
      if (other === line || !line.cut) continue;
      other.pieces = line.pieces;
      if (!this.edited.value.some((one) => one.id === other.id))
        other.text = { ...other.text, revision: value.revision };
    }
    this.speech.value = { ...this.speech.value };
  }

  /** The words of a corrected line get their times from the server. @param {Edited} one */
  async close(one) {
    const { id, editor, began } = one;
    await editor.save();
    if (editor.why) throw new Error(editor.why);
    if (this.behind || began !== this.line(id)?.revisions.join()) await this.#freshen(id);
    this.edited.value = this.edited.value.filter((other) => other !== one);
  }

  /** Other lines stay as they are while they are edited. @param {string} id */
  async #freshen(id) {
    /** @type {Speech | null} */
    const fresh = await api(this.#path).catch(() => null);
    if (!fresh) return;
    if (this.behind && this.edited.value.length === 1) {
      this.behind = false;
      this.speech.value = fresh;
    } else {
      const found = fresh.segments.find((line) => line.id === id);
      const segments = this.lines.map((line) => (line.id === id && found) || line);
      this.speech.value = { ...this.speech.value, segments };
    }
    this.page.player.renew({ speech: { ...fresh, segments: this.lines } });
  }

  async flush() {
    await Promise.all(this.editors.map((editor) => editor.save()));
  }

  /** Saves the line that is being edited and opens the next one. */
  async next() {
    const editing = this.#editing();
    const at = editing
      ? this.lines.findIndex(({ id }) => id === editing.id)
      : this.lines.findIndex(({ id }) => id === this.current.value) - 1;
    const to = this.lines[at + 1];
    await requireSaved();
    if (to) {
      this.seek(to.start_s);
      this.edit(to);
    }
    if (editing) await this.close(editing);
  }

  #editing() {
    return this.edited.value.find(({ editor }) => editor.holdsFocus) || this.edited.value.at(-1);
  }

  /** Whether nothing comes after the line that is being edited, or said. */
  get atLast() {
    return Boolean(this.#chosen()) && this.#chosen() === this.lines.at(-1);
  }

  /** The line that was gone to, else what is said now, else what comes next. */
  focus() {
    const line =
      this.line(this.current.value) || this.lines.find((one) => one.end_s > this.now) || this.lines[0];
    if (!line) throw new Refused('There is no line of speech here.');
    this.edit(line);
  }

  /** To the line before or after, wherever the player is. @param {number} by */
  step(by) {
    const { lines, now } = this;
    const after = lines.findIndex((line) => line.start_s > now);
    const before = (after < 0 ? lines.length : after) - 1;
    const at = lines.findIndex(({ id }) => id === this.current.value);
    const to = lines[at >= 0 ? at + by : by > 0 ? after : before];
    if (!to)
      throw new Refused(
        lines.length ? `This is the ${by > 0 ? 'last' : 'first'} line.` : 'There is no line of speech here.',
      );
    this.seek(to.start_s);
    this.follow(to.start_s, to.start_s + 0.001);
  }

  // --- split, merge, move -------------------------------------------------------------

  /** The line that keys are about: the one that is being edited, else the one that is said now. */
  #chosen() {
    return this.line(this.#editing()?.id || this.current.value) || null;
  }

  /**
   * What is typed is saved first, then lines are changed, then the line is open again, where it was.
   * @param {(line: SpeechLine, area: HTMLTextAreaElement | null) => Wanted | null} act
   * @returns {Promise<boolean | null>}
   */
  async #change(act) {
    const line = this.#chosen();
    if (!this.page.frame.can('edit')) throw new Refused('Only people who may edit can change the speech.');
    if (!line) throw new Refused('Go to a line of speech first.');
    if (this.busy) throw new Refused('The change before is not through yet.');
    this.busy = true;
    try {
      const editing = this.#editing();
      const held = Boolean(editing?.editor.inHand);
      await this.flush();
      if (this.editors.some((editor) => editor.unsaved))
        throw new Error('Settle what could not be saved first.');
      const wanted = act(line, editing?.id === line.id ? editing.editor.area : null);
      if (!wanted) return null;
      /** @type {Speech} */
      const speech = await api(`${this.#path}/${wanted.path}`, wanted.body);
      this.#renew(
        speech,
        editing ? (wanted.focus ?? line.id) : '',
        wanted.caret ?? editing?.editor.area.selectionStart ?? 0,
        held,
      );
      return !held;
    } catch (error) {
      if (error.status === 409 && !this.editors.some((editor) => editor.unsaved))
        this.#inPlace(await api(this.#path));
      throw error;
    } finally {
      this.busy = false;
    }
  }

  /** @param {Speech} speech @param {string} open id of a line */
  #renew(speech, open, caret = 0, focus = false) {
    this.editors.forEach((editor) => editor.retire());
    this.edited.value = [];
    this.current.value = '';
    this.behind = false;
    this.speech.value = speech;
    this.page.player.renew({ speech });
    const line = this.line(open);
    if (line) this.edit(line, Math.min(caret, String(line.text.value).length), focus);
    this.follow(this.now, this.now + 0.001);
  }

  /** Other lines, and the one that was being edited is open again. @param {Speech} speech */
  #inPlace(speech) {
    const editing = this.#editing();
    const { selectionStart = 0 } = editing?.editor.area || {};
    this.#renew(speech, editing?.id || '', selectionStart, Boolean(editing?.editor.inHand));
  }

  /** @param {boolean} undone by this person: then lines change also while one is edited */
  renewed(undone) {
    const { speech } = this.page.data.value.player;
    this.behind = Boolean(this.edited.value.length) && !undone;
    if (speech && !this.behind) this.#inPlace(speech);
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

  /**
   * Moves an end by seconds, or to a time.
   * @param {Edge} edge
   * @param {{by?: number, to?: number | null}} where
   */
  move(edge, { by = 0, to = null }) {
    return this.#change((line) => {
      const time = (/** @type {number} */ at) => to ?? at + by;
      const [start, end] =
        edge === 'start' ? [time(line.start_s), line.end_s] : [line.start_s, time(line.end_s)];
      if (end - start < SHORTEST_S) throw new Refused(`A line lasts at least ${SHORTEST_S} s.`);
      return { path: 'move', body: { line: seen(line), start_s: start, end_s: end } };
    });
  }

  /** @param {Edge} edge */
  toPlayhead(edge) {
    return this.move(edge, { to: this.now });
  }

  asHeard() {
    return this.#change((line) => {
      if (!line.cut && !line.text.corrected) throw new Refused('This line is as it was heard.');
      return { path: 'restore', body: { line: seen(line) }, focus: `${line.segment}.0` };
    });
  }

  /** For `bindKeys('script', ...)`. @param {() => SpeechState} current */
  static runs(current) {
    const run = (/** @type {(state: SpeechState) => unknown} */ action) => () => action(current());
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

  /**
   * When the frame on screen is shown, seconds. A word that begins while it is shown is being said.
   * @param {number} from
   * @param {number} to exclusive
   */
  follow(from, to) {
    this.followed ||= from !== this.now;
    this.now = from;
    this.current.value = this.lines.find((line) => line.start_s < to && line.end_s > from)?.id || '';
  }

  /** @param {string} words */
  filter(words) {
    this.words.value = words.toLowerCase();
  }
}
