// The lane of marked ranges below the picture: buttons on the time axis, and the legend of their kinds.
import { make } from './elements.js';
import { clock, frameName } from './film_frames.js';

const RANGE_COLOURS = 6;

/** @typedef {{start: number, end: number, label: string, kind: string}} Range */

export class RangeLane {
  /** @param {(index: number) => void} choose a range was clicked */
  constructor(choose) {
    this.choose = choose;
    this.node = make('div', { class: 'lane', hidden: true, role: 'group', 'aria-label': 'Ranges' });
    this.legend = make('div', { class: 'legend', hidden: true });
    /** @type {Map<string, number>} kind -> number of its colour */
    this.colours = new Map();
    /** @type {Range[]} */
    this.ranges = [];
  }

  /** @param {string} kind */
  colour(kind) {
    if (!this.colours.has(kind)) this.colours.set(kind, this.colours.size % RANGE_COLOURS);
    return this.colours.get(kind);
  }

  /**
   * Ranges that overlap stand in rows.
   * @param {Range[]} ranges
   * @param {import('./film_frames.js').Frames | null} frames
   * @param {number} shown the frame on the screen
   */
  draw(ranges, frames, shown) {
    this.ranges = ranges;
    this.node.hidden = ranges.length === 0;
    /** @type {number[]} the end of the last range in each row */
    const rows = [];
    const buttons = ranges.map((range, index) => {
      let row = rows.findIndex((end) => end <= range.start);
      if (row < 0) row = rows.length;
      rows[row] = range.end;
      return this.#button(range, index, row, frames);
    });
    this.node.style.setProperty('--rows', String(rows.length));
    this.node.replaceChildren(...buttons);
    const kinds = [...new Set(ranges.map(({ kind }) => kind).filter(Boolean))];
    this.legend.hidden = kinds.length === 0;
    this.legend.replaceChildren(
      ...kinds.map((kind) => make('span', { 'data-colour': this.colour(kind) }, kind)),
    );
    this.outline(shown);
  }

  #button(range, index, row, frames) {
    const from = frames.times[frames.clamp(range.start)];
    const to = frames.endOf(frames.clamp(range.end - 1));
    const words = [range.label, range.kind].filter(Boolean).join(', ') || 'Range';
    const last = Math.min(range.end - 1, frames.last);
    const name = `${words}: ${frameName(range.start)} to ${frameName(last)}, ${clock(from)} to ${clock(to)}`;
    const button = make(
      'button',
      { type: 'button', class: 'range', 'aria-label': name, title: name },
      make('span', {}, range.label),
    );
    button.dataset.colour = String(this.colour(range.kind));
    button.style.left = `${(100 * from) / frames.end}%`;
    button.style.width = `${(100 * (to - from)) / frames.end}%`;
    button.style.setProperty('--row', String(row));
    button.addEventListener('click', () => this.choose(index));
    return button;
  }

  /**
   * Outlines the ranges that hold the frame.
   * @param {number} frame
   */
  outline(frame) {
    for (const [index, button] of [...this.node.children].entries()) {
      const { start, end } = this.ranges[index];
      if (frame >= start && frame < end) button.setAttribute('aria-current', 'true');
      else button.removeAttribute('aria-current');
    }
  }
}
