// One aspect of the VDC caption: what every author wrote of it, the reference first.
import { button, h, mark } from '../../../lib/parts/elements.js';
import { aspectName } from '../../../lib/parts/words.js';
import { empty } from '../../../lib/parts/empty.js';
import { newText, TextEditor } from '../../../lib/editor/editor.js';
import { frameRow } from '../../../lib/player/player.js';
import { keyText } from '../../../lib/keys/keymap.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EditableText']} EditableText */

export class CaptionTab {
  /**
   * `page` as for SceneCards.
   * @param {string} kind
   * @param {EditableText[]} texts of all authors, in the order in which they are shown
   * @param {any} page
   * @param {import('../../../lib/shell/top_bar.js').Person} me
   */
  constructor(kind, texts, page, me) {
    this.kind = kind;
    this.texts = texts;
    this.page = page;
    this.editors = [];
    const mine = texts.some((t) => t.person === me.id);
    this.node = h(
      'div',
      { class: 'dl-captions', 'data-fields-first': '' },
      texts.length
        ? h(
            'div',
            { role: 'list', style: { display: 'contents' }, 'aria-label': `${aspectName(kind)} captions` },
            texts.map((text) => this.#caption(text)),
          )
        : null,
      texts.length
        ? null
        : empty(
            `Nobody has written a ${aspectName(kind)} caption of this video yet. Run the pipeline, or write one.`,
          ),
      !mine && page.can('edit') ? this.#own() : null,
    );
  }

  /** @param {EditableText} text */
  #caption(text) {
    const { player } = this.page;
    const editor = new TextEditor(text, {
      label: `${aspectName(this.kind)} caption`,
      rows: 3,
      readonly: !this.page.can('edit'),
      onsaved: (value) => Object.assign(text, value),
    });
    this.editors.push(editor);
    return h(
      'article',
      { class: 'dl-captioncard', role: 'listitem', 'aria-label': `by ${text.author}` },
      ['failed', 'unparsed'].includes(text.state) && !text.corrected
        ? h('p', { class: 'dl-whynot' }, mark(text.state), text.reason || 'no reason recorded')
        : null,
      text.state === 'done' && text.reason ? h('p', { class: 'dl-hint' }, text.reason) : null,
      editor.node,
      player.data.file
        ? button('Where is this?', () => this.page.where(1, sentenceAt(editor.area)), {
            title: `The frames for the sentence at the caret (${keyText('script.where_next')})`,
          })
        : null,
      text.frames.length
        ? h(
            'details',
            { class: 'dl-framesgiven' },
            h('summary', {}, `frames given to the model · ${text.frames.length}`),
            frameRow(player, text.frames, 'frames given to the model'),
          )
        : null,
    );
  }

  /** One's own, where there is none: the first words that are saved make it. */
  #own() {
    const editor = new TextEditor(newText({ video_id: this.page.player.data.id, kind: this.kind }), {
      label: `my ${aspectName(this.kind)} caption`,
      rows: 3,
      placeholder: 'What do you see?',
      onsaved: (value) => {
        if (!this.texts.includes(this.mine)) {
          this.mine = value;
          this.texts.push(value);
          this.page.written();
        }
        Object.assign(this.mine, value);
      },
    });
    this.editors.push(editor);
    return h('article', { class: 'dl-captioncard dl-writeown', 'aria-label': 'my own' }, editor.node);
  }

  flush() {
    return Promise.all(this.editors.map((editor) => editor.save()));
  }

  /** The first text, or where there is none the field for one's own. */
  focus() {
    const own = /** @type {HTMLDetailsElement | null} */ (this.node.querySelector('.dl-writeown'));
    if (!this.editors.length && own) own.open = true;
    (this.editors[0]?.area || own?.querySelector('textarea'))?.focus();
  }

  /** The sentence at the caret; without a caret in a caption, that of the first one. */
  sentence() {
    const editor = this.editors.find((one) => one.area === document.activeElement) || this.editors[0];
    return editor ? sentenceAt(editor.area) : '';
  }

  filter(words) {
    const wanted = words.toLowerCase();
    this.node.querySelectorAll('.dl-captioncard').forEach((card, n) => {
      card.hidden =
        Boolean(wanted && this.editors[n]) && !this.editors[n].area.value.toLowerCase().includes(wanted);
    });
  }
}

/** @param {HTMLTextAreaElement} area */
function sentenceAt({ value, selectionStart }) {
  let end = 0;
  for (const [sentence] of value.matchAll(/[^.!?]*(?:[.!?]+(?=\s|$)\s*|[.!?]+|$)/g)) {
    end += sentence.length;
    if (sentence.trim() && (selectionStart < end || end === value.length)) return sentence.trim();
  }
  return '';
}
