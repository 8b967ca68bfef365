// The script: one card per scene. The scene that the player is in stands open, the others are one line.
import { h, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import {
  authorMarks,
  badge,
  button,
  empty,
  held,
  mark,
  toLibrary,
} from '../../../lib/components/small_components.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { openOnes } from './script_findings.js';
import { FIELDS } from './scene_state.js';
import {
  FindingsAbout,
  FramesGiven,
  Measured,
  MergedScenes,
  OnScreen,
  Palette,
  ShotScale,
  VoiceOver,
} from './scene_parts.js';

/** @typedef {import('./scene_state.js').SceneState} SceneState */
/** @typedef {import('./scene_state.js').SceneRow} SceneRow */
/** @typedef {import('./scene_state.js').FieldText} FieldText */
/** @typedef {import('./scene_parts.js').Props} Props */

/** @param {{state: SceneState}} props */
export function SceneCards({ state }) {
  const { scenes, data } = state;
  const why = data.player.file
    ? 'No scenes yet: run the pipeline on this video in the Library.'
    : 'Its file is not here, and no dataset has told of its scenes.';
  return h(
    'div',
    { class: 'dl-scenes', role: 'list', 'aria-label': 'Scenes' },
    scenes.length
      ? scenes.map((scene) => h(Card, { key: scene.key, state, scene }))
      : empty(why, toLibrary()),
  );
}

/** A scene of a video that came as clips, where this one's file is missing: it has words and no picture. */
const noClip = () => mark('missing', 'no clip');

/** @param {Props} props */
function Card({ state, scene }) {
  const open = state.scenes[state.open.value] === scene;
  const authors = new Map(
    Object.values(state.texts(scene)).map((text) => [
      JSON.stringify([text.author, text.model, text.corrected && text.corrected_by]),
      text,
    ]),
  );
  const by = authors.size === 1 ? authors.values().next().value : null;
  return h(
    'div',
    {
      class: `dl-scenecard ${open ? 'dl-open' : ''} ${open && by ? 'dl-oneauthor' : ''}`,
      role: 'listitem',
      'data-scene': scene.index + 1,
      hidden: Boolean(state.words.value) && !state.holds(scene),
    },
    open ? h(OpenScene, { state, scene, by }) : h(FoldedScene, { state, scene }),
  );
}

/** Scenes of a dataset may have times without frames, or only an order. @param {Props} props */
function FoldedScene({ state, scene }) {
  const { player, claims } = state.data;
  const texts = Object.values(state.texts(scene)).filter((text) => !text.corrected);
  const trouble = ['failed', 'unparsed'].find((one) => texts.some((text) => text.state === one));
  const found = openOnes(state.findingsOf(scene)).length;
  return h(
    'button',
    {
      type: 'button',
      class: 'dl-scenefold',
      'aria-expanded': false,
      onClick: () => state.go(scene.index),
    },
    h('span', { class: 'dl-scenenumber' }, scene.index + 1),
    player.file
      ? h('img', {
          class: 'dl-scenethumb',
          alt: '',
          loading: 'lazy',
          fetchpriority: 'low',
          src: `/media/${player.id}/strip/${Math.floor((scene.start + scene.end) / 2)}.jpg`,
        })
      : h('span', { class: 'dl-scenethumb' }),
    h(
      'span',
      { class: 'dl-scenename' },
      state.value(scene, 'script:scene_title') ||
        state.value(scene, 'script:content') ||
        'nothing written yet',
      h(
        'small',
        null,
        [player.untimed ? '' : clock(scene.start_s), state.value(scene, 'script:shot_type')]
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    scene.missing ? noClip() : null,
    found ? mark('flagged', String(found)) : null,
    trouble ? mark(trouble) : null,
    claims[scene.key] === 'contradict' ? mark('contradiction', 'camera') : null,
    state.moved(scene).length ? mark('moved', 'look again') : null,
  );
}

/** @param {Props & {by: FieldText | null}} props */
function OpenScene({ state, scene, by }) {
  const head = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const texts = state.texts(scene);
  useSteady(head, state.findings.value);
  useLayoutEffect(() => {
    const card = head.current.parentElement;
    if (state.scrolls) requestAnimationFrame(() => card.scrollIntoView({ block: 'start' }));
    state.scrolls = false;
  }, [scene.key]);
  useLayoutEffect(() => {
    const panel = head.current.closest('.dl-tabpanel');
    if (state.top !== null)
      panel.scrollTop += head.current.parentElement.getBoundingClientRect().top - state.top;
    state.top = null;
    const { caret } = state;
    state.caret = '';
    if (caret === 'head') head.current.focus({ preventScroll: true });
    else if (caret === 'finding')
      head.current.parentElement
        .querySelector(/** @type {'button'} */ ('.dl-dismissfinding'))
        ?.focus({ preventScroll: true });
    else if (caret) state.fields.value.find(({ kind }) => kind === caret)?.editor?.area.focus();
  });
  return [
    h(
      'button',
      {
        ref: head,
        type: 'button',
        class: 'dl-scenehead',
        'aria-expanded': true,
        title: 'to the first frame of this scene',
        onClick: () => state.seek(scene.start),
      },
      h('b', null, `scene ${scene.index + 1}/${state.scenes.length}`),
      h('span', null, span(state, scene)),
      h('span', { class: 'dl-grow' }),
      scene.missing ? noClip() : null,
      state.data.edits.by[scene.key] === 'person' ? badge('person’s cut', 'cut') : null,
      h('span', { class: 'dl-sceneauthor' }, by ? authorMarks(by) : null),
    ),
    h(LookAgain, { state, scene }),
    whyNot(Object.values(texts)),
    h(
      'div',
      { class: 'dl-scenefields', 'data-fields-first': '' },
      state.fields.value.map((field) => h(Field, { key: field.kind, state, scene, field })),
    ),
    h(MergedScenes, { state, scene }),
    h(VoiceOver, { state, scene }),
    h(OnScreen, { state, scene }),
    h(Palette, { scene }),
    h(FramesGiven, { player: state.page.player, texts: Object.values(texts) }),
  ];
}

/**
 * What changes above the text that has the caret does not move it: the pane is scrolled by as much.
 * @param {import('preact').RefObject<HTMLElement>} head of the open scene
 * @param {unknown} _ what else is followed: the scene is drawn again when it changes
 */
function useSteady(head, _) {
  const field = head.current?.parentElement.querySelector('textarea:focus');
  const top = field?.getBoundingClientRect().top;
  useLayoutEffect(() => {
    if (field?.isConnected)
      field.closest('.dl-tabpanel').scrollTop += field.getBoundingClientRect().top - top;
  });
}

/** @param {SceneState} state @param {SceneRow} scene */
function span({ data }, scene) {
  if (data.player.untimed) return 'no times known';
  const length = `${clock(scene.start_s)} to ${clock(scene.end_s)} · ${(scene.end_s - scene.start_s).toFixed(1)} s`;
  const frames =
    scene.end - scene.start === 1
      ? `frame ${frameName(scene.start)}`
      : `frames ${frameName(scene.start)} to ${frameName(scene.end - 1)}`;
  return `${length} · ${data.player.file ? frames : 'times as the dataset tells them'}`;
}

/** Why nothing could be read, once and not in every field. @param {FieldText[]} texts */
function whyNot(texts) {
  const failed = texts.filter((t) => ['failed', 'unparsed'].includes(t.state) && !t.corrected);
  const reasons = new Map(failed.map((t) => [`${t.state}: ${t.reason}`, t]));
  const notes = new Set(texts.filter((t) => t.state === 'done' && t.reason).map((t) => t.reason));
  return [
    [...reasons].map(([key, t]) =>
      h('p', { key, class: 'dl-whynot' }, mark(t.state), t.reason || 'no reason recorded'),
    ),
    [...notes].map((note) => h('p', { key: note, class: 'dl-hint' }, note)),
  ];
}

/** @param {Props} props */
function LookAgain({ state, scene }) {
  const moved = state.moved(scene);
  const ids = new Set(moved.map(([id]) => id));
  const texts = state.texts(scene);
  const fields = FIELDS.filter(([kind]) =>
    [texts[kind], ...(texts[kind]?.others || [])].some((text) => text && ids.has(text.id)),
  ).map(([, label]) => label);
  return h(
    'div',
    { class: 'dl-lookagain', hidden: !moved.length },
    moved.length
      ? [
          mark('moved', 'cut moved: look again'),
          h('span', null, `${fields.join(', ')}: ${moved[0][1].why}`),
          state.page.frame.can('edit')
            ? button('Looks right', () => state.page.looksRight(scene.key), {
                name: 'looks-right',
                title: 'The texts fit the new cut',
                hint: 'script.looks_right',
              })
            : null,
        ]
      : null,
  );
}

/** @param {Props & {field: import('./scene_state.js').Field}} props */
function Field({ state, scene, field: { kind, label, editor, text } }) {
  const aspect = kind.slice(7);
  return h(
    'div',
    { class: `dl-scenefield dl-field-${aspect}` },
    editor
      ? held(editor.node)
      : h(
          'div',
          { class: 'dl-editor-head' },
          h('span', { class: 'dl-label' }, label),
          mark('missing', 'not written'),
        ),
    text?.others.length ? h(OtherAuthors, { others: text.others }) : null,
    kind === 'script:camera_movement' ? h(Measured, { state, scene }) : null,
    kind === 'script:shot_type' ? h(ShotScale, { state, scene }) : null,
    h(FindingsAbout, { state, scene, aspect }),
  );
}

/** @param {{others: FieldText['others']}} props */
const OtherAuthors = ({ others }) =>
  h(
    'details',
    { class: 'dl-otherauthors' },
    h('summary', null, plural(others.length, 'other author')),
    others.map((text) =>
      h(
        'div',
        { key: text.id, class: 'dl-otherauthor' },
        authorMarks(text),
        text.state === 'done' || text.corrected
          ? h('p', null, text.value)
          : h('p', { class: 'dl-hint' }, mark(text.state), text.reason),
      ),
    ),
  );
