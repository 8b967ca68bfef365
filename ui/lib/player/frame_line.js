// The line under the picture: which frame is shown, and the buttons of the player; below it the stretch that is marked.
import { h as drawn } from '../components/component.js';
import { keyHint } from '../components/small_components.js';
import { h, icon } from '../parts/elements.js';
import { clock, frameName } from '../parts/words.js';
import { frameMenu, GoTo } from './frame_menu.js';

/** @typedef {import('./player.js').Player} Player */

/** Gives what the player changes in it, too. @param {Player} player */
export function frameLine(player) {
  const name = h('b', {}, '#0');
  const time = h('span', {}, clock(0));
  const scene = h('span', { class: 'dl-inscene' }, '');
  const shown = h('span', { class: 'dl-shown', role: 'status' }, 'loading');
  const tool = (sign, label, action) =>
    h(
      'button',
      {
        type: 'button',
        class: 'dl-button dl-button-quiet',
        'aria-label': label,
        title: label,
        onclick: action,
      },
      sign && icon(sign),
    );
  const rate = tool('', 'Speed', () => player.shuttle.nextRate());
  rate.removeAttribute('aria-label');
  rate.textContent = '1.0x';
  const toggle = tool('play', 'Play', () => player.play());
  const goto = new GoTo(player, [name, time]);
  const { problems } = player.data;
  const node = h(
    'div',
    { class: 'dl-frameline' },
    tool('back', 'Previous frame', () => player.step(-1)),
    toggle,
    tool('next', 'Next frame', () => player.step(1)),
    goto.node,
    scene,
    shown,
    problems.length
      ? h('span', { class: 'dl-badge dl-badge-warn', title: problems.join('\n') }, 'damaged file')
      : null,
    h('span', { class: 'dl-grow' }),
    tool('minus', 'Zoom the lanes out', () => player.zoom(2)),
    tool('plus', 'Zoom the lanes in', () => player.zoom(0.5)),
    frameMenu(player),
    rate,
  );
  const marks = h('div', {
    class: 'dl-marksline',
    role: 'group',
    'aria-label': 'Marked stretch',
    hidden: true,
  });
  return { node, name, time, scene, shown, rate, toggle, goto, marks };
}

/**
 * The marked stretch, in frames, and what can be done with it.
 * @param {{player: Player, first: number, last: number, looping: boolean}} props
 */
export function Marks({ player, first, last, looping }) {
  /** @type {(name: string, words: string, pressed: boolean | undefined, run: () => unknown) => import('preact').VNode} */
  const act = (name, words, pressed, run) =>
    drawn(
      'button',
      { type: 'button', class: 'dl-choice', 'data-name': name, 'aria-pressed': pressed, onClick: run },
      words,
      keyHint(`player.${name}`),
    );
  const frames = (last - first + 1).toLocaleString('en');
  const seconds = (player.table.endOf(last) - player.pts[first]).toFixed(3);
  return [
    drawn(
      'span',
      null,
      'from ',
      drawn('b', null, frameName(first)),
      ' to ',
      drawn('b', null, frameName(last)),
    ),
    drawn('span', null, `${frames} frames · ${seconds} s`),
    drawn('span', { class: 'dl-grow' }),
    act('loop', 'Play in a loop', looping, () => player.shuttle.loop()),
    act('unmark', 'Clear marks', undefined, () => player.unmark()),
  ];
}
