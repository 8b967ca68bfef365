// One aspect of the VDC caption: what every author wrote of it, the reference first.
import { aspectName, badge, baselineBadge, button, h, mark, plural, report, wordCount } from './core.js';
import { draftArea } from './drafts.js';
import { TextEditor } from './editor.js';
import { frameRow } from './player.js';

export class CaptionTab {
  /** `texts`: of all authors, in the order in which they are shown. `page` as for SceneCards. */
  constructor(kind, texts, page, me) {
    this.kind = kind;
    this.page = page;
    this.editors = [];
    const mine = texts.some((t) => t.person === me.id);
    this.node = h('div', { class: 'dl-captions' },
      texts.length ? h('div', { role: 'list', style: { display: 'contents' }, 'aria-label': `${aspectName(kind)} captions` }, texts.map((text) => this.#caption(text))) : null,
      texts.length ? null : h('div', { class: 'dl-empty' }, h('p', {}, `Nobody has written a ${aspectName(kind)} caption of this video yet. Run the pipeline, or write one.`)),
      !mine && page.can('edit') ? this.#write() : null);
  }

  #caption(text) {
    const { player } = this.page;
    const editor = new TextEditor(text, { label: `${aspectName(this.kind)} caption`, rows: 3, readonly: !this.page.can('edit'), onsaved: (value) => Object.assign(text, value) });
    this.editors.push(editor);
    editor.node.firstChild.prepend(text.baseline ? baselineBadge() : badge(text.author, text.author === 'reference' ? 'reference' : ''), text.model && !text.baseline ? h('b', {}, text.model) : '');
    return h('article', { class: 'dl-captioncard', role: 'listitem', 'aria-label': `by ${text.author}` },
      ['failed', 'unparsed'].includes(text.state) && !text.corrected ? h('p', { class: 'dl-whynot' }, mark(text.state), text.reason || 'no reason recorded') : null,
      text.state === 'done' && text.reason ? h('p', { class: 'dl-hint' }, text.reason) : null,
      editor.node,
      text.frames.length ? h('details', { class: 'dl-framesgiven' }, h('summary', {}, `frames given to the model · ${text.frames.length}`), frameRow(player, text.frames, 'frames given to the model')) : null);
  }

  #write() {
    const area = h('textarea', { class: 'dl-text', rows: '4', 'aria-label': `my ${aspectName(this.kind)} caption`, placeholder: 'What do you see?', oninput: () => { count.textContent = plural(wordCount(area.value), 'word'); } });
    const count = h('span', { class: 'dl-count' });
    const draft = draftArea(area, this.page.player.data.id, this.kind);
    const save = async () => {
      if (!area.value.trim()) return;
      await this.page.write(this.kind, area, '');
      draft.drop();
    };
    return h('details', { class: 'dl-captioncard dl-writeown', open: draft.kept }, h('summary', {}, 'Write my own'), area, h('div', { class: 'dl-row' }, button('Save as mine', () => save().catch(report), { kind: 'main', name: 'save-own' }), count));
  }

  flush() { return Promise.all(this.editors.map((editor) => editor.save())); }

  focus() { this.editors[0]?.area.focus(); }

  filter(words) {
    const wanted = words.toLowerCase();
    this.node.querySelectorAll('.dl-captioncard').forEach((card, n) => { card.hidden = Boolean(wanted && this.editors[n]) && !this.editors[n].area.value.toLowerCase().includes(wanted); });
  }
}
