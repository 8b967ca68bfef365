// The list under `?`: every key of this page.
import { h } from './core.js';
import { openDialog } from './dialog.js';
import { keysOf, liveRows, shown } from './keymap.js';

export function showHelp() {
  const groups = Map.groupBy(liveRows(), (row) => row.group);
  openDialog('Keys', h('div', { class: 'dl-keys' }, [...groups].map(([group, rows]) => h('section', {}, h('h3', {}, group),
    h('dl', {}, rows.map((row) => [h('dt', {}, keysOf(row).map((key) => h('kbd', {}, shown(key)))), h('dd', {}, row.what)]))))), [], { cancel: 'Close' });
}
