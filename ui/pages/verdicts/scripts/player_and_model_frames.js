// The pane between list and panel: the player of the open item's video, and the frames that the model was given.
import { hint } from '../../../lib/components/small_components.js';
import { h, mount, signal } from '../../../lib/components/component.js';
import { pageSignal } from '../../../lib/page/open_page.js';
import { h as element } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { FrameRow } from '../../../lib/components/frame_row.js';

/** @typedef {import('../../../lib/player/player.js').Player} Player */

/**
 * @typedef {Object} Given
 * @property {Player} player
 * @property {number[]} frames
 * @property {string} title
 * @property {string} none said where there are no frames
 * @property {import('../../../lib/components/component.js').Children} [badge]
 */

export class FramesPane {
  /** @type {Player | null} */
  player = null;
  node = element('div', { class: 'dl-pane dl-middle' });
  below = element('section', { class: 'dl-given' });
  /** @type {import('../../../lib/components/component.js').Signal<Given | null>} */
  frames = signal(null);
  /** @type {{videoId: string, player: Promise<Player | null>, started?: boolean} | null} what was asked for last */
  asked = null;

  constructor() {
    mount(this.below, h(GivenFrames, { given: this.frames }), pageSignal());
  }

  /**
   * The player of a video: the one that is here, or a new one in its place, which loads and waits for `start`. Null
   * where another was asked for since.
   * @param {string} videoId
   */
  async of(videoId) {
    if (this.asked?.videoId !== videoId) {
      this.player?.video?.pause();
      this.asked = { videoId, player: this.#bring(videoId) };
    }
    const { asked } = this;
    try {
      const player = await asked.player;
      return asked === this.asked ? player : null;
    } catch (error) {
      if (asked === this.asked) this.asked = null;
      throw error;
    }
  }

  /** @param {string} videoId */
  async #bring(videoId) {
    const data = await api(`/api/player/${encodeURIComponent(videoId)}`);
    if (this.asked?.videoId !== videoId) return null;
    const player = playerOf(data);
    this.player = player;
    this.node.replaceChildren(player.node);
    player.load().catch(() => {}); // reported when it starts
    return player;
  }

  /** A new player goes to the frame that was asked for meanwhile, else to that of the address. */
  start() {
    if (!this.asked || this.asked.started) return;
    this.asked.started = true;
    this.player.start().catch(report);
  }

  /**
   * Below the player: the frames, or why there are none.
   * @param {Given} given
   */
  given(given) {
    const { player } = given;
    this.frames.value = given;
    // The player stays where it is: taken out and put back, it would lose the field that is being typed in.
    if (player.node.parentNode !== this.node) this.node.replaceChildren(player.node);
    if (!this.below.isConnected) this.node.append(this.below);
    player.draw();
  }

  clear() {
    this.node.replaceChildren();
  }
}

/** @param {{given: FramesPane['frames']}} props */
function GivenFrames({ given }) {
  if (!given.value) return null;
  const { player, frames, title, none, badge } = given.value;
  return [
    h('h2', null, frames.length ? `${title} · ${frames.length}` : title, badge),
    frames.length ? h(FrameRow, { player, indices: frames, label: title }) : hint(none),
  ];
}
