// What the Keyframes page knows and does: the candidates of a video, what each method keeps of them, and one's own row.
// Components read its signals; keys and buttons call its actions.
import { batch, computed, signal } from '../../../lib/components/component.js';
import { address } from '../../../lib/page/address.js';
import { debounce, whileOpen } from '../../../lib/page/open_page.js';
import { Refused, report } from '../../../lib/parts/notices.js';
import { clock, frameName, timeOfDay } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { read } from '../../../lib/store/server_records.js';
import { ActionLabel } from './keyframes_action.js';

const SAVE_AFTER_MS = 500;
const AGAIN_MS = 3000;
const SIZES = ['budget', 'progression', 'clusters', 'person'];
const LEAST = 2;
const MOST = 24; // frames of a row of a fixed size, as the server has it

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['KeyframesPage']} Keyframes */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FramesPicked']} FramesPicked */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CandidateFrame']} Candidate */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['NeighbourPair']} Pair of neighbours, with the verdict on it */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['KeyframeRow']} MethodRow what a method or a person kept */
/** @typedef {import('../../../lib/player/player.js').Player} Player */

/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

export class KeyframesState {
  /** @type {Signal<Keyframes | null>} */
  data = signal(null);
  /** The candidate in focus. */
  at = signal(0);
  /** @type {Signal<Set<number>>} the frames of one's own row */
  picks = signal(new Set());
  /** How one's own row stands on the server: `kind` is '', 'typing', 'saving', 'saved' or 'failed'. */
  saved = signal({ kind: '', words: '' });
  /** @type {Signal<TextEditor | null>} of the caption of the candidate in focus */
  editor = signal(null);
  /** @type {Signal<ActionLabel | null>} of the video */
  action = signal(null);
  /** @type {Signal<{n: number, left: number, top: number} | null>} the gap that is explained, and where */
  explained = signal(null);
  /** Whether the raw reply of the judge is shown. */
  raw = signal(false);
  /** The row whose size the others have, as it was chosen. */
  sizeOf = signal(address.get('size'));
  /** @type {Signal<boolean>[]} of `isAt` */
  columns = [];
  /** Whether the editor gets the caret when it is drawn. */
  takesCaret = false;
  unsaved = false;
  asked = 0; // of `#asks`
  /** @type {Player} */
  player;

  /**
   * @param {import('../../../lib/shell/top_bar.js').Frame} frame
   * @param {{id: string, shown: string}} bar which video is open
   */
  constructor(frame, bar) {
    this.can = frame.can;
    this.me = frame.me.person.id;
    this.bar = bar;
    this.chosen = { author: address.get('captions'), looks: address.get('looks') };
    this.budget = Number.parseInt(address.get('budget'), 10) || 0;
    this.later = debounce(() => this.save(), SAVE_AFTER_MS);
    /** By the second frame: frames with unparsed captions are skipped, and their neighbours compared. */
    this.pairs = computed(
      () => new Map((this.data.value?.pairs || []).map((/** @type {Pair} */ pair) => [pair.frames[1], pair])),
    );
    this.progression = computed(() => this.data.value?.rows.find((row) => row.key === 'progression'));
  }

  // --- what the server knows ----------------------------------------------------------

  /**
   * Another video.
   * @param {string} id
   * @param {(data: Keyframes, player: Player) => void} show draws what is about the video
   */
  async open(id, show) {
    if (this.data.value && this.data.value.video.id !== id) this.chosen = { author: '', looks: '' };
    const data = await this.#load(id);
    if (this.bar.id !== id) return;
    this.player = playerOf(data.player);
    show(data, this.player);
    const wanted = Number.parseInt(address.get('frame'), 10) || this.player.index;
    batch(() => {
      this.#take(data);
      this.#ownRow();
      const mine = this.mine();
      this.#say('', mine ? `Saved ${timeOfDay(mine.created_at)}` : '');
      this.explained.value = null;
      this.#focus(
        wanted
          ? data.frames.findLastIndex((f) => f.index <= wanted)
          : data.frames.findIndex((f) => f.index >= this.player.data.opens),
      );
    });
    this.starting = this.player.start().catch(report);
  }

  /**
   * What a link named may be gone: then the newest captions, and the usual way to look, are shown.
   * @param {string} id
   * @returns {Promise<Keyframes>}
   */
  async #load(id) {
    try {
      return await read(`/api/keyframes/${encodeURIComponent(id)}?${new URLSearchParams(this.query())}`, id);
    } catch (error) {
      if (error.status !== 404 || !(this.chosen.author || this.chosen.looks)) throw error;
      this.chosen = { author: '', looks: '' };
      report(error);
      return api(`/api/keyframes/${encodeURIComponent(id)}`);
    }
  }

  /** @param {Keyframes} data */
  #take(data) {
    this.data.value = { ...data, player: data.player || this.data.value.player };
    const { video } = data;
    if (this.action.value?.id === video.id) {
      this.action.value.show(video.action);
      return;
    }
    // A field of its own for each video: whoever still types into that of the one before does not write here.
    this.action.value?.close().catch(report);
    this.action.value = new ActionLabel(video, {
      readonly: !this.can('edit'),
      changed: () => (this.bar.shown === video.id ? this.refresh() : null),
    });
  }

  #ownRow() {
    this.picks.value = new Set(this.mine()?.frames || []);
  }

  query(chosen = this.chosen) {
    const budget = this.budget >= LEAST && this.budget <= MOST ? String(this.budget) : '';
    return Object.fromEntries(Object.entries({ ...chosen, budget }).filter(([, value]) => value));
  }

  /**
   * The page without its player; null where another video or a later answer is wanted now.
   * @returns {Promise<Keyframes | null>}
   */
  async #ask(chosen = this.chosen) {
    const { shown: id } = this.bar;
    this.asked += 1;
    const turn = this.asked;
    const query = new URLSearchParams({ player: 'false', ...this.query(chosen) });
    const data = await api(`/api/keyframes/${encodeURIComponent(id)}?${query}`);
    return this.bar.id === id && turn === this.asked ? data : null;
  }

  async refresh() {
    const data = await this.#ask();
    if (!data) return;
    batch(() => {
      this.#take(data);
      if (!this.editor.value || !data.frames[this.at.value]) this.#focus(this.at.value);
    });
  }

  /** A decision was undone or redone. */
  async changed() {
    await this.refresh();
    batch(() => {
      this.#ownRow();
      this.#focus(this.at.value);
    });
  }

  /**
   * Other captions, or another way to tell which frames look alike.
   * @param {{author?: string, looks?: string}} wanted
   */
  async choose(wanted) {
    await whileOpen(this.flush());
    const chosen = { ...this.chosen, ...wanted };
    const data = await this.#ask(chosen);
    if (!data) return;
    this.chosen = chosen;
    address.set({ captions: chosen.author, looks: chosen.looks });
    const index = this.data.value.frames[this.at.value]?.index ?? 0;
    batch(() => {
      this.#take(data);
      this.#focus(data.frames.findLastIndex((f) => f.index <= index));
    });
  }

  /** The captions of the candidates that are shown, and how they were made. */
  author() {
    const { authors, author } = this.data.value;
    return authors.find((a) => a.id === author);
  }

  // --- rows ---------------------------------------------------------------------------

  /** @returns {MethodRow | undefined} */
  mine() {
    return this.data.value.rows.find((row) => row.method === 'person' && row.person_id === this.me);
  }

  #sizes() {
    return SIZES.filter((of) => this.data.value?.rows.some((row) => row.size_of === of));
  }

  /** Whose size the uniform and the clustered row have. */
  size() {
    const there = this.#sizes();
    return there.includes(this.sizeOf.value) ? this.sizeOf.value : there[0] || 'progression';
  }

  /** @param {string} of one of SIZES */
  resize(of) {
    this.sizeOf.value = of;
    address.set({ size: of === 'budget' ? '' : of });
  }

  nextSize() {
    const there = this.#sizes();
    if (there.length) this.resize(there[(there.indexOf(this.size()) + 1) % there.length]);
  }

  /**
   * Rows of a fixed size with so many frames more or fewer.
   * @param {number} more
   */
  async resizeBudget(more) {
    const data = this.data.value;
    if (!data?.frames.length) throw new Refused('There are no frames to choose from here yet.');
    this.budget = Math.min(MOST, Math.max(LEAST, data.budget + more));
    address.set({ budget: String(this.budget) });
    this.resize('budget');
    await this.refresh();
  }

  /**
   * Progression has its own size, or that of the budget; the others have the one that was chosen.
   * @returns {MethodRow[]}
   */
  machineRows() {
    const { rows } = this.data.value;
    const of = this.size();
    if (of === 'budget') return rows.filter((row) => row.size_of === of);
    const own = of === 'clusters' ? ['clusters'] : [`clusters:${of}`];
    const keys = ['progression', 'as judged', `uniform:${of}`, ...own];
    return keys.map((key) => rows.find((row) => row.key === key)).filter(Boolean);
  }

  // --- the candidate in focus -----------------------------------------------------------

  /**
   * Whether the candidate in column n is in focus: only the two columns that change are drawn anew.
   * @param {number} n
   */
  isAt(n) {
    this.columns[n] ??= computed(() => this.at.value === n);
    return this.columns[n].value;
  }

  /** @param {number} n */
  go(n) {
    const to = this.data.value?.frames[n];
    if (!to || n === this.at.value) return;
    void this.editor.value?.save();
    batch(() => this.#focus(n));
    this.#follow(to).catch(report);
  }

  /** @param {number} n */
  #focus(n) {
    const { frames } = this.data.value;
    this.at.value = Math.max(0, Math.min(n, frames.length - 1));
    this.raw.value = false;
    const frame = frames[this.at.value];
    this.editor.value = frame
      ? new TextEditor(frame.caption, {
          label: `caption of ${frameName(frame.index)}${frame.seconds === null ? '' : ` · ${clock(frame.seconds)}`}`,
          rows: 3,
          readonly: !this.can('edit'),
          onsaved: () => this.refresh().catch(report),
        })
      : null;
  }

  /**
   * The player goes to the frame, once it has begun: its own first seek must not undo this one.
   * @param {Candidate} to
   */
  async #follow(to) {
    const { player } = this;
    if (!this.data.value.player.file) {
      address.set({ frame: to.index });
      return;
    }
    await this.starting;
    if (this.player === player && this.data.value.frames[this.at.value].index === to.index)
      player.seek(to.index).catch(report);
  }

  /**
   * The verdict on frame n and the frame before it.
   * @param {number} n
   */
  pair(n) {
    return this.pairs.value.get(this.data.value?.frames[n]?.index);
  }

  /**
   * Say what the verdict on the frame in focus and its neighbour should be; an empty label takes one's own opinion back.
   * @param {string} label
   */
  async correct(label) {
    const pair = this.pair(this.at.value);
    if (!pair || !this.can('edit') || pair.mine === label) return;
    try {
      await api('/api/edit', {
        subject: pair.subject,
        value: label ? { label, score: null } : null,
        base_revision: pair.revision,
        cleared: !label,
      });
    } finally {
      await this.refresh();
    }
  }

  /**
   * Near the gap that is pointed at or focused; without it the explanation goes away.
   * @param {number} [n]
   * @param {Element} [gap]
   */
  explain(n, gap) {
    const box = gap?.getBoundingClientRect();
    this.explained.value = box && {
      n,
      left: Math.min(innerWidth - 166, Math.max(166, box.left + box.width / 2)),
      top: box.top - 6,
    };
  }

  // --- one's own row ----------------------------------------------------------------

  /** @param {number} n */
  toggle(n) {
    const index = this.data.value?.frames[n]?.index;
    if (index === undefined || !this.can('edit')) return;
    const picks = new Set(this.picks.value);
    if (!picks.delete(index)) picks.add(index);
    this.picks.value = picks;
    this.unsaved = true;
    this.#say('typing', 'Not saved yet');
    this.later();
  }

  get body() {
    return { video_id: this.data.value.video.id, frames: [...this.picks.value].sort((a, b) => a - b) };
  }

  async save() {
    this.later.cancel();
    if (!this.unsaved) return;
    const { body } = this;
    this.#say('saving', 'Saving …');
    try {
      /** @type {FramesPicked} */
      const saved = await api('/api/keyframes', body);
      if (body.frames.join() !== this.body.frames.join()) return;
      this.unsaved = false;
      this.#say('saved', `Saved ${timeOfDay(saved.saved_at)}`);
      await this.refresh(); // sizes and agreement follow the row
    } catch (error) {
      this.#say('failed', `Not saved: ${error.message}`);
      if (error.status === 0) setTimeout(() => this.later(), AGAIN_MS);
    }
  }

  /**
   * @param {string} kind
   * @param {string} words
   */
  #say(kind, words) {
    this.saved.value = { kind, words };
  }

  /** What is typed and picked here is on the server. */
  async flush() {
    if (this.data.value)
      await Promise.all([this.editor.value?.save(), this.save(), this.action.value?.save()]);
  }
}
