// The row over the list: adding, running, giving work and exporting at the left; what is shown at the right.
import { button, clear, h, icon } from '../../../lib/parts/elements.js';
import { plural } from '../../../lib/parts/words.js';
import { keyHint, keyText } from '../../../lib/keys/keymap.js';
import { menuButton } from '../../../lib/parts/menu.js';

/**
 * @typedef {Object} Does
 * @property {() => unknown} files
 * @property {() => unknown} folder
 * @property {() => unknown} byUrl
 * @property {() => unknown} run
 * @property {() => unknown} assign
 * @property {() => unknown} exported
 * @property {() => unknown} resume
 * @property {() => unknown} selectAll
 * @property {() => unknown} selectNone
 */

export class LibraryTools {
  /**
   * @param {(action: string) => boolean} can
   * @param {Does} does
   * @param {import('../../../lib/parts/elements.js').Content} choices of what is shown
   */
  constructor(can, does, choices) {
    this.can = can;
    this.count = h('span', { class: 'dl-librarycount', role: 'status' });
    this.everything = button('', does.selectAll, { kind: 'quiet', name: 'select-all' });
    this.nothing = button('Clear', does.selectNone, {
      kind: 'quiet',
      name: 'select-none',
      title: 'Select nothing',
    });
    this.run = button('', does.run, { kind: 'quiet', name: 'run' });
    this.assign = button('', does.assign, { kind: 'quiet', name: 'assign' });
    this.resume = button('', does.resume, { kind: 'quiet', name: 'resume' });
    this.resume.classList.add('dl-resume');
    this.resume.hidden = true;
    const add = can('add') ? addMenu(does) : [];
    this.add = add[0];
    this.node = h(
      'div',
      { class: 'dl-tools-row' },
      add,
      can('run') ? this.run : null,
      can('edit') ? this.assign : null,
      can('export')
        ? button([icon('download'), 'Export'], does.exported, { kind: 'quiet', name: 'export' })
        : null,
      this.resume,
      h('span', { class: 'dl-grow' }),
      h('span', { class: 'dl-selected' }, this.count, this.everything, this.nothing),
      choices,
    );
  }

  /**
   * @param {number} fit
   * @param {number} total
   * @param {number} chosen
   */
  counts(fit, total, chosen) {
    clear(
      this.count,
      fit === total ? plural(total, 'video') : `${fit.toLocaleString('en')} of ${plural(total, 'video')}`,
      chosen ? ` · ${chosen.toLocaleString('en')} selected` : '',
    );
    this.everything.textContent = `All ${fit.toLocaleString('en')}`;
    this.everything.title = `Select all ${plural(fit, 'video')} that match, also those further down`;
    this.everything.hidden = !chosen || chosen >= fit;
    this.nothing.hidden = !chosen;
    const all = fit > 1 ? `Run all ${fit.toLocaleString('en')}` : 'Run';
    clear(this.run, icon('play'), chosen ? `Run ${plural(chosen, 'video')}` : all);
    this.run.disabled = this.assign.disabled = !fit;
    clear(this.assign, chosen ? `Assign ${plural(chosen, 'video')}` : 'Assign', keyHint('library.assign'));
  }

  /** @param {import('../../../lib/shell/assign.js').Queue} queue */
  queue({ resume, left, of }) {
    this.resume.hidden = !of;
    this.resume.disabled = !resume;
    this.resume.title = resume ? `${resume.title} · ${resume.task}` : '';
    clear(
      this.resume,
      icon('next'),
      resume
        ? [
            'Resume ',
            h('span', { class: 'dl-resume-title' }, resume.title),
            h('small', {}, `${left} of ${plural(of, 'video')} left`),
            keyHint('library.resume'),
          ]
        : `Your queue of ${plural(of, 'video')} is done`,
    );
  }

  /**
   * The one that stands out.
   * @param {'add' | 'run' | ''} name
   */
  standOut(name) {
    for (const [one, node] of Object.entries({ add: this.add, run: this.run }))
      node?.classList.toggle('dl-button-main', one === name);
  }
}

/** @param {Does} does */
function addMenu(does) {
  const key = keyText('library.url');
  return menuButton(
    { class: 'dl-button dl-button-quiet', 'data-name': 'add' },
    [icon('upload'), 'Add', icon('down')],
    'Add to the Library',
    [
      { words: 'Files …', run: does.files },
      { words: 'A folder …', run: does.folder },
      { words: `By URL …${key ? ` (${key})` : ''}`, run: does.byUrl },
    ],
  );
}
