// Several evaluations under one policy: figures, judges against people, judges against each other.
import { choice } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { badge, baselineBadge, clear, h } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { aspectName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { column, table } from '../../../lib/parts/table.js';
import { term } from '../../../lib/parts/terms.js';
import { digits, policyName, rangeOf, scoreCell } from './scores_table.js';

/** @typedef {import('./scores_table.js').Estimate} Estimate */
/** @typedef {import('./scores_table.js').Figure} Figure */
/** @typedef {import('./scores_table.js').RunFacts} RunFacts */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EvaluationColumn']} BesideRow of an evaluation */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EvaluationsBeside']} Beside */

const MOST = 6;

export class BesidePanel {
  /** @param {import('./page_scores.js').Page} page tells what is shown, and the evaluations there are */
  constructor(page) {
    this.page = page;
    this.picks = h('div', {
      class: 'dl-besidepicks',
      role: 'group',
      'aria-label': 'Evaluations side by side',
    });
    this.result = h('div', { class: 'dl-besideresult', role: 'status' });
    this.node = h(
      'details',
      {
        class: 'dl-beside',
        ontoggle: () => {
          if (this.node.open) this.load().catch(report);
        },
      },
      h('summary', {}, 'side by side'),
      h('div', { class: 'dl-besidebody' }, this.picks, this.result),
    );
    this.node.open = Boolean(address.get('beside'));
    this.asked = '';
  }

  /** This evaluation first, then the others that were asked for, else those that judged the same answers. */
  #chosen() {
    const { data, all } = this.page;
    const known = new Set(all.map((e) => e.id));
    const wanted = address.get('beside') ? address.get('beside').split(',') : data.same_answers;
    return [data.id, ...wanted.filter((id) => id !== data.id && known.has(id))].slice(0, MOST);
  }

  async load() {
    if (!this.node.open || !this.page.data) return;
    const ids = this.#chosen();
    const policy = address.get('policy') || 'parsed';
    this.#drawPicks(ids, policy);
    const asked = `${policy} ${ids.join()}`;
    this.asked = asked;
    clear(this.result, h('p', { class: 'dl-hint' }, 'counting …'));
    /** @type {Beside} */
    const found = await api(
      `/api/scoring/beside?${new URLSearchParams({ evaluations: ids.join(), policy })}`,
    );
    if (this.asked === asked) this.#draw(found);
  }

  /**
   * @param {string[]} ids
   * @param {string} policy
   */
  #drawPicks(ids, policy) {
    const { data, all } = this.page;
    const choose = () => {
      const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (
        this.picks.querySelectorAll('input:checked')
      );
      const picked = [...boxes].map((box) => box.value);
      address.set({ beside: picked.join() || data.id });
      this.load().catch(report);
    };
    clear(
      this.picks,
      h(
        'label',
        { class: 'dl-scoreby' },
        term('policy', 'rule'),
        choice(
          'Rule for all',
          Object.entries(data.policies).map(([name, what]) => [name, policyName(data, name), what]),
          policy,
          (name) => {
            address.set({ policy: name === 'parsed' ? '' : name });
            this.load().catch(report);
          },
        ),
      ),
      all
        .filter((e) => e.id !== data.id)
        .map((e) =>
          h(
            'label',
            { class: 'dl-besidepick' },
            h('input', {
              type: 'checkbox',
              value: e.id,
              checked: ids.includes(e.id),
              disabled: !ids.includes(e.id) && ids.length >= MOST,
              onchange: choose,
            }),
            e.name,
          ),
        ),
    );
  }

  /** @param {Beside} found */
  #draw(found) {
    const { measure, mean, data } = this.page;
    const metric = [`${measure}_${mean}`, `${measure}_macro`, `${measure}_micro`].find((name) =>
      found.rows.some((r) => r.figures[name]),
    );
    const aspects = [...new Set(found.rows.flatMap((r) => Object.keys(r.figures[metric] || {})))].sort(
      (a, b) => Number(a === '') - Number(b === ''),
    );
    const range = rangeOf(
      found.rows.flatMap((r) => Object.values(r.figures[metric] || {})),
      measure,
    );
    clear(
      this.result,
      metric && metric !== `${measure}_${mean}`
        ? h(
            'p',
            { class: 'dl-hint' },
            `this rule is over ${metric.endsWith('macro') ? 'videos' : 'questions'}`,
          )
        : null,
      h(
        'div',
        { class: 'dl-scoretablebox' },
        table(
          { class: 'dl-scoretable dl-besidetable' },
          [
            h('td'),
            ...aspects.map((a) => (a ? aspectName(a) : 'mean of aspects')),
            column(
              [term('kappa', 'κ'), ' with people'],
              'Cohen’s kappa of the judge and the people who labelled verdicts, 95 %',
            ),
          ],
          found.rows.map((row) =>
            h(
              'tr',
              { class: row.id === data.id ? 'dl-scoretotal' : '' },
              h(
                'th',
                { scope: 'row' },
                row.name,
                row.baseline ? baselineBadge() : null,
                row.ceiling ? badge(term('ceiling', 'ceiling')) : null,
                facts(row.runs),
              ),
              aspects.map((a) => figure(row, a, row.figures[metric]?.[a], measure, range, data)),
              people(row),
            ),
          ),
          { caption: 'Evaluations side by side' },
        ),
      ),
      found.pairs.length
        ? pairTable(found)
        : h(
            'p',
            { class: 'dl-hint' },
            'Choose another evaluation above: a second judge on the same answers comes from “Judge or fill”.',
          ),
    );
  }
}

/** @param {number} x */
const twoPlaces = (x) => (Math.abs(x) < 0.005 ? '0.00' : x.toFixed(2));
/** @param {RunFacts} runs */
const facts = (runs) =>
  h(
    'small',
    { class: 'dl-scorenote' },
    [
      ['captions', 'captions'],
      ['verdicts', 'judge'],
    ]
      .filter(([role]) => runs[role])
      .map(([role, word]) => `${word}: ${runs[role].model}`)
      .join(' · '),
  );

/**
 * @param {BesideRow} row
 * @param {string} aspect
 * @param {Figure | undefined} cell
 * @param {string} measure
 * @param {[number, number]} range
 * @param {import('./scores_table.js').Scores} shown the evaluation that the page shows
 */
function figure(row, aspect, cell, measure, range, { id, kinds }) {
  if (!cell || cell.value === null) return h('td', {}, h('span', { class: 'dl-scorecell' }, 'none'));
  const href = address.to('verdicts', {
    evaluation: row.id,
    with: row.id === id ? '' : id,
    aspect: kinds.aspect[aspect] || '',
    sort: 'verdict',
  });
  return scoreCell(cell, { href, range, say: (value) => digits(value, measure) });
}

/** @param {BesideRow} row */
function people(row) {
  const { n, kappa } = row.people;
  if (!n) return h('td', {}, h('span', { class: 'dl-scorecell' }, h('small', {}, 'no labels')));
  return h(
    'td',
    {},
    h(
      'a',
      { class: 'dl-scorecell', href: address.to('verdicts', { evaluation: row.id, state: 'labelled' }) },
      h('b', {}, kappa.value === null ? 'not defined' : twoPlaces(kappa.value)),
      kappa.low === null ? null : h('small', {}, `${twoPlaces(kappa.low)} to ${twoPlaces(kappa.high)}`),
      h('small', {}, plural(n, 'label')),
    ),
  );
}

/** @param {Beside} found */
function pairTable({ rows, pairs }) {
  const name = Object.fromEntries(rows.map((r) => [r.id, r.name]));
  return table(
    { class: 'dl-comparetable dl-pairtable' },
    ['judges against each other', column(term('kappa', 'κ')), 'flips', ''],
    pairs.map((p) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, name[p.a], ' and ', name[p.b]),
        p.n
          ? [
              h('td', {}, h('b', {}, p.kappa === null ? 'not defined' : twoPlaces(p.kappa))),
              h(
                'td',
                {},
                `${(p.share * 100).toFixed(1)} %`,
                h('small', {}, `${p.flips.toLocaleString('en')} of ${plural(p.n, 'question')}`),
              ),
              h(
                'td',
                {},
                h(
                  'a',
                  { href: address.to('verdicts', { evaluation: p.a, with: p.b, sort: 'differs' }) },
                  'the flips',
                ),
              ),
            ]
          : h('td', { colspan: '3' }, 'no question that both judged'),
      ),
    ),
    { caption: 'Judges against each other' },
  );
}
