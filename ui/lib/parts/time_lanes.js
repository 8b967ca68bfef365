// The lanes under the picture: scenes, frames, speech, text on screen, camera. One time axis for all.
import { cutCells } from './cut_lane.js';
import { h } from './elements.js';
import { clock, frameName, shortClock } from './words.js';

/** @typedef {import('../player/player.js').Player} Player */

const MOTION = {
  static: ['·', 'static'],
  pan_left: ['←', 'pan left'],
  pan_right: ['→', 'pan right'],
  tilt_up: ['↑', 'tilt up'],
  tilt_down: ['↓', 'tilt down'],
  zoom_in: ['⤢', 'zoom in'],
  zoom_out: ['⤡', 'zoom out'],
  shake: ['≈', 'shake'],
  mixed: ['↝', 'mixed'],
};
const THUMB_HEIGHT = 44;
const FEWEST_FRAMES = 8;
const SETTLE_MS = 200;

/**
 * [sign, words] of a measured camera motion.
 * @param {string} label
 */
export const motionWords = (label) => MOTION[label] || ['?', label];

/**
 * The least seconds that the lanes show: a handful of frames.
 * @param {{pts: ArrayLike<number>, end: number}} video
 */
export const shortest = ({ pts, end }) => Math.min(end, Math.max(0.2, (FEWEST_FRAMES * end) / pts.length));

/** @param {Player} player */
export function drawLanes(player) {
  const width = player.lanes.clientWidth - 64;
  if (width < 50) return;
  const { data } = player;
  const lane = (name, cells, extra = '') =>
    h(
      'div',
      { class: `dl-lane ${extra}` },
      h('span', { class: 'dl-lane-name' }, name),
      h('div', { class: 'dl-track' }, cells),
    );
  const rows = [
    lane(
      'scenes',
      [scenes(player), cutCells(player, placed)],
      `dl-lane-scenes ${data.proposal ? 'dl-lane-proposal' : ''}`,
    ),
    lane('frames', frames(player, width), 'dl-lane-frames'),
    lane('speech', speech(player), 'dl-lane-speech'),
    data.screen_texts?.length ? lane('text', screenTexts(player), 'dl-lane-text') : null,
    lane('camera', camera(player), 'dl-lane-camera'),
    lane(zoomWords(player), axis(player), 'dl-lane-axis'),
  ];
  const hover = h('div', { class: 'dl-hover', hidden: true }, h('img', { alt: '' }), h('span', {}));
  const over = h('div', { class: 'dl-over' }, band(player), h('div', { class: 'dl-head' }), hover);
  const shown = data.scenes.length ? rows : rows.slice(1);
  player.lanes.replaceChildren(...[...shown, part(player), over].filter(Boolean));
  bind(player, hover);
}

/**
 * The playhead, and the cells that the frame on the screen is in.
 * @param {Player} player
 */
export function placeHead(player) {
  const head = player.lanes.querySelector('.dl-head');
  if (!head) return;
  const { index } = player;
  const share = shareOf(player, player.pts[index]);
  head.style.left = `${share * 100}%`;
  head.hidden = share < 0 || share > 1;
  for (const cell of player.lanes.querySelectorAll('[data-from]')) {
    const current = index >= Number(cell.dataset.from) && index < Number(cell.dataset.to);
    cell.classList.toggle('dl-current', current);
    if (cell.dataset.f) showPicture(player, cell, current);
  }
}

/**
 * A cell across a cut shows the side on which the frame on the screen is, else the one that most of it is on.
 * @param {Player} player
 * @param {HTMLElement} cell
 * @param {boolean} current
 */
function showPicture(player, cell, current) {
  const [own, from, to] = [cell.dataset.f, cell.dataset.from, cell.dataset.to].map(Number);
  const scene = current && player.sceneAt(player.index);
  const inScene = (/** @type {number} */ frame) => frame >= scene.start && frame < scene.end;
  const picture =
    !scene || inScene(own)
      ? own
      : (closest(
          player.data.strip.filter((frame) => frame >= from && frame < to && inScene(frame)),
          own,
        ) ?? Math.floor((scene.start + scene.end) / 2)); // one a scene: few are made for it
  const image = cell.querySelector('img');
  const source = `/media/${player.data.id}/strip/${picture}.jpg`;
  if (image.getAttribute('src') !== source) image.src = source;
}

/** @type {(player: {view: number[]}, seconds: number) => number} */
const shareOf = ({ view: [from, to] }, seconds) => (seconds - from) / (to - from);

/** @type {(player: {view: number[], end: number}) => boolean} */
const zoomed = ({ view: [from, to], end }) => to - from < end - 0.01;

function zoomWords(player) {
  if (!zoomed(player)) return '';
  const times = player.end / (player.view[1] - player.view[0]);
  return h(
    'span',
    { title: 'Zoomed: Ctrl and the wheel, or + and -; 0 shows the whole video' },
    `×${times < 10 ? times.toFixed(1) : Math.round(times)}`,
  );
}

/** Which part of the video the lanes show. */
function part(player) {
  if (!zoomed(player)) return null;
  const [from, to] = player.view;
  return h(
    'div',
    { class: 'dl-part-of' },
    h('i', {
      style: { left: `${(from / player.end) * 100}%`, width: `${((to - from) / player.end) * 100}%` },
    }),
  );
}

/** The marked stretch, over all lanes. */
function band(player) {
  const { marks } = player;
  if (marks.in === null && marks.out === null) return null;
  const { first, last } = player.range();
  const style = placed(player, player.pts[first], player.table.endOf(last));
  return (
    style &&
    h('div', {
      class: `dl-band ${marks.in === null ? '' : 'dl-band-in'} ${marks.out === null ? '' : 'dl-band-out'}`,
      style,
    })
  );
}

function placed(player, from, to) {
  const [a, b] = player.view;
  const left = Math.max(0, (from - a) / (b - a));
  const right = Math.min(1, (to - a) / (b - a));
  return right <= left ? null : { left: `${left * 100}%`, width: `${(right - left) * 100}%` };
}

function scenes(player) {
  return player.data.scenes.map((scene) => {
    const style = placed(player, scene.start_s, scene.end_s);
    return (
      style &&
      h(
        'button',
        {
          type: 'button',
          class: `dl-cell dl-scene ${scene.missing ? 'dl-missing' : ''}`,
          style,
          'data-from': scene.start,
          'data-to': scene.end,
          tabindex: '-1',
          title: `scene ${scene.index + 1}${player.data.proposal ? ', proposed from keyframes' : ''}${scene.missing ? ', its clip is not here' : ''}: ${clock(scene.start_s)} to ${clock(scene.end_s)}`,
          onclick: () => player.seek(scene.start),
        },
        String(scene.index + 1),
      )
    );
  });
}

function frames(player, width) {
  const { data } = player;
  const count = Math.max(1, Math.min(80, Math.round((width * data.height) / (THUMB_HEIGHT * data.width))));
  const [from, to] = player.view;
  const [first, last] = [player.frameAt(from), player.frameAt(to - 1e-4)];
  // Zoomed in far enough, every cell is one frame.
  if (last - first < Math.max(1.5 * count, FEWEST_FRAMES + 2))
    return Array.from({ length: last - first + 1 }, (_, n) =>
      frame(player, first + n, first + n, first + n + 1),
    );
  return Array.from({ length: count }, (_, n) => {
    const [a, b] = [n, n + 1].map((at) => from + ((to - from) * at) / count);
    const middle = player.frameAt((a + b) / 2);
    // The whole video is shown by pictures that were made ahead; those of a part are made when it stands still.
    const index = !zoomed(player) || player.zooming ? madeAhead(data, middle) : middle;
    return frame(
      player,
      index,
      player.frameAt(a + 1e-4),
      n === count - 1 ? last + 1 : player.frameAt(b),
      placed(player, a, b),
    );
  });
}

function frame(
  player,
  index,
  from,
  to,
  style = placed(player, player.pts[from], player.table.endOf(to - 1)),
) {
  return (
    style &&
    h(
      'button',
      {
        type: 'button',
        class: 'dl-cell dl-frame',
        tabindex: '-1',
        style,
        title: `Frame ${index} · ${clock(player.pts[index])}`,
        'data-f': index,
        'data-from': from,
        'data-to': to,
        onclick: () => player.seek(index),
      },
      h('img', {
        src: `/media/${player.data.id}/strip/${index}.jpg`,
        alt: '',
        loading: 'lazy',
        draggable: false,
      }),
    )
  );
}

/** The frame nearest to `index` whose picture was made ahead; of a missing clip nothing but its slate will do. */
function madeAhead({ strip, slates }, index) {
  return slates.includes(index) ? index : closest(strip, index);
}

function closest(sorted, value) {
  let best = sorted[0];
  for (const entry of sorted) if (Math.abs(entry - value) < Math.abs(best - value)) best = entry;
  return best;
}

function speech(player) {
  const { speech: track } = player.data;
  if (!track.heard) return [h('span', { class: 'dl-lane-note' }, 'no transcription yet')];
  const gaps = track.gaps.map(([from, to]) => {
    const style = placed(player, from, to);
    return (
      style &&
      h('span', {
        class: 'dl-cell dl-gap',
        style,
        title: `no speech detected, ${clock(from)} to ${clock(to)}`,
      })
    );
  });
  const said = track.segments.map((segment) => {
    const style = placed(player, segment.start_s, segment.end_s);
    const sure = segment.words.length
      ? segment.words.reduce((s, w) => s + w[3], 0) / segment.words.length
      : 1;
    return (
      style &&
      h(
        'button',
        {
          type: 'button',
          class: `dl-cell dl-said ${sure < 0.6 ? 'dl-unsure' : ''}`,
          style,
          tabindex: '-1',
          title: `${segment.text.value} (word probability ${sure.toFixed(2)})`,
          onclick: () => player.seek(player.frameAt(segment.start_s)),
        },
        String(segment.text.value),
      )
    );
  });
  const none = track.segments.length ? null : h('span', { class: 'dl-lane-note' }, 'no speech heard');
  return [gaps, said, none];
}

/** Lines of one time share a cell; one that was seen in a single frame is as wide as a click needs. */
function screenTexts(player) {
  const groups = Map.groupBy(player.data.screen_texts, (line) => `${line.first} ${line.last}`);
  return [...groups.values()].map((lines) => {
    const style = placed(player, lines[0].start_s, lines[0].end_s);
    const words = lines.map((line) => line.text).join(' / ');
    return (
      style &&
      h(
        'button',
        {
          type: 'button',
          class: 'dl-cell dl-said dl-written',
          style,
          tabindex: '-1',
          'data-from': lines[0].first,
          'data-to': lines[0].last + 1,
          title: `text on screen: ${words}`,
          onclick: () => player.seek(lines[0].frame),
        },
        words,
      )
    );
  });
}

function camera(player) {
  return player.data.scenes.map((scene) => {
    const style = placed(player, scene.start_s, scene.end_s);
    const motion = scene.measurements.camera_motion;
    if (!style || !motion) return null;
    const [sign, words] = motionWords(motion.label);
    const sure = typeof motion.confidence === 'number' ? `, confidence ${motion.confidence.toFixed(2)}` : '';
    return h(
      'span',
      { class: 'dl-cell dl-motion', style, title: `measured: ${words}${sure}` },
      h('b', {}, sign),
      ` ${words}`,
    );
  });
}

function axis(player) {
  const [from, to] = player.view;
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
  const step = steps.find((s) => (to - from) / s <= 10) || 7200;
  const ticks = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) {
    ticks.push(
      h(
        'span',
        { class: 'dl-tick', style: { left: `${((t - from) / (to - from)) * 100}%` } },
        step < 1 ? clock(t) : shortClock(t),
      ),
    );
  }
  return ticks;
}

function bind(player, hover) {
  const { lanes } = player;
  const seconds = (event) => {
    const box = lanes.querySelector('.dl-track').getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    return share < 0 || share > 1 ? null : player.view[0] + share * (player.view[1] - player.view[0]);
  };
  lanes.onpointermove = (event) => {
    const at = seconds(event);
    hover.hidden = at === null;
    if (at === null) return;
    const index = player.frameAt(at);
    const shown = madeAhead(player.data, index);
    hover.style.left = `${shareOf(player, at) * 100}%`;
    hover.firstChild.src = `/media/${player.data.id}/strip/${shown}.jpg`;
    hover.lastChild.textContent = `${frameName(index)} · ${clock(at)}`;
  };
  lanes.onpointerleave = () => {
    hover.hidden = true;
  };
  lanes.onclick = (event) => {
    if (event.target.closest('.dl-cell')) return;
    const at = seconds(event);
    if (at !== null) player.seek(player.frameAt(at));
  };
  lanes.onwheel = (event) => {
    const [from, to] = player.view;
    const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey) {
      event.preventDefault();
      coarsely(player, () => player.zoom(event.deltaY > 0 ? 1.25 : 0.8, seconds(event) ?? undefined));
    } else if (zoomed(player) && Math.abs(across) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
      event.preventDefault();
      coarsely(player, () => player.look(from + (to - from) * (across / lanes.clientWidth)));
    }
  };
}

/** While the wheel turns, pictures that are there will do; the right ones are asked for once it stands. */
function coarsely(player, change) {
  player.zooming = true;
  clearTimeout(player.settled);
  player.settled = setTimeout(() => {
    player.zooming = false;
    player.draw();
  }, SETTLE_MS);
  change();
}
