// How the Script page is drawn beside the player: the head of the video, the tabs, and what the chosen one shows.
import { h } from '../../../lib/components/component.js';
import { held, icon, toLibrary } from '../../../lib/components/small_components.js';
import { aspectName, ASPECTS, plural } from '../../../lib/parts/words.js';
import { keyText } from '../../../lib/keys/keymap.js';
import { CaptionState } from './caption_state.js';
import { Captions } from './caption_tab.js';
import { CutsNote } from './cuts_watch.js';
import { SceneCards } from './scene_cards.js';
import { SceneState } from './scene_state.js';
import { Speech } from './speech_tab.js';

/** @typedef {{page: import('./page_script.js').ScriptPage}} Props */

/** @type {string[]} */
export const TABS = ['script', ...ASPECTS, 'speech'];

export const NoVideos = () =>
  h(
    'div',
    { class: 'dl-empty dl-welcome' },
    h('h1', null, 'No videos yet'),
    h(
      'p',
      null,
      'Add one in the Library; its script, captions and speech are then written and corrected here.',
    ),
    toLibrary('Add videos'),
  );

/** @param {Props} props */
export const Right = ({ page }) =>
  page.data.value && [
    h('div', null, h(Head, { page }), held(page.queue.node)),
    h(Tabs, { page }),
    h(Panel, { page }),
  ];

/** @param {Props} props */
function Head({ page }) {
  const { video, player } = page.data.value;
  const order = page.order.value;
  const at = order.indexOf(video.id);
  const gone = player.scenes?.filter((scene) => scene.missing).length;
  /** @type {(by: number, sign: string, words: string, key: string) => import('preact').VNode} */
  const step = (by, sign, words, key) =>
    h(
      'button',
      {
        type: 'button',
        class: 'dl-button dl-button-quiet',
        disabled: !order[at + by],
        'aria-label': words,
        title: `${words} (${keyText(key)})`,
        onClick: () => page.step(by),
      },
      icon(sign),
    );
  return h(
    'header',
    { class: 'dl-scripthead' },
    h(
      'div',
      { class: 'dl-scripttitle' },
      h('h1', { title: video.title }, video.title),
      h(
        'span',
        { class: 'dl-hint' },
        [
          video.category,
          player.scenes ? plural(player.scenes.length, 'scene') : null,
          gone ? `${plural(gone, 'clip')} missing` : null,
          `video ${at + 1} of ${order.length}`,
        ]
          .filter(Boolean)
          .join(' · '),
      ),
      h(CutsNote, { watch: page.watch }),
    ),
    h(
      'span',
      { class: 'dl-stepper' },
      step(-1, 'back', 'Previous video', 'videos.previous'),
      step(1, 'next', 'Next video', 'videos.next'),
    ),
  );
}

/** @param {Props} props */
function Tabs({ page }) {
  const { counts } = page;
  return h(
    'div',
    {
      class: 'dl-tabs',
      role: 'tablist',
      'aria-label': 'Texts of this video',
      onKeyDown: (event) => page.arrow(event),
    },
    TABS.map((name) => {
      const on = page.tab.value === name;
      return h(
        'button',
        {
          key: name,
          type: 'button',
          class: 'dl-tab',
          role: 'tab',
          id: `dl-tab-${name}`,
          'aria-controls': 'dl-tabpanel',
          'aria-selected': on,
          tabIndex: on ? 0 : -1,
          title: `${tabHint(name, counts[name])} (${keyText(`script.tab_${name}`)})`,
          'data-tab': name,
          onClick: () => page.choose(name),
        },
        aspectName(name),
        h('small', { 'aria-hidden': true }, counts[name]),
      );
    }),
  );
}

/** @param {string} name @param {number} count */
function tabHint(name, count) {
  if (name === 'script') return plural(count, 'scene');
  if (name === 'speech') return plural(count, 'segment');
  return `${aspectName(name)} caption: ${plural(count, 'author')}`;
}

/** @param {Props} props */
function Panel({ page }) {
  const part = page.part.value;
  return h(
    'div',
    {
      ref: (node) => {
        page.panel = node;
      },
      class: 'dl-tabpanel',
      role: 'tabpanel',
      id: 'dl-tabpanel',
      tabIndex: -1,
      'aria-labelledby': `dl-tab-${page.tab.value}`,
    },
    part instanceof SceneState
      ? h(SceneCards, { state: part })
      : part instanceof CaptionState
        ? h(Captions, { state: part })
        : h(Speech, { state: part }),
  );
}
