// The player of this document: a page that shows the same video takes it over as it is, with its place, its speed
// and what it has loaded, and playing where it plays.
import { h } from '../parts/elements.js';
import { Player } from './player.js';

/** @typedef {import('../wire.d.ts').components['schemas']['PlayerData']} PlayerData */

/** @type {Player | null} */
let kept = null;
/** Where it waits for the next page. A video that is in no document stops. */
const holder = h('div', { hidden: true });

/** @param {PlayerData} data */
const sameFile = (data) =>
  kept &&
  data.file &&
  ['id', 'file', 'playable', 'copy', 'frames'].every((name) => kept.data[name] === data[name]);

/**
 * The player of a video: the one that is here, or a new one.
 * @param {PlayerData} data as /api/player gives it
 * @returns {Player}
 */
export function playerOf(data) {
  if (sameFile(data)) {
    kept.adopt(data);
    return kept;
  }
  kept?.close();
  kept = new Player(data);
  return kept;
}

/** The page is left: its player waits. */
export function holdPlayer() {
  if (!kept?.node.isConnected) return;
  document.body.append(holder);
  holder.append(kept.node);
}

/** The page is there: a player that it has not taken plays no longer. */
export function restPlayer() {
  if (kept && holder.contains(kept.node)) kept.shuttle?.stop();
}
