// Which videos are selected: one by one, as a range from where it began, or all that match.

export class RowSelection {
  /** @type {Set<string>} */
  ids = new Set();
  #from = ''; // where a range begins: the row that was selected last
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
    this.#from = '';
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
    this.#on = on ?? this.#on;
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
    this.#from = id;
    this.#on = on;
    this.#before = new Set(this.ids);
  }
}
