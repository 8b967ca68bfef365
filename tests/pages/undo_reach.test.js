import './page_stub.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { reachOf } = await import('../../ui/lib/editor/undo_reach.js');
const at = (path, query) => reachOf(path, (name) => new URLSearchParams(query).get(name) || '');

test('a page of one video takes back what was decided on it', () => {
  for (const page of ['/script', '/split', '/keyframes'])
    assert.deepEqual(at(page, 'video=v1'), { video_id: 'v1', workspace: false });
  assert.deepEqual(at('/verdicts', 'video=v1&only=v1'), { video_id: 'v1', workspace: false });
});

test('a page of many videos takes back decisions on any, but not an import', () => {
  assert.deepEqual(at('/verdicts', 'video=v1&qa=q1'), { video_id: '', workspace: false });
  assert.deepEqual(at('/keyframes', 'video=v1&view=study'), { video_id: '', workspace: false });
});

test('on Library and Scores every decision is within reach', () => {
  for (const page of ['/', '/scores']) assert.deepEqual(at(page, ''), {});
});
