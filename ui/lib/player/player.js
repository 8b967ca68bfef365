// The player: picture, frame line, and lanes on one time axis. What it names as shown is on the screen.
import { address } from '../page/address.js';
import { h } from '../parts/elements.js';
import { report } from '../parts/notices.js';
import { clock, frameName } from '../parts/words.js';
import { fetched } from '../requests/requests.js';
import { h as drawn, render } from '../components/component.js';
import { drawLanes, placeHead, shortest } from '../parts/time_lanes.js';
import { frameLine, Marks } from './frame_line.js';
import { FrameTable, Seeker } from './confirmed_seek.js';
import { RATES, Shuttle } from './speed_and_backwards.js';

const ADDRESS_MS = 250;
const STATES = {
  seeking: ['seeking', 'The frame was asked for and is on its way to the screen.'],
  confirmed: ['confirmed', 'The browser has said that this very frame is on the screen.'],
  picture: ['picture', 'The browser does not show this frame. This is its picture, made from the file.'],
  unconfirmed: [
    'not confirmed',
    'The browser has not said that this frame is on the screen: the picture may be another one, and the server has none.',
  ],
};
const PAGE_WAITS_MS = 80; // for a picture that was asked for, before the page is drawn for its frame

export class Player extends EventTarget {
  /** `data` as /api/player gives it. Emits 'frame' ({detail: index}) when the shown frame changes. */
  constructor(data) {
    super();
    this.data = data;
    this.index = 0;
    /** @type {number | null} the frame that the address named when another page took this over */
    this.named = null;
    this.confirmed = false;
    this.view = [0, data.duration_s || 1];
    this.marks = { in: null, out: null };
    this.closed = new AbortController();
    /** @type {Promise<void> | null} that times and file are here, once somebody has asked for them */
    this.loading = null;
    this.started = false; // a page has shown it
    this.node = h('section', { class: 'dl-player', 'aria-label': `Player: ${data.title}` });
    if (!data.file) this.node.append(h('p', { class: 'dl-empty' }, data.why));
    else this.#build();
  }

  /** A page shows it: from the frame that the address names, and where it names none, as it is. */
  async start() {
    if (!this.data.file) return;
    const first = !this.started;
    this.started = true;
    await this.load();
    // Somebody may have asked for a frame while this was loading.
    if (first) void this.seek(this.asked ?? this.#linked() ?? this.data.opens ?? 0);
    else if (this.named !== null && this.named !== this.index) void this.seek(this.named);
    else {
      this.draw();
      if (!this.shuttle.playing) this.#remember();
    }
  }

  /** Fetches times and file, which a page may ask for before it knows the frame that it will show. */
  async load() {
    if (!this.data.file) return;
    this.loading ||= this.#load();
    await this.loading;
  }

  async #load() {
    const answer = await fetched(`/media/${this.data.id}/pts`);
    const { signal } = this.closed;
    this.table = new FrameTable(new Float64Array(await answer.arrayBuffer()));
    this.pts = this.table.pts;
    this.end = this.table.end;
    this.view = [0, this.end];
    this.seeker = new Seeker(this.video, this.table, (index, state) => this.#told(index, state), signal);
    new ResizeObserver(() => {
      if (this.lanes.clientWidth) this.draw();
    }).observe(this.lanes);
    await this.#ready();
  }

  /**
   * The frame that the address names; a scene without a frame in it means the scene's first.
   * @returns {number | null}
   */
  #linked() {
    const frame = Number.parseInt(address.get('frame'), 10);
    const scene = this.data.scenes[Number.parseInt(address.get('scene'), 10) - 1];
    if (scene && !(frame >= scene.start && frame < scene.end)) return scene.start;
    return Number.isInteger(frame) ? frame : null;
  }

  /** Another page shows the same file: scenes and speech may be others, the rest stays. */
  adopt(data) {
    this.data = data;
    this.named = this.#linked();
    this.renew({});
  }

  /** Nobody looks at it any more. */
  close() {
    this.closed.abort();
    this.shuttle?.stop();
    this.node.remove();
    this.video?.removeAttribute('src');
    this.video?.load();
  }

  #build() {
    const { data } = this;
    this.video = h('video', { preload: 'auto', playsinline: true, 'aria-label': data.title, tabindex: '-1' });
    if (data.playable) this.video.src = this.#source();
    // Until a picture is there, the screen has its shape already.
    this.video.style.aspectRatio = `${data.width} / ${data.height}`;
    this.video.muted = false;
    this.lanes = h('div', { class: 'dl-lanes' });
    this.still = h('img', { class: 'dl-still', alt: '', hidden: true });
    this.screen = h('div', { class: 'dl-screen', onclick: () => this.play() }, this.video, this.still);
    const line = frameLine(this);
    this.name = line.name;
    this.time = line.time;
    this.scene = line.scene;
    this.shown = line.shown;
    this.rate = line.rate;
    this.toggle = line.toggle;
    this.goto = line.goto;
    this.marksLine = line.marks;
    this.node.append(this.screen, line.node, this.marksLine, this.lanes);
    this.shuttle = new Shuttle(this);
    if (!data.playable) this.#note().catch(report);
    this.toggle.disabled = this.rate.disabled = !data.playable;
    const { signal } = this.closed;
    this.video.addEventListener('error', () => this.broken(), { signal });
    this.video.addEventListener('pause', () => this.#remember());
  }

  /** A copy has an address of its own: what the browser remembers of the file is not it. */
  #source() {
    return `/media/${this.data.id}/file${this.data.copy ? '?copy' : ''}`;
  }

  /** There is a playable copy now: `data` as /api/player gives it. */
  async playCopy(data) {
    const { index } = this;
    this.data = data;
    this.toggle.disabled = this.rate.disabled = false;
    this.seeker.expect(index);
    this.video.src = this.#source();
    await this.#ready();
    await this.seek(index);
  }

  /** Scenes and speech were found anew: frame, zoom and marks stay. */
  renew(found) {
    Object.assign(this.data, found);
    if (!this.pts) return;
    this.#nameScene();
    this.draw();
  }

  #ready() {
    if (!this.data.playable || this.video.readyState >= 1) return Promise.resolve();
    return new Promise((resolve) => {
      this.video.addEventListener('loadedmetadata', resolve, { once: true });
      this.video.addEventListener('error', resolve, { once: true });
    });
  }

  /** HEVC in Chromium loads without an error and shows nothing: frames are then shown as pictures. */
  get pictureless() {
    return (
      !this.video ||
      !this.data.playable ||
      Boolean(this.video.error) ||
      (this.video.readyState >= 2 && this.video.videoWidth === 0)
    );
  }

  get playable() {
    return Boolean(this.table) && !this.pictureless;
  }

  /** Why there are pictures instead of a video. */
  async #note() {
    const { CopyNote } = await import('./copy_note.js');
    if (!this.screen.querySelector('.dl-copynote')) this.screen.append(new CopyNote(this).node);
  }

  broken() {
    this.seek(this.index).catch(report);
  }

  // --- one frame ----------------------------------------------------------------------

  frameAt(seconds) {
    return this.table.at(seconds);
  }

  async seek(index) {
    this.asked = index; // also where `start` has begun and goes on later
    if (!this.pts || !this.started) return;
    const isShown = this.confirmed && !this.pictureless && !this.shuttle.playing;
    this.shuttle.stop();
    const wanted = this.table.clamp(index);
    if (!isShown || wanted !== this.index) await this.goTo(wanted);
    if (this.index === wanted) this.#remember();
  }

  /** Shows the frame, whatever plays; resolves once it is confirmed, or is not in time. */
  async goTo(index) {
    const there = !this.pictureless && (await this.seeker.seek(index));
    // Another frame may have been asked for meanwhile: it is seen to by itself.
    if (this.pictureless || (!there && this.index === index && !this.confirmed))
      await this.#showPicture(index);
  }

  release() {
    this.seeker?.release();
  }

  /** The frame by its index, made from the file: where the browser shows none, or another one. */
  async #showPicture(index) {
    if (this.pictureless) {
      this.#note().catch(report);
      this.seeker.release();
      this.#told(index, 'seeking');
    }
    this.still.src = `/media/${this.data.id}/preview/${index}.jpg`;
    this.still.alt = `Frame ${index}`;
    this.still.hidden = false;
    const there = await this.still.decode().then(
      () => true,
      () => false,
    );
    if (this.index !== index || this.state === 'confirmed') return;
    this.still.hidden = !there;
    this.#told(index, there ? 'picture' : 'unconfirmed');
  }

  /** The lanes and the page follow when the picture is there, or has let them wait: drawing would delay it. */
  #callPage(state) {
    clearTimeout(this.pageLater);
    if (this.pageBehind)
      this.pageLater = setTimeout(() => this.catchUp(), state === 'seeking' ? PAGE_WAITS_MS : 0);
  }

  /** The page follows now: before a key that is for what belongs to the frame that was asked for last. */
  catchUp() {
    clearTimeout(this.pageLater);
    if (!this.pageBehind) return;
    this.pageBehind = false;
    this.#follow();
    placeHead(this);
    this.dispatchEvent(new CustomEvent('frame', { detail: this.index }));
  }

  #told(index, state) {
    const moved = index !== this.index;
    this.index = index;
    this.confirmed = state === 'confirmed' || state === 'picture';
    if (state === 'confirmed') this.still.hidden = true;
    this.name.textContent = frameName(index);
    this.time.textContent = clock(this.pts[index]);
    this.#nameScene();
    this.#say(state);
    if (moved) this.pageBehind = true;
    this.#callPage(state);
    if (this.confirmed) this.shuttle.presented(index);
  }

  #say(state) {
    if (this.state === state) return;
    this.state = state;
    const [words, title] = STATES[state];
    this.shown.replaceChildren(this.confirmed ? h('span', { class: 'dl-shown-word' }, 'shown: ') : '', words);
    this.shown.title = title;
    this.shown.className = `dl-shown dl-is-${state} ${this.confirmed ? 'dl-is-confirmed' : ''}`;
    this.screen.classList.toggle('dl-screen-unsure', state === 'unconfirmed');
  }

  #nameScene() {
    const scene = this.sceneAt(this.index);
    this.scene.textContent = scene ? `scene ${scene.index + 1}/${this.data.scenes.length}` : '';
  }

  /** Into the address bar, a few times a second at most: browsers allow no more. */
  #remember() {
    if (!this.pts) return;
    clearTimeout(this.later);
    const write = () => {
      this.written = performance.now();
      if (this.node.isConnected && ['', this.data.id].includes(address.get('video')))
        address.set({ frame: this.index });
    };
    const rest = (this.written ?? -Infinity) + ADDRESS_MS - performance.now();
    if (rest <= 0) write();
    else this.later = setTimeout(write, rest);
  }

  sceneAt(index) {
    return this.data.scenes.find((s) => index >= s.start && index < s.end);
  }

  // --- playing ----------------------------------------------------------------------

  play() {
    if (this.playable) this.shuttle.toggle();
  }

  step(by) {
    this.seek(this.index + by).catch(report);
  }

  /** @param {number} by seconds */
  stepSeconds(by) {
    this.seek(this.frameAt(this.pts[this.index] + by)).catch(report);
  }

  /**
   * Plays a scene once, from its first frame to its last.
   * @param {{start: number, end: number} | undefined} scene
   */
  replay(scene) {
    if (scene) this.shuttle.playOnce(scene.start, scene.end - 1);
  }

  stepScene(by) {
    const scenes = this.data.scenes || [];
    if (!scenes.length) return;
    const at = scenes.findIndex((s) => this.index >= s.start && this.index < s.end);
    const onStart = at >= 0 && scenes[at].start === this.index;
    const to = by > 0 ? at + 1 : onStart ? at - 1 : at;
    if (scenes[to]) this.seek(scenes[to].start).catch(report);
  }

  slower(by) {
    const at = RATES.indexOf(this.video.playbackRate) + by;
    if (RATES[at]) this.shuttle.setRate(RATES[at]);
  }

  // --- the marked stretch -----------------------------------------------------------

  /** First and last frame between the marks; the whole video where there are none. */
  range() {
    return { first: this.marks.in ?? 0, last: this.marks.out ?? this.table.last };
  }

  mark(side) {
    this.marks[side] = this.index;
    const { first, last } = this.range();
    if (first > last) this.marks[side === 'in' ? 'out' : 'in'] = null;
    this.drawMarks();
    this.draw();
  }

  unmark() {
    this.marks = { in: null, out: null };
    this.shuttle.looping = false;
    this.drawMarks();
    this.draw();
  }

  drawMarks() {
    const { marks, shuttle } = this;
    this.marksLine.hidden = marks.in === null && marks.out === null && !shuttle.looping;
    if (this.marksLine.hidden) return;
    render(drawn(Marks, { player: this, ...this.range(), looping: shuttle.looping }), this.marksLine);
  }

  // --- lanes ------------------------------------------------------------------------

  zoom(factor, around = this.pts?.[this.index] ?? 0) {
    if (!this.pts) return;
    const [from, to] = this.view;
    const length = Math.min(this.end, Math.max(shortest(this), (to - from) * factor));
    this.look(around - (around - from) * (length / (to - from)), length);
  }

  /** Show `length` seconds of the lanes, from `start`. */
  look(start, length = this.view[1] - this.view[0]) {
    const from = Math.min(this.end - length, Math.max(0, start));
    this.view = [from, from + length];
    this.draw();
  }

  /** The lanes turn the page when the frame has left them, and while playing just before it does. */
  #follow() {
    const [from, to] = this.view;
    const share = (this.pts[this.index] - from) / (to - from);
    const on = this.shuttle.playing;
    if (share >= (on && !this.shuttle.back ? 0.97 : 1)) this.look(this.pts[this.index] - 0.05 * (to - from));
    else if (share < (this.shuttle.back ? 0.03 : 0)) this.look(this.pts[this.index] - 0.95 * (to - from));
  }

  draw() {
    if (this.pts) {
      drawLanes(this);
      placeHead(this);
    }
  }
}
