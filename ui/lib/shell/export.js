// The Export dialog: which format, whose texts or which evaluation, and what the file would hold.
import { choice, field, fill, named } from '../parts/choice.js';
import { h, icon } from '../parts/elements.js';
import { report } from '../parts/notices.js';
import { api } from '../requests/requests.js';
import { column, table } from '../parts/table.js';
import { download } from '../parts/download.js';
import { openDialog } from '../parts/dialog.js';

/** @typedef {import('../wire.d.ts').components['schemas']['ExportFormat']} Format */
/** @typedef {import('../wire.d.ts').components['schemas']['ExportPreview']} Preview */
/** @typedef {import('../wire.d.ts').components['schemas']['PreviewCell']} Cell */

/** @param {import('./top_bar.js').Frame} frame */
export async function showExport(frame) {
  const { formats, people } = await api('/api/formats');
  const picker = /** @type {HTMLSelectElement | null} */ (frame.evaluation.node.querySelector('select'));
  const onScreen = picker?.value || '';
  const name = choice('Format', [], '', () => update());
  name.append(
    ...[...new Set(formats.map((f) => f.group))].map((group) =>
      h(
        'optgroup',
        { label: group },
        formats.filter((f) => f.group === group).map((f) => h('option', { value: f.name }, f.name)),
      ),
    ),
  );
  const whose = choice('What to export', [], '', () => update(), 'whose');
  const whoseRow = field('texts', whose);
  const values = choice(
    'Values',
    [
      ['current', 'current, with corrections'],
      ['machine', 'machine, as it was written'],
    ],
    '',
    () => update(),
  );
  const valuesRow = field('values', values);
  const what = h('p', {});
  const lost = h('span', {});
  const held = h('div', { class: 'dl-preview', 'aria-live': 'polite', 'data-name': 'preview' });
  const problem = h('p', { class: 'dl-hint dl-is-failed', role: 'alert' });
  const link = h(
    'a',
    {
      class: 'dl-button dl-button-main',
      download: true,
      'data-name': 'download',
      onclick: (event) => downloadFrom(event, link, problem),
    },
    icon('download'),
    'Download',
  );
  let shownGroup = '';
  const of = () => formats.find((f) => f.name === name.value);
  /** @type {Record<string, string>} the last choice among texts, and among evaluations */
  const last = { texts: '', evaluation: `evaluation=${onScreen}` };
  const offer = () => {
    const group = of().texts ? 'texts' : 'evaluation';
    const offered = choices(of(), people);
    // A format without a choice leaves the list empty, and nothing is chosen in it.
    if (group === shownGroup && whose.options.length) last[group] = whose.value;
    shownGroup = group;
    const there = offered.some(([query]) => query === last[group]);
    fill(whose, offered, there ? last[group] : `evaluation=${onScreen}`);
    whoseRow.hidden = !offered.length;
    whoseRow.firstElementChild.textContent = of().texts ? 'texts' : 'evaluation';
    valuesRow.hidden = whose.value.startsWith('whose=') && !whose.value.endsWith('=references');
  };
  let asked = 0;
  /** @param {string} path */
  const count = async (path) => {
    const mine = ++asked;
    const timer = setTimeout(() => held.replaceChildren(h('p', { class: 'dl-hint' }, 'Counting ...')), 300);
    try {
      const found = await api(path);
      if (mine !== asked) return;
      held.replaceChildren(...shown(found));
      if (found.fields.length && !found.rows.length) link.removeAttribute('href');
      link.classList.toggle('dl-off', !link.hasAttribute('href'));
    } catch (error) {
      if (mine !== asked) return;
      held.replaceChildren();
      problem.textContent = error.message;
    } finally {
      clearTimeout(timer);
    }
  };
  const update = () => {
    const format = of();
    offer();
    what.textContent = format.what;
    lost.textContent = format.cannot_hold;
    const lacking = !whose.options.length && format.evaluation !== 'none';
    problem.textContent = lacking ? 'There is no evaluation yet: run a video first, or import one.' : '';
    link.classList.toggle('dl-off', lacking);
    const query = new URLSearchParams(whose.value);
    if (!valuesRow.hidden) query.set('values', values.value);
    const path = `/api/export/${encodeURIComponent(format.name)}`;
    held.replaceChildren();
    if (lacking) link.removeAttribute('href');
    else {
      link.href = `${path}?${query}`;
      count(`${path}/preview?${query}`).catch(report);
    }
  };
  const { node } = openDialog(
    'Export',
    [
      field('format', name),
      h(
        'div',
        { class: 'dl-formatnote' },
        what,
        h('p', { class: 'dl-hint' }, h('b', {}, 'cannot hold:'), lost),
      ),
      whoseRow,
      valuesRow,
      held,
      problem,
    ],
    [link],
    { cancel: 'Close' },
  );
  node.classList.add('dl-export');
  update();
  name.focus();
}

/**
 * What can be chosen for a format: [the query, its words].
 * @param {Format} format
 * @param {{id: string, name: string}[]} people
 * @returns {[string, string][]}
 */
export function choices(format, people) {
  const of = named(format.evaluations).map(([id, words]) => [
    `evaluation=${id}`,
    format.texts ? `evaluation: ${words}` : `${words}`,
  ]);
  const some = /** @type {[string, string][]} */ (of);
  const datasets = format.evaluation === 'optional' && !format.benchmark;
  if (!format.texts) return datasets ? [['', 'none: what the datasets hold'], ...some] : some;
  return [
    ['', 'what counts now'],
    ['whose=references', 'references: without what a machine began'],
    ...people.map(({ id, name }) => /** @type {[string, string]} */ ([`whose=${id}`, `one person: ${name}`])),
    ...some,
  ];
}

/** @param {Preview} found */
function shown({ says, fields, totals, rows, more }) {
  const sentences = says.map((words) => h('p', {}, words));
  if (!fields.length) return sentences;
  /** @param {string} name @param {(field: string) => import('../parts/elements.js').Content} words */
  const line = (name, words) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name),
      fields.map((one) => h('td', {}, words(one))),
    );
  const heads = ['video', ...fields].map((one) => column(one.replaceAll('_', ' ')));
  const lines = [
    line('all', (one) => totals[one]),
    ...rows.map(({ video, cells }) => line(video, (one) => cell(cells[one]))),
  ];
  return [
    ...sentences,
    h(
      'div',
      { class: 'dl-preview-rows', tabindex: '0', role: 'region', 'aria-label': 'What the file would hold' },
      table({}, heads, lines, { foot: more ? `and ${more.toLocaleString('en')} more` : '' }),
    ),
  ];
}

/** @param {Cell | undefined} found */
function cell(found) {
  if (!found) return h('span', { class: 'dl-hint' }, '-');
  const by = found.by.join(', ');
  if (!by) return `${found.count}`;
  return found.count === 1 ? by : `${found.count} by ${by}`;
}

/**
 * A plain link that would save the server's refusal as a file; so the answer is looked at first.
 * @param {MouseEvent} event
 * @param {HTMLAnchorElement} link
 * @param {HTMLElement} problem
 */
async function downloadFrom(event, link, problem) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || link.href.startsWith('blob:')) return;
  event.preventDefault();
  if (!link.href) return;
  problem.textContent = '';
  link.classList.add('dl-off');
  try {
    await download(link.href);
  } catch (error) {
    problem.textContent = error.message;
    if (!error.message) report(error);
  } finally {
    link.classList.remove('dl-off');
  }
}
