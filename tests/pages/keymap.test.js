import './page_stub.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { changeKey, chord, isSingle, keysOf, refusal, shown } = await import('../../ui/lib/keys/keymap.js');
const { rows, scopes } = await import('../../ui/lib/parts/pages.js');

const press = (key, more = {}) => ({
  key,
  code: '',
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
});
const row = (id) => rows.find((one) => one.id === id);

test('a key is called as it stands in the table', () => {
  assert.equal(chord(press('e')), 'e');
  assert.equal(chord(press('E', { shiftKey: true })), 'Shift+e');
  assert.equal(chord(press('?', { shiftKey: true })), '?');
  assert.equal(chord(press('Enter', { ctrlKey: true, shiftKey: true })), 'Ctrl+Shift+Enter');
  assert.equal(chord(press('z', { metaKey: true })), 'Ctrl+z');
  assert.equal(chord(press(' ', { shiftKey: true })), 'Shift+ ');
});

test('on a keyboard of another script the place of the key counts', () => {
  assert.equal(chord(press('у', { code: 'KeyE' })), 'e');
  assert.equal(chord(press('ж', { code: 'Semicolon' })), 'ж');
  assert.equal(chord(press('б', { code: 'Comma' })), ',');
});

test('signs that AltGraph writes are those signs', () => {
  const held = { ctrlKey: true, altKey: true, getModifierState: (name) => name === 'AltGraph' };
  assert.equal(chord(press('@', held)), '@');
});

test('a key is shown by its name', () => {
  assert.equal(shown('Ctrl+Shift+ArrowLeft'), 'Ctrl Shift ←');
  assert.equal(shown('Shift+e'), 'Shift E');
  assert.equal(shown('Ctrl++'), 'Ctrl +');
  assert.equal(shown('e'), 'e');
});

test('single keys are those that speech input presses by accident', () => {
  for (const key of ['e', '5', '?', 'Shift+e']) assert.ok(isSingle(key), key);
  for (const key of ['Ctrl+e', 'Alt+5', 'ArrowLeft', 'Enter', 'F2']) assert.ok(!isSingle(key), key);
});

test('keys of the browser, and keys that are taken, are refused with a reason', () => {
  const edit = row('script.edit');
  assert.match(refusal(edit, 'Ctrl+t'), /belongs to the browser/);
  assert.match(refusal(edit, keysOf(row('script.split'), 'script')[0]), /already/);
  assert.throws(() => changeKey(edit, 'Tab'), /belongs to the browser/);
});

test('a key that works while typing needs Ctrl or Alt', () => {
  const inText = rows.find((one) => one.in_text);
  assert.match(refusal(inText, 'q'), /needs Ctrl or Alt/);
});

test('no two keys of a page are the same', () => {
  for (const page of new Set(rows.map((one) => one.page).filter((name) => !scopes[name]))) {
    const keys = rows.filter((one) => one.page === page).flatMap((one) => keysOf(one, page));
    assert.deepEqual(
      keys.filter((key, n) => keys.indexOf(key) !== n),
      [],
      page,
    );
  }
});
