// Which videos are selected: one by one, as a range from where it began, or all that match.
import { signal } from '../../../lib/components/component.js';

export class RowSelection {
  /** @type {import('../../../lib/components/component.js').Signal<Set<string>>} */
  #ids = signal(new Set());
  #from = ''; // where a range begins: the row that was selected last
  #to = ''; // where the last range ended
  #on = true; // whether the range selects its rows, or lets them go
  /** @type {Set<string>} what was selected before the range */
  #before = new Set();

  get ids() {
    return this.#ids.value;
  }

  /** @param {Iterable<string>} ids */
  #take(ids) {
    this.#ids.value = new Set(ids);
  }

  /**
   * Selects one video or lets it go; a range begins at it.
   * @param {string} id
   * @param {boolean} on
   */
  set(id, on) {
    this.#take(on ? [...this.ids, id] : [...this.ids].filter((one) => one !== id));
    this.#begin(id, on);
  }

  /** @param {string} id */
  toggle(id) {
    this.set(id, !this.ids.has(id));
  }

  /** The next range begins at the row that is open then. */
  leaveRange() {
    this.#from = this.#to = '';
  }

  /**
   * One row further: the last range goes on where it ended at `at`, else one begins there.
   * @param {string[]} order
   * @param {string} at
   * @param {string} to
   */
  step(order, at, to) {
    if (at !== this.#to) this.#begin(at, true);
    this.extend(order, at, to);
  }

  /**
   * The range from where it began, else from `at`, to `to`; it takes the place of the range before.
   * @param {string[]} order ids of the list, from top to bottom
   * @param {string} at the row that is open
   * @param {string} to
   * @param {boolean} [on] whether it selects; left out: as the row where it began
   */
  extend(order, at, to, on) {
    if (!order.includes(this.#from)) this.#begin(order.includes(at) ? at : to, true);
    const ends = [order.indexOf(this.#from), order.indexOf(to)].sort((a, b) => a - b);
    if (on === !this.#on) this.#begin(this.#from, on); // what was selected is let go, or the other way round
    this.#to = to;
    const range = new Set(order.slice(ends[0], ends[1] + 1));
    const before = [...this.#before];
    this.#take(this.#on ? [...before, ...range] : before.filter((one) => !range.has(one)));
  }

  /** @param {Iterable<string>} ids */
  replace(ids) {
    this.#take(ids);
    this.leaveRange();
  }

  /**
   * Lets go of all others.
   * @param {Iterable<string>} ids
   */
  keep(ids) {
    const kept = new Set(ids);
    const among = (/** @type {Set<string>} */ all) => new Set([...all].filter((id) => kept.has(id)));
    this.#take(among(this.ids));
    this.#before = among(this.#before);
  }

  /**
   * @param {string} id
   * @param {boolean} on
   */
  #begin(id, on) {
    this.#from = this.#to = id;
    this.#on = on;
    this.#before = new Set(this.ids);
  }
}
