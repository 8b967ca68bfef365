// The Export dialog: which format, of which evaluation, with which values, and what it cannot hold.
import { choice, field, fill, named } from '../parts/choice.js';
import { api, h, icon, report } from '../parts/elements_and_requests.js';
import { download } from '../parts/download.js';
import { openDialog } from '../parts/dialog.js';

/** @param {import('./top_bar.js').Frame} frame */
export async function showExport(frame) {
  const formats = await api('/api/formats');
  const { all } = frame.evaluation;
  const picker = /** @type {HTMLSelectElement | null} */ (frame.evaluation.node.querySelector('select'));
  const shown = picker?.value || '';
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
  const values = choice(
    'Values',
    [
      ['current', 'current, with corrections'],
      ['machine', 'machine, as it was written'],
    ],
    '',
    () => update(),
  );
  const evaluation = choice('Evaluation to export', [], '', () => update());
  const evaluationRow = field('evaluation', evaluation);
  const what = h('p', {});
  const lost = h('span', {});
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
  const of = () => formats.find((f) => f.name === name.value);
  const offer = () => {
    const { evaluation: rule } = of();
    const kept = evaluation.options.length ? evaluation.value : shown;
    const none = rule === 'optional' ? [['', 'none: what the datasets hold']] : [];
    const offered = [...none, ...named(all)];
    fill(evaluation, offered, offered.some(([id]) => id === kept) ? kept : shown);
    evaluationRow.hidden = rule === 'none';
    return rule;
  };
  const update = () => {
    const format = of();
    const rule = offer();
    what.textContent = format.what;
    lost.textContent = format.cannot_hold;
    const lacking = rule === 'needed' && !all.length;
    problem.textContent = lacking ? 'There is no evaluation yet: run a video first, or import one.' : '';
    link.classList.toggle('dl-off', lacking);
    const query = new URLSearchParams({ values: values.value });
    if (rule !== 'none' && evaluation.value) query.set('evaluation', evaluation.value);
    if (lacking) link.removeAttribute('href');
    else link.href = `/api/export/${encodeURIComponent(format.name)}?${query}`;
  };
  openDialog(
    'Export',
    [
      field('format', name),
      h(
        'div',
        { class: 'dl-formatnote' },
        what,
        h('p', { class: 'dl-hint' }, h('b', {}, 'cannot hold:'), lost),
      ),
      evaluationRow,
      field('values', values),
      problem,
    ],
    [link],
    { cancel: 'Close' },
  );
  update();
  name.focus();
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
