// The dialog that gives the rows of the Keyframes page as files.
import { openDialog } from '../../../lib/parts/dialog.js';
import { h, signal } from '../../../lib/components/component.js';
import { button, choice, field, icon } from '../../../lib/components/small_components.js';
import { download } from '../../../lib/parts/download.js';
import { plural } from '../../../lib/parts/words.js';
import { methodOf } from './method_words.js';

/** @typedef {import('./keyframes_state.js').KeyframesState} State */
/** @typedef {import('./keyframes_state.js').MethodRow} MethodRow */

const FILES = [
  ['rows', 'all rows', 'one 16:9 picture for a talk: each method with its name and its frames'],
  ['sheet', 'contact sheet', 'one PNG: the kept frames with times and captions'],
  ['animation', 'GIF', 'the kept frames, one after the other'],
  ['film', 'MP4', 'the same as a film'],
  ['pictures', 'pictures', 'a ZIP: one JPEG per kept frame, captions as JSON and text'],
  ['json', 'JSON', 'candidates, captions, verdicts, every row and its reasons'],
];

/** @param {State} state */
export function exportRows(state) {
  const rows = [
    ...state.machineRows(),
    ...state.data.value.rows.filter((row) => row.method === 'person' && row.frames.length),
  ];
  const files = h(Files, { state, rows, chosen: signal(rows[0]?.key || ''), problem: signal('') });
  openDialog('Export keyframes', files, null, { cancel: 'Close' });
}

/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

/** @param {{state: State, rows: MethodRow[], chosen: Signal<string>, problem: Signal<string>}} props */
function Files({ state, rows, chosen, problem }) {
  /** @param {MethodRow} row */
  const name = (row) => {
    const by = row.person_id === state.me ? 'your row' : row.by;
    return `${row.method === 'person' ? by : methodOf(row)} · ${plural(row.frames.length, 'frame')}`;
  };
  /** @param {string} kind of FILES */
  const get = async (kind) => {
    problem.value = '';
    const query = new URLSearchParams({ row: chosen.value, ...state.query() });
    await state.flush();
    await download(`/api/keyframes/${encodeURIComponent(state.bar.id)}/export/${kind}?${query}`).catch(
      (error) => {
        problem.value = error.message;
      },
    );
  };
  return [
    field(
      'row',
      choice(
        'Row',
        rows.map((row) => [row.key, name(row)]),
        chosen.value,
        (key) => {
          chosen.value = key;
        },
      ),
    ),
    h(
      'div',
      { class: 'dl-kf-files' },
      FILES.map(([kind, words, about]) =>
        h(
          'p',
          { key: kind },
          button([icon('download'), words], () => get(kind), { name: `export-${kind}` }),
          h('span', { class: 'dl-hint' }, about),
        ),
      ),
    ),
    h('p', { class: 'dl-hint dl-is-failed', role: 'alert' }, problem.value),
  ];
}
