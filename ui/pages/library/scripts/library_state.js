// What the Library knows: the videos that match, as far as they are here, which of them are selected, and whose work is
// shown. Components read its signals; keys and buttons call its actions.
import { address } from '../../../lib/page/address.js';
import { debounce } from '../../../lib/page/open_page.js';
import { batch, computed, signal } from '../../../lib/components/component.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { among, VIDEO_SORTS } from '../../../lib/parts/choice.js';
import { RowSelection } from './row_selection.js';

const COUNTED_MS = 1500; // until what was not counted yet is asked for again
export const AT_ONCE = 60; // rows at first; more follow as one scrolls down to them
const MOST = 500; // rows of one answer
export const SORTS = [...VIDEO_SORTS, ['newest', 'added last first']];

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['LibraryPage']} Library */
/** @typedef {import('./library_row.js').LibraryRow} Row */
/** @typedef {import('../../../lib/shell/assign.js').Queue} Queue */

/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

/** @type {Library} */
const NOTHING = { videos: [], fit: 0, total: 0, measured_only: 0, workers: [], stages: [], evaluation: '' };

/**
 * A row that is not here yet.
 * @param {string} id
 */
const bare = (id) => /** @type {Row} */ ({ id, title: 'a video', file: true, work: [] });

export class LibraryState {
  data = signal(NOTHING);
  /** @type {Signal<Queue | null>} null until it is known what is here */
  queue = signal(null);
  /** The row that is open. */
  current = signal('');
  selection = new RowSelection();
  sort = signal(among(SORTS, address.get('sort'), 'need'));
  work = signal(address.get('work'));
  evaluation = computed(() => this.data.value.evaluation);
  asking = -1; // the turn in which the next rows are on their way
  turn = 0; // of what was asked for: the answer to an older question is not drawn
  again = debounce(() => this.load().catch(report), COUNTED_MS);
  /** @type {() => void} */
  #tellKnown;
  /** @type {Promise<void>} that it is known what is here */
  known = new Promise((resolve) => {
    this.#tellKnown = resolve;
  });

  /** @param {import('../../../lib/shell/top_bar.js').Frame} frame */
  constructor(frame) {
    this.frame = frame;
  }

  get rows() {
    return this.data.value.videos;
  }

  get row() {
    return this.rows.find(({ id }) => id === this.current.value);
  }

  // --- what the server knows ----------------------------------------------------------

  /**
   * What is searched, filtered and sorted, as the server takes it.
   * @param {Object<string, string>} [more]
   */
  #query(more = {}) {
    return new URLSearchParams({
      q: this.frame.search.value,
      evaluation: address.get('evaluation'),
      sort: this.sort.value,
      work: this.work.value,
      ...more,
    });
  }

  /**
   * @param {number} offset
   * @param {number} limit
   * @returns {Promise<Library>}
   */
  #page(offset, limit) {
    return api(`/api/library?${this.#query({ offset: String(offset), limit: String(limit) })}`);
  }

  /** So many rows, as they are now. Whether they were drawn. */
  async load(wanted = Math.max(AT_ONCE, this.rows.length)) {
    this.turn += 1;
    const { turn } = this;
    /** @type {[Library, Queue]} */
    const [data, queue] = await Promise.all([this.#page(0, Math.min(wanted, MOST)), api('/api/queue')]);
    while (data.videos.length < Math.min(wanted, data.fit)) {
      const more = await this.#page(data.videos.length, Math.min(wanted - data.videos.length, MOST));
      if (turn !== this.turn || !more.videos.length) break;
      data.videos.push(...more.videos);
    }
    if (turn !== this.turn) return false;
    this.frame.evaluation.show(data.evaluation);
    batch(() => {
      this.data.value = { ...data, videos: this.#asBefore(data.videos) };
      this.queue.value = queue;
      if (data.videos.length && !this.row) this.current.value = data.videos[0].id;
    });
    this.#tellKnown();
    this.again.cancel();
    if (data.videos.some((row) => row.findings === null)) this.again();
    return true;
  }

  /**
   * A row in which nothing changed stays the same object, which is not drawn again.
   * @param {Row[]} rows
   */
  #asBefore(rows) {
    const before = new Map(this.rows.map((row) => [row.id, row]));
    return rows.map((row) => {
      const known = before.get(row.id);
      return JSON.stringify(known) === JSON.stringify(row) ? known : row;
    });
  }

  /** The next rows. */
  async more() {
    const { turn } = this;
    const { videos, fit } = this.data.value;
    if (this.asking === turn || videos.length >= fit) return;
    this.asking = turn;
    try {
      const more = await this.#page(videos.length, AT_ONCE);
      if (turn !== this.turn) return;
      const here = new Set(videos.map((row) => row.id));
      const fresh = more.videos.filter((row) => !here.has(row.id));
      if (fresh.length) this.data.value = { ...this.data.value, videos: [...videos, ...fresh] };
    } finally {
      this.asking = -1;
    }
  }

  // --- selection ----------------------------------------------------------------------

  /**
   * From where the range began to this row.
   * @param {string} id
   * @param {boolean} [on]
   */
  range(id, on) {
    this.selection.extend(this.#order(), this.current.value, id, on);
  }

  /**
   * The range goes on from the row that is open to this one.
   * @param {string} id
   */
  step(id) {
    this.selection.step(this.#order(), this.current.value, id);
  }

  #order() {
    return this.rows.map((row) => row.id);
  }

  /** @param {boolean} on */
  async selectAll(on) {
    this.selection.replace(on ? await this.#everyId() : []);
  }

  /** What is selected and does not match any more is let go. */
  async letGo() {
    const { turn } = this;
    const matching = this.selection.ids.size ? await this.#everyId() : [];
    if (turn === this.turn) this.selection.keep(matching);
  }

  /**
   * Of every video that fits, in its order, also of those that are not here yet.
   * @returns {Promise<string[]>}
   */
  async #everyId() {
    if (this.rows.length >= this.data.value.fit) return this.#order();
    return (await api(`/api/videos?${this.#query()}`)).videos;
  }

  /** What is selected, else all, in the order of the list. */
  async chosen() {
    const all = await this.#everyId();
    const { ids } = this.selection;
    return this.rowsOf(all.filter((id) => !ids.size || ids.has(id)));
  }

  /**
   * Of rows that are not here yet there is the id alone.
   * @param {string[]} ids
   */
  rowsOf(ids) {
    const here = new Map(this.rows.map((row) => [row.id, row]));
    return ids.map((id) => here.get(id) || bare(id));
  }
}
