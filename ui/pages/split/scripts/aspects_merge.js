// Merge: two annotators' parts side by side, and the expert's own beside them: left, right or own words by one key.
import { h, mount, signal } from '../../../lib/components/component.js';
import { pageSignal } from '../../../lib/page/open_page.js';
import { h as element } from '../../../lib/parts/elements.js';
import { askedFirst } from '../../../lib/parts/dialog.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { keyText } from '../../../lib/keys/keymap.js';
import { AspectView } from './aspects_view.js';
import { returnDialog } from './merge_return_dialog.js';
import { MergeSummary } from './merge_summary.js';
import { MergeTable } from './merge_table.js';
import { chosenWith, pairOf } from './merge_pair.js';

/** @typedef {import('./aspects_view.js').Aspects} Aspects */
/** @typedef {import('./aspects_view.js').Sources} Sources */
/** @typedef {import('./aspects_view.js').Writer} Writer */
/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {MergeView} View */
/** @typedef {'left' | 'right' | 'own'} Choice whose words a part takes */

const DONE = ['done', 'approved'];
const RETURNABLE = [...DONE, 'flagged', 'skipped'];

/** @param {Page} page */
export const open = (page) => new MergeView(page);

class MergeView extends AspectView {
  /** The part in focus. */
  at = signal(0);
  /** @type {import('../../../lib/components/component.js').Signal<[string, string]>} ids of the people chosen for the two columns */
  chosen = signal(['', '']);

  /** @param {Page} page */
  constructor(page) {
    super(page, 'merge');
    mount(this.right, h(MergeTable, { view: this }), pageSignal());
    mount(this.below, h(MergeSummary, { view: this }), pageSignal());
    this.keys = {
      edit_full: () => this.#pick('left'),
      edit_spatial: () => this.#pick('right'),
      edit_temporal: () => this.#pick('own'),
      next: () => this.#go(this.at.value + 1),
      previous: () => this.#go(this.at.value - 1),
      save_next: () => this.#saveNext(),
      begin: () => this.begin(),
      join: () => this.join(),
      approve: () => this.approve(),
      return_work: () => this.giveBack(),
    };
  }

  /** Work that others have said something of meanwhile is shown, unless somebody is typing here. */
  async follow() {
    const { id } = this.page.bar;
    if (this.right.querySelector('textarea:focus')) return;
    /** @type {Aspects} */
    const data = await api(`/api/aspects/${encodeURIComponent(id)}?player=false`);
    /** @param {Aspects} one */
    const seen = (one) => JSON.stringify([one.writers, one.state]);
    // Asked once more, after what is being saved here: this answer may be older than that.
    if (this.page.bar.id === id && this.data && seen(data) !== seen(this.data)) await this.refresh();
  }

  get can() {
    return this.frame.can('assign');
  }

  get mine() {
    return this.data.merge?.id === this.me && this.data.merge.work.unfinished;
  }

  /** The writers who are not done yet. */
  get unfinished() {
    return this.data.writers.filter((w) => !DONE.includes(w.work.state));
  }

  /** The writers whose parts can be given back. */
  get returnable() {
    const { merge, writers } = this.data;
    if (!this.can || merge?.work.state === 'approved') return [];
    return writers.filter((w) => RETURNABLE.includes(w.work.state));
  }

  /** Whether anything is merged yet. */
  get begun() {
    return Object.keys(this.data.merge?.texts ?? {}).length > 0;
  }

  /** Whether the expert who looks may begin: all are done, and nobody else merges. */
  get ready() {
    return (
      this.can &&
      this.data.writers.length > 0 &&
      this.unfinished.length === 0 &&
      (!this.data.merge || this.data.merge.id === this.me)
    );
  }

  /** Places of the writers in the two columns. */
  get pair() {
    return pairOf(this.data.writers, this.chosen.value);
  }

  /**
   * Another writer stands in a column.
   * @param {0 | 1} side
   * @param {string} id of the writer
   */
  show(side, id) {
    const { writers } = this.data;
    const place = writers.findIndex((writer) => writer.id === id);
    this.chosen.value = chosenWith(writers, this.pair, side, place);
  }

  edit() {
    const { merge, parts } = this.data;
    for (const [name, words] of parts) {
      const text = merge?.texts?.[name];
      if (!text) continue;
      const options = { label: `merged ${words}`, rows: name === 'overview' ? 2 : 3, readonly: !this.mine };
      const { node } = this.editor(name, text, options);
      node.querySelector('.dl-label').replaceWith(element('span', { class: 'dl-as-from' }));
    }
  }

  /**
   * Words of a writer that the merged part holds or comes from, where that writer has others now.
   * @param {string} name
   */
  was(name) {
    const source = this.data.merge?.sources?.[name];
    if (!source || source.was === null) return null;
    return {
      words: source.was,
      by: source.by,
      side: this.pair.findIndex((at) => this.data.writers[at]?.id === source.person),
    };
  }

  /**
   * The left text and the right one; null where it is not to be seen.
   * @param {string} name
   */
  texts(name) {
    const { writers } = this.data;
    return this.pair.map((at, side) =>
      side && writers.length < 2 ? '' : writers[at].texts ? writers[at].texts[name]?.value || '' : null,
    );
  }

  /**
   * Whose words the merged part holds now.
   * @param {string} name
   * @returns {[state: string, words: string]}
   */
  how(name) {
    const value = this.typedIn(name)?.trim();
    const [left, right] = this.texts(name).map((text) => text?.trim());
    if (!value) return ['open', 'empty'];
    if (value === left && value === right) return ['done', 'both say so'];
    if (value === left) return ['done', 'left'];
    if (value === right) return ['done', 'right'];
    const was = this.was(name);
    return was && value === was.words.trim()
      ? ['stale', `earlier words of ${was.by}`]
      : ['corrected', 'own words'];
  }

  // --- doing ------------------------------------------------------------------------

  /** Whether nothing is merged yet, and the expert who looks may begin. */
  get untouched() {
    return this.ready && !this.begun;
  }

  /**
   * A key that chooses words begins the merge, where it can begin.
   * @param {Choice} side
   */
  #pick(side) {
    return this.untouched ? this.#beginWith(side) : this.choose(side);
  }

  /** @param {Choice} side */
  async #beginWith(side) {
    const at = this.at.value;
    await this.begin();
    this.#go(at);
    return this.choose(side);
  }

  /**
   * The part in focus: the left text, the right one, or words of one's own.
   * @param {Choice} side
   */
  choose(side) {
    const name = this.data.parts[this.at.value]?.[0];
    const editor = this.editors.get(name);
    if (!this.mine || !editor) throw new Refused(this.#whyNot());
    const [left, right] = this.texts(name);
    const words =
      side === 'left'
        ? left
        : side === 'right'
          ? right
          : [left, right].includes(editor.area.value)
            ? ''
            : editor.area.value;
    const who = { left: this.data.writers[this.pair[0]], right: this.data.writers[this.pair[1]] }[side];
    if (words !== null && editor.area.value !== words) {
      editor.put(words);
      // The server reads from the reason that what stood here before is not the origin of what comes now.
      editor.save({ reason: who ? `took the text of ${who.name}` : 'own words' }).catch(report);
    }
    if (side === 'own') editor.area.focus();
    return side !== 'own';
  }

  #whyNot() {
    return this.mine
      ? 'There is nothing to merge here yet.'
      : 'Only the expert who merges this video can write here.';
  }

  /** Puts four parts of the merged caption beside the two; the first is chosen then. */
  async begin() {
    if (this.begun)
      throw new Refused(
        this.mine
          ? `You merge this video already: ${keyText('split.edit_full')}, ${keyText('split.edit_spatial')} and ${keyText('split.edit_temporal')} choose the words of a part.`
          : this.#whyNot(),
      );
    if (!this.ready)
      throw new Refused('Merging begins when all who write this video are done, by an expert.');
    await this.say('merge');
    this.told();
    this.#go(0);
    return true;
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
    await this.leave();
    const versions = this.#versions();
    const send = async (/** @type {boolean} */ sure) =>
      this.say(approved ? 'reopen' : 'approve', approved ? {} : { versions, sure });
    const data = await askedFirst(send, 'Approve with open points?', 'Approve all the same').catch(
      async (error) => {
        if (error.status === 409) await this.refresh();
        throw error;
      },
    );
    if (!data) return;
    this.told();
    notice(
      approved
        ? 'The caption is open again.'
        : `Approved: revision ${merge.full.revision} of the caption${this.named(merge.from)}. It can be split.`,
    );
  }

  /**
   * ", made of Overview by Ann (revision 2), ..."
   * @param {Sources | null} from
   */
  named(from) {
    const made = this.data.parts
      .filter(([name]) => from?.[name]?.by)
      .map(([name, words]) => `${words} by ${from[name].by} (revision ${from[name].revision})`);
    return made.length ? `, made of ${made.join(', ')}` : '';
  }

  /** The revision of every text on the page, by its id. */
  #versions() {
    const { writers, merge } = this.data;
    const texts = [...writers.flatMap((w) => Object.values(w.texts || {})), merge.full];
    const mine = Object.entries(merge.texts || {}).map(([name, text]) => [
      text.id,
      this.editors.get(name)?.value.revision ?? text.revision,
    ]);
    return Object.fromEntries([...texts.map((text) => [text.id, text.revision]), ...mine]);
  }

  /** @param {Writer} [chosen] */
  giveBack(chosen) {
    const writers = this.data ? this.returnable : [];
    if (!writers.length) throw new Refused('There is nothing here that can be given back.');
    returnDialog(this, writers, chosen || writers[0]);
  }

  // --- moving -----------------------------------------------------------------------

  /** @param {number} n */
  #go(n) {
    const row = this.right.querySelector(`[data-row="${n}"]`);
    if (!row) return;
    this.at.value = n;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
  }

  /** To the next row, where a key takes a text or opens the field for own words. */
  async #saveNext() {
    if (this.at.value < this.data.parts.length - 1) this.#go(this.at.value + 1);
    else notice('That was the last part.');
    await this.leave();
    return true;
  }
}
