// What the tab of the scenes knows and does: which scene is open, the editors of its fields, and what the checks find.
import { batch, signal } from '../../../lib/components/component.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { newText } from '../../../lib/editor/saved_text.js';
import { draftKey } from '../../../lib/editor/drafts.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { nameOf, openOnes } from './script_findings.js';

/** @typedef {import('./page_script.js').ScriptData} ScriptData */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SceneRow']} SceneRow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SpeechLine']} SpeechLine */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FieldText']} FieldText */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SceneFinding']} SceneFinding */
/** @typedef {{kind: string, label: string, text: FieldText | undefined, editor: TextEditor | null}} Field of the open scene */

/** @type {[kind: string, label: string][]} */
export const FIELDS = [
  ['script:scene_title', 'title'],
  ['script:shot_type', 'shot type'],
  ['script:camera_movement', 'camera movement'],
  ['script:content', 'content'],
];

/**
 * What of a line is said before, in and after a scene. A word belongs to the scene that holds its middle, as in the
 * model's request; a line without times of words is said wherever it overlaps.
 * @param {SpeechLine} line
 * @param {{start_s: number, end_s: number}} scene
 * @returns {[before: string, inside: string, after: string]}
 */
export function saidIn(line, { start_s: from, end_s: to }) {
  const { words } = line;
  if (!words.length)
    return ['', line.start_s < to && line.end_s > from ? String(line.text.value).trim() : '', ''];
  const joined = (/** @type {(middle: number) => boolean} */ fits) =>
    words
      .filter(([, start, end]) => fits((start + end) / 2))
      .map(([word]) => word.trim())
      .join(' ');
  return [joined((t) => t < from), joined((t) => t >= from && t < to), joined((t) => t >= to)];
}

export class SceneState {
  /** The index of the scene that stands open; -1: none. */
  open = signal(-1);
  /** @type {import('../../../lib/components/component.js').Signal<Field[]>} */
  fields = signal([]);
  /** @type {import('../../../lib/components/component.js').Signal<Object<string, SceneFinding[]>>} by key of a scene */
  findings = signal({});
  /** Only scenes that hold these words are shown. */
  words = signal('');
  /** What gets the focus once the open scene is drawn: 'head', 'finding', or the kind of a field. */
  caret = '';
  /** @type {SceneRow | undefined} also while the data of others take its place */
  openScene;
  /** @type {number | null} where the open scene stood before others came above it: it stays there */
  top = null;
  /** Whether the scene that opens comes to the top of the pane. */
  scrolls = false;
  /** @type {Set<Promise<unknown>>} of scenes that were left a moment ago */
  leaving = new Set();
  checks = 0;

  /** @param {import('./page_script.js').ScriptPage} page */
  constructor(page) {
    this.page = page;
    if (this.scenes.length) this.recheck(); // the cards do not wait for the checks
  }

  /** @returns {ScriptData} */
  get data() {
    return this.page.data.value;
  }

  get scenes() {
    return this.data.player.scenes || [];
  }

  /** The scene whose card is open. */
  get scene() {
    return this.scenes[this.open.value];
  }

  get editors() {
    return this.fields.value.flatMap(({ editor }) => editor || []);
  }

  /**
   * @param {SceneRow} scene
   * @returns {Object<string, FieldText>} by kind of text
   */
  texts(scene) {
    return this.data.script[scene.key] || {};
  }

  /** @param {SceneRow} scene @param {string} kind */
  value(scene, kind) {
    return this.texts(scene)[kind]?.value || '';
  }

  // --- which scene is open --------------------------------------------------------------

  /**
   * Where the player is. While somebody types in a scene, it stays open.
   * @param {number} frame
   */
  follow(frame) {
    const at = this.#at(frame);
    if (at >= 0 && !this.editors.some((editor) => editor.inHand)) this.show(at);
  }

  /** @param {number} frame */
  #at(frame) {
    return this.scenes.findIndex((s) => frame >= s.start && frame < s.end);
  }

  /** @param {number} at */
  show(at) {
    if (at === this.open.value || !this.scenes[at]) return;
    const before = this.open.value;
    this.#leave(before);
    // As the page opens, which in a low window begins with the picture, the first one stays where it is.
    this.scrolls = before >= 0 || at > 0;
    this.#open(at, []);
    this.page.opened(at);
  }

  /** @param {number} at @param {TextEditor[]} editors that go on @param {boolean} [undone] */
  #open(at, editors, undone) {
    this.openScene = this.scenes[at];
    batch(() => {
      this.open.value = at;
      this.fields.value = at < 0 ? [] : this.#fieldsOf(this.openScene, editors, undone);
    });
  }

  /**
   * What could not be saved is kept as a draft; whoever typed it must know that it is not settled.
   * @param {number} n
   */
  #leave(n) {
    const { editors } = this;
    const left = Promise.all(editors.map((editor) => editor.save()))
      .then(() => Promise.all(editors.map((editor) => editor.saving)))
      .then(() => {
        const failed = editors.find((editor) => editor.why);
        if (failed)
          notice(
            `Scene ${n + 1}: ${failed.said.value.words}. Open it again to settle this; what you typed is kept.`,
            'error',
          );
      })
      .catch(report)
      .finally(() => this.leaving.delete(left));
    this.leaving.add(left);
  }

  /** Also what was typed in scenes that were left a moment ago. */
  flush() {
    return Promise.all([...this.editors.map((editor) => editor.save()), ...this.leaving]);
  }

  /** Somebody typed what is not on its way yet: scenes must not be replaced under their hands. */
  get busy() {
    return this.editors.some((editor) => editor.unsaved && !editor.isRefused);
  }

  /** @param {number} n */
  go(n) {
    this.caret = 'head';
    this.show(n);
    this.seek(this.scenes[n].start);
  }

  /**
   * Without a file there is nothing to seek in.
   * @param {number} frame
   */
  seek(frame) {
    if (this.data.player.file) void this.page.player.seek(frame);
  }

  // --- the fields -----------------------------------------------------------------------

  /**
   * @param {SceneRow} scene
   * @param {TextEditor[]} before editors that go on where they are of the same text
   * @param {boolean} [undone] by this person
   * @returns {Field[]}
   */
  #fieldsOf(scene, before, undone = false) {
    const may = this.page.frame.can('edit');
    return FIELDS.map(([kind, label]) => {
      const text = this.texts(scene)[kind];
      const value = text || newText({ video_id: this.data.video.id, kind, scene: scene.key });
      const open = before.find(({ key }) => key === draftKey(value));
      if (open && text) open.follow(text, undone);
      return {
        kind,
        label,
        text,
        editor: open || (text || may ? this.#editor(scene, kind, label, value) : null),
      };
    });
  }

  /** @param {SceneRow} scene @param {string} kind @param {string} label @param {any} value */
  #editor(scene, kind, label, value) {
    return new TextEditor(value, {
      label,
      limit: this.data.limits[kind],
      rows: kind === 'script:content' && value.subject ? 4 : 1,
      readonly: !this.page.frame.can('edit'),
      placeholder: value.subject ? null : `no ${label} yet`,
      onsaved: (/** @type {any} */ saved) => this.#saved(scene, kind, saved),
      onenter: kind === 'script:content' ? null : () => this.#following?.area.focus(),
    });
  }

  /** @param {SceneRow} scene @param {string} kind @param {any} saved */
  #saved(scene, kind, saved) {
    this.data.script[scene.key] ||= {};
    const texts = this.data.script[scene.key];
    texts[kind] = { others: [], model: '', ...texts[kind], ...saved };
    delete this.data.edits.marks[saved.id];
    this.page.changedHere();
    this.recheck();
    if (kind === 'script:camera_movement')
      this.page
        .claims()
        .then((claims) => {
          this.data.claims = claims;
          this.page.changedHere();
        })
        .catch(report);
  }

  /**
   * Other data of the video: the scene that was open stays open, or the part of it that the player is in.
   * @param {boolean} undone something that this person did
   */
  renewed(undone) {
    const before = this.fields.value;
    const held = before.find(({ editor }) => editor?.inHand);
    const { index = 0 } = this.page.player;
    const at = this.#at(this.openScene ? within(index, this.openScene) : index);
    this.scrolls = false;
    this.top = this.page.panel.querySelector('.dl-open')?.getBoundingClientRect().top ?? null;
    this.#open(at, this.editors, undone);
    const now = held && at >= 0 && this.fields.value.find(({ kind }) => kind === held.kind).editor;
    if (!now || now === held.editor) return;
    this.caret = held.kind;
    now.area.setSelectionRange(held.editor.area.selectionStart, held.editor.area.selectionEnd);
  }

  /** The field after the one that has the caret, within the open scene. */
  get #following() {
    const fields = this.editors.filter(({ area }) => !area.readOnly);
    const at = fields.findIndex((editor) => editor.holdsFocus);
    return at < 0 ? undefined : fields[at + 1];
  }

  /** Whether no field and no scene comes after the one that has the caret. */
  get atLast() {
    return !this.#following && this.open.value >= this.scenes.length - 1;
  }

  /** Saved, and on to the next field: of this scene, else the first of the next. */
  async next() {
    const following = this.#following;
    const at = this.open.value + 1;
    await requireSaved();
    if (following) following.area.focus();
    else {
      this.show(at);
      this.seek(this.scenes[at].start);
      this.focus();
    }
  }

  /** The caret goes into this field of the open scene, whether something is written there or not. */
  focus(kind = FIELDS[0][0]) {
    const field = this.fields.value.find((one) => one.kind === kind);
    if (!field)
      throw new Refused(
        this.scenes.length
          ? 'Open a scene first.'
          : 'There are no scenes to write about yet: run the pipeline in the Library.',
      );
    if (field.editor?.node.isConnected) field.editor.area.focus();
    else this.caret = kind;
  }

  // --- search and findings --------------------------------------------------------------

  /** @param {string} words */
  filter(words) {
    this.words.value = words;
  }

  /** @param {SceneRow} scene */
  holds(scene) {
    const words = [
      ...FIELDS.map(([kind]) => this.value(scene, kind)),
      ...this.saidLines(scene).map((line) => line.text.value),
      ...this.written(scene).map((line) => line.text),
    ];
    return words.join(' ').toLowerCase().includes(this.words.value.toLowerCase());
  }

  /**
   * The lines of which something is said in the scene: one that runs across a cut stands in both.
   * @param {SceneRow} scene
   */
  saidLines(scene) {
    return this.data.player.speech.segments.filter((line) => saidIn(line, scene)[1]);
  }

  /**
   * Text on screen in a scene: what is seen at some time of it.
   * @param {SceneRow} scene
   */
  written(scene) {
    const { screen_texts: lines = [] } = this.data.player;
    return lines.filter((line) => line.first < scene.end && scene.start <= line.last);
  }

  /** @param {SceneRow} scene */
  findingsOf(scene) {
    return this.findings.value[scene.key] || [];
  }

  /** The next scene with an open finding, from the open one on and round again; false where there is none. */
  nextFinding() {
    const { scenes } = this;
    const at = scenes
      .map((_, n) => (this.open.value + 1 + n) % scenes.length)
      .find((n) => openOnes(this.findingsOf(scenes[n])).length);
    if (at === undefined) return false;
    this.caret = 'finding';
    this.show(at);
    this.fields.value = [...this.fields.value]; // where it is open already, the focus moves all the same
    this.seek(scenes[at].start);
    return true;
  }

  /**
   * It shows at once; the answer to a check that was asked for before does not take it away.
   * @param {string} id
   * @param {SceneFinding['dismissal']} dismissal
   */
  dismissed(id, dismissal) {
    this.findings.value = Object.fromEntries(
      Object.entries(this.findings.value).map(([key, found]) => [
        key,
        found.map((one) => (nameOf(one) === id ? { ...one, dismissal } : one)),
      ]),
    );
    this.recheck();
  }

  /** What is written has changed, or what was measured: the server checks again. Its last answer counts. */
  recheck() {
    this.checks += 1;
    const { checks } = this;
    this.page
      .findings()
      .then((found) => {
        if (checks === this.checks) this.findings.value = found;
      })
      .catch(report);
  }

  // --- cuts that moved --------------------------------------------------------------------

  /** Marks on the texts of a scene: [[text id, mark]]. @param {SceneRow} scene */
  moved(scene) {
    return Object.entries(this.data.edits.marks).filter(([, found]) => found.scene === scene.key);
  }
}

/**
 * A frame of the scene: this one, or else its first.
 * @param {number} frame
 * @param {{start: number, end: number}} scene
 */
const within = (frame, { start, end }) => (frame >= start && frame < end ? frame : start);
