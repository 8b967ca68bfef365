// The pane between list and panel: the player of the open item's video, and the frames that the model was given.
import { api, h, report } from '../../../lib/parts/core.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { frameRow } from '../../../lib/player/player.js';

export class FramesPane {
  /** @type {import('../../../lib/player/player.js').Player | null} */
  player = null;
  node = h('div', { class: 'dl-pane dl-middle' });
  turn = 0; // of `of`: a player that was asked for before another is not shown

  /**
   * The player of a video: the one that is here, or a new one in its place. Null where another was asked for since.
   * @param {string} videoId
   */
  async of(videoId) {
    this.turn += 1;
    const { turn } = this;
    if (this.player?.data.id === videoId) return this.player;
    this.player?.video?.pause();
    const data = await api(`/api/player/${encodeURIComponent(videoId)}`);
    if (turn !== this.turn) return null;
    const player = playerOf(data);
    this.player = player;
    this.node.replaceChildren(player.node);
    player.start().catch(report);
    return player;
  }

  /**
   * Below the player: `frames` under `title`, or why there are none.
   * @param {import('../../../lib/player/player.js').Player} player
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
