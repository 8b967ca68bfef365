// The row over the list: adding, running, giving work and exporting at the left; what is shown at the right.
import { h } from '../../../lib/components/component.js';
import { button, choice, icon, keyHint } from '../../../lib/components/small_components.js';
import { among } from '../../../lib/parts/choice.js';
import { icon as shape } from '../../../lib/parts/elements.js';
import { plural } from '../../../lib/parts/words.js';
import { keyText } from '../../../lib/keys/keymap.js';
import { menuButton } from '../../../lib/parts/menu.js';
import { anythingRun } from './first_minute.js';
import { SORTS } from './library_state.js';

/** @typedef {import('./page_library.js').Page} Page */

/** @param {number} n */
const number = (n) => n.toLocaleString('en');

/** @param {{page: Page}} props */
export function Tools({ page }) {
  const { list, can } = page;
  const { fit, total, videos } = list.data.value;
  const known = list.queue.value !== null;
  const { size } = list.selection.ids;
  // One button stands out: of the first line, else the one that goes on from what is here.
  const next = !total || page.firstMinute.main.value ? '' : anythingRun(videos) ? 'add' : 'run';
  /** @param {string} words */
  const whenKnown = (words) => (known ? words : '');
  const chosen = plural(size, 'video');
  return h(
    'div',
    { class: 'dl-tools-row' },
    can('add') ? h(AddMenu, { page, main: next === 'add' }) : null,
    can('run')
      ? button(
          [icon('play'), whenKnown(size ? `Run ${chosen}` : fit > 1 ? `Run all ${number(fit)}` : 'Run')],
          () => page.openRun(),
          { kind: next === 'run' ? 'quiet dl-button-main' : 'quiet', name: 'run', disabled: !fit },
        )
      : null,
    can('edit')
      ? button(whenKnown(size ? `Assign ${chosen}` : 'Assign'), () => page.openAssign(), {
          kind: 'quiet',
          name: 'assign',
          hint: 'library.assign',
          disabled: !fit,
        })
      : null,
    can('export')
      ? button([icon('download'), 'Export'], () => page.export(), { kind: 'quiet', name: 'export' })
      : null,
    h(Resume, { page }),
    h('span', { class: 'dl-grow' }),
    h(
      'span',
      { class: 'dl-selected' },
      h(
        'span',
        { class: 'dl-librarycount', role: 'status' },
        whenKnown(fit === total ? plural(total, 'video') : `${number(fit)} of ${plural(total, 'video')}`),
        size ? ` · ${number(size)} selected` : '',
      ),
      size && size < fit
        ? button(`All ${number(fit)}`, () => page.selectAll(true), {
            kind: 'quiet',
            name: 'select-all',
            title: `Select all ${plural(fit, 'video')} that match, also those further down`,
          })
        : null,
      size
        ? button('Clear', () => page.selectAll(false), {
            kind: 'quiet',
            name: 'select-none',
            title: 'Select nothing',
          })
        : null,
    ),
    h(WhoseWork, { page }),
    h(
      'label',
      { class: 'dl-sort' },
      'sort',
      choice('Sort', SORTS, list.sort.value, (sort) => page.sortBy(sort)),
    ),
  );
}

/** @param {{page: Page, main: boolean}} props */
const AddMenu = ({ page, main }) =>
  h('span', {
    class: 'dl-add',
    ref: (host) => {
      if (host && !host.firstChild) host.append(...addMenu(page));
      host?.firstElementChild.classList.toggle('dl-button-main', main);
    },
  });

/** @param {Page} page */
function addMenu(page) {
  const key = keyText('library.url');
  return menuButton(
    { class: 'dl-button dl-button-quiet', 'data-name': 'add' },
    [shape('upload'), 'Add', shape('down')],
    'Add to the Library',
    [
      { words: 'Files …', run: () => page.uploads.choose() },
      { words: 'A folder …', run: () => page.uploads.chooseFolder() },
      { words: `By URL …${key ? ` (${key})` : ''}`, run: () => page.openUrls() },
    ],
  );
}

/**
 * The way back to one's own work.
 * @param {{page: Page}} props
 */
function Resume({ page }) {
  const { of, left, resume } = page.list.queue.value ?? {};
  if (!of) return null;
  return h(
    'button',
    {
      type: 'button',
      class: 'dl-button dl-button-quiet dl-resume',
      'data-name': 'resume',
      disabled: !resume,
      title: resume ? `${resume.title} · ${resume.task}` : '',
      onClick: () => page.resume(),
    },
    icon('next'),
    resume
      ? [
          'Resume ',
          h('span', { class: 'dl-resume-title' }, resume.title),
          h('small', null, `${left} of ${plural(of, 'video')} left`),
          keyHint('library.resume'),
        ]
      : `Your queue of ${plural(of, 'video')} is done`,
  );
}

/** @param {{page: Page}} props */
function WhoseWork({ page }) {
  const { me, list } = page;
  const others = list.data.value.workers.filter(({ id }) => id !== me);
  const options = [
    ['', 'everybody’s work'],
    [me, 'my work'],
    ['left', 'my work, unfinished'],
    ['flagged', 'flagged'],
    ['nobody', 'given to nobody'],
    ...others.map(({ id, name }) => [id, name]),
  ];
  return choice('Whose work', options, among(options, list.work.value, ''), (whose) => page.showWork(whose));
}
