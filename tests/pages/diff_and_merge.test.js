import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergedText, threeWay, wordDiff } from '../../ui/lib/parts/diff_and_merge.js';

const kinds = (parts) => parts.map((part) => part.kind).filter((kind) => kind !== 'same');

/** What one side of a difference reads. */
const side = (parts, left) =>
  parts
    .filter(([kind]) => kind !== left)
    .map(([, text]) => text)
    .join('');

test('both texts can be read from their difference', () => {
  const pairs = [
    ['', 'A boat.'],
    ['A boat.', ''],
    ['A red boat sails, slowly.', 'A blue boat sails slowly!'],
    ['紙の船が流れる', '紙の船が沈む'],
    ['one  two\nthree', 'one two three'],
    ['la la la la', 'la la'],
  ];
  for (const [before, after] of pairs) {
    const parts = wordDiff(before, after);
    assert.equal(side(parts, 'new'), before);
    assert.equal(side(parts, 'gone'), after);
  }
});

test('a changed word is one word gone and one new', () => {
  assert.deepEqual(wordDiff('A red boat', 'A blue boat'), [
    ['same', 'A '],
    ['gone', 'red'],
    ['new', 'blue'],
    ['same', ' boat'],
  ]);
});

test('neighbours of one kind are one piece', () => {
  const parts = wordDiff('a b c d', 'a x y d');
  for (let n = 1; n < parts.length; n += 1) assert.notEqual(parts[n][0], parts[n - 1][0]);
});

test('texts too long for the table are compared by their common beginning and end', () => {
  const words = Array.from({ length: 4000 }, (_, n) => `word${n}`);
  const other = words.with(2000, 'changed');
  const parts = wordDiff(words.join(' '), other.join(' '));
  assert.equal(side(parts, 'gone'), other.join(' '));
  assert.deepEqual(
    parts.filter(([kind]) => kind !== 'same'),
    [
      ['gone', 'word2000'],
      ['new', 'changed'],
    ],
  );
});

test('changes of two people at two places are taken together', () => {
  const parts = threeWay(
    'A red boat. The sun is low.',
    'A red boat. The moon is low.',
    'A blue boat. The sun is low.',
  );
  assert.deepEqual(kinds(parts), ['theirs', 'mine']);
  assert.equal(mergedText(parts), 'A blue boat. The moon is low.');
});

test('the same change by both is no conflict', () => {
  const parts = threeWay('A red boat', 'A blue boat', 'A blue boat');
  assert.deepEqual(kinds(parts), ['agreed']);
  assert.equal(mergedText(parts), 'A blue boat');
});

test('the same words changed in two ways are a clash, and nothing is merged', () => {
  const parts = threeWay('A red boat', 'A blue boat', 'A green boat');
  assert.deepEqual(kinds(parts), ['clash']);
  assert.equal(mergedText(parts), null);
});

test('clashing words with only a space between them belong together', () => {
  const parts = threeWay('one two three', 'ONE TWO three', 'eins zwei three');
  assert.deepEqual(kinds(parts), ['clash']);
  assert.equal(parts[0].mine, 'ONE TWO');
  assert.equal(parts[0].theirs, 'eins zwei');
});

test('each version can be read from the pieces', () => {
  const versions = { base: 'a b c d e f', mine: 'a X c d f g', theirs: 'a b Y d e f h' };
  const parts = threeWay(versions.base, versions.mine, versions.theirs);
  for (const name of ['base', 'mine', 'theirs'])
    assert.equal(parts.map((part) => part[name]).join(''), versions[name]);
});
