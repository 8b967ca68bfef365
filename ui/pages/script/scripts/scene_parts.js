// What stands in an open scene beside its fields: measurements, what is said and written in it, and what a model was given.
import { h } from '../../../lib/components/component.js';
import { icon, mark } from '../../../lib/components/small_components.js';
import { FrameRow } from '../../../lib/components/frame_row.js';
import { motionWords } from '../../../lib/parts/time_lanes.js';
import { clock } from '../../../lib/parts/words.js';
import { FIELDS, saidIn } from './scene_state.js';
import { FindingList } from './script_findings.js';

/** @typedef {{state: import('./scene_state.js').SceneState, scene: import('./scene_state.js').SceneRow}} Props */

/** The findings about a field, or about the speech. @param {Props & {aspect: string}} props */
export const FindingsAbout = ({ state, scene, aspect }) =>
  h(
    'div',
    { 'data-findings': aspect },
    h(FindingList, {
      findings: state.findingsOf(scene).filter((finding) => finding.aspect === aspect),
      may: state.page.frame.can('edit'),
      changed: (id, dismissal) => state.dismissed(id, dismissal),
    }),
  );

/** @param {Props['scene']} scene @returns {Object<string, any>} by stage */
const measured = ({ measurements }) => measurements;

/** @param {Props} props */
function unmeasured({ state, scene }) {
  if (scene.missing) return 'no clip to measure';
  return state.data.edits.recut.includes(scene.key) ? 'not measured for the new cut' : 'not measured yet';
}

/** The measured motion beside what is written of the camera. @param {Props} props */
export function Measured({ state, scene }) {
  const motion = measured(scene).camera_motion;
  if (!motion) return h('div', { class: 'dl-measured' }, h('span', null, unmeasured({ state, scene })));
  const [sign, words] = motionWords(motion.label);
  const claim = state.data.claims[scene.key];
  return h(
    'div',
    { class: 'dl-measured' },
    h(
      'span',
      {
        title: `horizontal ${motion.dx_per_s}, vertical ${motion.dy_per_s}, zoom ${motion.zoom_per_s} per second; shake ${motion.shake}`,
      },
      'measured ',
      h('b', null, `${sign} ${words}`),
      ` · confidence ${motion.confidence.toFixed(2)}`,
    ),
    claim === 'contradict'
      ? mark('contradiction', 'contradicts the text')
      : claim === 'agree'
        ? mark('entailment', 'fits the text')
        : h(
            'span',
            { title: 'the text names no plain movement, or the measurement is not sure enough' },
            'cannot tell whether it fits',
          ),
  );
}

/** @param {Props} props */
export function ShotScale({ state, scene }) {
  const scale = measured(scene).shot_scale;
  const known = scale && scale.label !== 'unknown';
  return h(
    'div',
    { class: 'dl-measured dl-scale' },
    known
      ? h(
          'span',
          null,
          'measured ',
          h('b', null, scale.label),
          ` · confidence ${scale.confidence.toFixed(2)}`,
        )
      : h('span', null, scale ? 'measured: shot scale unknown' : unmeasured({ state, scene })),
  );
}

/** What was written on a scene that is part of this one now. @param {Props} props */
export const MergedScenes = ({ state, scene }) =>
  (state.data.edits.lost[scene.key] || []).map((lost) => {
    const texts = state.data.script[lost.key] || {};
    return h(
      'section',
      { key: lost.key, class: 'dl-part dl-fromscene' },
      h(
        'h2',
        null,
        `from ${lost.merged ? 'the merged scene' : 'a scene of an earlier cut'} · ${clock(lost.start_s)} to ${clock(lost.end_s)}`,
      ),
      h(
        'dl',
        null,
        FIELDS.filter(([kind]) => texts[kind]?.value).map(([kind, label]) => [
          h('dt', null, label),
          h('dd', null, texts[kind].value),
        ]),
      ),
    );
  });

/**
 * Words that lead to a frame.
 * @param {{words: import('preact').ComponentChildren, title: string, disabled?: boolean, go: () => unknown}} props
 */
const SaidLine = ({ words, title, disabled, go }) =>
  h('button', { type: 'button', class: 'dl-saidline', disabled, title, onClick: go }, icon('play'), words);

/** @param {Props} props */
export function VoiceOver({ state, scene }) {
  const said = state.saidLines(scene);
  const { speech, file } = state.data.player;
  const from = (/** @type {number} */ start) =>
    state.seek(state.page.player.frameAt(Math.max(start, scene.start_s)));
  return h(
    'section',
    { class: 'dl-part' },
    h('h2', null, 'voice-over'),
    said.length
      ? h(
          'p',
          { class: 'dl-voice' },
          said.map((line) =>
            h(SaidLine, {
              key: line.id,
              words: saidWords(line, scene),
              title: `${clock(line.start_s)} to ${clock(line.end_s)}`,
              disabled: !file,
              go: () => from(line.start_s),
            }),
          ),
        )
      : h('p', { class: 'dl-hint' }, speech.heard ? 'no speech in this scene' : 'no transcription yet'),
    h(FindingsAbout, { state, scene, aspect: 'speech' }),
  );
}

/**
 * The line with what is said of it in other scenes set back.
 * @param {import('./scene_state.js').SpeechLine} line
 * @param {{start_s: number, end_s: number}} scene
 */
function saidWords(line, scene) {
  const [before, inside, after] = saidIn(line, scene);
  if (!before && !after) return h('span', null, String(line.text.value));
  const elsewhere = (/** @type {string} */ words, /** @type {string} */ where) =>
    words && h('span', { class: 'dl-hint', title: `said in the scene ${where}` }, words);
  return h('span', null, elsewhere(before, 'before'), ' ', inside, ' ', elsewhere(after, 'after'));
}

/** @param {Props} props */
export function OnScreen({ state, scene }) {
  const lines = state.written(scene);
  return h(
    'section',
    { class: 'dl-part', hidden: !lines.length },
    h('h2', null, 'text on screen'),
    h(
      'p',
      { class: 'dl-voice' },
      lines.map((line) =>
        h(SaidLine, {
          words: h('span', null, line.text),
          title: `${clock(line.start_s)} to ${clock(line.end_s)}, score ${line.score.toFixed(2)}`,
          go: () => state.seek(Math.min(Math.max(line.frame, scene.start), scene.end - 1)),
        }),
      ),
    ),
  );
}

/** @param {{scene: Props['scene']}} props */
export function Palette({ scene }) {
  const colours = measured(scene).palette?.colours || [];
  return h(
    'section',
    { class: 'dl-part dl-palettepart', hidden: !colours.length },
    h('h2', null, 'colours, measured'),
    h(
      'ul',
      { class: 'dl-palette' },
      colours.map((colour) =>
        h(
          'li',
          { title: colour.hex },
          h('span', {
            class: 'dl-swatch',
            style: { background: /^#[0-9a-f]{6}$/i.test(colour.hex) ? colour.hex : 'none' },
          }),
          colour.name,
          h('small', null, `${Math.round(colour.share * 100)} %`),
        ),
      ),
    ),
  );
}

/** @param {{player: import('../../../lib/player/player.js').Player, texts: {frames: number[]}[]}} props */
export function FramesGiven({ player, texts }) {
  const given = [...new Set(texts.flatMap((text) => text.frames))].sort((a, b) => a - b);
  const label = 'frames given to the model';
  return h(
    'section',
    { class: 'dl-part' },
    h('h2', null, given.length ? `${label} · ${given.length}` : label),
    given.length
      ? h(FrameRow, { player, indices: given, label })
      : h('p', { class: 'dl-hint' }, 'Not recorded by the source of this script.'),
  );
}
