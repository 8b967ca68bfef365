// As much of a browser as modules need to be imported here: elements that remember nothing, and the list of pages by
// `fetch`, as the server gives it.
import { execFileSync } from 'node:child_process';

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
  fetch: async () => ({
    json: async () => JSON.parse(execFileSync('python', ['-m', 'ui.pages.page_table'])),
  }),
});
