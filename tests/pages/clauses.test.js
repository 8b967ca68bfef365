import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  glueOf,
  pieces,
  withClause,
  without,
  withWords,
  words,
} from '../../ui/pages/split/scripts/split_text.js';

/** Where the words are, in code points. */
function placeOf(text, part) {
  const start = Array.from(text.slice(0, text.indexOf(part))).length;
  return [start, start + Array.from(part).length];
}

test('places count code points', () => {
  const text = 'A 🚤 and 👩‍🚀. Then rain.';
  assert.equal(words(text, placeOf(text, 'Then rain.')), 'Then rain.');
  assert.equal(without(text, [placeOf(text, 'Then rain.')]), 'A 🚤 and 👩‍🚀.');
});

test('what is left of a sentence ends as it did', () => {
  const text = 'He fills the kettle, and sets it down. It rains.';
  assert.equal(without(text, [placeOf(text, 'and sets it down.')]), 'He fills the kettle. It rains.');
});

test('what is left of a sentence begins with a capital', () => {
  const text = 'He fills the kettle, and sets it down.';
  assert.equal(without(text, [placeOf(text, 'He fills the kettle,')]), 'Sets it down.');
});

test('a whole sentence goes with its space', () => {
  const text = 'One. Two. Three.';
  assert.equal(without(text, [placeOf(text, 'Two.')]), 'One. Three.');
  assert.equal(without(text, [placeOf(text, 'One.'), placeOf(text, 'Three.')]), 'Two.');
});

test('words come in with a space on either side where there is none', () => {
  assert.equal(withWords('One. Three.', 4, 'Two.', ' '), 'One. Two. Three.');
  assert.equal(withWords('', 0, 'Two.', ' '), 'Two.');
  assert.equal(withWords('一。三。', 2, '二。', ''), '一。二。三。');
});

test('a clause goes on with the sentence of the clause above it', () => {
  const full = 'He fills the kettle, sets it on the stove.';
  const rows = [
    { full: placeOf(full, 'He fills the kettle,'), spatial: [[0, 20]] },
    {
      full: placeOf(full, 'sets it on the stove.'),
      continues: true,
      place: { spatial: 20 },
      told: 'Sets it on the stove.',
      spatial: [],
    },
  ];
  assert.equal(withClause('He fills the kettle.', rows, 1, 'spatial', full, ' '), full);
});

test('sentences of scripts without spaces stand together', () => {
  assert.equal(glueOf('一。二。', [{ full: [0, 2] }, { full: [2, 4] }]), '');
  assert.equal(glueOf('One. Two.', [{ full: [0, 4] }, { full: [5, 9] }]), ' ');
  assert.equal(glueOf('One.', [{ full: [0, 4] }]), ' ');
});

test('overlapping marks cut a text into pieces with their labels', () => {
  const chars = Array.from('abcdefgh');
  assert.deepEqual(
    pieces(
      chars,
      [1, 7],
      [
        [0, 3, 'x'],
        [2, 5, 'y'],
        [7, 8, 'outside'],
      ],
    ),
    [
      ['b', ['x']],
      ['c', ['x', 'y']],
      ['de', ['y']],
      ['fg', []],
    ],
  );
});
