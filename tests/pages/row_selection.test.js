import assert from 'node:assert/strict';
import { test } from 'node:test';

const { RowSelection } = await import('../../ui/pages/library/scripts/row_selection.js');
const order = ['a', 'b', 'c', 'd', 'e', 'f'];
const chosen = (rows) => order.filter((id) => rows.ids.has(id)).join('');

test('a range goes both ways from where it began, and takes the place of the range before', () => {
  const rows = new RowSelection();
  rows.set('c', true);
  rows.extend(order, 'c', 'e');
  assert.equal(chosen(rows), 'cde');
  rows.extend(order, 'e', 'd');
  assert.equal(chosen(rows), 'cd');
  rows.extend(order, 'd', 'a');
  assert.equal(chosen(rows), 'abc');
});

test('what was selected before a range stays', () => {
  const rows = new RowSelection();
  rows.set('a', true);
  rows.set('d', true);
  rows.extend(order, 'd', 'f');
  rows.extend(order, 'f', 'e');
  assert.equal(chosen(rows), 'ade');
});

test('without a selected row the range begins at the open one', () => {
  const rows = new RowSelection();
  rows.extend(order, 'b', 'c');
  assert.equal(chosen(rows), 'bc');
  rows.leaveRange();
  rows.extend(order, 'e', 'f');
  assert.equal(chosen(rows), 'bcef');
});

test('unticking the last box of a range lets go of the rows up to it', () => {
  const rows = new RowSelection();
  rows.set('a', true);
  rows.extend(order, 'a', 'e', true);
  rows.extend(order, 'a', 'b', false);
  assert.equal(chosen(rows), 'cde');
});

test('steps go on with the range while it ends at the open row, else they begin there', () => {
  const rows = new RowSelection();
  rows.step(order, 'a', 'b');
  rows.step(order, 'b', 'c');
  assert.equal(chosen(rows), 'abc');
  rows.step(order, 'e', 'f');
  assert.equal(chosen(rows), 'abcef');
  rows.step(order, 'f', 'e');
  assert.equal(chosen(rows), 'abce');
});

test('a range that begins at a row that was let go, lets go of its rows', () => {
  const rows = new RowSelection();
  rows.replace(order);
  rows.toggle('b');
  rows.extend(order, 'b', 'd');
  assert.equal(chosen(rows), 'aef');
  rows.extend(order, 'd', 'e', true); // its last box was ticked
  assert.equal(chosen(rows), 'abcdef');
});

test('a range from a row that is not in the list any more begins anew', () => {
  const rows = new RowSelection();
  rows.set('x', true);
  rows.extend(order, 'gone', 'c');
  assert.deepEqual([...rows.ids], ['x', 'c']);
  rows.keep(order);
  assert.equal(chosen(rows), 'c');
});
