// Frame truth: a seek goes to the middle of a frame's PTS interval, and a frame is named as shown only
// after requestVideoFrameCallback has said that it is on the screen.
const CONFIRM_MS = 1500;
const PATIENCE_MS = 300;

/** The frames of a video: their times in seconds, and the end of the last one. */
export class FrameTable {
  constructor(times) {
    this.pts = times.subarray(0, times.length - 1);
    this.end = times[times.length - 1];
  }

  get last() {
    return this.pts.length - 1;
  }

  endOf(index) {
    return index < this.last ? this.pts[index + 1] : this.end;
  }

  middle(index) {
    return Math.max(0, (this.pts[index] + this.endOf(index)) / 2);
  }

  /** The frame that is on at this time. */
  at(seconds) {
    let low = 0;
    let high = this.pts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pts[middle] <= seconds + 1e-6) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  nearest(seconds) {
    const at = this.at(seconds);
    return at < this.last && this.pts[at + 1] - seconds < seconds - this.pts[at] ? at + 1 : at;
  }

  clamp(index) {
    return Math.min(this.last, Math.max(0, Math.round(index)));
  }
}

export class Seeker {
  /**
   * `told(index, state)`: 'seeking' when a frame is asked for, 'confirmed' when it is on the screen,
   * 'unconfirmed' when the browser shows another one or none in time. A late picture still confirms. It ends with `signal`.
   */
  constructor(video, table, told, signal) {
    this.video = video;
    this.table = table;
    this.told = told;
    this.wanted = null;
    this.presented = null;
    this.#watch();
    // A hidden page is shown no pictures: ask again when it is back.
    const again = () => {
      if (!document.hidden && this.wanted !== null && video.isConnected) void this.seek(this.wanted);
    };
    document.addEventListener('visibilitychange', again, { signal });
  }

  /** Resolves to whether the frame was confirmed in time; false also when another request came in between. */
  seek(index) {
    this.#end(false);
    this.video.pause();
    this.wanted = index;
    this.turn = {};
    const { turn } = this;
    this.timer = setTimeout(() => this.#miss(), CONFIRM_MS);
    const answer = new Promise((resolve) => {
      this.answer = resolve;
    });
    // The browser seeks while the page draws what follows from the new number.
    void this.#pursue(turn, index);
    this.told(index, 'seeking');
    return answer;
  }

  /** Only this frame counts from now on: a file that loads shows its first picture before it can be sought in. */
  expect(index) {
    this.#end(false);
    this.wanted = index;
    this.told(index, 'seeking');
  }

  /** What is asked for no longer counts: something else moves the picture now. */
  release() {
    this.#end(false);
    this.wanted = null;
  }

  /**
   * The middle of the frame, then its beginning, then by way of another frame: a browser may keep silent about
   * a picture that is no other than the one before. Some frames it never shows: Chromium goes on from the next
   * keyframe where that is stored before the frame, as in files of changing rate with B-frames.
   */
  async #pursue(turn, index) {
    const { table } = this;
    const length = table.endOf(index) - table.pts[index];
    const ways = [
      [table.middle(index)],
      [table.pts[index] + Math.min(0.001, length / 4)],
      [table.middle(index ? index - 1 : Math.min(1, table.last)), table.middle(index)],
    ];
    for (const way of ways) {
      for (const seconds of way) await this.#reach(turn, seconds);
      // The frame may have been on the screen before: then it counts once no other can be on its way.
      if (turn === this.turn && this.fresh !== turn) await screens();
      if (turn !== this.turn) return;
      if (this.presented === index) {
        this.#confirm();
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
      if (turn !== this.turn) return;
      this.#miss();
    }
  }

  async #reach(turn, seconds) {
    const { video } = this;
    if (turn !== this.turn) return;
    video.currentTime = seconds;
    // The first answer may be to the request before.
    do await new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }));
    while (turn === this.turn && video.seeking);
    if (!video.requestVideoFrameCallback) this.presented = this.table.at(video.currentTime);
  }

  /** Every picture that the browser puts on the screen, whoever asked for it. */
  #watch() {
    const { video } = this;
    if (!video.requestVideoFrameCallback) {
      video.addEventListener('timeupdate', () => this.#present(video.currentTime));
      return;
    }
    // Asked for again first: nothing that goes wrong while drawing may end this.
    const next = (_now, { mediaTime }) => {
      video.requestVideoFrameCallback(next);
      this.#present(mediaTime);
    };
    video.requestVideoFrameCallback(next);
  }

  #present(seconds) {
    this.presented = this.table.nearest(seconds);
    this.fresh = this.presented === this.wanted ? this.turn : null;
    if (this.wanted === null) this.told(this.presented, 'confirmed');
    // While the video seeks, a picture may be that of the request before.
    else if (this.presented === this.wanted && !this.video.seeking) this.#confirm();
  }

  #confirm() {
    const index = this.wanted;
    this.wanted = null;
    this.told(index, 'confirmed');
    this.#end(true);
  }

  /** Once per request; the search for a way goes on. */
  #miss() {
    if (!this.answer) return;
    this.told(this.wanted, 'unconfirmed');
    this.answer(false);
    this.answer = null;
  }

  #end(confirmed) {
    clearTimeout(this.timer);
    this.turn = null;
    this.answer?.(confirmed);
    this.answer = null;
  }
}

/** Two turns of the screen. */
const screens = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
