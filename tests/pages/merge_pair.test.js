import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenWith, pairOf } from '../../ui/pages/split/scripts/merge_pair.js';

const people = (...ids) => ids.map((id) => ({ id }));

test('two writers stand left and right, whatever was chosen for another video', () => {
  for (const ids of [
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c', 'd'],
  ])
    for (const left of ['', 'gone', ...ids])
      for (const right of ['', 'gone', ...ids]) {
        const pair = pairOf(people(...ids), [left, right]);
        assert.equal(new Set(pair).size, 2, `${left} ${right} of ${ids}`);
        assert.ok(pair.every((n) => n >= 0 && n < ids.length));
        if (ids.includes(left)) assert.equal(ids[pair[0]], left);
        if (ids.includes(right) && left !== right) assert.equal(ids[pair[1]], right);
      }
});

test('one writer stands on both sides, and nobody on none', () => {
  assert.deepEqual(pairOf(people('a'), ['b', 'c']), [0, 0]);
  assert.deepEqual(pairOf([], ['a', 'b']), [0, 0]);
});

test('who is chosen for the other column changes places', () => {
  const writers = people('a', 'b', 'c');
  assert.deepEqual(chosenWith(writers, [0, 1], 0, 2), ['c', 'b']);
  assert.deepEqual(chosenWith(writers, [0, 1], 1, 2), ['a', 'c']);
  assert.deepEqual(chosenWith(writers, [0, 1], 0, 1), ['b', 'a']);
  assert.deepEqual(chosenWith(writers, [0, 1], 1, 0), ['b', 'a']);
});
