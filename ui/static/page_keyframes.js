// Keyframes: candidate frames with captions, what was kept by each method and why, and one's own row.
import { address, api, badge, baselineBadge, button, clear, clock, debounce, frameName, h, icon, mark, report, timeOfDay } from './core.js';
import { TextEditor } from './editor.js';
import { bindKeys, keyHint } from './keymap.js';
import { drawStrip, keepWords, pairMark } from './keyframes_strip.js';
import { Player, playerRuns } from './player.js';
import { noVideos, VideoBar } from './video_bar.js';

const SAVE_AFTER_MS = 500;

export async function show(frame) {
  await new KeyframesPage(frame).start();
}

class KeyframesPage {
  constructor(frame) {
    this.frame = frame;
    this.me = frame.me.person.id;
    this.at = 0;
    this.picks = new Set();
    this.bar = new VideoBar(frame, 'Keyframes', (id) => this.#open(id), () => this.#leave());
    this.left = h('div', { class: 'dl-kf-player' });
    this.panel = h('section', { class: 'dl-kf-panel', 'aria-label': 'This frame' });
    this.strip = h('div', { class: 'dl-kf-strip', role: 'grid', 'aria-label': 'Candidate frames', tabindex: '0', onkeydown: (event) => this.#stripKey(event) });
    this.status = h('span', { class: 'dl-saved', role: 'status' });
    this.pop = h('div', { class: 'dl-kf-pop', role: 'tooltip', hidden: true });
    this.later = debounce(() => this.#save(), SAVE_AFTER_MS);
    this.unsaved = false;
    document.addEventListener('dl-flush', (event) => event.detail.push(this.#leave()));
    document.addEventListener('dl-changed', (event) => this.#changed(event.detail).catch(report));
    addEventListener('pagehide', () => { if (this.unsaved) fetch('/api/keyframes', { method: 'POST', keepalive: true, headers: { 'Content-Type': 'application/json', 'X-Dailies': '1' }, body: this.#body() }); });
  }

  async start() {
    const { frame } = this;
    frame.main.classList.add('dl-kf');
    this.#keys();
    frame.main.replaceChildren(this.bar.node, this.left, this.panel, this.strip, this.pop);
    if (!(await this.bar.start())) { frame.main.replaceChildren(noVideos()); frame.main.classList.remove('dl-kf'); }
  }

  // --- data -------------------------------------------------------------------------

  async #open(id) {
    await this.#leave();
    const data = await api(`/api/keyframes/${encodeURIComponent(id)}`);
    if (this.bar.id !== id) return;
    this.#take(data);
    this.picks = new Set(this.#mine()?.frames || []);
    this.#say('', this.#mine() ? `Saved ${timeOfDay(this.#mine().created_at)}` : '');
    this.bar.named(data.video.title);
    clear(this.bar.extra, data.video.action ? badge(`action: ${data.video.action}`) : null);
    this.player?.video?.pause();
    this.player = new Player(data.player);
    this.left.replaceChildren(this.player.node);
    const wanted = Number.parseInt(address.get('frame'), 10);
    this.at = Math.max(0, data.frames.findLastIndex((f) => f.index <= (wanted || 0)));
    this.starting = this.player.start().catch(report);
    if (data.frames.length) { this.strip.hidden = false; drawStrip(this); this.#drawPanel(); this.#mark(); } else this.#empty();
  }

  #take(data) {
    this.data = data;
    this.pairs = new Map(data.pairs.map((pair) => [pair.frames.join(':'), pair]));
    this.reasons = data.selections.find((s) => s.method === 'progression')?.reasons || {};
  }

  #mine() { return this.data.selections.find((s) => s.method === 'person' && s.person_id === this.me); }

  machineRows() { return this.data.selections.filter((s) => s.method !== 'person'); }

  otherPeople() { return this.data.selections.filter((s) => s.method === 'person' && s.person_id !== this.me); }

  async refresh() {
    const id = this.bar.id;
    const data = await api(`/api/keyframes/${encodeURIComponent(id)}?player=false`);
    if (this.bar.id !== id) return;
    this.#take({ ...data, player: this.data.player });
    drawStrip(this);
    this.#mark();
    this.#drawAside();
  }

  /** A decision was undone or redone. */
  async #changed({ video }) {
    if (!this.data?.frames.length || (video && video !== this.bar.id)) return;
    await this.refresh();
    this.picks = new Set(this.#mine()?.frames || []);
    drawStrip(this);
    this.#drawPanel();
    this.#mark();
  }

  #empty() {
    this.strip.hidden = true;
    const { file, frames } = this.data.player;
    if (file && frames < 2) { clear(this.panel, h('p', { class: 'dl-empty' }, 'This video has a single frame: there is nothing to select.')); return; }
    clear(this.panel, h('div', { class: 'dl-empty' }, h('p', {}, 'No frame captions yet. The pipeline writes one for each candidate frame, asks between neighbours whether the action has moved on, and keeps the frames where it has.'),
      h('a', { class: 'dl-button dl-button-main', href: '/', 'data-name': 'run' }, 'Run it from the Library')));
  }

  // --- the frame in focus -----------------------------------------------------------

  go(n) {
    const to = this.data?.frames[n];
    if (!to || n === this.at) return;
    this.editor?.save();
    this.at = n;
    this.#drawPanel();
    this.#mark();
    this.#follow(to);
  }

  /** The player goes to the frame, once it has begun: its own first seek must not undo this one. */
  async #follow(to) {
    const { player } = this;
    if (!this.data.player.file) { address.set({ frame: to.index }); return; }
    await this.starting;
    if (this.player === player && this.data.frames[this.at].index === to.index) player.seek(to.index);
  }

  #mark() {
    for (const cell of this.strip.querySelectorAll('.dl-kf-cell')) cell.classList.toggle('dl-kf-on', Number(cell.dataset.n) === this.at);
    const here = this.strip.querySelector('.dl-kf-frames .dl-kf-on');
    here?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    for (const node of this.strip.querySelectorAll('.dl-kf-frame')) {
      const chosen = here?.contains(node);
      node.setAttribute('aria-current', String(Boolean(chosen)));
      node.tabIndex = chosen ? 0 : -1;
      if (chosen && this.strip.contains(document.activeElement) && document.activeElement.matches('.dl-kf-frame')) node.focus({ preventScroll: true });
    }
    for (const node of this.strip.querySelectorAll('.dl-kf-own, .dl-kf-gap')) node.tabIndex = node.closest('.dl-kf-on') ? 0 : -1;
  }

  #drawPanel() {
    const frame = this.data.frames[this.at];
    this.editor = new TextEditor(frame.caption, { label: `caption of ${frameName(frame.index)}${frame.seconds === null ? '' : ` · ${clock(frame.seconds)}`}`, rows: 3, readonly: !this.frame.can('edit'), onsaved: () => this.refresh().catch(report) });
    this.wording = h('div', { class: 'dl-kf-wording' });
    this.aside = h('div', { class: 'dl-kf-why' });
    clear(this.panel, h('div', { class: 'dl-kf-caption' }, this.editor.node, this.wording), this.aside);
    this.#drawAside();
  }

  #drawAside() {
    const frame = this.data.frames[this.at];
    const chars = Array.from(frame.caption.value);
    clear(this.wording, frame.other_frames.length ? [mark('failed', 'speaks of another frame'), frame.other_frames.map(([from, to]) => h('q', {}, chars.slice(from, to).join(''))),
      h('p', { class: 'dl-hint' }, 'A frame caption should stand by itself: the method compares it with its neighbour’s.')] : null);
    clear(this.aside, this.#kept(frame), this.at ? this.#pairBox(this.at) : h('p', { class: 'dl-hint' }, 'The first frame is always kept; it has no frame before it.'));
  }

  #kept(frame) {
    const own = this.picks.has(frame.index);
    return h('div', { class: 'dl-kf-kept' }, this.machineRows().map((s) => h('p', {}, h('span', {}, s.method), keepWords(s.frames.includes(frame.index)))),
      this.frame.can('edit') ? h('p', {}, button([icon(own ? 'done' : 'plus'), own ? 'in your row' : 'add to your row', keyHint('keyframes.pick')], () => this.toggle(this.at), { name: 'pick' })) : null);
  }

  #pairBox(n) {
    const [before, after] = [this.data.frames[n - 1].index, this.data.frames[n].index];
    const pair = this.pair(n);
    this.raw = h('details', { class: 'dl-raw' }, h('summary', {}, 'raw reply'), h('pre', {}, pair?.raw || '(no reply)'));
    return h('div', { class: 'dl-kf-pair' }, h('h2', {}, `progress from ${frameName(before)} to ${frameName(after)}`),
      h('p', { class: 'dl-kf-verdict' }, pairMark(pair), pair?.baseline ? baselineBadge() : null, pair?.stale ? mark('stale', 'a caption has changed since') : null),
      h('p', {}, this.why(n)), pair?.reason ? h('p', { class: 'dl-hint' }, pair.reason) : null, difference(pair), this.raw);
  }

  pair(n) { return this.pairs.get(`${this.data.frames[n - 1].index}:${this.data.frames[n].index}`); }

  why(n) { return this.reasons[this.data.frames[n].index]?.replace(/frame (\d+)/, (_, i) => frameName(Number(i))) || 'No reason was recorded.'; }

  /** Near the gap that is pointed at or focused; without arguments it goes away. */
  explain(n, gap) {
    this.pop.hidden = !gap;
    if (!gap) return;
    const pair = this.pair(n);
    clear(this.pop, h('p', {}, pairMark(pair), ` ${frameName(this.data.frames[n].index)}`, pair?.stale ? mark('stale', '') : null), h('p', {}, this.why(n)), pair?.reason ? h('p', {}, pair.reason) : null, difference(pair));
    const box = gap.getBoundingClientRect();
    this.pop.style.left = `${Math.min(innerWidth - 136, Math.max(136, box.left + box.width / 2))}px`;
    this.pop.style.top = `${box.top - 6}px`;
  }

  // --- one's own row ----------------------------------------------------------------

  toggle(n) {
    const index = this.data?.frames[n]?.index;
    if (index === undefined || !this.frame.can('edit')) return;
    if (this.picks.has(index)) this.picks.delete(index);
    else this.picks.add(index);
    this.unsaved = true;
    this.#say('typing', 'Not saved yet');
    const held = document.activeElement?.dataset?.own;
    drawStrip(this);
    this.#mark();
    if (held !== undefined) this.strip.querySelector(`[data-own="${held}"]`)?.focus({ preventScroll: true });
    this.#drawAside();
    this.later();
  }

  #body() { return JSON.stringify({ video_id: this.data.video.id, frames: [...this.picks].sort((a, b) => a - b) }); }

  async #save() {
    this.later.cancel();
    if (!this.unsaved) return;
    const body = this.#body();
    this.#say('saving', 'Saving …');
    try {
      const saved = await api('/api/keyframes', JSON.parse(body));
      if (body === this.#body()) { this.unsaved = false; this.#say('saved', `Saved ${timeOfDay(saved.saved_at)}`); }
    } catch (error) {
      this.#say('failed', `Not saved: ${error.message}`);
      if (error.status === 0) setTimeout(() => this.later(), 3000);
    }
  }

  #say(kind, words) {
    this.status.className = `dl-saved ${kind ? `dl-saved-${kind}` : ''}`;
    this.status.textContent = words;
  }

  async #leave() {
    if (!this.data) return;
    await Promise.all([this.editor?.save(), this.#save()]);
  }

  // --- keys -------------------------------------------------------------------------

  /** Space belongs to buttons everywhere else; on a candidate it picks. */
  #stripKey(event) {
    if (event.key !== ' ' || !event.target.matches('.dl-kf-frame')) return;
    event.preventDefault();
    this.toggle(this.at);
  }

  /** After the last candidate the work here is done, and the next of my queue opens. */
  async #saveAndNext() {
    if (this.at === this.data.frames.length - 1 && await this.bar.queue.done()) return;
    this.editor?.save();
    this.go(this.at + 1);
    this.editor?.area.focus();
  }

  #keys() {
    bindKeys('keyframes', {
      next: () => this.go(this.at + 1),
      previous: () => this.go(this.at - 1),
      first: () => this.go(0),
      last: () => this.go((this.data?.frames.length || 0) - 1),
      pick: () => this.toggle(this.at),
      edit: () => this.editor?.area.focus(),
      save_next: () => this.#saveAndNext().catch(report),
      raw: () => { if (this.raw?.isConnected) this.raw.open = !this.raw.open; },
    });
    bindKeys('videos', this.bar.runs());
    bindKeys('queue', this.bar.queue.runs());
    bindKeys('player', playerRuns(() => this.player));
  }
}

function difference(pair) {
  if (typeof pair?.difference !== 'number') return null;
  return h('p', { class: 'dl-kf-difference', title: 'How much the two pictures differ: colours and structure, measured' }, h('span', {}, `picture difference ${pair.difference.toFixed(2)} of 0-1`),
    h('span', { class: 'dl-kf-bar', 'aria-hidden': 'true' }, h('span', { style: { width: `${Math.min(1, pair.difference) * 100}%` } })));
}
