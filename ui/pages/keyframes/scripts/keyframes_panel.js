// Beside the player: the caption of the candidate in focus, how it is worded, and why the frame was kept or dropped.
import { h, useLayoutEffect } from '../../../lib/components/component.js';
import { empty, held, mark, hint } from '../../../lib/components/small_components.js';
import { Why } from './selection_reasons.js';

/** @typedef {import('./keyframes_state.js').KeyframesState} State */
/** @typedef {import('./captioning.js').Captioning} Captioning */

/** @param {{state: State, captioning: Captioning}} props */
export const Panel = ({ state, captioning }) =>
  h(
    'section',
    { class: 'dl-kf-panel', 'aria-label': 'This frame' },
    state.editor.value
      ? [
          h('div', { class: 'dl-kf-caption' }, h(Caption, { state }), h(Wording, { state })),
          h('div', { class: 'dl-kf-why' }, h(Why, { state, captioning })),
        ]
      : h(NoFrames, { state }),
  );

/** @param {{state: State}} props */
function Caption({ state }) {
  const editor = state.editor.value;
  useLayoutEffect(() => {
    if (state.takesCaret) editor.area.focus();
    state.takesCaret = false;
  }, [editor]);
  return held(editor.node);
}

/** @param {{state: State}} props */
function Wording({ state }) {
  const { caption, readable, other_frames: others } = state.data.value.frames[state.at.value];
  const chars = Array.from(caption.value);
  return h(
    'div',
    { class: 'dl-kf-wording' },
    readable
      ? null
      : h('p', { class: 'dl-whynot' }, mark(caption.state), caption.reason || 'no reason recorded'),
    caption.stale ? hint(mark('stale', 'written for another action label')) : null,
    others.length
      ? [
          mark('flagged', 'refers to another frame'),
          others.map(([from, to]) => h('q', { key: from }, chars.slice(from, to).join(''))),
          hint('A frame caption should stand by itself: the method compares it with its neighbour’s.'),
        ]
      : null,
  );
}

/** @param {{state: State}} props */
function NoFrames({ state }) {
  const { file, frames } = state.data.value.player;
  if (file && frames < 2)
    return h('p', { class: 'dl-empty' }, 'This video has a single frame: there is nothing to select.');
  return empty(
    'No frame captions yet. The pipeline writes one for each candidate frame, asks between neighbours whether the action has moved on, and keeps the frames where it has.',
    h('a', { class: 'dl-button dl-button-main', href: '/', 'data-name': 'run' }, 'Run it from the Library'),
  );
}
