// The line above the strip: whose captions, how many frames the rows have, what is stale, what runs, and the files.
import { h } from '../../../lib/components/component.js';
import { button, choice, held, icon, keyHint, mark } from '../../../lib/components/small_components.js';
import { report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { authorWords } from './author_words.js';
import { candidatesDialog } from './candidates_dialog.js';
import { exportRows } from './export_rows_dialog.js';

/** @typedef {import('./keyframes_state.js').KeyframesState} State */
/** @typedef {import('./captioning.js').Captioning} Captioning */
/** @typedef {{state: State, captioning: Captioning}} Props */

/** @param {Props} props */
export const Tools = ({ state, captioning }) =>
  h(
    'div',
    { class: 'dl-kf-tools' },
    h(
      'div',
      { class: 'dl-kf-toolline', hidden: !state.data.value.frames.length },
      h(Authors, { state, captioning }),
      h(Sizes, { state }),
      h(Looks, { state }),
      h(Stale, { state, captioning }),
      h('span', { class: 'dl-grow' }),
      button('Full screen', () => fullScreen().catch(report), {
        kind: 'quiet',
        name: 'full-screen',
        title: 'The video and the strip alone, for a talk',
        hint: 'keyframes.full_screen',
      }),
      state.can('export')
        ? button([icon('download'), 'Export …'], () => exportRows(state), { name: 'export-rows' })
        : null,
    ),
    held(captioning.jobs.node),
  );

/** For a talk: the video and the strip alone (keyframes.css). The key again, or Esc, goes back. */
export async function fullScreen() {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen();
}

/** @param {Props} props */
function Authors({ state, captioning }) {
  const { author, authors, player } = state.data.value;
  return h(
    'span',
    { class: 'dl-kf-tool' },
    h('span', null, 'captions'),
    authors.length > 1
      ? choice(
          'Captions',
          authors.map((a) => [a.id, authorWords(a)]),
          author,
          (chosen) => state.choose({ author: chosen }).catch(report),
        )
      : h('b', null, authorWords(authors[0])),
    state.can('run') && player.file
      ? button('Other candidates …', () => candidatesDialog(captioning), {
          kind: 'quiet',
          name: 'candidates',
        })
      : null,
  );
}

/** @param {{state: State}} props */
function Sizes({ state }) {
  const { budget, rows } = state.data.value;
  /** @param {string} key */
  const size = (key) => rows.find((row) => row.key === key)?.frames.length;
  /** @type {[of: string, words: string, n: number][]} */
  const all = [
    ['budget', 'fixed', budget],
    ['progression', 'progression', size('progression')],
    ['clusters', 'clusters', size('clusters')],
    ['person', 'yours', state.mine()?.frames.length],
  ];
  /** @type {(sign: string, more: number, name: string) => import('../../../lib/components/component.js').Drawn} */
  const step = (sign, more, name) =>
    button(sign, () => state.resizeBudget(more).catch(report), {
      kind: 'quiet',
      name,
      title: `One frame ${name} in each row`,
    });
  return h(
    'span',
    {
      class: 'dl-kf-tool',
      role: 'group',
      'aria-label': 'Frames of the rows: a fixed number, or as many as another row has',
      title: 'Rows compare only when they have as many frames',
    },
    h('span', null, 'frames'),
    all
      .filter(([, , n]) => n)
      .map(([of, words, n]) =>
        h(
          'button',
          {
            key: of,
            type: 'button',
            class: 'dl-choice',
            'data-name': `size-${of}`,
            'aria-pressed': state.size() === of,
            onClick: () => state.resize(of),
          },
          `${words} · ${n}`,
        ),
      ),
    keyHint('keyframes.size'),
    step('−', -1, 'fewer'),
    step('+', 1, 'more'),
  );
}

/** @param {{state: State}} props */
function Looks({ state }) {
  const { looks, looks_offered: offered } = state.data.value;
  if (offered.length < 2) return null;
  return h(
    'span',
    { class: 'dl-kf-tool' },
    h('span', null, 'alike by'),
    choice(
      'Alike by',
      offered.map((name, n) => [name, n ? name : 'colour and structure']),
      looks,
      (chosen) => state.choose({ looks: chosen }).catch(report),
    ),
  );
}

/** @param {Props} props */
function Stale({ state, captioning }) {
  const { frames, stale } = state.data.value;
  const lost = frames.filter((f) => !f.readable).length;
  if (!stale.captions && !stale.verdicts && !lost) return null;
  const words = [
    stale.captions ? plural(stale.captions, 'caption') : '',
    stale.verdicts ? plural(stale.verdicts, 'verdict') : '',
  ]
    .filter(Boolean)
    .join(' and ');
  return h(
    'span',
    { class: 'dl-kf-tool dl-kf-stale' },
    words ? mark('stale', `${words} stale`) : null,
    lost ? mark('failed', `${plural(lost, 'caption')} unreadable`) : null,
    state.can('run') && state.author()?.options
      ? button('Run again', () => captioning.again().catch(report), { name: 'again' })
      : null,
  );
}
