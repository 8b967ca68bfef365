// A list of verdicts of any kind, the frames, and the panel of the one that is open: what Questions and Items share. A
// page says what its rows and its panel are; which one is open, going on, searching and keys are the same for all.
import { h, mount, render, signal } from '../../../lib/components/component.js';
import { Blindness } from '../../../lib/shell/blind_labelling.js';
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal, whenLeft } from '../../../lib/page/open_page.js';
import { h as element } from '../../../lib/parts/elements.js';
import { Refused, report } from '../../../lib/parts/notices.js';
import { api, ApiError } from '../../../lib/requests/requests.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { EvidenceStrip } from '../../../lib/player/evidence_strip.js';
import { ItemSwitch } from './list_filters.js';
import { FramesPane } from './player_and_model_frames.js';
import { bindKeys, onTheWay } from '../../../lib/keys/keymap.js';
import { playerRuns } from '../../../lib/player/player_keys.js';
import { finishing, leaveFor, TypedAhead } from '../../../lib/editor/type_ahead_to_next_item.js';
import { watchSaver } from '../../../lib/editor/save_before_leaving.js';
import { VirtualList } from '../../../lib/parts/virtual_list.js';

const PAGE = 100;
const ROW = 62;
const HEADING = 28;

/** @typedef {import('../../../lib/components/component.js').Children} Children */
/** @typedef {import('../../../lib/requests/requests.js').Answer} Answer */
/** @typedef {import('../../../lib/parts/virtual_list.js').Row} Row */
/** @typedef {import('../../../lib/shell/top_bar.js').Frame} Frame */
/** @typedef {import('./verdict_filters.js').VerdictFilters | import('./items_filters.js').ItemFilters} Filters */

/** @typedef {import('./open_panel.js').OpenPanel<any, any>} OpenPanel */

/**
 * @typedef {Object} ListNames
 * @property {'verdicts' | 'items'} keys the part of keys.json
 * @property {string} place the name of the one that is open, in the address
 * @property {string} path of the list on the server; `/next` below it
 * @property {string} of the system of the items; empty for questions
 * @property {string} label
 */

/** @template {OpenPanel} Panel */
export class ListPage {
  /** @type {string} the id of the one that is open, or on its way */
  openId;
  /** @type {number} its place in the list */
  openIndex;
  counts = signal(/** @type {Object<string, number>} */ ({}));
  /** @type {boolean} */
  blind;
  /** @type {string} the id of the one that is listed */
  evaluation;
  shown = signal(/** @type {Panel | null} */ (null));
  /** Why there is no panel, in its place. */
  instead = signal(/** @type {Children} */ (null));
  /** @type {{id: string, answer: Promise<Answer>} | null} */
  early = null;
  turn = 0; // of `reload`: the answer to an older one is not drawn

  /**
   * @param {Frame} frame
   * @param {ListNames} names
   * @param {Filters} filters
   * @param {{Filters: (props: {filters: any}) => Children, Panel: (props: {panel: Panel}) => Children}} parts
   */
  constructor(frame, names, filters, parts) {
    this.frame = frame;
    this.names = names;
    this.filters = filters;
    this.parts = parts;
    this.list = new VirtualList({
      label: names.label,
      page: PAGE,
      row: ROW,
      heading: HEADING,
      fetch: (offset) => this.page({ offset }),
      draw: (row) => this.#line(row),
      head: (row) => this.heading(row),
      pick: (index) => this.ahead.go(() => this.openAt(index)),
    });
    this.middle = new FramesPane();
    this.strip = new EvidenceStrip(
      { can: frame.can, me: () => frame.me.person?.id || '' },
      { next: `${names.keys}.evidence_next`, previous: `${names.keys}.evidence_previous` },
    );
    this.ahead = new TypedAhead();
    this.place = element('div');
    this.right = element('div', { class: 'dl-pane dl-detail' }, this.place);
    this.blindness = new Blindness(frame, () => this.ahead.go(() => this.reload(this.openId)));
    const signal = pageSignal();
    addEventListener('pagehide', () => this.panel?.sendAndForget(), { signal });
    whenLeft(watchSaver({ save: () => this.panel?.leave(), why: () => this.panel?.why || '' }));
    /** @type {(name: string, act: (detail: any) => unknown) => void} */
    const on = (name, act) =>
      document.addEventListener(name, (event) => act(/** @type {CustomEvent} */ (event).detail), { signal });
    on('dl-undo', (detail) => detail.until(this.ahead.ended));
    on('dl-changed', (detail) => this.ahead.go(() => this.#undone(detail)));
  }

  // --- what a page says of itself -------------------------------------------------------

  /** @type {(row: Row) => string} */
  idOf;
  /** @type {(row: Row) => Children} what stands in its line */
  row;
  /** @type {(row: Row) => string} of the group that it begins */
  heading;
  /** @type {() => Children} what is counted, under the list */
  counted;
  /** @type {() => [words: string, action: Children]} where the list is empty */
  nothing;
  /** @type {(id: string) => Promise<Answer>} all that it takes to draw one */
  ask;
  /** @type {(id: string) => Promise<void>} shows the one that is open */
  show;
  /** @type {(by: string[]) => Promise<void>} they have changed something */
  others;

  /**
   * Whether the work goes on elsewhere than at the next of this list.
   * @param {Answer} _next as the server names it
   * @param {boolean} _none there is none but this
   * @returns {Promise<boolean>}
   */
  async handedOn(_next, _none) {
    return false;
  }

  get panel() {
    return this.shown.value;
  }

  // --- the list ---------------------------------------------------------------------

  async start() {
    const { frame, names, filters, parts } = this;
    const head = element('div');
    const counts = element('div', { class: 'dl-list-counts', role: 'status' });
    const foot = [counts, element('span', { class: 'dl-grow' }), this.blindness.node];
    frame.main.classList.add('dl-three');
    frame.main.replaceChildren(
      element(
        'div',
        { class: 'dl-pane dl-listpane' },
        head,
        this.list.node,
        element('div', { class: 'dl-list-foot' }, foot),
      ),
      this.middle.node,
      this.right,
    );
    mount(head, [h(ItemSwitch, { frame, now: names.of }), h(parts.Filters, { filters })], pageSignal());
    mount(counts, h(Counts, { page: this }), pageSignal());
    mount(this.place, h(Open, { page: this }), pageSignal());
    const anew = () => {
      address.set({ [names.place]: '' });
      void this.ahead.go(() => this.reload());
    };
    frame.search.placeholder = `Search ${names.label.toLowerCase()}`;
    frame.search.addEventListener(
      'input',
      debounce(() => {
        address.set({ q: frame.search.value });
        anew();
      }, 250),
    );
    frame.evaluation.onchange(anew);
    onChange(
      () => '',
      (by) => this.others(by),
      undefined,
      true,
    );
    // What will be shown is asked for at once, not when what comes before it is drawn.
    if (address.get('video')) this.middle.of(address.get('video')).catch(() => {}); // reported where it is shown
    await onTheWay(this.reload(address.get(names.place)).catch((error) => this.#refused(error)));
  }

  /** What may not be seen yet does not hide the list. @param {unknown} error */
  #refused(error) {
    if (!(error instanceof ApiError) || error.status !== 403) throw error;
    this.instead.value = h('div', { class: 'dl-empty', role: 'alert' }, h('p', null, error.message));
  }

  /**
   * A page of the list: {offset} or {at: one on it}.
   * @param {Object<string, string | number>} place
   * @returns {Promise<Answer>}
   */
  page(place) {
    const query = this.filters.query();
    for (const [name, value] of Object.entries({ limit: PAGE, ...place })) query.set(name, String(value));
    return api(`${this.names.path}?${query}`);
  }

  async reload(open = '') {
    this.turn += 1;
    const { turn } = this;
    const asked = this.page(open ? { at: open } : { offset: 0 });
    if (open) this.#askFirst(open);
    const page = await asked;
    if (turn !== this.turn) return;
    if (!open && page.rows.length) this.#askFirst(this.idOf(page.rows[0]));
    this.take(page);
    if (open) await this.open(open, page.position ?? -1);
    else if (page.total) await this.openAt(await this.first());
    else this.#empty();
  }

  /** Asks for the one that opens first, which nothing can change before it is drawn. @param {string} id */
  #askFirst(id) {
    if (this.openId !== undefined) return;
    this.early = { id, answer: this.ask(id) };
    this.early.answer.catch(() => {}); // reported where it is drawn
  }

  /** What it takes to draw one. @param {string} id @returns {Promise<Answer>} */
  asked(id) {
    const { early } = this;
    this.early = null;
    return early?.id === id ? early.answer : this.ask(id);
  }

  /** The place of the one that opens where none is named. */
  async first() {
    return 0;
  }

  /** @param {Answer} page */
  take(page) {
    this.evaluation = page.evaluation;
    this.frame.evaluation.show(page.evaluation);
    this.blind = page.blind;
    this.filters.show(page);
    this.list.reset(page);
    this.counts.value = page.counts;
  }

  #empty() {
    const [words, action] = this.nothing();
    this.middle.clear();
    this.right.replaceChildren(this.place);
    this.instead.value = h('div', { class: 'dl-empty' }, h('p', null, words), action);
  }

  /**
   * @param {Row} row
   * @returns {HTMLElement} as the list takes it
   */
  #line(row) {
    const id = this.idOf(row);
    const node = element('div', { class: 'dl-item', id, 'data-id': id });
    render(this.row(row), node);
    return node;
  }

  /**
   * A line of the list tells what is new; its place stays.
   * @param {string} id
   * @param {Row | undefined} fresh
   */
  renewLine(id, fresh) {
    const at = this.list.find((row) => this.idOf(row) === id);
    if (at < 0 || !fresh) return;
    Object.assign(this.list.row(at), fresh);
    this.list.refresh(at);
  }

  // --- the open one -------------------------------------------------------------------

  /** @param {number} index */
  async openAt(index) {
    if (index >= 0 && index < this.list.total) this.list.select(index); // the next key counts from here
    const row = await this.list.rowAt(index);
    if (row && this.list.selected === index) await this.open(this.idOf(row), index);
  }

  /**
   * `index` is its place in the list; -1 for one that the filter leaves out.
   * @param {string} id
   */
  async open(id, index = this.list.find((row) => this.idOf(row) === id)) {
    if (id) await leaveFor(this, id, index, () => this.show(id));
  }

  /** @param {Panel} panel */
  draw(panel) {
    this.instead.value = null;
    this.shown.value = panel;
    this.right.scrollTop = 0;
  }

  /**
   * The player of the one that opens, which the address then names. Null where another was asked for since.
   * @param {string} id
   * @param {string} video its id
   */
  async playerFor(id, video, evaluation = this.evaluation) {
    if (this.openId !== id) return null;
    const other = address.get('video') && address.get('video') !== video;
    address.set({ [this.names.place]: id, video, evaluation, ...(other ? { frame: '', scene: '' } : {}) });
    const player = await this.middle.of(video);
    return this.openId === id ? player : null;
  }

  /**
   * A decision was undone or redone: the one that it was about opens, where the list has it. Its line stays in its place.
   * @param {{changes: {kind: string, subject: string[]}[]}} detail what was changed
   */
  async #undone({ changes }) {
    const about = changes.find(({ kind }) => ['error_source', 'opinion'].includes(kind))?.subject[0];
    const there = about && (await this.page({ at: about, limit: 1 })).position !== null;
    const at = there && changes.length === 1 ? this.list.find((row) => this.idOf(row) === about) : -1;
    if (at < 0) {
      await this.reload(there ? about : (this.openId ?? address.get(this.names.place)));
      return;
    }
    await this.open(about, at);
    await this.others([]);
  }

  /**
   * The next that is open after this one, from the beginning again at the end.
   * @param {string} after
   * @returns {Promise<Answer>} its place, null: none
   */
  next(after) {
    const query = this.filters.query();
    query.set('at', after);
    return api(`${this.names.path}/next?${query}`);
  }

  async #onward() {
    // Asked before it is saved: a correction moves its line in a list that is sorted by score.
    const next = await this.next(this.openId || '');
    const id = this.idOf(next);
    await this.panel?.save();
    const none = next.position === null || id === this.openId;
    if ((await this.handedOn(next, none)) || none) return;
    const row = await this.list.rowAt(next.position);
    if (row && this.idOf(row) === id) await this.openAt(next.position);
    else await this.reload(id);
  }

  /**
   * What a key does with the panel, once what is on its way is open.
   * @param {(panel: Panel) => unknown} what
   */
  act(what) {
    return () =>
      this.ahead.afterMove(() => {
        if (!this.panel) throw new Refused(`None of the ${this.names.label.toLowerCase()} is open.`);
        return what(this.panel);
      });
  }

  /** @param {Object<string, () => unknown>} runs keys of this page alone */
  keys(runs) {
    /** @param {(before: Promise<unknown>) => Promise<unknown>} move */
    const go = (move) => () => this.ahead.go(move);
    /** @param {number} by */
    const step = (by) => go(() => this.openAt(this.list.selected + by));
    bindKeys(this.names.keys, {
      next: step(1),
      previous: step(-1),
      first: go(() => this.openAt(0)),
      last: go(() => this.openAt(this.list.total - 1)),
      raw: this.act((panel) => panel.toggleRaw()),
      evidence_next: () => this.ahead.afterMove(() => this.strip.step(1)),
      evidence_previous: () => this.ahead.afterMove(() => this.strip.step(-1)),
      blind: () => this.blindness.toggle().catch(report),
      save_next: go((before) =>
        finishing(this.right, () => this.ahead.afterMove(() => this.#onward(), before)),
      ),
      ...runs,
    });
    bindKeys(
      'player',
      playerRuns(() => this.middle.player),
    );
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{page: ListPage<any>}} props */
function Counts({ page }) {
  const { all } = page.counts.value;
  const { total } = page.list;
  if (all === undefined) return null;
  return [page.counted(), total !== all && h('span', null, `${total.toLocaleString('en')} shown`)];
}

/** @param {{page: ListPage<any>}} props */
function Open({ page: { instead, shown, parts } }) {
  const panel = shown.value;
  if (instead.value || !panel) return instead.value;
  return h(parts.Panel, { key: panel.detail.value.id, panel });
}
