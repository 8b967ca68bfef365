import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address } from '../../ui/lib/page/address.js';
import { clock, frameName, plural, shortClock, textLength } from '../../ui/lib/parts/words.js';

test('a time is rounded to milliseconds and has hours only where it needs them', () => {
  assert.equal(clock(0), '00:00.000');
  assert.equal(clock(59.9996), '01:00.000');
  assert.equal(clock(61.25), '01:01.250');
  assert.equal(clock(3600), '1:00:00.000');
  assert.equal(clock(36_061.5), '10:01:01.500');
  assert.equal(clock(-0.04), '00:00.000');
  assert.equal(shortClock(61.25), '01:01');
});

test('numbers', () => {
  assert.equal(frameName(12_345), '#12,345');
  assert.equal(plural(1, 'video'), '1 video');
  assert.equal(plural(0, 'video'), '0 videos');
  assert.equal(plural(2000, 'person', 'people'), '2,000 people');
});

test('words are counted, and characters where a script writes no spaces', () => {
  assert.deepEqual(textLength(''), { n: 0, unit: 'words' });
  assert.deepEqual(textLength('  A red boat,  sails. '), { n: 4, unit: 'words' });
  assert.deepEqual(textLength('紙の船が流れる。'), { n: 7, unit: 'characters' });
  assert.deepEqual(textLength('A short text with one 船'), { n: 6, unit: 'words' });
  assert.deepEqual(textLength('배가 떠간다'), { n: 2, unit: 'words' });
});

test('a link leaves out what is empty, and keeps a zero', () => {
  assert.equal(address.to('verdicts'), '/verdicts');
  assert.equal(
    address.to('script', { video: 'a b', scene: 0, frame: '', tab: null }),
    '/script?video=a+b&scene=0',
  );
});
