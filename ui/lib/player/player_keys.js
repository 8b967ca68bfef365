// What the keys of the player do.
import { report } from '../parts/notices.js';
import { copyLink, copyPicture, savePicture } from './frame_menu.js';

/** @typedef {import('./player.js').Player} Player */

/**
 * For `bindKeys('player', ...)`. The keys of `typing_` work in text fields too.
 * @param {() => Player | null | undefined} current the player of the page
 * @param {() => {start: number, end: number} | undefined} sceneInHand the scene that a person writes about; none: the
 *   one that is on the screen
 */
export function playerRuns(current, sceneInHand = () => undefined) {
  const run = (action) => () => {
    const player = current();
    if (player?.pts) Promise.resolve(action(player)).catch(report);
  };
  const often = {
    play: run((p) => p.play()),
    previous: run((p) => p.step(-1)),
    next: run((p) => p.step(1)),
    second_back: run((p) => p.stepSeconds(-1)),
    second_on: run((p) => p.stepSeconds(1)),
    previous_cut: run((p) => p.stepScene(-1)),
    next_cut: run((p) => p.stepScene(1)),
  };
  const typing = Object.entries(often).map(([name, act]) => [`typing_${name}`, act]);
  return {
    ...often,
    ...Object.fromEntries(typing),
    pause: run((p) => p.shuttle.stop()),
    back: run((p) => p.shuttle.backwards()),
    forward: run((p) => p.shuttle.forwards()),
    slower: run((p) => p.slower(-1)),
    quicker: run((p) => p.slower(1)),
    mark_in: run((p) => p.mark('in')),
    mark_out: run((p) => p.mark('out')),
    loop: run((p) => p.shuttle.loop()),
    unmark: run((p) => p.unmark()),
    first: run((p) => p.seek(0)),
    last: run((p) => p.seek(p.table.last)),
    go: run((p) => p.goto.open()),
    zoom_in: run((p) => p.zoom(0.5)),
    zoom_out: run((p) => p.zoom(2)),
    zoom_all: run((p) => p.look(0, p.end)),
    copy_picture: run((p) => copyPicture(p)),
    save_picture: run((p) => savePicture(p, 'png')),
    copy_link: run((p) => copyLink(p)),
    typing_replay: run((p) => p.replay(sceneInHand() || p.sceneAt(p.index))),
  };
}
