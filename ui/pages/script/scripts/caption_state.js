// What the tab of one aspect knows and does: the captions of all authors, each with its editor.
import { signal } from '../../../lib/components/component.js';
import { draftKey } from '../../../lib/editor/drafts.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { newText } from '../../../lib/editor/saved_text.js';
import { aspectName } from '../../../lib/parts/words.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EditableText']} EditableText */
/** @typedef {{text: EditableText, editor: TextEditor}} Caption */

export class CaptionState {
  /** @type {import('../../../lib/components/component.js').Signal<Caption[]>} of all authors, in the order in which they are shown */
  captions = signal([]);
  /** @type {TextEditor | null} of one's own, where there was none: the first words that are saved make it */
  own = null;
  words = signal('');

  /**
   * @param {string} kind
   * @param {import('./page_script.js').ScriptPage} page
   */
  constructor(kind, page) {
    this.kind = kind;
    this.page = page;
    if (page.frame.can('edit') && !this.#texts.some((text) => text.person === page.frame.me.person.id))
      this.own = this.#ownEditor();
    this.renewed();
  }

  get #texts() {
    return this.page.data.value.captions[this.kind];
  }

  /** @param {boolean} [undone] by this person */
  renewed(undone = false) {
    const before = new Map(this.captions.value.map(({ editor }) => [editor.key, editor]));
    const mine = this.own?.value.subject && this.#texts.find((text) => draftKey(text) === this.own.key);
    if (mine) this.own.follow(mine, undone);
    this.captions.value = this.#texts
      .filter((text) => text !== mine)
      .map((text) => {
        const editor = before.get(draftKey(text)) || this.#editor(text);
        editor.follow(text, undone);
        return { text, editor };
      });
  }

  /** @param {EditableText} text */
  #editor(text) {
    return new TextEditor(text, {
      label: `${aspectName(this.kind)} caption`,
      rows: 3,
      readonly: !this.page.frame.can('edit'),
      onsaved: (/** @type {any} */ value) => {
        Object.assign(this.#texts.find(({ id }) => id === text.id) || text, value);
        this.captions.value = [...this.captions.value];
      },
    });
  }

  #ownEditor() {
    return new TextEditor(newText({ video_id: this.page.data.value.video.id, kind: this.kind }), {
      label: `my ${aspectName(this.kind)} caption`,
      rows: 3,
      placeholder: 'What do you see?',
      onsaved: (/** @type {any} */ value) => {
        const mine = this.#texts.find((text) => draftKey(text) === this.own.key);
        if (mine) Object.assign(mine, value);
        else this.#texts.push(value);
        this.page.changedHere();
      },
    });
  }

  get editors() {
    return [...this.captions.value.map(({ editor }) => editor), ...(this.own ? [this.own] : [])];
  }

  flush() {
    return Promise.all(this.editors.map((editor) => editor.save()));
  }

  /** The first text, or where there is none the field for one's own. */
  focus() {
    const [first] = this.editors;
    this.takesCaret = first && !first.node.isConnected;
    first?.area.focus();
  }

  /** The sentence at the caret; without a caret in a caption, that of the first one. */
  sentence() {
    const editor = this.editors.find((one) => one.inHand) || this.editors[0];
    return editor ? sentenceAt(editor.area) : '';
  }

  /** @param {string} words */
  filter(words) {
    this.words.value = words.toLowerCase();
  }

  /** @param {TextEditor} editor */
  hides(editor) {
    return !editor.words.value.toLowerCase().includes(this.words.value);
  }
}

/** @param {HTMLTextAreaElement} area */
export function sentenceAt({ value, selectionStart }) {
  let end = 0;
  for (const [sentence] of value.matchAll(/[^.!?]*(?:[.!?]+(?=\s|$)\s*|[.!?]+|$)/g)) {
    end += sentence.length;
    if (sentence.trim() && (selectionStart < end || end === value.length)) return sentence.trim();
  }
  return '';
}
