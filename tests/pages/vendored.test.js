// What browsers get of Preact is what the packages of package.json hold, so that types and code are of one version.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FOLDER, vendored } from './vendored.js';

test('the vendored modules are those of the installed packages', () => {
  for (const [file, text] of vendored())
    assert.equal(
      readFileSync(new URL(file, FOLDER), 'utf8'),
      text,
      `${file} is of another version: run node tests/pages/vendored.js`,
    );
});

test('they work together: a component is drawn again when a signal changes', async () => {
  const { h } = await import('../../ui/lib/vendor/preact.js');
  const { computed, signal } = await import('../../ui/lib/vendor/signals.js');
  const count = signal(1);
  const twice = computed(() => count.value * 2);
  count.value = 4;
  assert.equal(twice.value, 8);
  assert.deepEqual(h('b', { id: 'x' }, 'words').props, { id: 'x', children: 'words' });
});
