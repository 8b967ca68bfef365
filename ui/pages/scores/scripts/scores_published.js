// Published figures beside one's own, with what differs.
import { h } from '../../../lib/components/component.js';
import { table } from '../../../lib/components/table.js';
import { digits } from './scores_table.js';

/** @typedef {import('./scores_table.js').Scores} Scores */

/**
 * The evaluation's own value in each column; a mean of columns only if all of them have a value.
 * @param {Scores} data
 * @param {string} metric
 */
function ownFigures({ published, rows }, metric) {
  /** @param {import('./scores_table.js').Group} group */
  const value = (group) =>
    rows.find(
      (r) =>
        r.policy === 'parsed' && r.metric === metric && JSON.stringify(r.group) === JSON.stringify(group),
    )?.value ?? null;
  const own = published.columns.map(({ group }) => (group ? value(group) : null));
  const parts = own.filter((_, n) => published.columns[n].group);
  const mean = parts.includes(null) ? null : parts.reduce((a, b) => a + b, 0) / parts.length;
  return own.map((figure, n) => (published.columns[n].group ? figure : mean));
}

/** @param {{data: Scores, measure: string}} props */
export function Published({ data, measure }) {
  const { about, columns, frames, measures, rows } = data.published;
  const shown = measures[measure];
  if (!shown) return null;
  const own = ownFigures(data, `${shown}_macro`);
  if (own.every((value) => value === null)) return null;
  /** @type {(model: string, frames: string, figures: (number | null)[], kind?: string) => import('../../../lib/components/component.js').Drawn} */
  const line = (model, frames, figures, kind = null) =>
    h(
      'tr',
      { class: kind },
      h('th', { scope: 'row' }, model),
      h('td', null, frames),
      figures.map((value) => h('td', null, value === null ? '–' : digits(value, shown))),
    );
  return h(
    'details',
    { class: 'dl-published' },
    h('summary', null, `published figures · ${rows.length} models`),
    h('p', { class: 'dl-hint' }, about),
    h(
      'div',
      { class: 'dl-publishedbox' },
      table(
        { class: 'dl-comparetable' },
        ['model', 'frames', ...columns.map(({ title }) => title)],
        [
          line('this evaluation', frames, own, 'dl-scoretotal'),
          rows.map((row) => line(row.model, row.frames, row.figures[shown])),
        ],
      ),
    ),
  );
}
