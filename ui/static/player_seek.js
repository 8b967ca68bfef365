// Frame truth: a seek goes to the middle of a frame's PTS interval, and a frame is named as shown only
// after requestVideoFrameCallback has said that it is on the screen.
const CONFIRM_MS = 1500;

/** The frames of a video: their times in seconds, and the end of the last one. */
export class FrameTable {
  constructor(times) {
    this.pts = times.subarray(0, times.length - 1);
    this.end = times[times.length - 1];
  }

  get last() { return this.pts.length - 1; }

  endOf(index) { return index < this.last ? this.pts[index + 1] : this.end; }

  middle(index) { return Math.max(0, (this.pts[index] + this.endOf(index)) / 2); }

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

  clamp(index) { return Math.min(this.last, Math.max(0, Math.round(index))); }
}

export class Seeker {
  /**
   * `told(index, state)`: 'seeking' when a frame is asked for, 'confirmed' when it is on the screen,
   * 'unconfirmed' when the browser does not say so in time. A late picture still confirms.
   */
  constructor(video, table, told) {
    Object.assign(this, { video, table, told });
    this.wanted = null;
    this.presented = null;
    this.#watch();
    video.addEventListener('seeked', () => this.#arrived());
    // A hidden page is shown no pictures: ask again when it is back.
    document.addEventListener('visibilitychange', () => { if (!document.hidden && this.wanted !== null && video.isConnected) this.seek(this.wanted); });
  }

  /** Resolves to whether the frame was confirmed; false also when another request came in between. */
  seek(index) {
    this.#end(false);
    this.video.pause();
    this.wanted = index;
    this.again = false;
    this.told(index, 'seeking');
    return new Promise((resolve) => {
      this.answer = resolve;
      this.#aim(this.table.middle(index));
    });
  }

  /** What is asked for no longer counts: something else moves the picture now. */
  release() {
    this.#end(false);
    this.wanted = null;
  }

  #aim(seconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#late(), CONFIRM_MS);
    this.arrived = false;
    this.video.currentTime = seconds;
  }

  /** Every picture that the browser puts on the screen, whoever asked for it. */
  #watch() {
    const { video } = this;
    if (!video.requestVideoFrameCallback) {
      video.addEventListener('timeupdate', () => this.#present(video.currentTime));
      return;
    }
    const next = (_now, { mediaTime }) => { this.#present(mediaTime); video.requestVideoFrameCallback(next); };
    video.requestVideoFrameCallback(next);
  }

  #present(seconds) {
    this.presented = this.table.nearest(seconds);
    if (this.wanted === null) this.told(this.presented, 'confirmed');
    else this.#check();
  }

  #arrived() {
    this.arrived = true;
    if (!this.video.requestVideoFrameCallback) { this.#present(this.video.currentTime); return; }
    // The frame may have been on the screen before: then no other picture comes. Two turns of the screen
    // make sure that none is on its way.
    requestAnimationFrame(() => requestAnimationFrame(() => { if (this.presented === this.wanted) this.#check(); }));
  }

  #check() {
    // While the video seeks, a picture may be that of the request before.
    if (this.wanted === null || this.video.seeking || !this.arrived) return;
    if (this.presented === this.wanted) {
      const index = this.wanted;
      this.wanted = null;
      this.told(index, 'confirmed');
      this.#end(true);
    } else if (!this.again) {
      this.again = true;
      const start = this.table.pts[this.wanted];
      this.#aim(start + Math.min(0.001, (this.table.endOf(this.wanted) - start) / 4));
    }
  }

  #late() {
    this.told(this.wanted, 'unconfirmed');
    this.answer?.(false);
    this.answer = null;
  }

  #end(confirmed) {
    clearTimeout(this.timer);
    this.answer?.(confirmed);
    this.answer = null;
  }
}
