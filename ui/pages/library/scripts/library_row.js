// One video in the Library: picture, title, stages, worst aspect, verdicts, ways on.
import { address } from '../../../lib/page/address.js';
import { badge, button, clear, h, icon, mark } from '../../../lib/parts/elements.js';
import { aspectName, plural, scoreText, shortClock } from '../../../lib/parts/words.js';
import { openField } from '../../../lib/keys/keymap.js';
import { workMark } from '../../../lib/shell/assignment_bar.js';
import { connectModel } from '../../../lib/shell/person_menu.js';
import { isOfVideo, linkedPages } from '../../../lib/parts/pages.js';
import { meaningOf, term } from '../../../lib/parts/terms.js';
import { stageBar } from '../../../lib/parts/run_stages_dialog.js';

const VERDICTS = ['yes', 'no', 'unparsed', 'failed', 'missing'];

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['LibraryRow']} LibraryRow */

/** @typedef {(path: string, more?: import('../../../lib/page/address.js').Query) => string} To a page of this video */

/**
 * @typedef {Object} LibraryPage what a row needs of the page
 * @property {string} evaluation
 * @property {string} me the id of who looks
 * @property {(action: string) => boolean} can
 * @property {Set<string>} selected
 * @property {(id: string, on: boolean, range: boolean) => void} select
 * @property {(id: string) => void} range selects all rows to this one
 * @property {() => void} leaveRange
 * @property {(row: LibraryRow) => unknown} remove
 * @property {(row: LibraryRow) => unknown} join
 * @property {(image: HTMLImageElement, source: string) => void} picture shows it when its turn comes
 * @property {(id: string, take?: boolean) => void} focus
 */

/**
 * @param {LibraryRow} row
 * @param {LibraryPage} page
 */
export function libraryRow(row, page) {
  // Without verdicts in this evaluation, the next page finds one that has some on this video.
  const evaluation = Object.keys(row.verdicts).length ? page.evaluation : '';
  /** @type {To} */
  const to = (path, more = {}) => address.to(path, { video: row.id, evaluation, ...more });
  const called = row.where ? `${row.title} (${row.where})` : row.title;
  const box = h('input', {
    type: 'checkbox',
    'aria-label': `Select ${called}`,
    checked: page.selected.has(row.id),
    onclick: (event) => page.select(row.id, box.checked, event.shiftKey),
  });
  return h(
    'tr',
    {
      class: 'dl-video',
      'data-id': row.id,
      tabindex: '-1',
      'aria-label': called,
      onfocusin: () => page.focus(row.id),
      // A range of rows is meant, not of words.
      onmousedown: (event) => {
        if (event.shiftKey) event.preventDefault();
      },
      onclick: (event) => {
        if (event.target.closest('a, button, input')) return;
        if (event.shiftKey) page.range(row.id);
        else if (event.ctrlKey || event.metaKey) page.select(row.id, !box.checked, false);
        else page.leaveRange();
        page.focus(row.id, true);
      },
    },
    h('td', { class: 'dl-col-box' }, box),
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
          .map(({ name, label }) => h('a', { href: to(name), 'aria-label': `${label} of ${called}` }, label)),
        page.can('remove')
          ? h(
              'button',
              {
                type: 'button',
                class: 'dl-button dl-button-quiet dl-remove',
                'aria-label': `Remove ${called}`,
                title: 'Remove from the workspace',
                onclick: () => page.remove(row),
              },
              icon('close'),
            )
          : null,
      ),
    ),
  );
}

/**
 * @param {LibraryRow} row
 * @param {To} to
 * @param {LibraryPage} page
 */
function poster(row, to, page) {
  /** @param {string} words */
  const none = (words) => h('span', { class: 'dl-noposter' }, words);
  if (!row.file) return none('no file');
  const image = h('img', {
    alt: '',
    decoding: 'async',
    onerror: () => image.replaceWith(none('no picture')),
  });
  page.picture(image, `/media/${row.id}/strip/${row.poster}.jpg`);
  return h('a', { class: 'dl-poster', href: to('script'), tabindex: '-1', 'aria-hidden': 'true' }, image);
}

/**
 * @param {LibraryRow} row
 * @param {To} to
 * @param {LibraryPage} page
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
            h('li', {}, workMark(work, work.person_id === page.me ? 'you' : work.person)),
          ),
        )
      : null,
    row.measured_only ? h('p', {}, badge('measured, not captioned', 'baseline')) : null,
    troubles(row),
    page.can('add') && (row.same_file_as || !row.file)
      ? h(
          'button',
          {
            type: 'button',
            class: 'dl-button dl-button-quiet dl-joinrow',
            'aria-label': `Join ${row.title} with another video`,
            onclick: () => page.join(row),
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
        words.map(([what, why]) => h('span', { title: why }, badge(what, 'warn'), h('span', {}, why))),
      )
    : null;
}

/**
 * Thin bars of all aspects, the lowest one in words, and the mean of all verdicts, with their denominators.
 * @param {LibraryRow} row
 * @param {To} to
 */
function worst(row, to) {
  const { worst: low, mean } = row;
  if (!low) return h('p', { class: 'dl-hint' }, term('mean', 'no score'), 'in this evaluation');
  return h(
    'a',
    {
      class: 'dl-worst',
      href: to('verdicts', { aspect: low.kind }),
      title: [
        `${meaningOf('aspect')} Opens its questions.`,
        ...row.aspects.map(
          (a) => `${aspectName(a.kind)} ${scoreText(a.score)} of 5 (${a.n} of ${a.of} verdicts)`,
        ),
      ].join('\n'),
    },
    h(
      'span',
      { class: 'dl-aspectbars', 'aria-hidden': 'true' },
      row.aspects.map((a) =>
        h(
          'i',
          { class: a.kind === low.kind && a.score < 5 ? 'dl-lowest' : '' },
          h('b', { style: { height: `${Math.max(4, (a.score / 5) * 100)}%` } }),
        ),
      ),
    ),
    h(
      'span',
      {},
      h(
        'span',
        { class: 'dl-worstname' },
        aspectName(low.kind),
        ' ',
        h('b', {}, scoreText(low.score)),
        ' of 5',
      ),
      h(
        'small',
        {},
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
  return [
    shown.length
      ? h(
          'p',
          { class: 'dl-verdictcounts' },
          shown.map((state) =>
            h(
              'a',
              { href: to('verdicts', { state }), class: 'dl-countlink', title: meaningOf(state) },
              mark(state, `${row.verdicts[state]} ${state}`),
            ),
          ),
        )
      : h('p', { class: 'dl-hint' }, '–'),
    row.corrected
      ? h('p', { class: 'dl-verdictcounts' }, mark('corrected', plural(row.corrected, 'correction')))
      : null,
    row.findings === null ? h('p', { class: 'dl-hint' }, 'findings not counted yet') : null,
    row.findings
      ? h(
          'p',
          { class: 'dl-verdictcounts' },
          h(
            'a',
            { href: to('script'), class: 'dl-countlink', title: 'Open findings of the checks in its script' },
            mark('flagged', plural(row.findings, 'finding')),
          ),
        )
      : null,
  ];
}

/**
 * Videos that only the embedded baseline has seen.
 * The line over the list; empty where every video has a caption of somebody else.
 * @param {HTMLElement} line
 * @param {number} count
 * @param {boolean} may whether the person may connect one
 */
export function measuredOnly(line, count, may) {
  const words = `${plural(count, 'video')} measured, not captioned: cuts, camera, light, colours, speech and text are there; the embedded baseline names no things.`;
  const key = count ? `${words}${may}` : '';
  if (line.dataset.shown === key) return;
  line.dataset.shown = key;
  line.hidden = !count;
  clear(
    line,
    count ? h('span', {}, words) : null,
    count && may
      ? button('Connect a model', () => openField('connect a model', () => connectModel()), {
          name: 'connect-model',
        })
      : null,
    count && !may ? h('span', {}, 'An admin can connect a model.') : null,
  );
}
