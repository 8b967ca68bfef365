// The pane between list and panel: the player of the open item's video, and the frames that the model was given.
import { h } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { frameRow } from '../../../lib/player/player.js';

/** @typedef {import('../../../lib/player/player.js').Player} Player */

export class FramesPane {
  /** @type {Player | null} */
  player = null;
  node = h('div', { class: 'dl-pane dl-middle' });
  /** @type {{videoId: string, player: Promise<Player | null>, started?: boolean} | null} what was asked for last */
  asked = null;

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
   * Below the player: `frames` under `title`, or why there are none.
   * @param {Player} player
   * @param {number[]} frames
   * @param {string} title
   * @param {string} none
   * @param {HTMLElement | null} [badge]
   */
  given(player, frames, title, none, badge = null) {
    // The player stays where it is: taken out and put back, it would lose the field that is being typed in.
    while (this.node.lastChild && this.node.lastChild !== player.node) this.node.lastChild.remove();
    if (player.node.parentNode !== this.node) this.node.replaceChildren(player.node);
    this.node.append(
      h(
        'section',
        { class: 'dl-given' },
        h('h2', {}, frames.length ? `${title} · ${frames.length}` : title, badge),
        frames.length ? frameRow(player, frames, title) : h('p', { class: 'dl-hint' }, none),
      ),
    );
    player.draw();
  }

  clear() {
    this.node.replaceChildren();
  }
}
