// Of the Study view: the dialog that makes a study, and the table of a closed one.
import { baselineBadge, button, h } from '../../../lib/parts/elements.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { table } from '../../../lib/parts/table.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CaptionModel']} Model that may take part */

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SelectionRate']} Rate how often a model was chosen, with its interval */

/**
 * Calls `made` with the new study's id.
 * @param {(id: string) => unknown} made
 */
export async function newStudy(made) {
  /** @type {Model[]} */
  const models = await api('/api/study-models');
  const name = h('input', {
    type: 'text',
    class: 'dl-input',
    'aria-label': 'Name of the study',
    placeholder: 'Name of the study',
  });
  const most = h('input', {
    type: 'number',
    class: 'dl-input',
    min: '1',
    'aria-label': 'Most sequences',
    placeholder: 'all',
  });
  const boxes = models.map((model) =>
    h('input', { type: 'checkbox', value: model.id, onchange: () => check() }),
  );
  const note = h('p', { class: 'dl-hint', role: 'status' });
  const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);
  const go = button(
    'Make it',
    () => {
      go.disabled = true;
      api('/api/studies', { name: name.value, runs: chosen(), most: most.value ? Number(most.value) : null })
        .then((study) => {
          dialog.close();
          made(study.id);
        })
        .catch((error) => {
          note.textContent = error.message;
          check();
        });
    },
    { kind: 'main', name: 'make-study' },
  );
  const check = () => {
    const n = chosen().length;
    go.disabled = n < 2 || n > 5;
    if (models.length > 1)
      note.textContent = n < 2 ? 'Choose at least two.' : n > 5 ? 'Choose at most five.' : '';
  };
  const dialog = openDialog(
    'New study',
    [
      h('label', { class: 'dl-fs-field' }, h('span', {}, 'name'), name),
      h(
        'div',
        { class: 'dl-fs-models', role: 'group', 'aria-label': 'Models to compare, two to five' },
        models.length < 2
          ? h(
              'p',
              { class: 'dl-hint', 'data-name': 'too-few' },
              `A study compares at least two models, and ${models.length ? `only ${models[0].name} has` : 'none has'} captioned frames here. Connect another model and run the stage “frames” with it, or import frame captions of another model. Then make the study.`,
            )
          : null,
        models.length
          ? models.map((model, n) =>
              h(
                'label',
                {},
                boxes[n],
                h('b', {}, model.name),
                h('span', {}, plural(model.captions, 'caption')),
                model.baseline ? baselineBadge() : null,
              ),
            )
          : null,
      ),
      h('label', { class: 'dl-fs-field' }, h('span', {}, 'sequences at most'), most),
      h(
        'p',
        { class: 'dl-hint' },
        'Two to five models; every sequence of which all of them have captions takes part, in an order of captions that is drawn for each.',
      ),
      note,
    ],
    [go],
  );
  check();
  name.focus();
  return dialog;
}

/** @type {Object<string, string>} */
const METRICS = { selected_best: 'best', selected_top2: 'best or second', selected_none: 'none' };

/**
 * Selection rates with intervals, by run.
 * @param {{name: string, people: number, rows: Rate[]}} result
 */
export function resultTable(result) {
  /** @type {Map<string, {name: string} & Object<string, any>>} run -> its rates by metric */
  const groups = new Map();
  for (const row of result.rows) {
    const key = row.runs.captions || row.group.captions;
    if (!groups.has(key)) groups.set(key, { name: row.group.captions });
    groups.get(key)[row.metric] = row;
  }
  /** @param {Rate | undefined} row */
  const cell = (row) =>
    row
      ? h(
          'td',
          { title: row.low === null ? null : `95 % interval ${percent(row.low)} to ${percent(row.high)}` },
          row.value === null ? '–' : percent(row.value),
          h('small', {}, ` ${row.n} of ${row.of}`),
          row.low === null ? null : range(row),
        )
      : h('td', {}, '');
  const words = `${result.name}: how often each model was chosen, by ${plural(result.people, 'person', 'people')}`;
  return table(
    { class: 'dl-fs-result' },
    ['captions of', ...Object.values(METRICS)],
    [...groups.values()].map((rows) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, rows.name),
        Object.keys(METRICS).map((metric) => cell(rows[metric])),
      ),
    ),
    { caption: h('caption', {}, words) },
  );
}

/** @param {number} value */
const percent = (value) => `${(100 * value).toFixed(1)} %`;
/** @param {Rate} rate */
const range = ({ low, high, value }) =>
  h(
    'span',
    { class: 'dl-fs-range', 'aria-hidden': 'true' },
    h('span', { style: { left: `${100 * low}%`, width: `${100 * (high - low)}%` } }),
    h('i', { style: { left: `${100 * value}%` } }),
  );
