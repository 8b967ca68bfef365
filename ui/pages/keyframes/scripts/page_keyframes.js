// Keyframes: candidate frames with captions, what was kept by each method and why, and one's own row.
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal, whenLeft, whileOpen } from '../../../lib/page/open_page.js';
import { clear, h, mark } from '../../../lib/parts/elements.js';
import { Refused, report } from '../../../lib/parts/notices.js';
import { clock, frameName, timeOfDay } from '../../../lib/parts/words.js';
import { api, posted } from '../../../lib/requests/requests.js';
import { empty } from '../../../lib/parts/empty.js';
import { onChange, writesIn } from '../../../lib/shell/server_events.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { bindKeys, onTheWay } from '../../../lib/keys/keymap.js';
import { drawStrip, readable } from './keyframes_strip.js';
import { Tools } from './keyframes_tools.js';
import { KeyframeViews } from './keyframes_views.js';
import { correct, drawWhy, popWords } from './selection_reasons.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { read } from '../../../lib/store/server_records.js';
import { playerRuns } from '../../../lib/player/player.js';
import { requireSaved, watchSaver } from '../../../lib/editor/save_before_leaving.js';
import { VideoBar } from '../../../lib/player/video_bar.js';

const SAVE_AFTER_MS = 500;
const SIZES = ['budget', 'progression', 'clusters', 'person'];
const LEAST = 2;
const MOST = 24; // frames of a row of a fixed size, as the server has it
/** Keys of the other views, which do nothing here. */
const CHOICES = ['choice_4', 'choice_5'];

/** @typedef {import('../../../lib/shell/top_bar.js').Frame} Frame */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['KeyframesPage']} Keyframes */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FramesPicked']} FramesPicked */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CandidateFrame']} Candidate */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['NeighbourPair']} Pair of neighbours, with the verdict on it */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['KeyframeRow']} MethodRow what a method or a person kept */
/** @typedef {KeyframesPage} Page */

/** @param {Frame} frame */
export async function show(frame) {
  await new KeyframesPage(frame).start();
}

class KeyframesPage {
  /** @type {Keyframes} */
  data;
  /** @type {HTMLDetailsElement} the raw reply of the judge, as it was drawn last */
  raw;
  asked = 0; // of `#asks`

  /** @param {Frame} frame */
  constructor(frame) {
    this.frame = frame;
    this.me = frame.me.person.id;
    this.at = 0;
    /** @type {Set<number>} the frames of one's own row */
    this.picks = new Set();
    /** @type {Map<number, Pair>} by the second frame */
    this.pairs = new Map();
    this.bar = new VideoBar(
      frame,
      'Keyframes',
      (id) => this.#open(id),
      () => this.#leave(),
    );
    this.left = h('div', { class: 'dl-kf-player' });
    this.panel = h('section', { class: 'dl-kf-panel', 'aria-label': 'This frame' });
    this.strip = h('div', {
      class: 'dl-kf-strip',
      role: 'grid',
      'aria-label': 'Candidate frames',
      tabindex: '0',
      onkeydown: (event) => this.#stripKey(event),
    });
    this.status = h('span', { class: 'dl-saved', role: 'status' });
    this.pop = h('div', { class: 'dl-kf-pop', role: 'tooltip', hidden: true });
    this.later = debounce(() => this.#save(), SAVE_AFTER_MS);
    this.unsaved = false;
    const signal = pageSignal();
    whenLeft(
      watchSaver({
        save: () => this.#leave(),
        why: () => (this.unsaved ? `your keyframes: ${this.status.textContent}` : ''),
      }),
    );
    document.addEventListener(
      'dl-changed',
      (/** @type {CustomEvent} */ { detail }) => {
        const drawn = this.#changed(detail).catch(report);
        detail.until?.(drawn);
      },
      { signal },
    );
    this.views = new KeyframeViews(this, this.#runs());
    this.tools = new Tools(this);
    this.chosen = { author: address.get('captions'), looks: address.get('looks') };
    this.sizeOf = address.get('size');
    this.budget = Number.parseInt(address.get('budget'), 10) || 0;
    const leave = () => {
      if (this.unsaved) fetch('/api/keyframes', posted(this.#body(), { keepalive: true })).catch(() => {});
    };
    addEventListener('pagehide', leave, { signal });
  }

  /** Others have changed something here, unless one has a hand in it. */
  async #others() {
    if (!this.data || this.views.view || this.unsaved || this.editor?.unsaved || writesIn(this.frame.main))
      return;
    await this.refresh();
  }

  async start() {
    const { frame } = this;
    onChange(
      () => this.bar.shown,
      () => this.#others(),
    );
    frame.main.classList.add('dl-kf');
    this.#keys();
    frame.main.replaceChildren(
      this.bar.node,
      this.left,
      this.panel,
      this.tools.node,
      this.strip,
      this.views.host,
      this.pop,
    );
    // First: the strip shows what the judges say, and a view that is blind must not begin with it.
    await onTheWay(this.views.choose(address.get('view')));
    await this.bar.start();
  }

  // --- data -------------------------------------------------------------------------

  /** @param {string} id */
  async #open(id) {
    await whileOpen(this.#leave());
    if (this.data && this.data.video.id !== id) this.chosen = { author: '', looks: '' };
    const data = await this.#load(id);
    if (this.bar.id !== id) return;
    this.#take(data);
    this.picks = new Set(this.mine()?.frames || []);
    this.#say('', this.mine() ? `Saved ${timeOfDay(this.mine().created_at)}` : '');
    this.bar.named(data.video.title);
    clear(this.bar.extra, this.views.node, this.tools.label);
    this.player = playerOf(data.player);
    this.left.replaceChildren(this.player.node);
    const wanted = Number.parseInt(address.get('frame'), 10) || this.player.index;
    this.at = Math.max(
      0,
      wanted
        ? data.frames.findLastIndex((f) => f.index <= wanted)
        : data.frames.findIndex((f) => f.index >= this.player.data.opens),
    );
    this.starting = this.player.start().catch(report);
    this.#drawAll();
    await this.views.shown(id);
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

  #drawAll() {
    const { length } = this.data.frames;
    this.at = Math.min(this.at, Math.max(0, length - 1));
    this.strip.hidden = !length;
    this.tools.draw();
    if (!length) {
      this.#empty();
      return;
    }
    drawStrip(this);
    this.#drawPanel();
    this.#mark();
  }

  /** @param {Keyframes} data */
  #take(data) {
    this.data = data;
    // Frames with unparsed captions are skipped: their neighbours are compared.
    this.pairs = new Map(data.pairs.map((/** @type {Pair} */ pair) => [pair.frames[1], pair]));
    this.progression = data.rows.find((row) => row.key === 'progression');
  }

  query(chosen = this.chosen) {
    const budget = this.budget >= LEAST && this.budget <= MOST ? String(this.budget) : '';
    return Object.fromEntries(Object.entries({ ...chosen, budget }).filter(([, value]) => value));
  }

  /**
   * Rows of a fixed size with so many frames more or fewer.
   * @param {number} more
   */
  async resizeBudget(more) {
    if (!this.data?.frames.length) throw new Refused('There are no frames to choose from here yet.');
    this.budget = Math.min(MOST, Math.max(LEAST, this.data.budget + more));
    address.set({ budget: String(this.budget) });
    this.sizeOf = 'budget';
    address.set({ size: '' });
    await this.refresh();
  }

  /**
   * Other captions, or another way to tell which frames look alike.
   * @param {{author?: string, looks?: string}} wanted
   */
  async choose(wanted) {
    await whileOpen(this.#leave());
    const chosen = { ...this.chosen, ...wanted };
    const { shown: id } = this.bar;
    const turn = this.#asks();
    /** @type {Keyframes} */
    const data = await api(
      `/api/keyframes/${encodeURIComponent(id)}?${new URLSearchParams({ player: 'false', ...this.query(chosen) })}`,
    );
    if (this.bar.id !== id || turn !== this.asked) return;
    this.chosen = chosen;
    address.set({ captions: chosen.author, looks: chosen.looks });
    const index = this.data.frames[this.at]?.index ?? 0;
    this.#take({ ...data, player: this.data.player });
    this.at = Math.max(
      0,
      data.frames.findLastIndex((f) => f.index <= index),
    );
    this.#drawAll();
  }

  author() {
    return this.data.authors.find((a) => a.id === this.data.author);
  }

  /** @returns {MethodRow | undefined} */
  mine() {
    return this.data.rows.find((row) => row.method === 'person' && row.person_id === this.me);
  }

  /** @param {number} index */
  keptBy(index) {
    return Boolean(this.progression?.frames.includes(index));
  }

  /** Whose size the uniform and the clustered row have. */
  size() {
    const there = SIZES.filter((of) => this.data.rows.some((row) => row.size_of === of));
    return there.includes(this.sizeOf) ? this.sizeOf : there[0] || 'progression';
  }

  /** @param {string} of one of SIZES */
  resize(of) {
    this.sizeOf = of;
    address.set({ size: of === 'budget' ? '' : of });
    this.tools.draw();
    drawStrip(this);
    this.#mark();
    this.#drawAside();
  }

  /**
   * Progression has its own size, or that of the budget; the others have the one that was chosen.
   * @returns {MethodRow[]}
   */
  machineRows() {
    const of = this.size();
    if (of === 'budget') return this.data.rows.filter((row) => row.size_of === of);
    const own = of === 'clusters' ? ['clusters'] : [`clusters:${of}`];
    const keys = ['progression', 'as judged', `uniform:${of}`, ...own];
    return keys.map((key) => this.data.rows.find((row) => row.key === key)).filter(Boolean);
  }

  /** @returns {MethodRow[]} */
  otherPeople() {
    return this.data.rows.filter((row) => row.method === 'person' && row.person_id !== this.me);
  }

  /** What was asked for last is shown, whatever comes last. */
  #asks() {
    this.asked += 1;
    return this.asked;
  }

  async refresh() {
    const { shown: id } = this.bar;
    const turn = this.#asks();
    /** @type {Keyframes} */
    const data = await api(
      `/api/keyframes/${encodeURIComponent(id)}?${new URLSearchParams({ player: 'false', ...this.query() })}`,
    );
    if (this.bar.id !== id || turn !== this.asked) return;
    this.#take({ ...data, player: this.data.player });
    this.tools.draw();
    if (!data.frames.length) return;
    const focus = this.#focused();
    drawStrip(this);
    this.#mark();
    focus();
    this.#drawAside();
  }

  /**
   * A decision was undone or redone.
   * @param {import('./keyframes_views.js').Changed} detail
   */
  async #changed(detail) {
    await this.views.changed(detail);
    const { video } = detail;
    if (!this.data?.frames.length || (video && video !== this.bar.id)) return;
    await this.refresh();
    this.picks = new Set(this.mine()?.frames || []);
    this.#drawAll();
  }

  /** Drawing the strip anew leaves the focus where it was. */
  #focused() {
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    /** @type {Object<string, string>} */
    const held = this.strip.contains(active) ? { ...active.dataset } : {};
    const name = ['own', 'gap', 'index'].find((key) => key in held);
    return () => {
      if (name) this.strip.querySelector(`[data-${name}="${held[name]}"]`)?.focus({ preventScroll: true });
    };
  }

  #empty() {
    const { file, frames } = this.data.player;
    if (file && frames < 2) {
      clear(
        this.panel,
        h('p', { class: 'dl-empty' }, 'This video has a single frame: there is nothing to select.'),
      );
      return;
    }
    clear(
      this.panel,
      empty(
        'No frame captions yet. The pipeline writes one for each candidate frame, asks between neighbours whether the action has moved on, and keeps the frames where it has.',
        h(
          'a',
          { class: 'dl-button dl-button-main', href: '/', 'data-name': 'run' },
          'Run it from the Library',
        ),
      ),
    );
  }

  // --- the frame in focus -----------------------------------------------------------

  /** @param {number} n */
  go(n) {
    const to = this.data?.frames[n];
    if (!to || n === this.at) return;
    void this.editor?.save();
    this.at = n;
    this.#drawPanel();
    this.#mark();
    this.#follow(to).catch(report);
  }

  /**
   * The player goes to the frame, once it has begun: its own first seek must not undo this one.
   * @param {Candidate} to
   */
  async #follow(to) {
    const { player } = this;
    if (!this.data.player.file) {
      address.set({ frame: to.index });
      return;
    }
    await this.starting;
    if (this.player === player && this.data.frames[this.at].index === to.index)
      player.seek(to.index).catch(report);
  }

  /** Along the strip alone: in a low window the page stays at the picture. @param {Element} cell */
  #showColumn(cell) {
    const { strip } = this;
    const [around, its] = [strip.getBoundingClientRect(), cell.getBoundingClientRect()];
    const heads = strip.querySelector('.dl-kf-name')?.clientWidth || 0;
    const left = its.left - around.left - heads;
    const right = its.right - around.right;
    strip.scrollLeft += left < 0 ? left : Math.max(0, right);
  }

  #mark() {
    for (const cell of this.strip.querySelectorAll('.dl-kf-cell'))
      cell.classList.toggle('dl-kf-on', Number(cell.dataset.n) === this.at);
    const here = this.strip.querySelector('.dl-kf-frames .dl-kf-on');
    if (here) this.#showColumn(here);
    for (const node of this.strip.querySelectorAll('.dl-kf-frame')) {
      const chosen = here?.contains(node);
      node.setAttribute('aria-current', String(Boolean(chosen)));
      node.tabIndex = chosen ? 0 : -1;
      if (
        chosen &&
        this.strip.contains(document.activeElement) &&
        document.activeElement.matches('.dl-kf-frame')
      )
        node.focus({ preventScroll: true });
    }
    for (const node of this.strip.querySelectorAll('.dl-kf-own, .dl-kf-gap'))
      node.tabIndex = node.closest('.dl-kf-on') ? 0 : -1;
  }

  #drawPanel() {
    const frame = this.data.frames[this.at];
    this.editor = new TextEditor(frame.caption, {
      label: `caption of ${frameName(frame.index)}${frame.seconds === null ? '' : ` · ${clock(frame.seconds)}`}`,
      rows: 3,
      readonly: !this.frame.can('edit'),
      onsaved: () => this.refresh().catch(report),
    });
    this.wording = h('div', { class: 'dl-kf-wording' });
    this.aside = h('div', { class: 'dl-kf-why' });
    clear(this.panel, h('div', { class: 'dl-kf-caption' }, this.editor.node, this.wording), this.aside);
    this.#drawAside();
  }

  #drawAside() {
    const frame = this.data.frames[this.at];
    const chars = Array.from(frame.caption.value);
    clear(
      this.wording,
      frame.readable
        ? null
        : h(
            'p',
            { class: 'dl-whynot' },
            mark(frame.caption.state),
            frame.caption.reason || 'no reason recorded',
          ),
      frame.caption.stale
        ? h('p', { class: 'dl-hint' }, mark('stale', 'written for another action label'))
        : null,
      frame.other_frames.length
        ? [
            mark('flagged', 'refers to another frame'),
            frame.other_frames.map(([from, to]) => h('q', {}, chars.slice(from, to).join(''))),
            h(
              'p',
              { class: 'dl-hint' },
              'A frame caption should stand by itself: the method compares it with its neighbour’s.',
            ),
          ]
        : null,
    );
    drawWhy(this, this.aside);
  }

  /**
   * The verdict on frame n and the frame before it.
   * @param {number} n
   */
  pair(n) {
    return this.pairs.get(this.data?.frames[n]?.index);
  }

  /** @param {number} n */
  why(n) {
    return readable(this.progression?.reasons[this.data.frames[n].index]) || 'No reason was recorded.';
  }

  /**
   * Near the gap that is pointed at or focused; without arguments it goes away.
   * @param {number} [n]
   * @param {HTMLElement} [gap]
   */
  explain(n, gap) {
    this.pop.hidden = !gap;
    if (!gap) return;
    clear(this.pop, popWords(this, n));
    const box = gap.getBoundingClientRect();
    this.pop.style.left = `${Math.min(innerWidth - 166, Math.max(166, box.left + box.width / 2))}px`;
    this.pop.style.top = `${box.top - 6}px`;
  }

  runAgain() {
    return this.tools.again();
  }

  // --- one's own row ----------------------------------------------------------------

  /** @param {number} n */
  toggle(n) {
    const index = this.data?.frames[n]?.index;
    if (index === undefined || !this.frame.can('edit')) return;
    if (this.picks.has(index)) this.picks.delete(index);
    else this.picks.add(index);
    this.unsaved = true;
    this.#say('typing', 'Not saved yet');
    const focus = this.#focused();
    drawStrip(this);
    this.#mark();
    focus();
    this.#drawAside();
    this.later();
  }

  #body() {
    return { video_id: this.data.video.id, frames: [...this.picks].sort((a, b) => a - b) };
  }

  async #save() {
    this.later.cancel();
    if (!this.unsaved) return;
    const body = this.#body();
    this.#say('saving', 'Saving …');
    try {
      /** @type {FramesPicked} */
      const saved = await api('/api/keyframes', body);
      if (body.frames.join() !== this.#body().frames.join()) return;
      this.unsaved = false;
      this.#say('saved', `Saved ${timeOfDay(saved.saved_at)}`);
      await this.refresh(); // sizes and agreement follow the row
    } catch (error) {
      this.#say('failed', `Not saved: ${error.message}`);
      if (error.status === 0) setTimeout(() => this.later(), 3000);
    }
  }

  /**
   * @param {string} kind
   * @param {string} words
   */
  #say(kind, words) {
    this.status.className = `dl-saved ${kind ? `dl-saved-${kind}` : ''}`;
    this.status.textContent = words;
  }

  flush() {
    return this.#leave();
  }

  async #leave() {
    if (!this.data) return;
    await Promise.all([this.editor?.save(), this.#save(), this.views.leave(), this.tools.action?.save()]);
  }

  // --- keys -------------------------------------------------------------------------

  /**
   * Space belongs to buttons everywhere else; on a candidate it picks.
   * @param {KeyboardEvent} event
   */
  #stripKey(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.key !== ' ' || !target.matches('.dl-kf-frame')) return;
    event.preventDefault();
    this.toggle(this.at);
  }

  /** After the last candidate the work here is done, and the next of my queue opens. */
  async #saveAndNext() {
    await requireSaved();
    if (this.at < this.data.frames.length - 1) {
      this.go(this.at + 1);
      this.editor?.area.focus();
      return;
    }
    const { id } = this.bar;
    await this.bar.queue.done();
    throw new Refused(
      this.bar.id === id
        ? 'That was the last candidate of this video.'
        : `The video before is done. This is “${this.data.video.title}”.`,
    );
  }

  /** What the keys of the page do while the strip is shown. */
  #runs() {
    return {
      next: () => this.go(this.at + 1),
      previous: () => this.go(this.at - 1),
      first: () => this.go(0),
      last: () => this.go((this.data?.frames.length || 0) - 1),
      pick: () => this.toggle(this.at),
      edit: () => this.editor?.area.focus(),
      save_next: () => this.#saveAndNext(),
      yes: () => correct(this, this.at, 'yes').catch(report),
      no: () => correct(this, this.at, 'no').catch(report),
      uncertain: () => correct(this, this.at, 'uncertain').catch(report),
      clear: () => correct(this, this.at, '').catch(report),
      size: () => this.#nextSize(),
      more: () => this.resizeBudget(1),
      fewer: () => this.resizeBudget(-1),
      action: () => this.tools.action.input.focus(),
      export: () => {
        if (!this.data?.frames.length) throw new Refused('There are no frames to export here yet.');
        if (!this.frame.can('export')) throw new Refused('You may not export files here.');
        this.tools.export();
      },
      full_screen: () => this.fullScreen(),
      raw: () => {
        if (this.raw?.isConnected) this.raw.open = !this.raw.open;
      },
      ...Object.fromEntries(CHOICES.map((name) => [name, () => {}])),
    };
  }

  /** For a talk: the video and the strip alone (keyframes.css). The key again, or Esc, goes back. */
  async fullScreen() {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen();
  }

  #nextSize() {
    const there = SIZES.filter((of) => this.data?.rows.some((row) => row.size_of === of));
    if (there.length) this.resize(there[(there.indexOf(this.size()) + 1) % there.length]);
  }

  #keys() {
    bindKeys('keyframes', this.views.runs(Object.keys(this.views.own)), () => Boolean(this.data));
    bindKeys('videos', this.bar.runs());
    bindKeys('queue', this.bar.queue.runs());
    bindKeys(
      'player',
      playerRuns(() => this.player),
    );
  }
}
