// The strip of the Keyframes page: candidates with captions, progress between them, one row per method.
import { baselineBadge, clear, clock, frameName, h, icon, mark } from './core.js';

export const METHODS = {
  progression: 'A frame is kept when the action has moved on since the frame before it; the first is always kept.',
  uniform: 'As many frames as progression keeps, from equal stretches.',
  clusters: 'One frame per group of frames that look alike (k-means, 3 to 6 groups by silhouette).',
};

/** The verdict on a pair of neighbours: yes, no, uncertain, or why there is none. */
export function pairMark(pair) {
  if (!pair) return mark('missing', 'none');
  if (pair.state !== 'done') return mark(pair.state);
  return mark({ yes: 'yes', no: 'no' }[pair.label] || 'neutral', pair.label);
}

export const keepWords = (kept) => (kept ? mark('done', 'kept') : mark('missing', 'dropped'));

export function overlap(a, b) {
  const both = [...a].filter((frame) => b.has(frame)).length;
  const either = new Set([...a, ...b]).size;
  return { both, either, share: either ? both / either : 0 };
}

/** Draws everything again. `page` is the Keyframes page. */
export function drawStrip(page) {
  const { strip } = page;
  const { frames } = page.data;
  strip.style.setProperty('--dl-kf-n', String(frames.length));
  strip.style.setProperty('--dl-kf-shape', page.data.player.file ? `${page.data.player.width} / ${page.data.player.height}` : '16 / 9');
  clear(strip,
    row('frames', kept('', `${frames.length} candidates`), frames.map((frame, n) => candidate(page, frame, n)), 'dl-kf-frames'),
    row('captions', kept('', captionsBy(frames)), frames.map((frame, n) => caption(page, frame, n)), 'dl-kf-captions'),
    row('progress', kept('', 'moved on since?'), frames.map((_, n) => gap(page, n)), 'dl-kf-gaps'),
    page.machineRows().map((selection) => methodRow(page, selection)),
    page.frame.can('edit') ? ownRow(page) : null,
    page.otherPeople().map((selection) => methodRow(page, selection)));
}

const row = (name, about, cells, extra, title = '') => h('div', { class: `dl-kf-row ${extra}`, role: 'row', 'data-name': name },
  h('div', { class: 'dl-kf-name', role: 'rowheader', title: title || null }, h('b', {}, name), about), cells);

/** A row's name with what it kept, and a second line. */
const kept = (count, ...second) => [h('span', { class: 'dl-kf-count' }, count), h('span', { class: 'dl-kf-second' }, second)];

const cell = (page, n, content, extra = {}) => h('div', { class: 'dl-kf-cell', role: 'gridcell', 'data-n': n, onclick: () => page.go(n), ...extra }, content);

function captionsBy(frames) {
  const made = frames.find((f) => f.caption)?.caption;
  return h('span', {}, made?.baseline ? baselineBadge() : made?.author || '');
}

const picture = (page, index, alt = '') => (page.data.player.file
  ? h('img', { src: `/media/${page.data.video.id}/strip/${index}.jpg`, alt, loading: 'lazy', draggable: false })
  : h('span', { class: 'dl-kf-nopicture' }, 'no file'));

function candidate(page, frame, n) {
  const words = `Frame ${frame.index}${frame.seconds === null ? '' : ` at ${clock(frame.seconds)}`}`;
  return cell(page, n, h('button', { type: 'button', class: 'dl-kf-frame', tabindex: '-1', 'aria-label': words, 'data-index': frame.index },
    picture(page, frame.index), h('b', {}, frameName(frame.index)), h('span', {}, frame.seconds === null ? '–' : clock(frame.seconds))));
}

function caption(page, frame, n) {
  const { state, value, corrected, reason } = frame.caption;
  const unread = ['failed', 'unparsed', 'missing'].includes(state) && !corrected;
  return cell(page, n, [unread ? mark(state) : h('span', { class: 'dl-kf-words' }, value),
    corrected || frame.other_frames.length ? h('span', { class: 'dl-kf-flags' }, corrected ? mark('corrected', '') : null, frame.other_frames.length ? mark('failed', 'other frame') : null) : null], { title: value || reason });
}

/** Between candidate n - 1 and n: it stands on the border of the two columns. */
function gap(page, n) {
  if (!n) return h('div', { class: 'dl-kf-cell', role: 'gridcell', 'data-n': 0 });
  const pair = page.pair(n);
  const [a, b] = [page.data.frames[n - 1].index, page.data.frames[n].index];
  const show = (event) => page.explain(n, event.currentTarget);
  return cell(page, n, h('button', {
    type: 'button', class: 'dl-kf-gap', tabindex: '-1', 'data-gap': b, 'aria-label': `From frame ${a} to frame ${b}: ${pair ? pair.label || pair.state : 'no verdict'}. ${page.why(n)}`,
    onmouseenter: show, onfocus: show, onmouseleave: () => page.explain(), onblur: () => page.explain(),
  }, pairMark(pair), pair?.stale ? mark('stale', '') : null));
}

function counted(page, picked) {
  const here = page.data.frames.filter((f) => picked.has(f.index)).length;
  const more = picked.size - here;
  return `${here} of ${page.data.frames.length}${more ? ` + ${more} elsewhere` : ''}`;
}

function agreement(page, picked) {
  if (!page.picks.size) return null;
  const { both, either, share } = overlap(page.picks, picked);
  return h('span', { class: 'dl-kf-agree', title: `With your row: of ${either} frames that either has, both have ${both} (intersection over union)` }, `IoU ${share.toFixed(2)} · ${both} of ${either}`);
}

function methodRow(page, selection) {
  const picked = new Set(selection.frames);
  const name = selection.method === 'person' ? selection.by || 'a person' : selection.method;
  const about = kept(counted(page, picked), selection.baseline ? baselineBadge() : null, agreement(page, picked));
  return row(name, about, page.data.frames.map((frame, n) => {
    const lit = picked.has(frame.index);
    const words = `${frameName(frame.index)}: ${lit ? 'kept' : 'dropped'}`;
    return cell(page, n, [picture(page, frame.index), lit ? icon('done') : null, h('span', { class: 'dl-unseen' }, words)],
      { class: `dl-kf-cell dl-kf-pick ${lit ? 'dl-kf-lit' : ''}`, title: selection.reasons[frame.index] || words });
  }), 'dl-kf-method', METHODS[selection.method] || 'Picked by a person.');
}

function ownRow(page) {
  const about = page.picks.size ? kept(counted(page, page.picks), page.status) : kept('', 'click frames, or Space ', page.status);
  return row('yours', about, page.data.frames.map((frame, n) => {
    const lit = page.picks.has(frame.index);
    return h('div', { class: 'dl-kf-cell', role: 'gridcell', 'data-n': n }, h('button', {
      type: 'button', class: `dl-kf-pick dl-kf-own ${lit ? 'dl-kf-lit' : ''}`, tabindex: '-1', 'aria-pressed': String(lit), 'data-own': frame.index, 'aria-label': `Frame ${frame.index} in your row`,
      title: lit ? 'Take it out' : 'Pick it', onclick: () => { page.go(n); page.toggle(n); },
    }, picture(page, frame.index), icon(lit ? 'done' : 'plus')));
  }), 'dl-kf-method dl-kf-mine', 'Your own selection: click, or press Space or x on a frame.');
}
