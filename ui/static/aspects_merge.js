// Merge: two annotators' parts side by side, and the expert's own beside them: left, right or own words by one key.
import { address, button, clear, h, icon, mark, notice, plural, report, timeOfDay, wordCount } from './core.js';
import { AspectView, stateOfVideo } from './aspects_view.js';
import { openDialog } from './dialog.js';
import { wordDiff } from './diff.js';
import { keyHint } from './keymap.js';
import { workMark } from './queue_bar.js';

const LEAST = 3; // words in a row
const percent = (share) => `${Math.round(share * 100)} %`;

export const open = (page) => new MergeView(page);

/** Single words in common are chance between two people's texts: only stretches of them count as the same. */
const stretches = (parts) => parts.flatMap(([kind, text]) => (kind === 'same' && wordCount(text) < LEAST ? [['gone', text], ['new', text]] : [[kind, text]]));

/** One side of the difference: what is the same and what is only here, neighbours as one. */
function joined(parts, side) {
  const out = [];
  for (const [kind, text] of parts.filter(([k]) => k === 'same' || k === side)) {
    if (out.at(-1)?.[0] === kind) out.at(-1)[1] += text;
    else out.push([kind, text]);
  }
  return out;
}

class MergeView extends AspectView {
  constructor(page) {
    super(page, 'merge');
    this.at = 0;
    this.pair = [0, 1];
    this.rows = [];
    this.sum = h('p', { class: 'dl-as-sum', role: 'status' });
    this.right.addEventListener('input', () => this.#count());
    this.keys = {
      edit_full: () => this.choose('left'), edit_spatial: () => this.choose('right'), edit_temporal: () => this.choose('own'),
      next: () => this.#go(this.at + 1), previous: () => this.#go(this.at - 1),
      save_next: () => this.#saveNext().catch(report), join: () => this.join().catch(report),
      approve: () => this.approve().catch(report), return_work: () => this.giveBack(), ...this.playerKeys(),
    };
  }

  get can() { return this.frame.can('assign'); }

  get mine() { return this.data.merge?.id === this.me && this.data.merge.work.unfinished; }

  /** Whether the expert who looks may begin: all are done, and nobody else merges. */
  get ready() { return this.can && this.data.writers.length > 0 && this.data.writers.every((w) => ['done', 'approved'].includes(w.work.state)) && (!this.data.merge || this.data.merge.id === this.me); }

  draw() {
    const { writers, parts, merge } = this.data;
    this.pair = this.pair.map((n) => Math.min(n, Math.max(0, writers.length - 1)));
    this.#below();
    if (!writers.length) { clear(this.right, this.#nothing()); return; }
    this.rows = parts.map(([name, words], n) => this.#row(name, words, n));
    clear(this.right, h('div', { class: 'dl-as-grid', role: 'grid', 'aria-label': 'Parts' },
      h('div', { class: 'dl-as-heads', role: 'row' }, this.#writerHead(0), writers.length > 1 ? this.#writerHead(1) : h('div', { class: 'dl-as-colhead', role: 'columnheader' }, h('h2', {}, 'nobody else')), this.#mergeHead(merge)),
      this.rows));
    this.#mark(false);
    this.#count();
  }

  // --- heads ------------------------------------------------------------------------

  #writerHead(side) {
    const { writers } = this.data;
    const writer = writers[this.pair[side]];
    const many = writers.length > 2;
    const select = many ? h('select', { class: 'dl-select', 'aria-label': side ? 'right text by' : 'left text by', onchange: () => { this.pair[side] = Number(select.value); this.draw(); } }, writers.map((w, n) => h('option', { value: n }, w.name))) : null;
    if (select) select.value = String(this.pair[side]);
    const back = this.can && ['done', 'approved', 'flagged', 'skipped'].includes(writer.work.state) && this.data.merge?.work.state !== 'approved';
    return h('div', { class: 'dl-as-colhead', role: 'columnheader', 'data-writer': writer.name }, h('div', { class: 'dl-row' }, select || h('h2', {}, writer.name), h('span', { class: 'dl-grow' }),
      back ? button('Return', () => this.giveBack(writer), { kind: 'quiet', title: 'Give it back with a comment', name: 'return-work' }) : null),
      h('div', { class: 'dl-as-about' }, workMark({ ...writer.work, task: '' }), writer.texts ? h('span', {}, plural(this.#words(writer.texts), 'word')) : null),
      writer.work.note ? h('p', { class: 'dl-queue-note' }, writer.work.note) : null);
  }

  #mergeHead(merge) {
    return h('div', { class: 'dl-as-colhead', role: 'columnheader' }, h('div', { class: 'dl-row' }, h('h2', {}, merge ? `merged by ${merge.name}` : 'merged')),
      h('div', { class: 'dl-as-about' }, merge ? [workMark({ ...merge.work, task: '' }), this.sum] : h('span', {}, 'not begun')));
  }

  #words(texts) { return this.data.parts.reduce((sum, [name]) => sum + wordCount(texts[name]?.value || ''), 0); }

  // --- rows -------------------------------------------------------------------------

  #row(name, words, n) {
    const [left, right] = this.#texts(name);
    const parts = left && right ? stretches(wordDiff(left, right)) : [];
    const one = (kind, text, own) => (text === null ? h('p', { class: 'dl-hint' }, 'shown when all who write are done') : h('p', { class: 'dl-as-words' }, parts.length ? joined(parts, kind).map(([k, t]) => (k === 'same' ? t : h('span', { class: own, title: 'only here' }, t))) : text || h('span', { class: 'dl-hint' }, 'nothing written')));
    const both = this.data.agreement[name];
    return h('div', { class: 'dl-as-row', role: 'row', tabindex: '-1', 'data-row': n, 'data-part': name, 'aria-selected': 'false', onclick: () => this.#select(n), onfocusin: () => this.#select(n) },
      h('div', { class: 'dl-as-rowhead', role: 'rowheader' }, h('h3', {}, words), both ? h('span', { class: 'dl-hint', title: 'How far the two agree: ROUGE-L F1, and the share of content words that both use' }, `ROUGE-L ${percent(both.rouge_l)} · ${percent(both.shared)} of content words shared`) : null),
      this.#cell('left', left, one('gone', left, 'dl-as-only-left')), this.data.writers.length > 1 ? this.#cell('right', right, one('new', right, 'dl-as-only-right')) : h('div', { class: 'dl-as-cell', role: 'gridcell' }), this.#merged(name, words));
  }

  #texts(name) {
    const { writers } = this.data;
    return this.pair.map((at, side) => (side && writers.length < 2 ? '' : writers[at].texts ? writers[at].texts[name]?.value || '' : null));
  }

  #cell(side, text, node) {
    return h('div', { class: 'dl-as-cell', role: 'gridcell', 'data-side': side }, node,
      this.mine && text ? button([icon('next'), side === 'left' ? 'Take left' : 'Take right', keyHint(side === 'left' ? 'split.edit_full' : 'split.edit_spatial')], (event) => { this.#select(Number(event.target.closest('[data-row]').dataset.row)); this.choose(side); }, { kind: 'quiet', name: `take-${side}` }) : null);
  }

  #merged(name, words) {
    const { merge } = this.data;
    const text = merge?.texts?.[name];
    const cell = h('div', { class: 'dl-as-cell dl-as-merged', role: 'gridcell' });
    if (!text) { cell.append(h('p', { class: 'dl-hint' }, merge ? (merge.texts ? 'nothing yet' : 'shown when all who write are done') : '')); return cell; }
    const editor = this.editor(name, { ...text, author: '', corrected: false }, { label: `merged ${words}`, rows: name === 'overview' ? 2 : 3, readonly: !this.mine });
    const from = merge.from?.[name];
    editor.node.querySelector('.dl-label').replaceWith(h('span', { class: 'dl-as-from' }));
    cell.append(editor.node);
    cell.dataset.how = from?.how || '';
    return cell;
  }

  /** Whose words the merged part holds now. */
  #how(name) {
    const value = this.editors.get(name)?.area.value.trim() || '';
    const [left, right] = this.#texts(name).map((text) => text?.trim());
    if (!value) return ['open', 'empty'];
    if (value === left && value === right) return ['done', 'both say so'];
    if (value === left) return ['done', 'left'];
    return value === right ? ['done', 'right'] : ['corrected', 'own words'];
  }

  #count() {
    const { parts, words: [least, most] } = this.data;
    let sum = 0;
    for (const row of this.rows) {
      const name = row.dataset.part;
      const editor = this.editors.get(name);
      if (!editor) continue;
      sum += wordCount(editor.area.value);
      clear(row.querySelector('.dl-as-from') || h('span'), mark(...this.#how(name)));
    }
    if (!parts.some(([name]) => this.editors.has(name))) { clear(this.sum); return; }
    clear(this.sum, plural(sum, 'word'), ' ', sum < least ? mark('failed', `short of ${least} to ${most}`) : sum > most ? mark('failed', `beyond ${least} to ${most}`) : mark('done', `within ${least} to ${most}`));
  }

  // --- the video's summary ------------------------------------------------------------

  #below() {
    const { merge, state, writers } = this.data;
    clear(this.below, h('p', { class: 'dl-as-state' }, stateOfVideo(state)), this.#begin(), merge && merge.texts ? this.#fullBox(merge) : null,
      writers.length > 1 && writers.every((w) => w.texts) ? h('p', { class: 'dl-as-key' }, h('span', { class: 'dl-as-only-left' }, 'only left'), h('span', { class: 'dl-as-only-right' }, 'only right')) : null);
  }

  #begin() {
    const { merge, writers } = this.data;
    if (merge?.texts && Object.keys(merge.texts).length) return null;
    if (this.ready) return h('p', {}, button('Merge this video', () => this.say('merge').then(() => { this.told(); this.#go(0); }).catch(report), { kind: 'main', name: 'begin-merge' }));
    const left = writers.filter((w) => !['done', 'approved'].includes(w.work.state)).map((w) => w.name);
    if (left.length) return h('p', { class: 'dl-hint' }, `${left.join(' and ')} still ${left.length === 1 ? 'writes' : 'write'}; merging begins when all are done.`);
    return this.can || merge ? null : h('p', { class: 'dl-hint' }, 'An expert merges the two.');
  }

  #fullBox(merge) {
    const { full, from, work } = merge;
    const approved = work.state === 'approved';
    const how = { taken: 'as written by', edited: 'edited from', own: 'own words' };
    return h('div', { class: 'dl-as-fullbox' },
      h('h2', {}, 'Full caption'),
      full ? h('p', {}, mark(approved ? 'approved' : 'done', `${plural(wordCount(full.value), 'word')}, joined ${timeOfDay(full.created_at)}`)) : h('p', { class: 'dl-hint' }, 'The four parts, one after the other, become the full caption that is split.'),
      full && !from ? h('p', {}, mark('stale', 'changed since it was joined')) : null,
      from ? h('ul', { class: 'dl-as-sources' }, this.data.parts.map(([name, words]) => h('li', {}, h('b', {}, words), ' ', how[from[name]?.how] || 'own words', ' ', from[name]?.by || ''))) : null,
      this.can && !approved && (this.mine || full) ? h('div', { class: 'dl-row' }, this.mine ? button([full ? 'Join again' : 'Join the parts', keyHint('split.join')], () => this.join().catch(report), { kind: full ? '' : 'main', name: 'join' }) : null,
        full ? button(['Approve', keyHint('split.approve')], () => this.approve().catch(report), { kind: 'main', name: 'approve-full' }) : null) : null,
      approved ? h('div', { class: 'dl-row' }, h('a', { class: 'dl-button dl-button-main', href: address.to('split', { video: this.page.bar.id }), onclick: (event) => { event.preventDefault(); this.page.tabs.choose('split').catch(report); } }, 'To the split'), this.can ? button(['Reopen', keyHint('split.approve')], () => this.approve().catch(report), { kind: 'quiet', name: 'reopen-full' }) : null) : null);
  }

  #nothing() {
    return h('div', { class: 'dl-empty' }, h('p', {}, 'Nobody was given this video to write its four parts.'),
      h('p', { class: 'dl-hint' }, 'Give it to two annotators in the Library, task “aspects”; when both are done, an expert merges here.'),
      h('a', { class: 'dl-button dl-button-main', href: '/' }, 'To the Library'));
  }

  // --- doing ------------------------------------------------------------------------

  /** The part in focus: the left text, the right one, or words of one's own. */
  choose(side) {
    const name = this.data.parts[this.at]?.[0];
    const editor = this.editors.get(name);
    if (!this.mine || !editor) { if (this.can) notice('Begin the merge first.'); return; }
    const [left, right] = this.#texts(name);
    const words = side === 'left' ? left : side === 'right' ? right : [left, right].includes(editor.area.value) ? '' : editor.area.value;
    const who = { left: this.data.writers[this.pair[0]], right: this.data.writers[this.pair[1]] }[side];
    if (words !== null && editor.area.value !== words) {
      editor.area.value = words;
      editor.fit();
      editor.save({ reason: who ? `took the text of ${who.name}` : 'own words' }).catch(report);
      this.#count();
    }
    if (side === 'own') editor.area.focus();
  }

  async join() {
    if (!this.mine) return;
    await this.say('full', { base_revision: this.data.merge.full?.revision || 0 });
    notice('The full caption is joined from the four parts.');
  }

  async approve() {
    const { merge } = this.data;
    if (!this.can || !merge?.full) return;
    const approved = merge.work.state === 'approved';
    await this.say(approved ? 'reopen' : 'approve');
    this.told();
    notice(approved ? 'The caption is open again.' : 'Approved: the caption can be split.');
  }

  giveBack(chosen = null) {
    const writers = this.data.writers.filter((w) => ['done', 'approved', 'flagged', 'skipped'].includes(w.work.state));
    if (!this.can || !writers.length || this.data.merge?.work.state === 'approved') return;
    const picked = getSelection().toString().trim().slice(0, 300);
    const pick = (label, options, value) => { const node = h('select', { class: 'dl-select', 'aria-label': label }, options.map(([id, words]) => h('option', { value: id }, words))); node.value = value; return node; };
    const who = pick('Whose', writers.map((w) => [w.id, w.name]), (chosen || writers[0]).id);
    const where = pick('Where', [['', 'the whole caption'], ...this.data.parts], this.data.parts[this.at]?.[0] || '');
    const quote = h('input', { type: 'text', class: 'dl-input', 'aria-label': 'Words that are meant', value: picked, maxlength: '300', placeholder: 'words that are meant (optional)' });
    const field = h('textarea', { class: 'dl-text', rows: '3', 'aria-label': 'What is to be done', maxlength: '1500' });
    const send = () => {
      if (!field.value.trim()) { field.focus(); return; }
      dialog.close();
      this.say('return', { person: who.value, where: where.value, quote: where.value ? quote.value : '', note: field.value.trim() }).then(() => this.told()).catch(report);
    };
    field.addEventListener('keydown', (event) => { if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); } });
    const dialog = openDialog('Give the parts back', [[['Whose', who], ['Where', where], ['Words', quote]].map(([label, node]) => h('label', { class: 'dl-field' }, h('span', {}, label.toLowerCase()), node)), h('label', { class: 'dl-asked' }, h('span', {}, 'What is to be done'), field)],
      [button('Return', send, { kind: 'main', key: 'Enter', name: 'send-return' })]);
    field.focus();
  }

  // --- moving -----------------------------------------------------------------------

  #select(n) { if (n !== this.at) { this.at = n; this.#mark(false); } }

  #go(n) {
    if (!this.rows[n]) return;
    this.at = n;
    this.#mark(true);
  }

  #mark(focus) {
    this.rows.forEach((row, n) => {
      row.setAttribute('aria-selected', String(n === this.at));
      row.tabIndex = n === this.at ? 0 : -1;
    });
    if (!focus) return;
    this.rows[this.at].focus({ preventScroll: true });
    this.rows[this.at].scrollIntoView({ block: 'nearest' });
  }

  async #saveNext() {
    if (this.at < this.rows.length - 1) this.#go(this.at + 1);
    await this.leave();
  }
}
