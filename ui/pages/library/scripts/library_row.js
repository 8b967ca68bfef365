// One video in the Library: picture, title, stages, worst aspect, verdicts, ways on.
import { address } from '../../../lib/page/address.js';
import { h, signal, useRef } from '../../../lib/components/component.js';
import { badge, icon, mark } from '../../../lib/components/small_components.js';
import { aspectName, plural, scoreText, shortClock } from '../../../lib/parts/words.js';
import { openField } from '../../../lib/keys/keymap.js';
import { workState } from '../../../lib/shell/work_on_video.js';
import { isOfVideo, linkedPages } from '../../../lib/parts/pages.js';
import { meaningOf } from '../../../lib/parts/terms.js';
import { stageBar } from './stage_bar.js';

const VERDICTS = ['yes', 'no', 'unparsed', 'failed', 'missing'];

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['LibraryRow']} LibraryRow */
/** @typedef {import('./page_library.js').Page} Page */
/** @typedef {(path: string, more?: import('../../../lib/page/address.js').Query) => string} To a page of this video */

/**
 * A word with what it means: shown to who points at it, or comes to it with Tab.
 * @param {string} name
 * @param {string} words as the page writes it
 */
export const term = (name, words) =>
  h('abbr', { class: 'dl-term', tabIndex: 0, title: meaningOf(name), 'data-means': meaningOf(name) }, words);

/**
 * It reads a signal, so Preact draws it again only where a property differs: not all rows when one is selected.
 * @param {{page: Page, row: LibraryRow, selected: boolean, current: boolean}} props
 */
export function Row({ page, row, selected, current }) {
  const { list } = page;
  // Without verdicts in this evaluation, the next page finds one that has some on this video.
  const chosen = list.evaluation.value;
  const evaluation = Object.keys(row.verdicts).length ? chosen : '';
  /** @type {To} */
  const to = (path, more = {}) => address.to(path, { video: row.id, evaluation, ...more });
  const called = row.where ? `${row.title} (${row.where})` : row.title;
  return h(
    'tr',
    {
      class: 'dl-video',
      'data-id': row.id,
      tabIndex: current ? 0 : -1,
      'aria-current': current ? 'true' : undefined,
      'aria-label': called,
      onFocusIn: () => {
        list.current.value = row.id;
      },
      // A range of rows is meant, not of words.
      onMouseDown: (event) => {
        if (event.shiftKey) event.preventDefault();
      },
      onClick: (event) => {
        if (/** @type {Element} */ (event.target).closest('a, button, input')) return;
        if (event.shiftKey) list.range(row.id);
        else if (event.ctrlKey || event.metaKey) list.selection.toggle(row.id);
        else list.selection.leaveRange();
        event.currentTarget.focus();
      },
    },
    h(
      'td',
      { class: 'dl-col-box' },
      h('input', {
        type: 'checkbox',
        'aria-label': `Select ${called}`,
        checked: selected,
        onClick: (event) => {
          const on = event.currentTarget.checked;
          if (event.shiftKey) list.range(row.id, on);
          else list.selection.set(row.id, on);
        },
      }),
    ),
    h('td', { class: 'dl-col-poster' }, poster(row, to, page)),
    h('td', { class: 'dl-col-title' }, about(row, to, page)),
    h('td', { class: 'dl-col-stages' }, stageBar(row)),
    h('td', { class: 'dl-col-worst' }, worst(row, to)),
    h('td', { class: 'dl-col-verdicts' }, verdicts(row, to)),
    h(
      'td',
      { class: 'dl-col-links' },
      h(
        'div',
        { class: 'dl-videolinks' },
        linkedPages()
          .filter(isOfVideo)
          .map(({ name, label }) =>
            h('a', { key: name, href: to(name), 'aria-label': `${label} of ${called}` }, label),
          ),
        page.can('remove')
          ? h(
              'button',
              {
                type: 'button',
                class: 'dl-button dl-button-quiet dl-remove',
                'aria-label': `Remove ${called}`,
                title: 'Remove from the workspace',
                onClick: () => page.remove(row),
              },
              icon('close'),
            )
          : null,
      ),
    ),
  );
}

/** @param {string} words */
const noPicture = (words) => h('span', { class: 'dl-noposter' }, words);

/**
 * @param {LibraryRow} row
 * @param {To} to
 * @param {Page} page
 */
function poster(row, to, page) {
  if (!row.file) return noPicture('no file');
  const source = `/media/${row.id}/strip/${row.poster}.jpg`;
  return h(
    'a',
    { class: 'dl-poster', href: to('script'), tabIndex: -1, 'aria-hidden': 'true' },
    h(Picture, { key: source, page, source }),
  );
}

/** @param {{page: Page, source: string}} props */
function Picture({ page, source }) {
  const { current: missing } = useRef(signal(false));
  if (missing.value) return noPicture('no picture');
  return h('img', {
    alt: '',
    decoding: 'async',
    ref: (image) => image && !image.src && page.pictures.show(image, source),
    onError: () => {
      missing.value = true;
    },
  });
}

/**
 * @param {LibraryRow} row
 * @param {To} to
 * @param {Page} page
 */
function about(row, to, page) {
  const facts = [
    row.duration_s === null ? null : shortClock(row.duration_s),
    row.frames ? plural(row.frames, 'frame') : null,
    row.clips ? `${row.clips_here} of ${plural(row.clips, 'clip')}` : null,
    row.category || null,
  ].filter(Boolean);
  return [
    h('a', { class: 'dl-videotitle', href: to(row.worst ? 'verdicts' : 'script') }, row.title),
    row.where ? h('p', { class: 'dl-videowhere' }, row.where) : null,
    h('p', { class: 'dl-hint' }, facts.join(' · ')),
    row.work.length
      ? h(
          'ul',
          { class: 'dl-work', 'aria-label': 'Work' },
          row.work.map((work) =>
            h(
              'li',
              { key: `${work.person_id} ${work.task}` },
              workState(work, work.person_id === page.me ? 'you' : work.person),
            ),
          ),
        )
      : null,
    row.measured_only ? h('p', null, badge('measured, not captioned', 'baseline')) : null,
    troubles(row),
    page.can('add') && (row.same_file_as || !row.file)
      ? h(
          'button',
          {
            type: 'button',
            class: 'dl-button dl-button-quiet dl-joinrow',
            'aria-label': `Join ${row.title} with another video`,
            onClick: () => openField('join', () => page.join(row.id)),
          },
          row.same_file_as ? `the same file as ${row.same_file_as}: join` : 'join with a video that is here',
        )
      : null,
  ];
}

/** @param {LibraryRow} row */
function troubles(row) {
  const words = [];
  if (!row.file) words.push(['no file here', row.why_no_file]);
  if (row.problems.length) words.push(['damaged file', row.problems.join('; ')]);
  if (row.file && !row.playable) words.push(['not playable in a browser', row.unplayable_why]);
  return words.length
    ? h(
        'p',
        { class: 'dl-troubles' },
        words.map(([what, why]) =>
          h('span', { key: what, title: why }, badge(what, 'warn'), h('span', null, why)),
        ),
      )
    : null;
}

/**
 * Thin bars of all aspects, the lowest one in words, and the mean of all verdicts, with their denominators.
 * @param {LibraryRow} row
 * @param {To} to
 */
function worst({ worst: low, mean, aspects }, to) {
  if (!low) return h('p', { class: 'dl-hint' }, term('mean', 'no score'), 'in this evaluation');
  const scores = aspects.map(
    (a) => `${aspectName(a.kind)} ${scoreText(a.score)} of 5 (${a.n} of ${a.of} verdicts)`,
  );
  return h(
    'a',
    {
      class: 'dl-worst',
      href: to('verdicts', { aspect: low.kind }),
      title: [`${meaningOf('aspect')} Opens its questions.`, ...scores].join('\n'),
    },
    h(
      'span',
      { class: 'dl-aspectbars', 'aria-hidden': 'true' },
      aspects.map((a) =>
        h(
          'i',
          { key: a.kind, class: a.kind === low.kind && a.score < 5 ? 'dl-lowest' : '' },
          h('b', { style: { height: `${Math.max(4, (a.score / 5) * 100)}%` } }),
        ),
      ),
    ),
    h(
      'span',
      null,
      h(
        'span',
        { class: 'dl-worstname' },
        aspectName(low.kind),
        ' ',
        h('b', null, scoreText(low.score)),
        ' of 5',
      ),
      h(
        'small',
        null,
        h('span', { class: 'dl-colname' }, 'lowest aspect · '),
        `${low.n} of ${low.of} verdicts`,
      ),
      h('small', { class: 'dl-videomean' }, `mean ${scoreText(mean.score)} · ${mean.n} of ${mean.of}`),
    ),
  );
}

/**
 * @param {LibraryRow} row
 * @param {To} to
 */
function verdicts(row, to) {
  const shown = VERDICTS.filter((state) => row.verdicts[state]);
  const line = (/** @type {import('../../../lib/components/component.js').Children} */ content) =>
    h('p', { class: 'dl-verdictcounts' }, content);
  return [
    shown.length
      ? line(
          shown.map((state) =>
            h(
              'a',
              {
                key: state,
                href: to('verdicts', { state }),
                class: 'dl-countlink',
                title: meaningOf(state),
              },
              mark(state, `${row.verdicts[state]} ${state}`),
            ),
          ),
        )
      : h('p', { class: 'dl-hint' }, '–'),
    row.corrected ? line(mark('corrected', plural(row.corrected, 'correction'))) : null,
    row.findings === null ? h('p', { class: 'dl-hint' }, 'findings not counted yet') : null,
    row.findings
      ? line(
          h(
            'a',
            { href: to('script'), class: 'dl-countlink', title: 'Open findings of the checks in its script' },
            mark('flagged', plural(row.findings, 'finding')),
          ),
        )
      : null,
  ];
}
