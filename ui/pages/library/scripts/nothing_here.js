// What stands in place of the list where it is empty.
import { button, h, icon } from '../../../lib/parts/elements.js';
import { empty } from '../../../lib/parts/empty.js';

/**
 * No video fits the words.
 * @param {string} words
 * @param {() => unknown} showAll
 */
export const nothingFits = (words, showAll) =>
  empty(`No video fits “${words}”.`, button('Show all videos', showAll, { kind: 'main' }));

/**
 * No video fits the choice of work.
 * @param {boolean} mine whether only one's own work is shown
 * @param {() => unknown} showAll
 */
export const noWork = (mine, showAll) =>
  empty(
    mine
      ? 'Nothing is assigned to you. Select videos and press Assign to take them yourself.'
      : 'No video fits this choice of work.',
    button('Show all videos', showAll, { kind: 'main' }),
  );

/**
 * The workspace has no videos.
 * @param {(action: string) => boolean} can
 * @param {string} note of the evaluation; may be empty
 * @param {{files: () => unknown, folder: () => unknown, byUrl: () => unknown, sample: () => unknown, connect: () => unknown}} does
 */
export function nothingYet(can, note, does) {
  return h(
    'div',
    { class: 'dl-empty dl-welcome' },
    icon('upload'),
    h('h1', {}, 'No videos yet'),
    note ? h('p', { role: 'note' }, note) : null,
    can('add')
      ? [
          h(
            'p',
            {},
            'Drop files or whole folders anywhere on this page: videos, logs of lmms-eval, VLMEvalKit or LOVEU, datasets, archives. You see what they are before anything is written.',
          ),
          h(
            'div',
            { class: 'dl-row' },
            button('Add videos', does.files, { kind: 'main', name: 'first-files' }),
            button('Choose a folder', does.folder, { name: 'first-folder' }),
            button('Add by URL', does.byUrl, { name: 'first-by-url' }),
          ),
          h('p', { class: 'dl-hint' }, 'To look around first:'),
          h(
            'div',
            { class: 'dl-row' },
            button('Load the sample', does.sample, { name: 'load-sample' }),
            can('manage') ? button('Connect a model', does.connect, { name: 'first-model' }) : null,
          ),
        ]
      : h('p', {}, 'You may not add videos here; ask a researcher or an admin.'),
  );
}
