// Of the Study view: the dialog that makes a study, and the table of a closed one.
import { openDialog } from '../../../lib/parts/dialog.js';
import { h, signal } from '../../../lib/components/component.js';
import { baselineBadge, button, field, hint } from '../../../lib/components/small_components.js';
import { table } from '../../../lib/components/table.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CaptionModel']} Model that may take part */

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SelectionRate']} Rate how often a model was chosen, with its interval */

const LEAST = 2;
const MOST = 5;

/** @typedef {{name: string, most: string, runs: string[], problem: string, busy: boolean}} Form */
/** @typedef {import('../../../lib/components/component.js').Signal<Form>} FormSignal */

/** @type {(form: FormSignal, some: Partial<Form>) => void} */
const set = (form, some) => {
  form.value = { ...form.value, problem: '', ...some };
};

/**
 * Calls `made` with the new study's id.
 * @param {(id: string) => unknown} made
 */
export async function newStudy(made) {
  /** @type {Model[]} */
  const models = await api('/api/study-models');
  /** @type {FormSignal} */
  const form = signal({ name: '', most: '', runs: [], problem: '', busy: false });
  const make = async () => {
    const { name, most, runs } = form.value;
    set(form, { busy: true });
    try {
      const study = await api('/api/studies', { name, runs, most: most ? Number(most) : null });
      dialog.close();
      made(study.id);
    } catch (error) {
      set(form, { busy: false, problem: error.message });
    }
  };
  const dialog = openDialog('New study', h(Fields, { models, form }), h(Make, { form, make }));
}

/** @param {{form: FormSignal, make: () => void}} props */
function Make({ form, make }) {
  const { busy, runs } = form.value;
  const disabled = busy || runs.length < LEAST || runs.length > MOST;
  return button('Make it', make, { kind: 'main', name: 'make-study', disabled });
}

/** @param {{models: Model[], form: FormSignal}} props */
function Fields({ models, form }) {
  const { name, most, problem, runs } = form.value;
  const n = runs.length;
  const count = n < LEAST ? 'Choose at least two.' : n > MOST ? 'Choose at most five.' : '';
  return [
    field(
      'name',
      h('input', {
        type: 'text',
        class: 'dl-input',
        'aria-label': 'Name of the study',
        placeholder: 'Name of the study',
        value: name,
        onInput: (event) => set(form, { name: event.currentTarget.value }),
      }),
      'dl-fs-field',
    ),
    h(
      'div',
      { class: 'dl-fs-models', role: 'group', 'aria-label': 'Models to compare, two to five' },
      models.length < LEAST
        ? h(
            'p',
            { class: 'dl-hint', 'data-name': 'too-few' },
            `A study compares at least two models, and ${models.length ? `only ${models[0].name} has` : 'none has'} captioned frames here. Connect another model and run the stage “frames” with it, or import frame captions of another model. Then make the study.`,
          )
        : null,
      models.map(({ id, name: model, captions, baseline }) =>
        h(
          'label',
          { key: id },
          h('input', {
            type: 'checkbox',
            value: id,
            checked: runs.includes(id),
            onChange: ({ currentTarget: { checked } }) =>
              set(form, { runs: checked ? [...runs, id] : runs.filter((run) => run !== id) }),
          }),
          h('b', null, model),
          h('span', null, plural(captions, 'caption')),
          baseline ? baselineBadge() : null,
        ),
      ),
    ),
    field(
      'sequences at most',
      h('input', {
        type: 'number',
        class: 'dl-input',
        min: 1,
        'aria-label': 'Most sequences',
        placeholder: 'all',
        value: most,
        onInput: (event) => set(form, { most: event.currentTarget.value }),
      }),
      'dl-fs-field',
    ),
    hint(
      'Two to five models; every sequence of which all of them have captions takes part, in an order of captions that is drawn for each.',
    ),
    h('p', { class: 'dl-hint', role: 'status' }, problem || (models.length < LEAST ? '' : count)),
  ];
}

/** @type {Object<string, string>} */
const METRICS = { selected_best: 'best', selected_top2: 'best or second', selected_none: 'none' };

/**
 * Selection rates with intervals, by run.
 * @param {{result: {name: string, people: number, rows: Rate[]}}} props
 */
export function ResultTable({ result: { name, people, rows } }) {
  const runs = Map.groupBy(rows, (row) => row.runs.captions || row.group.captions);
  return table(
    { class: 'dl-fs-result' },
    ['captions of', ...Object.values(METRICS)],
    [...runs].map(([key, rates]) =>
      h(
        'tr',
        { key },
        h('th', { scope: 'row' }, rates[0].group.captions),
        Object.keys(METRICS).map((metric) => rateCell(rates.find((rate) => rate.metric === metric))),
      ),
    ),
    h('caption', null, `${name}: how often each model was chosen, by ${plural(people, 'person', 'people')}`),
  );
}

/** @param {Rate | undefined} rate */
function rateCell(rate) {
  if (!rate) return h('td', null);
  const { low, high, value, n, of } = rate;
  return h(
    'td',
    { title: low === null ? undefined : `95 % interval ${percent(low)} to ${percent(high)}` },
    value === null ? '–' : percent(value),
    h('small', null, ` ${n} of ${of}`),
    low === null
      ? null
      : h(
          'span',
          { class: 'dl-fs-range', 'aria-hidden': true },
          h('span', { style: { left: `${100 * low}%`, width: `${100 * (high - low)}%` } }),
          h('i', { style: { left: `${100 * value}%` } }),
        ),
  );
}

/** @param {number} value */
const percent = (value) => `${(100 * value).toFixed(1)} %`;
