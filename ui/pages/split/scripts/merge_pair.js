// Whose texts stand left and right on the Merge tab: two different writers, as long as there are two.

/**
 * Places of the writers in the two columns. What is chosen is kept by person, so that it says nothing about another
 * video; where the right column would repeat the left one, the next writer stands there.
 * @param {{id: string}[]} writers of the video, in their order
 * @param {[string, string]} chosen ids; those of people who do not write this video are ignored
 * @returns {[number, number]} equal only where one person writes
 */
export function pairOf(writers, chosen) {
  const place = (/** @type {string} */ id) => writers.findIndex((writer) => writer.id === id);
  const [left, right] = chosen.map(place);
  const first = left >= 0 ? left : right === 0 && writers.length > 1 ? 1 : 0;
  if (right >= 0 && right !== first) return [first, right];
  const others = [...writers.keys()].filter((n) => n !== first);
  return [first, others.find((n) => n > first) ?? others[0] ?? first];
}

/**
 * A person is chosen for a column: who stands in the other one already changes places with them.
 * @param {{id: string}[]} writers
 * @param {[number, number]} pair
 * @param {0 | 1} side
 * @param {number} place of the person
 * @returns {[string, string]}
 */
export function chosenWith(writers, pair, side, place) {
  const other = pair[1 - side] === place ? pair[side] : pair[1 - side];
  const ids = [place, other].map((n) => writers[n].id);
  return side ? [ids[1], ids[0]] : [ids[0], ids[1]];
}
