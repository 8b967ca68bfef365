// Names of downloaded files, as the server sends them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameIn } from '../../ui/lib/parts/download.js';

test('a name with spaces or letters beyond ASCII is the name of the file', () => {
  assert.equal(nameIn("attachment; filename*=utf-8''A%20paper%20boat_s%20day.srt"), 'A paper boat_s day.srt');
  assert.equal(nameIn("attachment; filename*=utf-8''caf%C3%A9.srt"), 'café.srt');
});

test('a plain name stays as it is, and without one there is a name', () => {
  assert.equal(nameIn('attachment; filename="carebench.json"'), 'carebench.json');
  assert.equal(nameIn(''), 'export');
});
