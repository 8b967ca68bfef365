// As much of a browser as modules need to be imported here: elements that remember nothing, and files by `fetch`.
import { readFile } from 'node:fs/promises';

const element = () => ({
  style: {},
  isConnected: false,
  addEventListener() {},
  append() {},
  setAttribute() {},
});

Object.assign(globalThis, {
  document: { createElement: element, addEventListener() {}, activeElement: null },
  addEventListener() {},
  fetch: async (url) => ({ json: async () => JSON.parse(await readFile(url, 'utf-8')) }),
});
