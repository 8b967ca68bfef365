import './page_stub.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { folded } = await import('../../ui/pages/library/scripts/added_files.js');
const files = (count, more = {}) => Array.from({ length: count }, (_, n) => ({ file: String(n), ...more }));

test('a few lines are all shown, of many some', () => {
  assert.deepEqual(folded(files(6)), [files(6), []]);
  const [shown, rest] = folded(files(200));
  assert.deepEqual([shown.length, rest.length], [5, 195]);
});

test('what asks for something is not folded away behind what was added', () => {
  const [shown] = folded([...files(9), ...files(1, { error: 'damaged' }), ...files(1, { join: ['a', 'b'] })]);
  assert.deepEqual(shown.slice(0, 2), [...files(1, { error: 'damaged' }), ...files(1, { join: ['a', 'b'] })]);
});
