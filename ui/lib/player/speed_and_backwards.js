// J K L: backwards, stop, forwards, each again faster; and playing a marked stretch over and over.
// Browsers do not play backwards: J shows frame after frame by seeks, and leaves out those that it has no time for.
import { icon } from '../parts/elements.js';
import { report } from '../parts/notices.js';

export const RATES = [0.25, 0.5, 1, 1.5, 2, 4];
const FASTER = [1, 2, 4];
// A jump is asked for this long before the last frame is over, so that the frame after it does not flash up.
const EARLY_MS = 12;

export class Shuttle {
  /** `player` has video, table, index, goTo(index) and range(). */
  constructor(player) {
    this.player = player;
    this.back = 0;
    this.looping = false;
    /** @type {number | null} the frame at which playing ends */
    this.until = null;
    const { video } = player;
    video.addEventListener('play', () => this.draw());
    video.addEventListener('pause', () => {
      clearTimeout(this.timer);
      this.timer = 0;
      this.draw();
    });
    video.addEventListener('ended', () => {
      if (this.looping) this.#playFrom(this.player.range().first).catch(report);
    });
  }

  get playing() {
    return this.back > 0 || (this.player.playable && !this.player.video.paused);
  }

  get rate() {
    return this.back ? -this.back : this.player.video.playbackRate;
  }

  toggle() {
    if (this.playing) this.stop();
    else this.start();
  }

  stop() {
    this.turn = null;
    this.back = 0;
    this.until = null;
    this.player.video?.pause();
    this.draw();
  }

  start() {
    const { player } = this;
    if (!player.playable) return;
    this.turn = null;
    this.back = 0;
    this.until = null;
    const { first, last } = this.#stretch();
    if (player.index < first || player.index >= last) {
      this.#playFrom(first).catch(report);
      return;
    }
    player.release();
    player.video.play().catch(() => player.broken());
    this.draw();
  }

  /**
   * Plays from frame `first` and stops at frame `last`.
   * @param {number} first
   * @param {number} last
   */
  playOnce(first, last) {
    this.stop();
    if (this.player.playable) {
      this.until = last;
      this.#playFrom(first).catch(report);
    } else this.player.seek(first).catch(report);
  }

  /** What is played: the marked stretch where it goes round and round, else the whole video. */
  #stretch() {
    return this.looping ? this.player.range() : { first: 0, last: this.player.table.last };
  }

  /** Unless another key or a click comes before the frame is there. */
  async #playFrom(frame) {
    this.turn = {};
    const { turn, player } = this;
    await player.goTo(frame);
    if (turn !== this.turn) return;
    player.release();
    player.video.play().catch(() => player.broken());
  }

  setRate(rate) {
    this.player.video.playbackRate = rate;
    this.draw();
  }

  nextRate() {
    this.setRate(RATES[(RATES.indexOf(this.player.video.playbackRate) + 1) % RATES.length]);
  }

  forwards() {
    if (!this.player.playable) return;
    const on = !this.back && this.playing;
    this.setRate(on ? faster(this.player.video.playbackRate) : 1);
    if (!on) this.start();
  }

  backwards() {
    if (!this.player.playable) return;
    this.until = null;
    this.back = this.back ? faster(this.back) : 1;
    this.#run().catch(report);
  }

  loop() {
    this.looping = !this.looping;
    if (this.looping) {
      this.stop();
      this.#playFrom(this.player.range().first).catch(report);
    }
    this.draw();
  }

  async #run() {
    this.turn = {};
    const { turn } = this;
    const { player } = this;
    const began = { seconds: player.table.pts[player.index], now: performance.now() };
    this.draw();
    // A page that has left the video leaves no clock behind.
    while (turn === this.turn && player.node.isConnected) {
      const { first, last } = this.#stretch();
      const at = player.table.at(began.seconds - (this.back * (performance.now() - began.now)) / 1000);
      if (at < player.index) await player.goTo(Math.max(first, at));
      else await new Promise(requestAnimationFrame);
      if (turn !== this.turn) return;
      if (player.index <= first) {
        if (!this.looping) {
          this.stop();
          return;
        }
        await player.goTo(last);
        Object.assign(began, { seconds: player.table.pts[last], now: performance.now() });
      }
    }
  }

  /** A picture came on while playing: at the last one of the stretch, back to its first. */
  presented(index) {
    const { video, table } = this.player;
    if (this.until !== null && !video.paused) {
      this.#endAt(this.until, index);
      return;
    }
    if (!this.looping || video.paused || this.timer) return;
    const { first, last } = this.player.range();
    if (index < last) return;
    const rest =
      (1000 * (table.endOf(last) - Math.max(video.currentTime, table.pts[last]))) / video.playbackRate;
    this.timer = setTimeout(
      () => {
        this.timer = 0;
        if (!video.paused) video.currentTime = table.middle(first);
      },
      Math.max(0, rest - EARLY_MS),
    );
  }

  /** The picture after the last one may be on the screen already: then the last one is shown again. */
  #endAt(last, index) {
    if (index < last) return;
    this.stop();
    if (index > last) this.player.seek(last).catch(report);
  }

  draw() {
    const { toggle, rate } = this.player;
    toggle.replaceChildren(icon(this.playing ? 'pause' : 'play'));
    toggle.setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
    rate.textContent = `${this.back ? '−' : ''}${Math.abs(this.rate).toFixed(Math.abs(this.rate) < 1 ? 2 : 1)}x`;
    this.player.drawMarks();
  }
}

const faster = (rate) => FASTER.find((r) => r > rate) || FASTER.at(-1);
