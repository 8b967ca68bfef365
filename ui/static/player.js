// The player: picture, frame line, and lanes on one time axis. Frame truth: a seek goes to the
// middle of a frame's PTS interval, and the frame on screen is named only after
// requestVideoFrameCallback has confirmed it.
import { address, clock, frameName, h, icon } from './core.js';
import { CopyNote } from './copy_note.js';
import { drawLanes } from './lanes.js';

const RATES = [0.25, 0.5, 1, 1.5, 2, 4];
const CONFIRM_MS = 1500;

export class Player extends EventTarget {
  /** `data` as /api/player gives it. Emits 'frame' ({detail: index}) when the shown frame changes. */
  constructor(data) {
    super();
    this.data = data;
    this.index = 0;
    this.confirmed = false;
    this.view = [0, data.duration_s || 1];
    this.marks = { in: null, out: null };
    this.node = h('section', { class: 'dl-player', 'aria-label': `Player: ${data.title}` });
    if (!data.file) this.node.append(h('p', { class: 'dl-empty' }, data.why));
    else this.#build();
  }

  async start() {
    if (!this.data.file) return;
    const answer = await fetch(`/media/${this.data.id}/pts`);
    const times = new Float64Array(await answer.arrayBuffer());
    this.pts = times.subarray(0, times.length - 1);
    this.end = times[times.length - 1];
    this.view = [0, this.end];
    new ResizeObserver(() => this.draw()).observe(this.lanes);
    const wanted = Number.parseInt(address.get('frame'), 10);
    await this.#ready();
    // Somebody may have asked for a frame while this was loading.
    this.seek(this.asked ?? (Number.isInteger(wanted) ? wanted : 0));
  }

  #build() {
    const { data } = this;
    this.video = h('video', { preload: 'auto', playsinline: true, 'aria-label': data.title, tabindex: '-1' });
    if (data.playable) this.video.src = this.#source();
    // Until a picture is there, the screen has its shape already.
    this.video.style.aspectRatio = `${data.width} / ${data.height}`;
    this.video.muted = false;
    this.line = h('div', { class: 'dl-frameline' });
    this.name = h('b', {}, '#0');
    this.time = h('span', {}, clock(0));
    this.scene = h('span', {}, '');
    this.shown = h('span', { class: 'dl-shown', role: 'status' }, 'loading');
    this.rate = h('button', { type: 'button', class: 'dl-button dl-button-quiet', title: 'Speed', onclick: () => this.#nextRate() }, '1.0x');
    this.toggle = h('button', { type: 'button', class: 'dl-button dl-button-quiet', 'aria-label': 'Play', onclick: () => this.play() }, icon('play'));
    const step = (name, label, action) => h('button', { type: 'button', class: 'dl-button dl-button-quiet', 'aria-label': label, title: label, onclick: action }, icon(name));
    this.line.append(step('back', 'Previous frame', () => this.step(-1)), this.toggle, step('next', 'Next frame', () => this.step(1)),
      this.name, this.time, this.scene, this.shown, h('span', { class: 'dl-grow' }),
      step('minus', 'Zoom the lanes out', () => this.zoom(2)), step('plus', 'Zoom the lanes in', () => this.zoom(0.5)), this.rate);
    this.lanes = h('div', { class: 'dl-lanes' });
    const screen = this.screen = h('div', { class: 'dl-screen', onclick: () => this.play() }, this.video);
    if (data.problems.length) this.line.append(h('span', { class: 'dl-badge dl-badge-warn', title: data.problems.join('\n') }, 'damaged file'));
    this.still = h('img', { class: 'dl-still', alt: '', hidden: true });
    screen.append(this.still);
    if (!data.playable) this.#note();
    this.toggle.disabled = this.rate.disabled = !data.playable;
    this.node.append(screen, this.line, this.lanes);
    this.video.addEventListener('error', () => this.#broken());
    this.video.addEventListener('play', () => this.#follow());
    this.video.addEventListener('pause', () => this.#paused());
  }

  /** A copy has an address of its own: what the browser remembers of the file is not it. */
  #source() { return `/media/${this.data.id}/file${this.data.copy ? '?copy' : ''}`; }

  /** There is a playable copy now: `data` as /api/player gives it. */
  async useCopy(data) {
    this.data = data;
    this.toggle.disabled = this.rate.disabled = false;
    this.video.src = this.#source();
    await this.#ready();
    await this.seek(this.index);
  }

  #ready() {
    if (!this.data.playable || this.video.readyState >= 1) return Promise.resolve();
    return new Promise((resolve) => {
      this.video.addEventListener('loadedmetadata', resolve, { once: true });
      this.video.addEventListener('error', resolve, { once: true });
    });
  }

  /** HEVC in Chromium loads without an error and shows nothing: frames are then shown as pictures. */
  get pictureless() { return !this.video || !this.data.playable || Boolean(this.video.error) || (this.video.readyState >= 2 && this.video.videoWidth === 0); }

  /** Why there are pictures instead of a video. */
  #note() { if (!this.screen.querySelector('.dl-copynote')) this.screen.append(new CopyNote(this).node); }

  #broken() {
    this.shown.textContent = 'not playable here: pictures only';
    this.seek(this.index);
  }

  // --- seeking ----------------------------------------------------------------------

  /** The middle of a frame's PTS interval. */
  target(index) {
    const { pts } = this;
    const start = pts[index];
    const end = index + 1 < pts.length ? pts[index + 1] : this.end;
    return Math.max(0, (start + end) / 2);
  }

  frameAt(seconds) {
    let low = 0;
    let high = this.pts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pts[middle] <= seconds + 1e-6) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #nearest(seconds) {
    const at = this.frameAt(seconds);
    return at + 1 < this.pts.length && this.pts[at + 1] - seconds < seconds - this.pts[at] ? at + 1 : at;
  }

  async seek(index) {
    if (!this.pts) { this.asked = index; return; }
    const wanted = Math.min(this.pts.length - 1, Math.max(0, Math.round(index)));
    const turn = (this.turn = (this.turn || 0) + 1);
    this.video.pause();
    this.#show(wanted, false);
    if (this.pictureless) { this.#showPicture(wanted); return; }
    let shown = await this.#seekOnce(this.target(wanted), turn);
    if (turn !== this.turn) return;
    if (shown !== null && shown !== wanted) shown = await this.#seekOnce(this.pts[wanted] + 0.001, turn);
    if (turn !== this.turn) return;
    if (this.pictureless) { this.#showPicture(wanted); return; }
    this.still.hidden = true;
    this.#show(wanted, shown === wanted);
    address.set({ frame: wanted });
  }

  #seekOnce(seconds, turn) {
    return new Promise((resolve) => {
      const { video } = this;
      const late = setTimeout(() => resolve(null), CONFIRM_MS);
      const finish = (index) => { clearTimeout(late); resolve(index); };
      if (video.requestVideoFrameCallback) {
        video.requestVideoFrameCallback((_now, meta) => finish(turn === this.turn ? this.#nearest(meta.mediaTime) : null));
      } else {
        video.addEventListener('seeked', () => finish(this.frameAt(video.currentTime)), { once: true });
      }
      // A seek to where the video already stands presents nothing new, so nudge it by a hair.
      video.currentTime = Math.abs(video.currentTime - seconds) < 1e-4 ? seconds + 2e-4 : seconds;
    });
  }

  #showPicture(index) {
    this.#note();
    this.still.src = `/media/${this.data.id}/preview/${index}.jpg`;
    this.still.alt = `Frame ${index}`;
    this.still.hidden = false;
    this.#show(index, true);
    address.set({ frame: index });
  }

  #show(index, confirmed) {
    const moved = index !== this.index;
    this.index = index;
    this.confirmed = confirmed;
    const at = this.pts[index];
    this.name.textContent = frameName(index);
    this.time.textContent = clock(at);
    this.#nameScene();
    this.shown.textContent = confirmed ? 'shown: confirmed' : 'shown: not confirmed';
    this.shown.classList.toggle('dl-is-confirmed', confirmed);
    this.placeHead();
    if (moved) this.dispatchEvent(new CustomEvent('frame', { detail: index }));
  }

  #nameScene() {
    const scene = this.sceneAt(this.index);
    this.scene.textContent = scene ? `scene ${scene.index + 1}/${this.data.scenes.length}` : '';
  }

  /** Scenes and speech were found anew: frame, zoom and marks stay. */
  renew(found) {
    Object.assign(this.data, found);
    if (!this.pts) return;
    this.#nameScene();
    this.draw();
  }

  sceneAt(index) { return this.data.scenes.find((s) => index >= s.start && index < s.end); }

  // --- playing ----------------------------------------------------------------------

  play() {
    if (!this.video || this.pictureless) return;
    if (this.video.paused) this.video.play().catch(() => this.#broken());
    else this.video.pause();
  }

  #follow() {
    this.toggle.replaceChildren(icon('pause'));
    this.toggle.setAttribute('aria-label', 'Pause');
    const next = (_now, meta) => {
      this.#show(this.#nearest(meta.mediaTime), true);
      if (!this.video.paused) this.video.requestVideoFrameCallback(next);
    };
    this.video.requestVideoFrameCallback?.(next);
  }

  #paused() {
    this.toggle.replaceChildren(icon('play'));
    this.toggle.setAttribute('aria-label', 'Play');
    if (this.pts) address.set({ frame: this.index });
  }

  step(by) { this.seek(this.index + by); }

  stepScene(by) {
    const scenes = this.data.scenes || [];
    if (!scenes.length) return;
    const at = scenes.findIndex((s) => this.index >= s.start && this.index < s.end);
    const onStart = at >= 0 && scenes[at].start === this.index;
    const to = by > 0 ? at + 1 : onStart ? at - 1 : at;
    if (scenes[to]) this.seek(scenes[to].start);
  }

  setRate(rate) {
    this.video.playbackRate = rate;
    this.rate.textContent = `${rate.toFixed(rate < 1 ? 2 : 1)}x`;
  }

  #nextRate() { this.setRate(RATES[(RATES.indexOf(this.video.playbackRate) + 1) % RATES.length]); }

  faster() { if (this.video.paused) { this.setRate(1); this.play(); } else this.setRate(RATES[Math.min(RATES.length - 1, RATES.indexOf(this.video.playbackRate) + 1)]); }

  mark(side) { this.marks[side] = this.index; this.draw(); }

  // --- lanes ------------------------------------------------------------------------

  zoom(factor, around = this.pts?.[this.index] ?? 0) {
    const [from, to] = this.view;
    const length = Math.min(this.end, Math.max(0.4, (to - from) * factor));
    const start = Math.min(this.end - length, Math.max(0, around - (around - from) * (length / (to - from))));
    this.view = [start, start + length];
    this.draw();
  }

  draw() { if (this.pts) { drawLanes(this); this.placeHead(); } }

  placeHead() {
    const head = this.lanes?.querySelector('.dl-head');
    if (!head || !this.pts) return;
    const [from, to] = this.view;
    const share = (this.pts[this.index] - from) / (to - from);
    head.style.left = `${share * 100}%`;
    head.hidden = share < 0 || share > 1;
    for (const cell of this.lanes.querySelectorAll('[data-from]')) {
      cell.classList.toggle('dl-current', this.index >= Number(cell.dataset.from) && this.index < Number(cell.dataset.to));
    }
  }
}

/** For `bindKeys('player', ...)`; `current()` gives the player of the page. */
export function playerRuns(current) {
  const run = (action) => () => { const player = current(); if (player?.pts) action(player); };
  return {
    play: run((p) => p.play()), pause: run((p) => p.video.pause()), forward: run((p) => p.faster()),
    previous: run((p) => p.step(-1)), next: run((p) => p.step(1)),
    second_back: run((p) => p.seek(p.frameAt(p.pts[p.index] - 1))), second_on: run((p) => p.seek(p.frameAt(p.pts[p.index] + 1))),
    previous_cut: run((p) => p.stepScene(-1)), next_cut: run((p) => p.stepScene(1)),
    mark_in: run((p) => p.mark('in')), mark_out: run((p) => p.mark('out')),
    first: run((p) => p.seek(0)), last: run((p) => p.seek(p.pts.length - 1)),
    zoom_in: run((p) => p.zoom(0.5)), zoom_out: run((p) => p.zoom(2)),
  };
}

/** Thumbnails of given frames in a row; a click seeks. */
export function frameRow(player, indices, label) {
  if (!player.data.file) return h('p', { class: 'dl-hint' }, label, ': ', indices.length ? indices.map(frameName).join(' ') : 'not recorded');
  return h('div', { class: 'dl-framerow', role: 'group', 'aria-label': label },
    indices.map((index) => h('button', { type: 'button', class: 'dl-thumb', title: `Frame ${index}`, onclick: () => player.seek(index) },
      h('img', { src: `/media/${player.data.id}/strip/${index}.jpg`, alt: `Frame ${index}`, loading: 'lazy' }), h('span', {}, frameName(index)))));
}

