import './page_stub.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { reachOf } = await import('../../ui/lib/editor/undo_reach.js');
const at = (shows, query) => reachOf(shows, (name) => new URLSearchParams(query).get(name) || '');

test('a page of one video takes back what was decided on it', () => {
  assert.deepEqual(at('video', 'video=v1'), { video_id: 'v1', workspace: false });
  assert.deepEqual(at('questions', 'video=v1&only=v1'), { video_id: 'v1', workspace: false });
});

test('a page of many videos takes back decisions on any, but not an import', () => {
  assert.deepEqual(at('questions', 'video=v1&qa=q1'), { video_id: '', workspace: false });
  assert.deepEqual(at('video', 'video=v1&view=study'), { video_id: '', workspace: false });
});

test('on Library and Scores every decision is within reach', () => {
  for (const shows of ['videos', 'scores']) assert.deepEqual(at(shows, ''), {});
});
