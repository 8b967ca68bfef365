// Which videos are selected: one by one, as a range from where it began, or all that match.

export class RowSelection {
  /** @type {Set<string>} */
  ids = new Set();
  #from = ''; // where a range begins: the row that was selected last
  #to = ''; // where the last range ended
  #on = true; // whether the range selects its rows, or lets them go
  /** @type {Set<string>} what was selected before the range */
  #before = new Set();

  /**
   * Selects one video or lets it go; a range begins at it.
   * @param {string} id
   * @param {boolean} on
   */
  set(id, on) {
    if (on) this.ids.add(id);
    else this.ids.delete(id);
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
    this.ids = new Set(this.#before);
    for (const id of order.slice(ends[0], ends[1] + 1)) {
      if (this.#on) this.ids.add(id);
      else this.ids.delete(id);
    }
  }

  /** @param {Iterable<string>} ids */
  replace(ids) {
    this.ids = new Set(ids);
    this.leaveRange();
  }

  /**
   * Lets go of all others.
   * @param {Iterable<string>} ids
   */
  keep(ids) {
    const kept = new Set(ids);
    const among = (/** @type {Set<string>} */ all) => new Set([...all].filter((id) => kept.has(id)));
    this.ids = among(this.ids);
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
