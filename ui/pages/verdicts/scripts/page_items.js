// Items of any system on the Verdicts page (`?of=`): the list, the frames, and everything about the one that is open.
// A system's own module items_NAME.js draws what stands in the panel; filters, keys, corrections are of this page.
import { Blindness } from '../../../lib/shell/blind_labelling.js';
import {
  address,
  api,
  button,
  clear,
  debounce,
  h,
  mark,
  pageSignal,
  plural,
  Refused,
  report,
  scoreText,
  whenLeft,
} from '../../../lib/parts/core.js';
import { onChange, writesIn } from '../../../lib/shell/server_events.js';
import { ItemPanel } from './items_panel.js';
import { itemSwitch } from './item_tabs.js';
import { ItemFilters } from './items_filters.js';
import { FramesPane } from '../../keyframes/scripts/frames_pane.js';
import { bindKeys, onTheWay, usePage } from '../../../lib/keys/keymap.js';
import { playerRuns } from '../../../lib/player/player.js';
import { finishing, leaveFor, TypedAhead } from '../../../lib/editor/open_next_item.js';
import { watchSaver } from '../../../lib/editor/save_before_leaving.js';
import { EvidenceStrip, ofWords } from './evidence_strip.js';
import { VirtualList } from '../../../lib/parts/virtual_list.js';

const PAGE = 100;
const ROW = 62;
const HEADING = 28;

/** @typedef {import('../../../lib/shell/shell.js').Frame} Frame */
/** @typedef {import('./items_panel.js').Item} Item */
/** @typedef {import('./items_panel.js').ItemSystem} ItemSystem */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ItemList']} Page of the list */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ItemLine']} ItemLine */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['NextItem']} NextItem */

/** @param {Frame} frame */
export async function show(frame) {
  usePage('items');
  const of = address.get('of');
  const system = await import(`./items_${of}.js`);
  await new ItemsPage(frame, of, system).start();
}

class ItemsPage {
  /** @type {string} the id of the item that is open, or on its way */
  openId;
  /** @type {number} its place in the list */
  openIndex;
  /** @type {Object<string, number>} */
  counts;
  /** @type {boolean} */
  blind;
  /** @type {string} */
  what;
  turn = 0; // of `#reload`: the answer to an older one is not drawn

  /**
   * @param {Frame} frame
   * @param {string} of the name of the system
   * @param {ItemSystem} system
   */
  constructor(frame, of, system) {
    this.frame = frame;
    this.of = of;
    this.system = system;
    this.filters = new ItemFilters(() => this.ahead.go(this.#reload()));
    this.list = new VirtualList({
      label: 'Items',
      page: PAGE,
      row: ROW,
      heading: HEADING,
      fetch: (offset) => this.#page({ offset }),
      draw: (/** @type {ItemLine} */ row) => this.#row(row),
      head: (/** @type {ItemLine} */ row) => row.title,
      pick: (index) => this.ahead.go(this.openAt(index)),
    });
    this.foot = h('div', { class: 'dl-list-counts', role: 'status' });
    this.middle = new FramesPane();
    this.strip = new EvidenceStrip(
      { can: frame.can, me: () => frame.me.person?.id || '' },
      { next: 'items.evidence_next', previous: 'items.evidence_previous' },
    );
    this.ahead = new TypedAhead();
    this.right = h('div', { class: 'dl-pane dl-detail' });
    this.blindness = new Blindness(frame, () => this.ahead.go(this.#reload(this.openId)));
    const signal = pageSignal();
    addEventListener('pagehide', () => this.panel?.sendAndForget(), { signal });
    whenLeft(watchSaver({ save: () => this.panel?.leave(), why: () => this.panel?.why || '' }));
    document.addEventListener(
      'dl-changed',
      (event) => this.ahead.go(this.#undone(/** @type {CustomEvent} */ (event).detail)),
      { signal },
    );
  }

  async start() {
    const { frame } = this;
    frame.main.classList.add('dl-three', 'dl-items');
    frame.main.replaceChildren(
      h(
        'div',
        { class: 'dl-pane dl-listpane dl-items-pane' },
        h('div', {}, itemSwitch(frame, this.of), this.filters.node),
        this.list.node,
        h('div', { class: 'dl-list-foot' }, this.foot, h('span', { class: 'dl-grow' }), this.blindness.node),
      ),
      this.middle.node,
      this.right,
    );
    frame.search.placeholder = 'Search items';
    frame.search.addEventListener(
      'input',
      debounce(() => {
        address.set({ q: frame.search.value, item: '' });
        this.ahead.go(this.#reload());
      }, 250),
    );
    frame.evaluation.onchange(() => {
      address.set({ item: '' });
      this.ahead.go(this.#reload());
    });
    this.#keys();
    onChange(
      () => '',
      () => this.#others(),
    );
    await onTheWay(this.#reload(address.get('item')));
  }

  // --- the list ---------------------------------------------------------------------

  /**
   * A page of the list: {offset} or {at: an item on it}.
   * @param {Object<string, string | number>} place
   * @returns {Promise<Page>}
   */
  #page(place) {
    const query = this.filters.query();
    for (const [name, value] of Object.entries({ limit: PAGE, ...place })) query.set(name, String(value));
    return api(`/api/items/${this.of}?${query}`);
  }

  async #reload(open = '') {
    this.turn += 1;
    const { turn } = this;
    const page = await this.#page(open ? { at: open } : { offset: 0 });
    if (turn !== this.turn) return;
    this.#take(page);
    if (!page.total && !open) {
      this.#empty();
      return;
    }
    if (open) await this.open(open, page.position ?? -1);
    else await this.openAt(0);
  }

  /** @param {Page} page */
  #take(page) {
    this.evaluation = page.evaluation;
    this.frame.evaluation.update(page.evaluations);
    this.frame.evaluation.show(page.evaluation);
    this.counts = page.counts;
    this.blind = page.blind;
    this.filters.show(page);
    this.list.reset(page);
    this.#foot();
  }

  #empty() {
    const none = !this.evaluation;
    this.middle.clear();
    this.right.replaceChildren(
      h(
        'div',
        { class: 'dl-empty' },
        h(
          'p',
          {},
          none
            ? 'There are no such verdicts yet. Import the benchmark’s annotations and a file of predictions.'
            : 'No item fits this filter.',
        ),
        none
          ? h('a', { class: 'dl-button dl-button-main', href: '/' }, 'To the Library')
          : button('Show all', () => this.#showAll(), { kind: 'main' }),
      ),
    );
  }

  #showAll() {
    this.frame.search.value = '';
    this.filters.clear();
  }

  #foot() {
    const {
      counts: c,
      list: { total },
    } = this;
    /** @type {(state: string, words: string) => HTMLElement | null} */
    const some = (state, words) =>
      c[state] ? mark(state, `${c[state].toLocaleString('en')} ${words}`) : null;
    const each = {
      yes: 'right',
      no: 'wrong',
      done: this.of === 'hal' ? 'compared' : 'read',
      flagged: 'flagged',
      entailment: 'entailed',
      neutral: 'neutral',
      contradiction: 'contradicted',
      unparsed: 'unparsed',
      failed: 'failed',
      missing: 'missing',
    };
    clear(
      this.foot,
      plural(c.all, 'item'),
      ' · ',
      this.blind
        ? `${c.corrected.toLocaleString('en')} labelled by you`
        : [
            Object.entries(each).map(([state, words]) => some(state, words)),
            some('corrected', 'corrected'),
            some('confirmed', 'confirmed'),
          ],
      total !== c.all ? h('span', {}, `${total.toLocaleString('en')} shown`) : null,
    );
  }

  /** @param {ItemLine} row */
  #row(row) {
    /** @type {{label?: string}} */
    const words = this.system.row?.(row) || {};
    return h(
      'div',
      { class: 'dl-item', id: row.id, 'data-id': row.id },
      mark(row.state, ''),
      h(
        'span',
        { class: 'dl-item-label' },
        row.hidden ? '' : (words.label ?? (row.label || (row.score === null ? '–' : scoreText(row.score)))),
      ),
      h(
        'span',
        { class: 'dl-item-text' },
        h('span', { class: 'dl-item-words' }, row.text),
        h('small', {}, row.flag || row.note),
      ),
      h(
        'span',
        { class: 'dl-item-marks' },
        row.corrected ? mark('corrected', '') : row.confirmed ? mark('confirmed', '') : null,
        row.stale ? mark('stale', '') : null,
      ),
    );
  }

  // --- the open one -------------------------------------------------------------------

  /** @param {number} index */
  async openAt(index) {
    if (index >= 0 && index < this.list.total) this.list.select(index); // the next key counts from here
    const row = await this.list.rowAt(index);
    if (row && this.list.selected === index) await this.open(row.id, index);
  }

  /**
   * `index` is its place in the list; -1 for an item that the filter leaves out.
   * @param {string} id
   */
  async open(id, index = this.list.find((r) => r.id === id)) {
    if (!id) return;
    await leaveFor(this, id, index, () => this.#show(id));
  }

  /** @param {string} id */
  async #show(id) {
    /** @type {Item} */
    const detail = await api(`/api/items/${this.of}/${encodeURIComponent(id)}`);
    if (this.openId !== id) return;
    const other = address.get('video') && address.get('video') !== detail.video.id;
    address.set({
      item: id,
      video: detail.video.id,
      evaluation: this.evaluation || detail.evaluation,
      ...(other ? { frame: '', scene: '' } : {}),
    });
    const player = await this.middle.of(detail.video.id);
    if (this.openId !== id) return;
    this.panel = new ItemPanel(detail, this.system, {
      can: this.frame.can,
      player,
      of: this.of,
      changed: (now) => this.#changed(now),
    });
    this.right.replaceChildren(this.panel.node);
    this.right.scrollTop = 0;
    this.middle.given(
      player,
      detail.frames || [],
      'frames given to the model',
      'Not recorded by the source of this reply.',
    );
    const first = detail.shot?.cuts && (detail.frames || [])[0];
    if (first >= 0 && player.data.file)
      player.seek(first); // the scene that was shown, not where it should lie
    else if (detail.share && player.data.file)
      player.seek(Math.round(detail.share * (player.data.frames - 1)));
    const asked = this.system.asked?.(detail);
    if (!asked?.question) return;
    const path = ofWords(detail.video.id, asked.question, asked.answer);
    this.strip.ask(path).catch(report);
    this.strip.show(player, { path, stay: first >= 0 || Boolean(detail.share) }).catch(report);
  }

  /**
   * Something was saved: the line in the list follows, the place in the list stays.
   * @param {Item} now
   */
  async #changed(now) {
    const { turn } = this;
    const page = await this.#page({ at: now.id, limit: 1 });
    if (turn !== this.turn) return;
    const at = this.list.find((r) => r.id === now.id);
    const fresh = page.rows.find((r) => r.id === now.id);
    // Where the filter has no place for it any more, its line tells at least that it was corrected.
    if (at >= 0) {
      Object.assign(
        this.list.row(at),
        fresh || { corrected: now.corrected, confirmed: now.confirmed, label: now.label || '' },
      );
      this.list.refresh(at);
    }
    this.counts = page.counts;
    this.#foot();
  }

  /** Others have changed something: lines follow, and so does what is open where one has no hand in it. */
  async #others() {
    const { openId, panel } = this;
    if (!panel) return;
    /** @type {Item} */
    const now = await api(`/api/items/${this.of}/${encodeURIComponent(openId)}`);
    if (openId !== this.openId || panel !== this.panel) return;
    await this.#changed(now);
    if (panel.why || writesIn(this.right) || JSON.stringify(now) === JSON.stringify(panel.detail)) return;
    panel.detail = now;
    panel.draw();
  }

  /** @param {{changes: {kind: string, subject: string[]}[]}} detail what was changed */
  async #undone({ changes }) {
    const about = changes.find(({ kind }) => kind === 'opinion')?.subject[0];
    const there =
      about && about !== this.openId && (await this.#page({ at: about, limit: 1 })).position !== null;
    await this.#reload(there ? about : this.openId || '');
  }

  /** @param {number} by */
  async #move(by) {
    const to = this.list.selected + by;
    if (to >= 0 && to < this.list.total) await this.openAt(to);
  }

  async #nextOpen() {
    const query = this.filters.query();
    query.set('at', this.openId || '');
    // Asked before it is saved: a correction moves its line, and the rows that come after it.
    /** @type {NextItem} */
    const { position, id } = await api(`/api/items/${this.of}/next?${query}`);
    await this.panel?.save();
    if (position === null || id === this.openId) return;
    if ((await this.list.rowAt(position))?.id !== id) {
      await this.#reload(id);
      return;
    }
    await this.openAt(position);
  }

  #keys() {
    /** @param {() => Promise<unknown>} move */
    const go = (move) => () => this.ahead.go(move());
    /** @param {(panel: ItemPanel) => unknown} what */
    const act = (what) => () =>
      this.ahead.afterMove(() => {
        if (!this.panel) throw new Refused('No item is open.');
        return what(this.panel);
      });
    bindKeys('items', {
      next: go(() => this.#move(1)),
      previous: go(() => this.#move(-1)),
      first: go(() => this.openAt(0)),
      last: go(() => this.openAt(this.list.total - 1)),
      ...Object.fromEntries(
        [0, 1, 2, 3, 4, 5, 6].map((n) => [`choose_${n}`, act((panel) => panel?.number(n))]),
      ),
      word_next: act((panel) => panel?.step(1)),
      word_previous: act((panel) => panel?.step(-1)),
      evidence_next: () => this.ahead.afterMove(() => this.strip.step(1)),
      evidence_previous: () => this.ahead.afterMove(() => this.strip.step(-1)),
      edit: act((panel) => panel?.edit()),
      clear: act((panel) => panel?.takeBack()),
      raw: act((panel) => panel?.toggleRaw()),
      blind: () => this.blindness.toggle().catch(report),
      save_next: go(() => finishing(this.right, () => this.ahead.afterMove(() => this.#nextOpen()))),
    });
    bindKeys(
      'player',
      playerRuns(() => this.middle.player),
    );
  }
}
