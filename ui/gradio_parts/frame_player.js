// The script of FramePlayer. Gradio runs it with `element`, `props`, `trigger` and `watch`, once for every player.
/// <reference path="gradio.d.ts" />
import { isNew, make } from './elements.js';
import { clock, Frames, frameName, remember, remembered } from './film_frames.js';
import { icon } from './icons.js';
import { RangeLane } from './range_lane.js';

const CONFIRM_MS = 1500; // until a frame that does not come counts as not confirmed
const PICTURE_MS = 300; // from the end of a seek until its picture
const EVENT_MS = 250; // between events while playing
const STATES = {
  confirmed: ['confirmed', 'The browser has reported that this frame is on the screen.'],
  seeking: ['seeking', 'The frame was requested and is not on the screen yet.'],
  unconfirmed: ['not confirmed', 'The browser has not reported that this frame is on the screen.'],
};
const settled = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const hasCallback = 'requestVideoFrameCallback' in HTMLVideoElement.prototype;
const screens = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));

// --- the parts of the player --------------------------------------------------------------

const tool = (name, words, onclick) =>
  make('button', { type: 'button', class: 'tool', 'aria-label': words, title: words, onclick }, icon(name));

const video = make('video', { preload: 'auto', playsinline: true, tabindex: -1, 'aria-hidden': true });
const message = make('div', { class: 'message', role: 'status' });
const screen = make('div', { class: 'screen', onclick: () => toggle() }, video, message);
const previous = tool('back', 'Previous frame (,)', () => step(-1));
const playing = tool('play', 'Play (Space)', () => toggle());
const next = tool('next', 'Next frame (.)', () => step(1));
const number = make('b', {}, frameName(0));
const time = make('span', {}, clock(0));
const state = make('span', { class: 'state' });
const info = make('div', { class: 'info' }, number, time, state);
const line = make('div', { class: 'line' }, previous, playing, next, info);
const bar = make('input', { type: 'range', class: 'bar', min: 0, max: 0, value: 0, 'aria-label': 'Frame' });
const lane = new RangeLane(choose);
const title = make('div', { class: 'title', hidden: true });
const root = /** @type {HTMLElement} */ (element.firstElementChild);
root.tabIndex = -1;
root.setAttribute('role', 'group');
root.append(title, screen, line, bar, lane.node, lane.legend);

/** @type {{film: any, frames: Frames, ranges: any[], name: string, at: number} | null} what is shown */
let shown = null;
/** @type {number | null} the frame that was requested and is not confirmed yet */
let wanted = null;
/** The frame that the line names. */
let frame = 0;
/** @type {number | null} the frame that the browser has reported last */
let presented = null;
/** @type {{loading?: boolean, late?: boolean, seen?: boolean, first?: Function, picture?: Function}} the request that counts */
let turn = {};
let isSeen = false; // the picture is in the window
let told = 0; // when the last event was
let later = 0;

const now = () => wanted ?? frame;
const isConfirmed = () => wanted === null && state.dataset.is === 'confirmed';

function say(index, word) {
  const isMoved = index !== frame;
  frame = index;
  number.textContent = frameName(index);
  const at = clock(shown ? shown.frames.times[index] : 0);
  time.textContent = at;
  bar.value = String(index);
  bar.style.setProperty('--share', `${shown?.frames.last ? (100 * index) / shown.frames.last : 0}%`);
  bar.setAttribute('aria-valuetext', `frame ${index}, ${at}, ${STATES[word][0]}`);
  if (state.dataset.is !== word) {
    state.dataset.is = word;
    state.replaceChildren(icon(word), STATES[word][0]);
    state.title = STATES[word][1];
  }
  if (isMoved) lane.outline(frame);
}

/** The value that handlers receive. */
function store(confirmed) {
  const time_s = Math.round(shown.frames.times[frame] * 1e6) / 1e6;
  props.value = { frame, time_s, confirmed, film: shown.name };
  return { frame, time_s, confirmed };
}

function tell(confirmed) {
  clearTimeout(later);
  if (!shown) return;
  told = performance.now();
  trigger('frame', store(confirmed));
}

/** While playing: a few times a second. */
function tellSoon() {
  clearTimeout(later);
  later = setTimeout(() => !video.paused && tell(true), Math.max(0, told + EVENT_MS - performance.now()));
}

function explain(...parts) {
  message.replaceChildren(...parts);
  message.hidden = parts.length === 0;
}

function enable(on) {
  for (const control of [previous, playing, next, bar]) control.disabled = !on;
}

// --- one frame --------------------------------------------------------------------------------

/** Every picture that the browser puts on the screen. */
function onPicture(_now, { mediaTime }) {
  video.requestVideoFrameCallback(onPicture);
  if (turn.loading) turn.first?.(mediaTime);
  else if (shown) present(shown.frames.nearest(mediaTime - shown.frames.start));
}

function present(index) {
  presented = index;
  turn.picture?.();
  if (!video.paused) {
    say(index, 'confirmed');
    tellSoon();
  } else if (wanted === null && index !== frame) {
    say(index, 'confirmed');
    tell(true);
  } else if (index === wanted && turn.late) confirm();
}

function confirm() {
  const index = wanted;
  wanted = null;
  turn = {};
  say(index, 'confirmed');
  tell(true);
}

/** The number stays, not as confirmed; a late picture still confirms it. */
function miss() {
  if (turn.late) return;
  turn.late = true;
  say(wanted, 'unconfirmed');
  tell(false);
}

/** Shows a frame, and is satisfied when the browser has reported it. */
async function seek(index) {
  if (!shown) return;
  const isThere = isConfirmed() && video.paused && frame === shown.frames.clamp(index);
  wanted = shown.frames.clamp(index);
  if (turn.loading) return; // it is shown once the film is loaded
  if (isThere) {
    confirm();
    return;
  }
  const mine = { late: false, seen: isSeen };
  turn = mine;
  if (isPictureless()) {
    miss();
    return;
  }
  video.pause();
  say(wanted, 'seeking');
  const late = setTimeout(() => mine === turn && miss(), CONFIRM_MS);
  for (const way of shown.frames.ways(wanted)) {
    for (const seconds of way) await reach(mine, seconds);
    if (mine !== turn) break;
    if (presented === wanted) confirm();
  }
  clearTimeout(late);
  if (mine !== turn) return;
  miss();
  if (isSeen && !mine.seen) void seek(wanted);
}

/** Seeks there and waits for the picture; a browser may report none if it is the same as before. */
async function reach(mine, seconds) {
  const picture = new Promise((resolve) => {
    mine.picture = () => !video.seeking && resolve();
  });
  if (mine !== turn) return;
  video.currentTime = seconds;
  do await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
  while (mine === turn && video.seeking);
  if (mine !== turn) return;
  if (!hasCallback) presented = shown.frames.at(video.currentTime - shown.frames.start);
  else await Promise.race([picture, settled(PICTURE_MS), ...(presented === wanted ? [screens()] : [])]);
}

const step = (by) => void seek(now() + by);
const stepSeconds = (by) => {
  if (shown) void seek(shown.frames.at(shown.frames.times[now()] + by));
};

/** To the first frame of the next range, or back to that of this one, and from there to that of the one before. */
function stepRange(by) {
  if (!shown) return;
  const starts = shown.ranges.map(({ start }) => start).sort((a, b) => a - b);
  const to = by > 0 ? starts.find((start) => start > now()) : starts.findLast((start) => start < now());
  if (to !== undefined) void seek(to);
}

function toggle() {
  if (!shown || turn.loading || isPictureless()) return;
  if (!video.paused) {
    video.pause();
    return;
  }
  if (now() === shown.frames.last) video.currentTime = shown.frames.middle(0);
  turn = {};
  wanted = null;
  video.play().catch(onPlay);
}

function onPlay() {
  const on = !video.paused && !video.ended;
  playing.replaceChildren(icon(on ? 'pause' : 'play'));
  playing.title = on ? 'Pause (Space)' : 'Play (Space)';
  playing.setAttribute('aria-label', playing.title);
}

/** The last picture may not have been reported: the frame is requested by its number. */
function onPause() {
  onPlay();
  if (!shown || wanted !== null || turn.loading) return;
  state.dataset.is = '';
  void seek(presented ?? frame);
}

function choose(index) {
  const range = shown.ranges[index];
  void seek(range.start);
  trigger('select', { index, value: range.label, ...range });
}

// --- films ----------------------------------------------------------------------------------------

/** HEVC in Chromium loads without an error and has no picture. */
const isPictureless = () => Boolean(video.error) || (video.readyState >= 1 && video.videoWidth === 0);

/** What to do with a film that this browser does not show. */
function refuse() {
  const { name, codec, container } = shown.film;
  const file = /[^\w.-]/.test(name) ? `'${name.replaceAll("'", "'\\''")}'` : name;
  const command = `ffmpeg -i ${file} -c:v libx264 -pix_fmt yuv420p -fps_mode passthrough copy.mp4`;
  const words = `This browser cannot play ${name} (${codec}, ${container}). Make a copy that it can play:`;
  explain(make('p', {}, words), make('code', {}, command));
  enable(false);
  turn = {};
  wanted ??= frame;
  miss();
}

async function load(film, first) {
  const mine = { loading: true };
  const picture = new Promise((resolve) => {
    mine.first = resolve;
  });
  turn = mine;
  presented = null;
  wanted = shown.frames.clamp(first);
  explain();
  enable(true);
  bar.max = String(shown.frames.last);
  say(wanted, 'seeking');
  lane.draw(shown.ranges, shown.frames, frame);
  video.src = film.file.url;
  await new Promise((resolve) => video.addEventListener('loadedmetadata', resolve, { once: true }));
  if (mine !== turn) return;
  if (isPictureless()) {
    refuse();
    return;
  }
  if (shown.frames.starts.length > 1 && hasCallback) {
    const mediaTime = await Promise.race([picture, settled(CONFIRM_MS)]);
    if (mine !== turn) return;
    if (mediaTime !== undefined) shown.frames.startsAt(mediaTime);
  }
  mine.loading = false;
  await seek(wanted);
}

function empty() {
  shown = null;
  turn = {};
  wanted = presented = null;
  say(0, 'seeking');
  state.replaceChildren();
  state.dataset.is = '';
  video.removeAttribute('src');
  video.load();
  bar.max = '0';
  enable(false);
  explain(make('p', {}, 'No film'));
  lane.draw([], null, 0);
}

/** The value from Python: a film, or nothing. */
function take() {
  const value = props.value || null;
  if (value === null) empty();
  else if (value.confirmed !== undefined) restore(value);
  else if (value.film) {
    const { file, name, codec, container } = value.film;
    const { turn: at = 0, ranges = [], show = 0 } = value;
    shown = { film: { file, name, codec, container }, frames: new Frames(value.film), ranges, name: '', at };
    shown.name = remember(shown);
    void load(shown.film, show);
  } else if (shown) store(isConfirmed());
  for (const name of ['ranges', 'show']) hear(name, value?.props?.[name]);
}

/** A message beside the value: ranges, or a frame. One from before the film is not for it; one may come before it. */
function hear(name, message = props[name]) {
  if (!shown || !message || message.turn < shown.at || !isNew(message)) return;
  if (name === 'show') void seek(message.content);
  else {
    shown.ranges = message.content;
    lane.draw(shown.ranges, shown.frames, frame);
  }
}

/** Gradio has made the component anew. */
function restore(value) {
  const film = remembered(value.film);
  if (!film || film === shown) return;
  shown = film;
  void load(film.film, value.frame);
}

// --- keys and the rest -------------------------------------------------------------------------------

const KEYS = {
  ' ': toggle,
  ',': () => step(-1),
  '.': () => step(1),
  ArrowLeft: () => stepSeconds(-1),
  ArrowRight: () => stepSeconds(1),
  'Shift+ArrowLeft': () => stepRange(-1),
  'Shift+ArrowRight': () => stepRange(1),
  Home: () => void seek(0),
  End: () => shown && void seek(shown.frames.last),
};

/** Only keys that are pressed within the player come here. Space and Enter on a button are the button's. */
function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  // On a keyboard of another script the place of the key counts.
  const key = event.key.charCodeAt(0) < 128 ? event.key : { Comma: ',', Period: '.' }[event.code];
  const run = KEYS[event.shiftKey && key?.length > 1 ? `Shift+${key}` : key];
  if (!run || (key === ' ' && event.target.closest('button'))) return;
  event.preventDefault();
  event.stopPropagation();
  run();
}

/** What does not change with the film. */
function drawFrame() {
  root.style.setProperty('--height', `${props.height ?? 360}px`);
  title.textContent = props.label || '';
  title.hidden = !props.label;
  root.setAttribute('aria-label', props.label || 'Frame player');
}

root.addEventListener('keydown', onKey);
bar.addEventListener('input', () => void seek(Number(bar.value)));
video.addEventListener('play', onPlay);
video.addEventListener('pause', onPause);
video.addEventListener('ended', onPlay);
video.addEventListener('error', () => shown && video.error && refuse()); // null: of the film before
if (hasCallback) video.requestVideoFrameCallback(onPicture);
else
  video.addEventListener('timeupdate', () => {
    if (shown && !video.paused) present(shown.frames.at(video.currentTime - shown.frames.start));
  });
// A film in a hidden tab has no picture: the frame is requested again when it can be seen.
new IntersectionObserver(([{ isIntersecting }]) => {
  isSeen = isIntersecting;
  if (isSeen && shown && !turn.loading && state.dataset.is === 'unconfirmed') void seek(now());
}).observe(screen);
drawFrame();
empty();
take();
watch('value', take);
watch('ranges', () => hear('ranges'));
watch('show', () => hear('show'));
watch(['label', 'height'], drawFrame);
