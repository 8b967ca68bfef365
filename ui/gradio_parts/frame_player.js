// The script of FramePlayer. Gradio runs it as a function with `element`, `props`, `trigger` and `watch`, once
// for every player on the page. Text is set as text; nothing of it is read as HTML or code.

/* global element, props, trigger, watch */

const CONFIRM_MS = 1500; // until a frame that does not come counts as not confirmed
const PICTURE_MS = 300; // from the end of a seek until its picture
const EVENT_MS = 250; // between events while playing
const KEPT = 50; // films that the page remembers
const COLOURS = 6;

const STATES = {
  confirmed: ['confirmed', 'The browser has reported that this frame is on the screen.'],
  seeking: ['seeking', 'The frame has been requested.'],
  unconfirmed: ['not confirmed', 'The browser has not reported that this frame is on the screen.'],
};
const ICONS = {
  back: 'M11.5 3v10L5 8zM3 3h1.5v10H3z',
  play: 'M4 2.5v11L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  next: 'M4.5 3v10L11 8zM11.5 3H13v10h-1.5z',
  confirmed: 'M6.3 12.4 2.4 8.5l1.2-1.2 2.7 2.7 6.1-6.1 1.2 1.2z',
  seeking: 'M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zm0 1.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM7.2 5h1.5v3.6H7.2z',
  unconfirmed: 'M8 1.5 15 14H1zM7.2 6v4h1.6V6zm0 5v1.5h1.6V11z',
};

/** An element with attributes, listeners (`onclick`) and children; text stays text. */
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, '');
    else if (value !== false && value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICONS[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

const frameName = (index) => `#${index.toLocaleString('en')}`;

/** 00:41.720, and 1:00:41.720 from an hour on. */
function clock(seconds) {
  const ms = Math.round(seconds * 1000);
  const two = (number) => String(number).padStart(2, '0');
  const hours = Math.floor(ms / 3_600_000);
  const rest = `${two(Math.floor(ms / 60_000) % 60)}:${two(Math.floor(ms / 1000) % 60)}`;
  return `${hours ? `${hours}:` : ''}${rest}.${String(ms % 1000).padStart(3, '0')}`;
}

const settled = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// --- the frames of a film ---------------------------------------------------------------

/** Times in seconds from the first frame. */
class Frames {
  constructor({ steps, unit, starts }) {
    const [numerator, denominator] = unit;
    this.times = [0];
    let tick = 0;
    for (let run = 0; run < steps.length; run += 2)
      for (let count = 0; count < steps[run + 1]; count += 1) {
        tick += steps[run];
        this.times.push((tick * numerator) / denominator);
      }
    this.end = this.times.pop(); // of the last frame
    this.starts = starts;
    this.start = starts[0]; // the first frame on the browser's clock
  }

  get last() {
    return this.times.length - 1;
  }

  endOf(index) {
    return index < this.last ? this.times[index + 1] : this.end;
  }

  clamp(index) {
    return Math.min(this.last, Math.max(0, index));
  }

  /** The frame that is on at this time. */
  at(seconds) {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= seconds + 1e-6) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  nearest(seconds) {
    const at = this.at(seconds);
    return at < this.last && this.times[at + 1] - seconds < seconds - this.times[at] ? at + 1 : at;
  }

  /** Browsers differ in where their clock begins: this picture is the first one. */
  startsAt(mediaTime) {
    const far = (start) => Math.abs(start - mediaTime);
    this.start = this.starts.reduce((best, start) => (far(start) < far(best) ? start : best));
  }

  /** Where to seek for a frame: its middle, then close after its beginning. */
  targets(index) {
    const begin = this.times[index];
    const length = this.endOf(index) - begin;
    return [begin + length / 2, begin + Math.min(0.001, length / 4)].map((at) =>
      Math.max(0, this.start + at),
    );
  }
}

// Gradio makes a component anew when it is hidden and shown again, and its value holds only what a handler needs.
// So the page remembers the films, by a name that the value holds.
window.dailiesFilms ||= { films: new Map(), count: 0 };
const memory = window.dailiesFilms;

function remember(shown) {
  memory.count += 1;
  const name = `film-${memory.count}`;
  memory.films.set(name, shown);
  if (memory.films.size > KEPT) memory.films.delete(memory.films.keys().next().value);
  return name;
}

// --- the parts of the player --------------------------------------------------------------

const tool = (name, words, onclick) =>
  make('button', { type: 'button', class: 'tool', 'aria-label': words, title: words, onclick }, icon(name));

const video = make('video', { preload: 'auto', playsinline: true, tabindex: -1, 'aria-hidden': true });
const message = make('div', { class: 'message' });
const screen = make('div', { class: 'screen', onclick: () => toggle() }, video, message);
const previous = tool('back', 'Previous frame (,)', () => step(-1));
const playing = tool('play', 'Play (Space)', () => toggle());
const next = tool('next', 'Next frame (.)', () => step(1));
const number = make('b', {}, '#0');
const time = make('span', {}, clock(0));
const state = make('span', { class: 'state' });
const line = make('div', { class: 'line' }, previous, playing, next, number, time, state);
const bar = make('input', { type: 'range', class: 'bar', min: 0, max: 0, value: 0, 'aria-label': 'Frame' });
const lane = make('div', { class: 'lane', hidden: true, role: 'group', 'aria-label': 'Ranges' });
const legend = make('div', { class: 'legend', hidden: true });
const title = make('div', { class: 'title', hidden: true });
const root = element.firstElementChild;
root.tabIndex = -1;
root.setAttribute('role', 'group');
root.append(title, screen, line, bar, lane, legend);
root.style.setProperty('--height', `${props.height}px`);

/** @type {{film: any, frames: Frames, ranges: any[], name: string} | null} what is shown */
let shown = null;
let wanted = null; // the frame that was requested and is not yet confirmed
let frame = 0; // the frame that the line names
let presented = null; // the frame that the browser has reported last
let turn = {}; // of the request that counts
let sentAt = 0;
let later = 0;
const kinds = new Map(); // kind -> number of its colour

// --- words ----------------------------------------------------------------------------------

function say(index, word) {
  const moved = index !== frame;
  frame = index;
  number.textContent = frameName(index);
  const now = shown ? shown.frames.times[index] : 0;
  time.textContent = clock(now);
  bar.value = String(index);
  bar.setAttribute('aria-valuetext', `frame ${index}, ${clock(now)}, ${STATES[word][0]}`);
  if (state.dataset.is !== word) {
    state.dataset.is = word;
    state.replaceChildren(icon(word), STATES[word][0]);
    state.title = STATES[word][1];
  }
  if (moved) outline();
}

/** The value that handlers receive, and the event. */
function tell(confirmed) {
  if (!shown) return;
  clearTimeout(later);
  sentAt = performance.now();
  const now = { frame, time_s: Math.round(shown.frames.times[frame] * 1e6) / 1e6, confirmed };
  props.value = { ...now, film: shown.name };
  trigger('frame', now);
}

/** While playing, a few times a second. */
function tellSoon() {
  clearTimeout(later);
  later = setTimeout(() => tell(true), Math.max(0, sentAt + EVENT_MS - performance.now()));
}

function explain(...parts) {
  message.replaceChildren(...parts);
  message.hidden = parts.length === 0;
}

/** What to do about a film that this browser does not show. */
function refuse() {
  const { name, codec, container } = shown.film;
  const quoted = `'${name.replaceAll("'", "'\\''")}'`;
  const command = `ffmpeg -i ${quoted} -c:v libx264 -pix_fmt yuv420p -fps_mode passthrough copy.mp4`;
  explain(
    make('p', {}, `This browser cannot play ${name} (${codec}, ${container}). Make a copy that it can play:`),
    make('code', {}, command),
  );
  for (const control of [previous, playing, next, bar]) control.disabled = true;
  turn = {};
  wanted = null;
  say(frame, 'unconfirmed');
  tell(false);
}

const isPictureless = () => Boolean(video.error) || (video.readyState >= 2 && video.videoWidth === 0);

// --- one frame --------------------------------------------------------------------------------

/** Every picture that the browser puts on the screen. */
function onPicture(_now, { mediaTime }) {
  video.requestVideoFrameCallback(onPicture);
  present(mediaTime);
}

function present(seconds) {
  if (!shown || turn.loading) {
    turn.first?.(seconds);
    return;
  }
  presented = shown.frames.nearest(seconds - shown.frames.start);
  turn.picture?.();
  if (!video.paused) {
    say(presented, 'confirmed');
    tellSoon();
  } else if (wanted === null && presented !== frame) {
    say(presented, 'confirmed');
    tell(true);
  } else if (presented === wanted && turn.late) confirm();
}

function confirm() {
  const index = wanted;
  wanted = null;
  turn = {};
  say(index, 'confirmed');
  tell(true);
}

/** Shows a frame: the middle of its interval, then once more close to its beginning. */
async function seek(index) {
  if (!shown) return;
  wanted = shown.frames.clamp(index);
  if (turn.loading) return; // it is shown once the film is there
  if (isPictureless()) {
    frame = -1;
    say(wanted, 'unconfirmed');
    wanted = null;
    tell(false);
    return;
  }
  video.pause();
  const mine = { late: false };
  turn = mine;
  say(wanted, 'seeking');
  const miss = setTimeout(() => mine === turn && giveUp(), CONFIRM_MS);
  for (const target of shown.frames.targets(wanted)) {
    await reach(mine, target);
    if (mine !== turn) break;
    if (presented === wanted) {
      confirm();
      break;
    }
  }
  clearTimeout(miss);
  if (mine === turn) giveUp();
}

/** Seeks there and waits for the picture; a browser may report none if it is the same as before. */
async function reach(mine, seconds) {
  const picture = new Promise((resolve) => {
    mine.picture = () => !video.seeking && resolve();
  });
  video.currentTime = seconds;
  do await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
  while (mine === turn && video.seeking);
  if (mine !== turn) return;
  if (!video.requestVideoFrameCallback) present(video.currentTime);
  else await Promise.race([picture, settled(PICTURE_MS)]);
}

/** The number stands, but not as confirmed; a late picture still confirms it. */
function giveUp() {
  if (turn.late) return;
  turn.late = true;
  say(wanted, 'unconfirmed');
  tell(false);
}

const step = (by) => void seek((wanted ?? frame) + by);
const stepSeconds = (by) => {
  if (shown) void seek(shown.frames.at(shown.frames.times[wanted ?? frame] + by));
};

/** To the first frame of the next range, or back to that of this one, and there to that of the one before. */
function stepRange(by) {
  if (!shown) return;
  const now = wanted ?? frame;
  const starts = shown.ranges.map(({ start }) => start).sort((a, b) => a - b);
  const to = by > 0 ? starts.find((start) => start > now) : starts.findLast((start) => start < now);
  if (to !== undefined) void seek(to);
}

function toggle() {
  if (!shown || turn.loading || isPictureless()) return;
  if (!video.paused) {
    video.pause();
    return;
  }
  turn = {};
  wanted = null;
  if (frame === shown.frames.last) video.currentTime = Math.max(0, shown.frames.start);
  video.play().catch(() => say(frame, 'unconfirmed'));
}

function onPlay() {
  const on = !video.paused && !video.ended;
  playing.replaceChildren(icon(on ? 'pause' : 'play'));
  playing.title = on ? 'Pause (Space)' : 'Play (Space)';
  playing.setAttribute('aria-label', playing.title);
}

/** The picture on which it stops may not have been reported yet: it is requested by its number. */
function onPause() {
  onPlay();
  if (shown && wanted === null && !turn.loading) void seek(presented ?? frame);
}

// --- ranges -------------------------------------------------------------------------------------

function colour(kind) {
  if (!kinds.has(kind)) kinds.set(kind, kinds.size % COLOURS);
  return kinds.get(kind);
}

function drawRanges() {
  const { ranges, frames } = shown || { ranges: [], frames: null };
  lane.hidden = ranges.length === 0;
  const rows = []; // the end of the last range in each row
  const buttons = ranges.map((range, index) => {
    const from = frames.times[frames.clamp(range.start)];
    const to = frames.endOf(frames.clamp(range.end - 1));
    let row = rows.findIndex((end) => end <= range.start);
    if (row < 0) row = rows.length;
    rows[row] = range.end;
    const words = [range.label, range.kind].filter(Boolean).join(', ') || 'range';
    const name = `${words}: ${frameName(range.start)} to ${frameName(range.end - 1)}, ${clock(from)} to ${clock(to)}`;
    const button = make(
      'button',
      { type: 'button', class: 'range', 'aria-label': name, title: name, 'data-colour': colour(range.kind) },
      make('span', {}, range.label),
    );
    button.style.left = `${(100 * from) / frames.end}%`;
    button.style.width = `${(100 * (to - from)) / frames.end}%`;
    button.style.setProperty('--row', String(row));
    button.addEventListener('click', () => choose(index));
    return button;
  });
  lane.style.setProperty('--rows', String(Math.max(1, rows.length)));
  lane.replaceChildren(...buttons);
  const named = [...new Set(ranges.map(({ kind }) => kind).filter(Boolean))];
  legend.hidden = named.length === 0;
  legend.replaceChildren(...named.map((kind) => make('span', { 'data-colour': colour(kind) }, kind)));
  outline();
}

/** The ranges that hold the shown frame. */
function outline() {
  for (const [index, button] of [...lane.children].entries()) {
    const { start, end } = shown.ranges[index];
    if (frame >= start && frame < end) button.setAttribute('aria-current', 'true');
    else button.removeAttribute('aria-current');
  }
}

function choose(index) {
  const range = shown.ranges[index];
  void seek(range.start);
  trigger('select', { index, value: range.label, ...range });
}

// --- films ----------------------------------------------------------------------------------------

/** Another film, from its first request on; `again` where the page has shown it before. */
async function load(film, first) {
  const mine = { loading: true };
  turn = mine;
  presented = null;
  wanted = shown.frames.clamp(first);
  frame = -1;
  explain();
  bar.max = String(shown.frames.last);
  for (const control of [previous, playing, next, bar]) control.disabled = false;
  say(wanted, 'seeking');
  drawRanges();
  const picture = new Promise((resolve) => {
    mine.first = resolve;
  });
  video.src = film.file.url;
  await new Promise((resolve) => video.addEventListener('loadeddata', resolve, { once: true }));
  if (mine !== turn) return;
  if (isPictureless()) {
    refuse();
    return;
  }
  // Which clock this browser uses shows in its first picture.
  if (shown.frames.starts.length > 1 && video.requestVideoFrameCallback) {
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
  frame = 0;
  video.removeAttribute('src');
  video.load();
  bar.max = '0';
  for (const control of [previous, playing, next, bar]) control.disabled = true;
  explain('No film');
  number.textContent = frameName(0);
  time.textContent = clock(0);
  state.replaceChildren();
  state.dataset.is = '';
  drawRanges();
}

/** What comes from Python: a film, a frame of it, ranges, or nothing. */
function take() {
  const value = props.value || null;
  if (value === null) empty();
  else if (value.confirmed !== undefined) again(value);
  else if (value.film) {
    const { file, name, codec, container } = value.film;
    shown = {
      film: { file, name, codec, container },
      frames: new Frames(value.film),
      ranges: value.ranges || [],
      name: '',
    };
    shown.name = remember(shown);
    void load(shown.film, value.show || 0);
  } else if (shown) {
    if (value.ranges) {
      shown.ranges = value.ranges;
      drawRanges();
      tell(wanted === null && state.dataset.is === 'confirmed');
    }
    if (value.show !== undefined) void seek(value.show);
  }
}

/** The component is made anew: the film that the page remembers. */
function again(value) {
  const film = memory.films.get(value.film);
  if (!film || film === shown) return;
  shown = film;
  void load(film.film, value.frame);
}

// --- keys -------------------------------------------------------------------------------------------

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
  const run = KEYS[event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key];
  if (!run || (event.key === ' ' && event.target.closest('button'))) return;
  event.preventDefault();
  event.stopPropagation();
  run();
}

function drawTitle() {
  title.textContent = props.label || '';
  title.hidden = !props.label;
  root.setAttribute('aria-label', props.label || 'Frame player');
}

root.addEventListener('keydown', onKey);
bar.addEventListener('input', () => void seek(Number(bar.value)));
video.addEventListener('play', onPlay);
video.addEventListener('pause', onPause);
video.addEventListener('ended', onPlay);
video.addEventListener('error', () => shown && refuse());
if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(onPicture);
else video.addEventListener('timeupdate', () => !video.paused && present(video.currentTime));
// A film in a hidden tab has no picture: it is requested again when it is to be seen.
new IntersectionObserver(([{ isIntersecting }]) => {
  if (isIntersecting && shown && !turn.loading && state.dataset.is === 'unconfirmed')
    void seek(wanted ?? frame);
}).observe(screen);
drawTitle();
empty();
take();
watch('value', take);
watch('label', drawTitle);
