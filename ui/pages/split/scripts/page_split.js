// Split: the full caption beside its spatial and its temporal version, lined up by clause, with what the checks find.
import {
  api,
  baselineBadge,
  button,
  clear,
  h,
  icon,
  mark,
  notice,
  pageSignal,
  plural,
  Refused,
  report,
  timeOfDay,
  whenLeft,
  whileOpen,
} from '../../../lib/parts/elements_and_requests.js';
import { empty, toLibrary } from '../../../lib/parts/empty.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { draftKey, draftOf } from '../../../lib/editor/drafts.js';
import { newText, TextEditor } from '../../../lib/editor/editor.js';
import { bindKeys, keyHint, keyText, openField, wanted } from '../../../lib/keys/keymap.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { playerRuns } from '../../../lib/player/player.js';
import { Findings, flawed, flawsOf } from './split_findings.js';
import { Proposal } from './split_proposal.js';
import { COLUMNS, columnHead, drawRows, SIDES, stateMark } from './split_table.js';
import { SplitTabs } from './split_tabs.js';
import { glueOf, pieces, withClause, without, withWords, words } from './split_text.js';
import { requireSaved, watchSaver } from '../../../lib/editor/save_before_leaving.js';
import { VideoBar } from '../../../lib/player/video_bar.js';
import { download } from '../../../lib/parts/download.js';

const MOST_JUMPS = 12;

/** @typedef {import('../../../lib/shell/top_bar.js').Frame} Frame */
/** @typedef {import('./split_findings.js').Finding} Finding */
/** @typedef {import('./split_text.js').Column} Column */
/** @typedef {import('./split_text.js').Row} Row */
/** @typedef {import('./split_text.js').Side} Side */
/** @typedef {import('./split_text.js').Span} Span */
/** @typedef {import('./split_text.js').ColumnText} ColumnText */
/** @typedef {import('./split_text.js').Version} Version */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PlayerData']} PlayerData of a video */
/** @typedef {SplitPage} Page */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SplitPage']} Split */

/** @typedef {TextEditor & {mirror: HTMLElement, place: HTMLElement}} ColumnEditor with the findings under its words */
/** @typedef {{start: number, words: string}} Clause of the full caption, as it was when its key was pressed */

/** @param {Frame} frame */
export async function show(frame) {
  await new SplitPage(frame).start();
}

class SplitPage {
  /** @type {Split} */
  data;
  /** @type {import('../../../lib/player/player.js').Player} */
  player;
  /** @type {Object<string, string>} the text that was chosen for a column */
  wanted;
  /** @type {Map<string, {words: string, before: string, after: string}>} what was taken from a side, by side and clause */
  taken;
  asked = 0; // of `#refreshNow`: only the answer to the last is drawn
  /** @type {Promise<void>} */
  refreshed;
  /** @type {Promise<unknown>} what was sent to a side, one after the other */
  sending;
  drawing = false; // of `#chosen`
  /** @type {Promise<unknown> | null} of `#may` */
  busy;

  /** @param {Frame} frame */
  constructor(frame) {
    this.frame = frame;
    /** @type {Partial<Record<Column, ColumnEditor>>} */
    this.editors = {};
    this.at = 0;
    this.bar = new VideoBar(
      frame,
      'Split',
      (id) => this.tabs.open(id),
      () => this.tabs.flush(),
    );
    this.findings = new Findings(this);
    this.proposal = new Proposal(this);
    this.tabs = new SplitTabs(this, this.#runs());
    this.saved = h('span', { class: 'dl-saved', role: 'status' });
    this.left = h('div', { class: 'dl-pane dl-middle dl-sx-left' });
    this.proposed = h('div', {});
    this.heads = h('div', { class: 'dl-sx-heads', role: 'row' });
    this.rowsBox = h('div', { class: 'dl-sx-rows', role: 'rowgroup' });
    this.editBox = h('div', { class: 'dl-sx-editors' });
    this.table = h(
      'div',
      { class: 'dl-sx-table', role: 'grid', 'aria-label': 'Clauses' },
      this.heads,
      this.proposed,
      h('div', { class: 'dl-sx-body' }, this.rowsBox, this.editBox),
    );
    this.right = h('div', { class: 'dl-pane dl-sx-right' });
    this.summary = h('section', { class: 'dl-sx-summary', 'aria-label': 'This clause' });
    whenLeft(watchSaver({ save: () => Promise.all([this.sending, this.tabs.flush()]), why: () => '' })); // editors say why themselves
    document.addEventListener(
      'dl-changed',
      (/** @type {CustomEvent} */ { detail }) => {
        const drawn = this.tabs.changed(detail)?.catch(report);
        detail.until?.(drawn);
      },
      { signal: pageSignal() },
    );
  }

  /** Others have changed something here. */
  async #others() {
    if (this.tabs.view) await this.tabs.view.follow?.();
    else if (this.data && !this.busy && !this.proposal.open && !Object.keys(this.editors).length)
      await this.refresh();
  }

  async start() {
    const { frame } = this;
    onChange(
      () => this.bar.shown,
      () => this.#others(),
    );
    frame.main.classList.add('dl-sx');
    const link = h(
      'a',
      {
        class: 'dl-button',
        href: '/api/export/carebench?values=current',
        'data-name': 'download',
        title:
          'All videos: the texts that count now, also drafts of machines; Export in the Library says whose they are',
        onclick: (event) => {
          event.preventDefault();
          download(link.href).catch(report);
        },
      },
      icon('download'),
      'metadata.json',
    );
    clear(this.bar.extra, this.tabs.node, this.saved, frame.can('export') ? link : null);
    this.#keys();
    frame.main.replaceChildren(this.bar.node, this.left, this.right, this.tabs.host);
    await this.bar.start();
  }

  // --- data -------------------------------------------------------------------------

  /** @param {string} id */
  async openSplit(id) {
    await whileOpen(this.#closeEditors());
    this.at = 0;
    this.wanted = {};
    this.taken = new Map();
    this.proposal.clear();
    this.findings.forget();
    this.#say('', '');
    // The first time since the server started, the language model of the checks is read.
    if (!this.data)
      this.right.replaceChildren(h('p', { class: 'dl-empty', role: 'status' }, 'Reading the captions …'));
    const data = await this.#fetch(id, true).catch((error) => {
      if (!this.data) clear(this.right);
      throw error;
    });
    if (this.bar.id !== id) return;
    this.data = data;
    this.bar.named(data.video.title);
    this.player = playerOf(data.player);
    this.left.replaceChildren(this.player.node, this.summary);
    this.player.start().catch(report);
    this.#draw();
    // What was not saved is shown; the caret goes where the person's next key puts it.
    for (const name of COLUMNS)
      if (!this.editors[name] && draftOf(draftKey(data.texts[name] || newText(this.#place(name)))))
        this.edit(name, false);
  }

  /**
   * @param {string} id
   * @param {boolean} player whether its data are wanted too
   * @returns {Promise<Split>}
   */
  #fetch(id, player) {
    const query = new URLSearchParams({ player: String(player), ...this.wanted });
    return api(`/api/split/${encodeURIComponent(id)}?${query}`);
  }

  /** Of several at once the last is drawn, and all end then. */
  refresh() {
    this.refreshed = this.#refreshNow();
    return this.refreshed;
  }

  async #refreshNow() {
    const { shown: id } = this.bar;
    this.asked += 1;
    const turn = this.asked;
    const data = await this.#fetch(id, false);
    if (this.bar.id !== id) return;
    if (turn !== this.asked) {
      await this.refreshed;
      return;
    }
    const chosen = this.data.rows[this.at]?.full;
    const same =
      chosen && data.texts.full?.value === this.data.texts.full?.value
        ? data.rows.findIndex((row) => row.full?.[0] === chosen[0])
        : -1;
    if (same >= 0) this.at = same; // rows of the sides alone may have come or gone above it
    this.data = { ...data, player: this.data.player };
    this.#draw();
    if (Object.values(this.editors).some((editor) => editor.unsaved)) this.findings.typed();
  }

  /** The three texts as they stand in the page, saved or not. */
  get values() {
    return Object.fromEntries(
      COLUMNS.map((name) => [name, this.editors[name]?.area.value ?? this.data.texts[name]?.value ?? '']),
    );
  }

  redraw() {
    if (this.data) this.#draw();
  }

  /**
   * @param {Column} name
   * @param {string} textId
   */
  show(name, textId) {
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
    const others = SIDES.filter((side) => this.data.texts[side]?.of_other);
    if (!others.length) return;
    for (const side of others) {
      await this.#closeEditor(side);
      delete this.wanted[side];
    }
    await this.refresh();
  }

  // --- drawing ----------------------------------------------------------------------

  #draw() {
    const { texts } = this.data;
    if (!COLUMNS.some((name) => texts[name] || this.editors[name])) {
      this.right.replaceChildren(this.#empty());
      clear(this.summary);
      return;
    }
    const inside = this.rowsBox.contains(document.activeElement);
    clear(
      this.heads,
      COLUMNS.map((name) => columnHead(this, name)),
    );
    const scroll = this.rowsBox.scrollTop;
    this.at = Math.max(0, Math.min(this.at, this.data.rows.length - 1));
    clear(this.proposed, this.proposal.bar());
    drawRows(this);
    this.findings.draw();
    if (this.table.parentNode !== this.right) this.right.replaceChildren(this.table, this.findings.node);
    this.rowsBox.scrollTop = scroll;
    this.table.style.setProperty('--dl-gutter', `${this.rowsBox.offsetWidth - this.rowsBox.clientWidth}px`);
    this.#mark(inside);
    this.#placeEditors();
  }

  #empty() {
    const can = this.frame.can('edit');
    return empty(
      'This video has no full caption to split. Import a metadata.json of CaReBench or run the captions in the Library, or write the caption here.',
      h(
        'div',
        { class: 'dl-row' },
        toLibrary(),
        can
          ? button('Write the full caption', () => this.openByButton('full'), { name: 'write-full' })
          : null,
      ),
    );
  }

  /**
   * A click on a row; on a finding in it, that one is chosen.
   * @param {number} n
   * @param {MouseEvent} event
   */
  clicked(n, event) {
    this.select(n);
    const flaw = /** @type {HTMLElement} */ (event.target).closest?.('.dl-flaw');
    const id = /** @type {HTMLElement | null} */ (flaw)?.dataset.finding;
    if (id) this.findings.choose(id);
  }

  /** @param {number} n */
  node(n) {
    return this.rowsBox.children[n];
  }

  /**
   * The row of a finding is chosen, and its words are shown.
   * @param {Finding} one
   */
  reveal(one) {
    const n = this.data.rows.findIndex((row) =>
      /** @type {Span[]} */ (row[one.side] ? [row[one.side]].flat(one.side === 'full' ? 0 : 1) : []).some(
        ([start, end]) => start <= one.start && one.start < end,
      ),
    );
    if (n >= 0 && one.end > one.start) this.at = n;
    drawRows(this);
    this.#mark(false);
    for (const name of this.#edited) this.#mirror(name);
    (
      this.rowsBox.querySelector('.dl-flaw-here')?.closest('.dl-sx-row') || this.node(this.at)
    )?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {number} n */
  select(n) {
    if (n === this.at && this.rowsBox.children[n]?.getAttribute('aria-selected') === 'true') return;
    this.at = n;
    this.#chosen();
    this.#mark(false);
  }

  /** The clause in focus shows what can be done about its proposal. */
  #chosen() {
    if (!this.proposal.open || this.drawing) return;
    const inside = this.rowsBox.contains(document.activeElement);
    this.drawing = true; // a row that is given the focus is selected
    drawRows(this);
    if (inside) this.node(this.at)?.focus({ preventScroll: true });
    this.drawing = false;
  }

  /** @param {boolean} focus */
  #mark(focus) {
    for (const node of this.rowsBox.children) {
      const chosen = Number(node.dataset.row) === this.at;
      node.setAttribute('aria-selected', String(chosen));
      node.tabIndex = chosen ? 0 : -1;
      const sends = /** @type {NodeListOf<HTMLElement>} */ (node.querySelectorAll('.dl-sx-send'));
      for (const send of sends) send.tabIndex = chosen ? 0 : -1;
      if (chosen && focus) node.focus({ preventScroll: true });
      if (chosen && focus) node.scrollIntoView({ block: 'nearest' });
    }
    this.#summarise();
  }

  #summarise() {
    const { rows, texts } = this.data;
    const row = rows[this.at];
    const whole = rows.filter((r) => r.full);
    const placed = whole.filter((r) => r.state !== 'neither').length;
    /** @param {Row} r */
    const jump = (r) =>
      button(String(rows.indexOf(r) + 1), () => this.go(rows.indexOf(r)), {
        kind: 'quiet',
        title: 'Go to this clause',
      });
    /** @type {(kind: string, state: string, text: (found: Row[]) => string) => HTMLElement | null} */
    const line = (kind, state, text) => {
      const found = rows.filter((r) => r.state === state);
      return found.length
        ? h(
            'p',
            { class: 'dl-sx-finding' },
            mark(kind, text(found)),
            state === 'extra'
              ? null
              : h('span', {}, found.slice(0, MOST_JUMPS).map(jump), found.length > MOST_JUMPS ? ' …' : null),
          )
        : null;
    };
    /** @param {Side} side */
    const extra = (side) => rows.filter((r) => !r.full).reduce((sum, r) => sum + r[side].length, 0);
    clear(
      this.summary,
      h('h2', {}, `${placed} of ${plural(whole.length, 'clause')} placed`),
      line('failed', 'neither', (f) => `${f.length} in neither`),
      line('neutral', 'both', (f) => `${f.length} in both`),
      SIDES.map((side) =>
        extra(side)
          ? h(
              'p',
              { class: 'dl-sx-finding' },
              mark('unparsed', `${side}: ${plural(extra(side), 'clause')} not in the full caption`),
            )
          : null,
      ),
      row?.full ? this.#clause(row) : null,
      this.frame.can('edit') && texts.full
        ? h(
            'div',
            { class: 'dl-row' },
            button(['Propose a split', keyHint('split.propose')], () => this.proposal.ask().catch(report), {
              name: 'propose',
              title: 'The model that writes proposes a split, clause by clause',
            }),
          )
        : null,
      SIDES.some((s) => texts[s]?.by === 'run' && !texts[s].corrected)
        ? h(
            'p',
            { class: 'dl-hint' },
            SIDES.some((s) => texts[s]?.baseline) ? baselineBadge() : null,
            'A machine’s proposal counts, also in the download, until somebody writes or keeps a text.',
          )
        : null,
    );
  }

  /** @param {Row} row */
  #clause(row) {
    const can = this.frame.can('edit');
    return h(
      'div',
      { class: 'dl-sx-this' },
      h('p', {}, h('b', {}, `Clause ${this.at + 1}`), ' ', stateMark(row)),
      can
        ? h(
            'div',
            { class: 'dl-row' },
            SIDES.map((side) =>
              button(
                [row[side].length ? `Take from ${side}` : `Send to ${side}`, keyHint(`split.${side}`)],
                () => this.send(side),
              ),
            ),
          )
        : null,
      can ? h('p', { class: 'dl-hint' }, 'The same key takes it back.') : null,
    );
  }

  // --- moving and sending -----------------------------------------------------------

  /** @param {number} n */
  go(n) {
    if (!this.data?.rows[n]) return;
    this.at = n;
    this.#chosen();
    this.#mark(true);
  }

  /**
   * The clause in focus goes to a side, or what the side made of it is taken away; the same key undoes it.
   * @param {Side} side
   */
  send(side) {
    const row = this.data?.rows[this.at];
    if (!row || !this.frame.can('edit')) return;
    const { id } = this.bar;
    const clause = row.full
      ? { start: row.full[0], words: words(this.data.texts.full.value, row.full) }
      : null;
    // One after the other, each about the clause that was in focus when its key was pressed.
    this.sending = (this.sending || Promise.resolve())
      .then(() => (id === this.bar.id ? this.#send(side, clause) : null))
      .catch(report);
  }

  /**
   * The row of a clause as the rows are now; undefined where its words are gone.
   * @param {Clause} clause
   */
  #rowOf({ start, words: wanted }) {
    const { rows, texts } = this.data;
    const same = rows.filter((row) => row.full && words(texts.full.value, row.full) === wanted);
    return same.find((row) => row.full[0] === start) || same[0];
  }

  /**
   * @param {Side} side
   * @param {Clause | null} clause
   */
  async #send(side, clause) {
    await this.ofThisCaption();
    const { data } = this;
    const row = clause && this.#rowOf(clause);
    if (!row) {
      notice('Only clauses of the full caption can be sent; edit the text to change the others.');
      return;
    }
    const full = data.texts.full.value;
    const key = `${side}:${words(full, row.full)}`;
    const before = data.texts[side]?.value ?? '';
    const glue = glueOf(full, data.rows);
    let after;
    if (row[side].length) {
      after = without(before, row[side]);
      this.taken.set(key, { words: row[side].map((span) => words(before, span)).join(glue), before, after });
    } else {
      const kept = this.taken.get(key);
      if (kept?.after === before) after = kept.before;
      else
        after = kept
          ? withWords(before, row.place[side], kept.words, glue)
          : withClause(before, data.rows, data.rows.indexOf(row), side, full, glue);
      this.taken.delete(key);
    }
    await this.put({ [side]: after });
  }

  /**
   * New texts by column, each over what it was; false when somebody else was faster.
   * @param {Partial<Record<Column, string>>} values
   */
  async put(values) {
    const open = this.#edited.filter((name) => name in values);
    for (const name of open) await this.#closeEditor(name);
    this.#say('saving', 'Saving …');
    for (const [name, value] of /** @type {[Column, string][]} */ (Object.entries(values))) {
      const text = this.data.texts[name];
      if ((text?.value ?? '') === value) continue;
      try {
        const saved = text
          ? await api('/api/edit', { subject: text.subject, value, base_revision: text.revision })
          : await api('/api/text', { ...this.#place(name), value });
        this.#say('saved', `Saved ${timeOfDay(saved.saved_at)}`);
      } catch (error) {
        this.#say('failed', `Not saved: ${error.message}`);
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
   * A decision was undone or redone: open editors begin anew with what counts now.
   * @param {import('./split_tabs.js').Changed} detail
   */
  async changed({ video }) {
    if (!this.data || (video && video !== this.bar.id)) return;
    const open = this.#edited;
    await this.#closeEditors();
    this.taken.clear();
    await this.refresh();
    for (const name of open) this.edit(name, false);
  }

  /**
   * @param {string} kind
   * @param {string} text
   */
  #say(kind, text) {
    this.saved.className = `dl-saved ${kind ? `dl-saved-${kind}` : ''}`;
    this.saved.textContent = text;
  }

  // --- writing ----------------------------------------------------------------------

  /** The columns that are being written. */
  get #edited() {
    return /** @type {Column[]} */ (Object.keys(this.editors));
  }

  /**
   * Where one's own text of a column stands; where there is none, the first words that are saved make it.
   * @param {Column} name
   */
  #place(name) {
    return {
      video_id: this.bar.shown,
      kind: `carebench:${name}`,
      source_text_id: name === 'full' ? '' : this.data.texts.full?.id || '',
    };
  }

  /**
   * A machine's proposal becomes one's own text; the proposal stays beside it.
   * @param {Column} name
   */
  async adopt(name) {
    try {
      await this.flush();
      const { id, value } = this.data.texts[name];
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
  async #saveNext() {
    const from = COLUMNS.find((name) => this.editors[name]?.area === document.activeElement);
    const still = wanted();
    await requireSaved();
    const next = COLUMNS[COLUMNS.indexOf(from) + 1];
    if (!next)
      throw new Refused(
        `This was the last of the three texts. ${keyText('videos.next')} opens the next video.`,
      );
    if (from) await this.#closeEditor(from);
    if (!still()) return;
    if (this.editors[next]) this.editors[next].area.focus();
    else this.edit(next);
  }

  /**
   * `edit`, after what is on its way to this column.
   * @param {Column} name
   */
  async openOnArrival(name) {
    const still = wanted();
    await this.sending;
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
   * Between the aligned sentences and the editor of one column.
   * @param {Column} name
   */
  edit(name, focus = true) {
    if (!this.frame.can('edit')) throw new Refused('Only people who may edit can write here.');
    if (!this.data) throw new Refused('The captions are not here yet.');
    const text = this.data.texts[name] || newText(this.#place(name));
    if (!text.subject) delete this.wanted[name];
    if (this.editors[name]) {
      this.#closeEditor(name)
        .then(() => this.refresh())
        .catch(report);
      return true;
    }
    const editor = /** @type {ColumnEditor} */ (
      new TextEditor(text, {
        label: name === 'full' ? 'full caption' : `${name} text`,
        rows: 8,
        limit: name === 'full' ? this.data.words[1] : 0,
        onsaved: () => this.refresh().catch(report),
      })
    );
    this.editors[name] = editor;
    editor.mirror = h('div', { class: 'dl-sf-mirror', 'aria-hidden': 'true' });
    editor.area.before(editor.mirror);
    editor.area.addEventListener('input', () => {
      this.#mirror(name);
      this.findings.typed();
    });
    editor.place = h(
      'div',
      { class: 'dl-sx-editor', role: 'row', 'data-editor': name },
      h('div', { role: 'gridcell' }, editor.node),
    );
    this.#draw();
    if (focus) editor.area.focus();
    return null;
  }

  #placeEditors() {
    for (const [n, name] of COLUMNS.entries()) {
      const place = this.editors[name]?.place;
      if (!place) continue;
      place.style.left = `calc(${n} * (100% - var(--dl-gutter)) / 3)`;
      // A node that is put in again loses the focus.
      if (place.parentNode !== this.editBox) this.editBox.append(place);
      this.#mirror(name);
    }
  }

  /**
   * Findings underlined under the text that is being typed.
   * @param {Column} name
   */
  #mirror(name) {
    const editor = this.editors[name];
    if (!editor) return;
    const chars = Array.from(editor.area.value);
    const drawn = pieces(chars, [0, chars.length], flawsOf(this.data.findings || [], name));
    clear(
      editor.mirror,
      drawn.map(([text, labels]) => flawed(text, labels, this.findings.at)),
    );
  }

  /** @param {Column} name */
  async #closeEditor(name) {
    const editor = this.editors[name];
    if (!editor) return;
    await editor.save();
    if (editor.why) throw new Error(editor.why);
    editor.place.remove();
    delete this.editors[name];
  }

  async #closeEditors() {
    for (const name of this.#edited) await this.#closeEditor(name);
  }

  async flush() {
    const open = Object.values(this.editors);
    if (!open.length) return;
    await Promise.all(open.map((editor) => editor.save()));
    await this.refresh();
  }

  /** What is typed here is stored, and what is stored is here. */
  async upToDate() {
    await this.flush();
    await this.refreshed;
  }

  /**
   * One at a time, and only for those who may edit.
   * @param {() => unknown} action
   */
  #may(action) {
    if (!this.frame.can('edit')) throw new Refused('Only people who may edit can change this.');
    if (this.busy || !this.data) throw new Refused('The change before is not through yet.');
    this.busy = Promise.resolve(action()).finally(() => {
      this.busy = null;
    });
    return this.busy;
  }

  /**
   * What the keys of the page do while the split is shown.
   * @returns {import('./split_tabs.js').Runs}
   */
  #runs() {
    return {
      begin: () => true, // of Write and Merge
      save_next: () => this.#saveNext(),
      next: () => this.go(this.at + 1),
      previous: () => this.go(this.at - 1),
      ...Object.fromEntries(SIDES.map((side) => [side, () => this.send(side)])),
      ...Object.fromEntries(COLUMNS.map((name) => [`edit_${name}`, () => this.openOnArrival(name)])),
      finding: () => this.findings.go(1),
      finding_before: () => this.findings.go(-1),
      fix: () => this.#may(() => this.findings.fix()),
      dismiss: () => this.#may(() => this.findings.dismiss()),
      propose: () => this.#may(() => this.proposal.ask()),
      accept: () => this.#may(() => this.proposal.accept()),
      edit_proposal: () => this.#may(() => this.proposal.edit()),
      refuse: () => this.#may(() => this.proposal.refuse()),
      accept_all: () => this.#may(() => this.proposal.acceptAll()),
      refuse_all: () => this.#may(() => this.proposal.refuseAll()),
    };
  }

  #keys() {
    bindKeys('split', this.tabs.runs(Object.keys(this.tabs.own)), () =>
      Boolean((this.tabs.view || this).data),
    );
    bindKeys('videos', this.bar.runs());
    bindKeys('queue', this.bar.queue.runs());
    bindKeys(
      'player',
      playerRuns(() => this.tabs.player),
    );
  }
}
