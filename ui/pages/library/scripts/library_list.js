// The list of the Library: its table, and what stands in place of it where there is nothing to show.
import { h, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { button, icon } from '../../../lib/components/small_components.js';
import { meansAlone } from '../../../lib/parts/means_alone.js';
import { plural } from '../../../lib/parts/words.js';
import { Row, term } from './library_row.js';

/** @typedef {import('./page_library.js').Page} Page */

/** @type {[name: string, words: import('../../../lib/components/component.js').Children][]} */
const HEADS = [
  ['dl-col-title', 'video'],
  ['dl-col-stages', term('stages', 'stages')],
  ['dl-col-worst', [term('aspect', 'lowest aspect'), ', ', term('mean', 'mean')]],
  ['dl-col-verdicts', term('verdicts', 'verdicts')],
  ['dl-col-links', 'open'],
];

/** @param {{page: Page}} props */
export function List({ page }) {
  const { list } = page;
  const { videos, total } = list.data.value;
  if (!list.queue.value) return null;
  if (videos.length) return h(Table, { page });
  return total ? h(NothingFits, { page, searched: page.frame.search.value.trim() }) : h(NothingYet, { page });
}

/** @param {{page: Page}} props */
function Table({ page }) {
  const { list } = page;
  const { videos, fit } = list.data.value;
  const { ids } = list.selection;
  const body = useRef(/** @type {HTMLTableSectionElement | null} */ (null));
  // A row that moves to another place loses the focus.
  const focused = body.current?.querySelector(':focus');
  useLayoutEffect(() => {
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    page.more();
  }, [videos]);
  return h(
    'table',
    { class: 'dl-videos', 'aria-label': 'Videos', 'aria-rowcount': fit + 1 },
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        h(
          'th',
          { class: 'dl-col-box' },
          h('input', {
            type: 'checkbox',
            'aria-label': 'Select all videos',
            checked: ids.size > 0 && ids.size >= fit,
            indeterminate: ids.size > 0 && ids.size < fit,
            onChange: (event) => page.selectAll(event.currentTarget.checked),
          }),
        ),
        h('th', { class: 'dl-col-poster' }, h('span', { class: 'dl-unseen' }, 'picture')),
        HEADS.map(([name, words]) => h('th', { key: name, class: name }, words)),
      ),
    ),
    h(
      'tbody',
      { ref: body },
      videos.map((row) =>
        h(Row, {
          key: row.id,
          page,
          row,
          selected: ids.has(row.id),
          current: row.id === list.current.value,
        }),
      ),
    ),
  );
}

/** @param {{page: Page, searched: string}} props */
function NothingFits({ page, searched }) {
  const mine = page.list.work.value === page.me;
  const why = mine
    ? 'Nothing is assigned to you. Select videos and press Assign to take them yourself.'
    : 'No video fits this choice of work.';
  return h(
    'div',
    { class: 'dl-empty' },
    h('p', null, searched ? `No video fits “${searched}”.` : why),
    button('Show all videos', () => page.showAll(), { kind: 'main' }),
  );
}

/** @param {{page: Page}} props */
function NothingYet({ page }) {
  const note = page.list.evaluation.value ? meansAlone(page.frame.evaluation) : '';
  return h(
    'div',
    { class: 'dl-empty dl-welcome' },
    icon('upload'),
    h('h1', null, 'No videos yet'),
    note ? h('p', { role: 'note' }, note) : null,
    page.can('add')
      ? [
          h(
            'p',
            null,
            'Drop files or whole folders anywhere on this page: videos, logs of lmms-eval, VLMEvalKit or LOVEU, datasets, archives. You see what they are before anything is written.',
          ),
          h(
            'div',
            { class: 'dl-row' },
            button('Add videos', () => page.uploads.choose(), { kind: 'main', name: 'first-files' }),
            button('Choose a folder', () => page.uploads.chooseFolder(), { name: 'first-folder' }),
            button('Add by URL', () => page.openUrls(), { name: 'first-by-url' }),
          ),
          h('p', { class: 'dl-hint' }, 'To look around first:'),
          h(
            'div',
            { class: 'dl-row' },
            button('Load the sample', () => page.sample(), { name: 'load-sample' }),
            page.can('manage')
              ? button('Connect a model', () => page.connect(), { name: 'first-model' })
              : null,
          ),
        ]
      : h('p', null, 'You may not add videos here; ask a researcher or an admin.'),
  );
}

/**
 * Over the list: how many videos only the embedded baseline has seen. There is no line where every video has a caption
 * of somebody else.
 * @param {{page: Page}} props
 */
export function MeasuredOnly({ page }) {
  const count = page.list.data.value.measured_only;
  if (!count) return null;
  return h(
    'p',
    { class: 'dl-measuredonly', role: 'note' },
    h(
      'span',
      null,
      `${plural(count, 'video')} measured, not captioned: cuts, camera, light, colours, speech and text are there; the embedded baseline names no things.`,
    ),
    page.can('manage')
      ? button('Connect a model', () => page.connect(), { name: 'connect-model' })
      : h('span', null, 'An admin can connect a model.'),
  );
}
