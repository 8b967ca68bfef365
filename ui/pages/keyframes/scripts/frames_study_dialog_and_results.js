// Of the Study view: the dialog that makes a study, and the table of a closed one.
import { openDrawnDialog } from '../../../lib/components/component_dialog.js';
import { h, signal } from '../../../lib/components/component.js';
import { baselineBadge, button, hint } from '../../../lib/components/small_components.js';
import { table } from '../../../lib/components/table.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CaptionModel']} Model that may take part */

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SelectionRate']} Rate how often a model was chosen, with its interval */

const LEAST = 2;
const MOST = 5;

class NewStudy {
  name = signal('');
  most = signal('');
  /** @type {import('../../../lib/components/component.js').Signal<Set<string>>} runs */
  chosen = signal(new Set());
  problem = signal('');
  busy = signal(false);

  /** @param {Model[]} models */
  constructor(models) {
    this.models = models;
  }

  /** @param {string} run */
  toggle(run) {
    const chosen = new Set(this.chosen.value);
    if (!chosen.delete(run)) chosen.add(run);
    this.chosen.value = chosen;
    this.problem.value = '';
  }

  get ready() {
    const { size } = this.chosen.value;
    return !this.busy.value && size >= LEAST && size <= MOST;
  }

  get note() {
    const { size } = this.chosen.value;
    if (this.problem.value || this.models.length < LEAST) return this.problem.value;
    return size < LEAST ? 'Choose at least two.' : size > MOST ? 'Choose at most five.' : '';
  }

  /** Gives the id of the study; null where the server refused it. */
  async make() {
    this.busy.value = true;
    const most = this.most.value ? Number(this.most.value) : null;
    try {
      return (await api('/api/studies', { name: this.name.value, runs: [...this.chosen.value], most })).id;
    } catch (error) {
      this.problem.value = error.message;
      return null;
    } finally {
      this.busy.value = false;
    }
  }
}

/**
 * Calls `made` with the new study's id.
 * @param {(id: string) => unknown} made
 */
export async function newStudy(made) {
  const study = new NewStudy(await api('/api/study-models'));
  const make = async () => {
    const id = await study.make();
    if (!id) return;
    dialog.close();
    made(id);
  };
  const dialog = openDrawnDialog('New study', h(Fields, { study }), h(Make, { study, make }));
}

/** @param {{study: NewStudy, make: () => void}} props */
const Make = ({ study, make }) =>
  button('Make it', make, { kind: 'main', name: 'make-study', disabled: !study.ready });

/** @param {{study: NewStudy}} props */
function Fields({ study }) {
  const { models } = study;
  return [
    h(
      'label',
      { class: 'dl-fs-field' },
      h('span', null, 'name'),
      h('input', {
        type: 'text',
        class: 'dl-input',
        'aria-label': 'Name of the study',
        placeholder: 'Name of the study',
        onInput: (event) => {
          study.name.value = event.currentTarget.value;
        },
      }),
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
      models.map((model) =>
        h(
          'label',
          { key: model.id },
          h('input', {
            type: 'checkbox',
            value: model.id,
            checked: study.chosen.value.has(model.id),
            onChange: () => study.toggle(model.id),
          }),
          h('b', null, model.name),
          h('span', null, plural(model.captions, 'caption')),
          model.baseline ? baselineBadge() : null,
        ),
      ),
    ),
    h(
      'label',
      { class: 'dl-fs-field' },
      h('span', null, 'sequences at most'),
      h('input', {
        type: 'number',
        class: 'dl-input',
        min: 1,
        'aria-label': 'Most sequences',
        placeholder: 'all',
        onInput: (event) => {
          study.most.value = event.currentTarget.value;
        },
      }),
    ),
    hint(
      'Two to five models; every sequence of which all of them have captions takes part, in an order of captions that is drawn for each.',
    ),
    h('p', { class: 'dl-hint', role: 'status' }, study.note),
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
