// What the browser keeps between visits. In another site's frame it may be told to keep nothing; then a
// visit is all that it lasts, and the page works all the same.
/**
 * @typedef {Object} Shelf
 * @property {(key: string) => string | null} getItem
 * @property {(key: string, value: string) => void} setItem
 * @property {(key: string) => void} removeItem
 * @property {() => string[]} keys
 */

/** @returns {Shelf} */
function lasting() {
  const store = window.localStorage; // this alone throws where it is forbidden
  return {
    getItem: (key) => store.getItem(key),
    setItem: (key, value) => store.setItem(key, value),
    removeItem: (key) => store.removeItem(key),
    keys: () => Object.keys(store),
  };
}

/** @returns {Shelf} */
function passing() {
  const kept = new Map();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => {
      kept.set(key, String(value));
    },
    removeItem: (key) => {
      kept.delete(key);
    },
    keys: () => [...kept.keys()],
  };
}

function open() {
  try {
    return lasting();
  } catch {
    return passing();
  }
}

export const shelf = open();
