// The frames of a film and their names, and the films that the page remembers.

const FILMS = 50; // most that are remembered

/** @param {number} index */
export const frameName = (index) => `#${index.toLocaleString('en')}`;

/**
 * 00:41.720, and 1:00:41.720 from an hour on.
 * @param {number} seconds
 */
export function clock(seconds) {
  const ms = Math.round(seconds * 1000);
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  const hours = Math.floor(ms / 3_600_000);
  const rest = `${two(Math.floor(ms / 60_000) % 60)}:${two(Math.floor(ms / 1000) % 60)}`;
  return `${hours ? `${hours}:` : ''}${rest}.${String(ms % 1000).padStart(3, '0')}`;
}

/** Times in seconds from the first frame. */
export class Frames {
  /** @param {{steps: number[], unit: number[], starts: number[]}} packed lengths of frames, each with its count */
  constructor({ steps, unit, starts }) {
    const [numerator, denominator] = unit;
    this.times = [0];
    let tick = 0;
    for (let run = 0; run < steps.length; run += 2)
      for (let count = 0; count < steps[run + 1]; count += 1) {
        tick += steps[run];
        this.times.push((tick * numerator) / denominator);
      }
    this.end = /** @type {number} */ (this.times.pop()); // of the last frame
    this.starts = starts;
    this.start = starts[0]; // the first frame on the browser's clock
  }

  get last() {
    return this.times.length - 1;
  }

  /** @param {number} index */
  endOf(index) {
    return index < this.last ? this.times[index + 1] : this.end;
  }

  /** @param {number} index */
  clamp(index) {
    return Math.min(this.last, Math.max(0, index));
  }

  /**
   * The frame that is on at this time.
   * @param {number} seconds
   */
  at(seconds) {
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= seconds + 1e-6) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /**
   * The frame whose time a browser has reported.
   * @param {number} seconds
   */
  nearest(seconds) {
    const at = this.at(seconds);
    return at < this.last && this.times[at + 1] - seconds < seconds - this.times[at] ? at + 1 : at;
  }

  /**
   * Browsers differ in where their clock begins: this is the time of the first picture.
   * @param {number} mediaTime
   */
  startsAt(mediaTime) {
    const far = (/** @type {number} */ start) => Math.abs(start - mediaTime);
    this.start = this.starts.reduce((best, start) => (far(start) < far(best) ? start : best));
  }

  /**
   * Ways to seek to a frame: its middle; close after its beginning; its middle by way of another frame, since a
   * browser may not report a picture that is the same as the one before.
   * @param {number} index
   */
  ways(index) {
    const begin = this.times[index];
    const early = Math.max(0, this.start + begin + Math.min(0.001, (this.endOf(index) - begin) / 4));
    const other = index ? index - 1 : Math.min(1, this.last);
    return [[this.middle(index)], [early], [this.middle(other), this.middle(index)]];
  }

  /**
   * On the browser's clock.
   * @param {number} index
   */
  middle(index) {
    return Math.max(0, this.start + (this.times[index] + this.endOf(index)) / 2);
  }
}

/**
 * Gradio makes a component anew when it was hidden, and its value holds only what handlers need: the page
 * remembers the film under a name, and the value holds the name.
 * @param {any} shown
 */
export function remember(shown) {
  window.dailiesFilms ||= { films: new Map(), count: 0 };
  const memory = window.dailiesFilms;
  memory.count += 1;
  const name = `film-${memory.count}`;
  memory.films.set(name, shown);
  if (memory.films.size > FILMS) memory.films.delete(memory.films.keys().next().value);
  return name;
}

/** @param {string} name */
export const remembered = (name) => window.dailiesFilms?.films.get(name);
