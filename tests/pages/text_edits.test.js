// Marks of an edited caption: where they are after an edit, and their offsets in code points.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  applied,
  editOf,
  inPoints,
  inUnits,
  moved,
  withFieldsLineEnds,
} from '../../ui/gradio_parts/text_edits.js';

const TEXT = 'A red boat and a red car.';
const RED = { start: 2, end: 5, kind: 'colour', note: '' };

/** The words of the span after the text has changed so. */
function words(after, selected = null, caret = -1, span = RED) {
  const left = moved([span], editOf(TEXT, after, selected, caret));
  return left.map(({ start, end }) => after.slice(start, end));
}

test('a mark moves with words before it, and grows with words within it', () => {
  assert.deepEqual(words(`Look: ${TEXT}`), ['red']);
  assert.deepEqual(words(`${TEXT} Yes.`), ['red']);
  assert.deepEqual(words('A reddish boat and a red car.', null, 9), ['red']);
  assert.deepEqual(words('A rXed boat and a red car.', null, 4), ['rXed']);
  assert.deepEqual(words('A boat and a red car.'), []);
});

test('words typed at its ends are not of it', () => {
  assert.deepEqual(words('A dark red boat and a red car.', null, 7), ['red']);
  assert.deepEqual(words('A redred boat and a red car.', null, 8), ['red']);
  const edit = editOf(TEXT, 'A redred boat and a red car.', null, 5);
  assert.deepEqual(moved([RED], edit), [{ ...RED, start: 5, end: 8 }]);
});

test('a mark whose words are all replaced is gone, one that loses a part keeps the rest', () => {
  assert.deepEqual(words('A rosy boat and a red car.', [2, 5], 6), []);
  assert.deepEqual(words('A blue boat and a red car.', [2, 5], 6), []);
  assert.deepEqual(words('A ', [2, 25], 2), []);
  assert.deepEqual(words('A re car.', [4, 21], 4), ['re']);
  assert.deepEqual(words('AXd boat and a red car.', [1, 4], 2), ['d']);
});

test('offsets are code points outside and UTF-16 units inside', () => {
  const text = '😀 漢字 a\u0301 👩‍🚀 end';
  const points = [...text];
  const spans = points.map((_, at) => ({ start: at, end: at + 1, kind: '', note: '' }));
  const units = inUnits(text, spans);
  assert.deepEqual(
    units.map(({ start, end }) => text.slice(start, end)),
    points,
  );
  assert.deepEqual(inPoints(text, units), spans);
  assert.deepEqual(inUnits('ab', [{ start: 2, end: 9, kind: '', note: '' }]), []);
});

test('line ends become those of a field', () => {
  const text = 'a\r\nred\rb\r\n\r\n';
  const given = [
    { start: 3, end: 6, kind: 'red', note: '' },
    { start: 1, end: 3, kind: 'end', note: '' },
    { start: 6, end: 8, kind: 'b', note: '' },
  ];
  const { text: now, spans } = withFieldsLineEnds(text, given);
  assert.equal(now, 'a\nred\nb\n\n');
  assert.deepEqual(
    spans.map(({ start, end }) => now.slice(start, end)),
    ['red', '\n', '\nb'],
  );
});

test('any edit is found again, and marks that it does not meet keep their words', () => {
  let seed = 7;
  const dice = (most) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % most;
  };
  for (let round = 0; round < 3000; round += 1) {
    const before = Array.from({ length: dice(12) }, () => 'ab'[dice(2)]).join('');
    const start = dice(before.length + 1);
    const end = start + dice(before.length - start + 1);
    const edit = { start, end, words: Array.from({ length: dice(4) }, () => 'ab'[dice(2)]).join('') };
    const after = applied(before, edit);
    for (const caret of [-1, start + edit.words.length]) {
      const found = editOf(before, after, [start, end], caret);
      assert.equal(applied(before, found), after);
      const spans = [...before].map((_, at) => ({ start: at, end: at + 1, kind: String(at), note: '' }));
      for (const { start: from, end: to, kind } of moved(spans, found))
        assert.equal(after.slice(from, to), before[Number(kind)]);
      if (caret >= 0 && start < end) assert.equal(moved(spans, found).length, before.length - (end - start));
    }
  }
});
