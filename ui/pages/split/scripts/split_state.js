// What the Split page knows and does: the three texts of a video, their clauses side by side, and the editors that are
// open. Components read its signals; keys and buttons call its actions.
import { batch, signal } from '../../../lib/components/component.js';
import { whileOpen } from '../../../lib/page/open_page.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { timeOfDay } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { draftKey, draftOf } from '../../../lib/editor/drafts.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { newText } from '../../../lib/editor/saved_text.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';
import { keyText, openField, wanted } from '../../../lib/keys/keymap.js';
import { prefetch, read } from '../../../lib/store/server_records.js';
import { Findings } from './split_findings.js';
import { Proposal } from './split_proposal.js';
import { Sending } from './split_sending.js';
import { COLUMNS, SIDES } from './split_text.js';

/** @typedef {import('./split_text.js').Column} Column */
/** @typedef {import('./split_text.js').Row} Row */
/** @typedef {import('./split_text.js').Side} Side */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SplitPage']} Split */
/** @typedef {Partial<Record<Column, TextEditor>>} Editors */

/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

export class SplitState {
  /** @type {Signal<Split | null>} */
  data = signal(null);
  /** The row that keys are about. */
  at = signal(0);
  /** How the last change of the page stands: `kind` is '', 'saving', 'saved' or 'failed'. */
  saved = signal({ kind: '', words: '' });
  /** @type {Signal<Editors>} by column */
  editors = signal({});
  /** Grows with every change of what is typed in an editor. */
  letters = signal(0);
  /** @type {Object<string, string>} the text that was chosen for a column */
  wanted = {};
  /** @type {Promise<void>} of the last `refresh` */
  refreshed = Promise.resolve();
  takesCaret = ''; // the column whose editor gets the caret when it is drawn
  /** Grows when the row in focus is to have the keyboard's focus too. */
  focusing = signal(0);
  asked = 0; // of `refresh`: only the answer to the last is shown
  busy = /** @type {Promise<unknown> | null} */ (null); // of `may`

  /**
   * @param {{can: (action: string) => boolean}} frame
   * @param {{id: string, shown: string, videos: string[]}} bar which video is open
   */
  constructor(frame, bar) {
    this.bar = bar;
    this.canEdit = frame.can('edit');
    this.findings = new Findings(this);
    this.proposal = new Proposal(this);
    this.sending = new Sending(this);
  }

  /** @returns {Column[]} that are being written */
  get edited() {
    return /** @type {Column[]} */ (Object.keys(this.editors.value));
  }

  /** The three texts as they stand in the page, saved or not. */
  get values() {
    const { data, editors } = this;
    return Object.fromEntries(
      COLUMNS.map((name) => [name, editors.value[name]?.area.value ?? data.value.texts[name]?.value ?? '']),
    );
  }

  // --- what the server knows ----------------------------------------------------------

  /**
   * Another video.
   * @param {string} id
   * @param {(data: Split) => void} show draws what is about the video
   */
  async open(id, show) {
    await whileOpen(this.closeEditors());
    this.wanted = {};
    this.say('', '');
    const data = await read(this.#path(id, true), id);
    if (this.bar.id !== id) return;
    show(data);
    batch(() => {
      this.#begin();
      this.data.value = data;
    });
    // What was not saved is shown; the caret goes where the person's next key puts it.
    for (const name of COLUMNS)
      if (!this.editors.value[name] && draftOf(draftKey(data.texts[name] || newText(this.#place(name)))))
        this.edit(name, false);
    const next = this.bar.videos[this.bar.videos.indexOf(id) + 1];
    if (next) prefetch(this.#path(next, true), next);
  }

  #begin() {
    this.at.value = 0;
    this.sending.taken.clear();
    this.proposal.clear();
    this.findings.clear();
  }

  /**
   * @param {string} id
   * @param {boolean} player whether its data are wanted too
   */
  #path(id, player) {
    const query = new URLSearchParams({ player: String(player), ...this.wanted });
    return `/api/split/${encodeURIComponent(id)}?${query}`;
  }

  /** Of several at once the last is shown, and all end then. */
  refresh() {
    this.refreshed = this.#refreshNow();
    return this.refreshed;
  }

  async #refreshNow() {
    const { shown: id } = this.bar;
    this.asked += 1;
    const turn = this.asked;
    /** @type {Split} */
    const data = await api(this.#path(id, false));
    if (this.bar.id !== id) return;
    if (turn !== this.asked) {
      await this.refreshed;
      return;
    }
    const before = this.data.value;
    const chosen = before.rows[this.at.value]?.full;
    const same =
      chosen && before.texts.full?.value === data.texts.full?.value
        ? data.rows.findIndex((row) => row.full?.[0] === chosen[0])
        : -1;
    batch(() => {
      this.data.value = { ...data, player: before.player };
      // Rows of the sides alone may have come or gone above it.
      this.at.value = same >= 0 ? same : Math.max(0, Math.min(this.at.value, data.rows.length - 1));
    });
    if (Object.values(this.editors.value).some((editor) => editor.unsaved)) this.findings.typed();
  }

  /** Others have changed something here. */
  async follow() {
    if (this.data.value && !this.busy && !this.proposal.open.value && !this.edited.length)
      await this.refresh();
  }

  /**
   * Another version of a column's text.
   * @param {Column} name
   * @param {string} textId
   */
  choose(name, textId) {
    this.#closeEditor(name)
      .then(() => {
        this.wanted[name] = textId;
        return this.refresh();
      })
      .catch(report);
  }

  /** What is typed is stored, and sides of another full caption give way to those of this one. */
  async ofThisCaption() {
    await this.flush();
    const others = SIDES.filter((side) => this.data.value.texts[side]?.of_other);
    if (!others.length) return;
    for (const side of others) {
      await this.#closeEditor(side);
      delete this.wanted[side];
    }
    await this.refresh();
  }

  // --- the row in focus -----------------------------------------------------------------

  /** @param {number} n */
  go(n) {
    if (!this.data.value?.rows[n]) return;
    batch(() => {
      this.at.value = n;
      this.focusing.value += 1;
    });
  }

  /**
   * The row of a finding comes into focus.
   * @param {import('./split_findings.js').Finding} one
   */
  reveal(one) {
    /** @param {Row} row */
    const spans = (row) => (one.side === 'full' ? (row.full ? [row.full] : []) : row[one.side]);
    const n = this.data.value.rows.findIndex((row) =>
      spans(row).some(([start, end]) => start <= one.start && one.start < end),
    );
    if (n >= 0 && one.end > one.start) this.at.value = n;
  }

  /**
   * Runs what a button does; what it refuses is said.
   * @param {() => unknown} action
   */
  act(action) {
    new Promise((done) => {
      done(action());
    }).catch(report);
  }

  /**
   * New texts by column, each over what it was; false when somebody else was faster.
   * @param {Partial<Record<Column, string>>} values
   */
  async put(values) {
    const open = this.edited.filter((name) => name in values);
    for (const name of open) await this.#closeEditor(name);
    this.say('saving', 'Saving …');
    for (const [name, value] of /** @type {[Column, string][]} */ (Object.entries(values))) {
      const text = this.data.value.texts[name];
      if ((text?.value ?? '') === value) continue;
      try {
        const saved = text
          ? await api('/api/edit', { subject: text.subject, value, base_revision: text.revision })
          : await api('/api/text', { ...this.#place(name), value });
        this.say('saved', `Saved ${timeOfDay(saved.saved_at)}`);
      } catch (error) {
        this.say('failed', `Not saved: ${error.message}`);
        if (error.status !== 409) throw error;
        notice(`Somebody else just changed the ${name} text. Look, then press the key again.`, 'error');
        await this.refresh();
        return false;
      }
    }
    await this.refresh();
    for (const name of open) this.edit(name, false);
    return true;
  }

  /**
   * @param {string} kind
   * @param {string} text
   */
  say(kind, text) {
    this.saved.value = { kind, words: text };
  }

  // --- writing ----------------------------------------------------------------------

  /**
   * Where one's own text of a column stands; where there is none, the first words that are saved make it.
   * @param {Column} name
   */
  #place(name) {
    return {
      video_id: this.bar.shown,
      kind: `carebench:${name}`,
      source_text_id: name === 'full' ? '' : this.data.value.texts.full?.id || '',
    };
  }

  /**
   * A machine's proposal becomes one's own text; the proposal stays beside it.
   * @param {Column} name
   */
  async adopt(name) {
    try {
      await this.flush();
      const { id, value } = this.data.value.texts[name];
      const place = this.#place(name);
      // A full caption that is kept has the split of the one that it was kept from.
      const from = name === 'full' ? id : place.source_text_id;
      await api('/api/text', { ...place, source_text_id: from, value, anew: true });
      await this.#closeEditor(name);
      delete this.wanted[name];
      await this.refresh();
      notice(`This is your own ${name} text now.`);
    } catch (error) {
      report(error);
    }
  }

  /** From the text that is being written to the next of the three. */
  async saveNext() {
    const from = COLUMNS.find((name) => this.editors.value[name]?.inHand);
    const still = wanted();
    await requireSaved();
    const next = COLUMNS[COLUMNS.indexOf(from) + 1];
    if (!next)
      throw new Refused(
        `This was the last of the three texts. ${keyText('videos.next')} opens the next video.`,
      );
    if (from) await this.#closeEditor(from);
    if (!still()) return;
    if (this.editors.value[next]) this.editors.value[next].area.focus();
    else this.edit(next);
  }

  /**
   * `edit`, after what is on its way to this column.
   * @param {Column} name
   */
  async openOnArrival(name) {
    const still = wanted();
    await this.sending.under;
    return still() ? this.edit(name) : null;
  }

  /**
   * As the key does it.
   * @param {Column} name
   */
  openByButton(name) {
    void openField(`edit the ${name} text`, () => this.openOnArrival(name));
  }

  /**
   * Between the aligned sentences and the editor of one column. Gives true where it was closed.
   * @param {Column} name
   */
  edit(name, focus = true) {
    if (!this.canEdit) throw new Refused('Only people who may edit can write here.');
    if (!this.data.value) throw new Refused('The captions are not here yet.');
    if (this.editors.value[name]) {
      this.#closeEditor(name)
        .then(() => this.refresh())
        .catch(report);
      return true;
    }
    const text = this.data.value.texts[name] || newText(this.#place(name));
    if (!text.subject) delete this.wanted[name];
    const editor = new TextEditor(text, {
      label: name === 'full' ? 'full caption' : `${name} text`,
      rows: 8,
      limit: name === 'full' ? this.data.value.words[1] : 0,
      onsaved: () => this.refresh().catch(report),
    });
    editor.area.addEventListener('input', () => {
      this.letters.value += 1;
      this.findings.typed();
    });
    this.takesCaret = focus ? name : '';
    this.editors.value = { ...this.editors.value, [name]: editor };
    return null;
  }

  /** @param {Column} name */
  async #closeEditor(name) {
    const editor = this.editors.value[name];
    if (!editor) return;
    await editor.save();
    if (editor.why) throw new Error(editor.why);
    const { [name]: _, ...others } = this.editors.value;
    this.editors.value = others;
  }

  async closeEditors() {
    for (const name of this.edited) await this.#closeEditor(name);
  }

  async flush() {
    const open = Object.values(this.editors.value);
    if (!open.length) return;
    await Promise.all(open.map((editor) => editor.save()));
    await this.refresh();
  }

  /** What is typed here is stored, and what is stored is here. */
  async upToDate() {
    await this.flush();
    await this.refreshed;
  }

  /** A decision was undone or redone: open editors begin anew with what counts now. */
  async changed() {
    const open = this.edited;
    await this.closeEditors();
    this.sending.taken.clear();
    await this.refresh();
    for (const name of open) this.edit(name, false);
  }

  /**
   * One at a time, and only for those who may edit.
   * @param {() => unknown} action
   */
  may(action) {
    if (!this.canEdit) throw new Refused('Only people who may edit can change this.');
    if (this.busy || !this.data.value) throw new Refused('The change before is not through yet.');
    this.busy = Promise.resolve(action()).finally(() => {
      this.busy = null;
    });
    return this.busy;
  }
}
