// Beside the player on the Merge tab: how far the video is, and the full caption that the merged parts become.
import { h } from '../../../lib/components/component.js';
import { button, hint, mark } from '../../../lib/components/small_components.js';
import { address } from '../../../lib/page/address.js';
import { report } from '../../../lib/parts/notices.js';
import { plural, timeOfDay, wordCount } from '../../../lib/parts/words.js';
import { openField } from '../../../lib/keys/keymap.js';
import { stateOfVideo } from './aspects_view.js';

/** @typedef {import('./aspects_merge.js').View} View */
/** @typedef {import('./aspects_view.js').Source} Source */

/**
 * Whose words a part of the full caption holds; never "as written" over words that its writer has changed.
 * @param {Source | undefined} source
 */
function cameFrom(source) {
  if (!source?.by) return 'own words';
  if (source.was === null) return `${source.how === 'taken' ? 'as written by' : 'edited from'} ${source.by}`;
  return [
    mark('stale', `${source.how === 'taken' ? '' : 'edited from '}earlier words of ${source.by}`),
    ', who has rewritten them since',
  ];
}

/** @param {{view: View}} props */
export function MergeSummary({ view }) {
  if (!view.data) return null;
  const { merge, state, writers } = view.data;
  return [
    h('p', { class: 'dl-as-state' }, stateOfVideo(state)),
    view.begun ? null : h(Begin, { view }),
    merge?.texts ? h(FullCaption, { view }) : null,
    writers.length > 1 && writers.every((w) => w.texts)
      ? h(
          'p',
          { class: 'dl-as-key' },
          h('span', { class: 'dl-as-only-left' }, 'only left'),
          h('span', { class: 'dl-as-only-right' }, 'only right'),
        )
      : null,
  ];
}

/** @param {{view: View}} props */
function Begin({ view }) {
  if (view.ready)
    return h(
      'p',
      null,
      button('Merge this video', () => openField('merge this video', () => view.begin()), {
        kind: 'main',
        name: 'begin-merge',
        hint: 'split.begin',
      }),
    );
  const left = view.unfinished.map((w) => w.name);
  if (left.length)
    return hint(
      `${left.join(' and ')} still ${left.length === 1 ? 'writes' : 'write'}; merging begins when all are done.`,
    );
  return view.can || view.data.merge ? null : hint('An expert merges the two.');
}

/** @param {{view: View}} props */
function FullCaption({ view }) {
  const { merge, parts } = view.data;
  const { full, from, work } = merge;
  const approved = work.state === 'approved';
  return h(
    'div',
    { class: 'dl-as-fullbox' },
    h('h2', null, 'Full caption'),
    full
      ? h(
          'p',
          null,
          mark(
            approved ? 'approved' : 'done',
            `${plural(wordCount(full.value), 'word')}, joined ${timeOfDay(full.created_at)}`,
          ),
        )
      : hint('The four parts, one after the other, become the full caption that is split.'),
    full && !from ? h('p', null, mark('stale', 'changed since it was joined')) : null,
    full && merge.approved !== null && merge.approved !== full.revision
      ? h('p', null, mark('stale', 'changed since it was approved'))
      : null,
    merge.approved === null
      ? null
      : hint(`Approved: revision ${merge.approved} of the caption${view.named(from)}.`),
    from
      ? h(
          'ul',
          { class: 'dl-as-sources' },
          parts.map(([name, words]) =>
            h('li', { key: name }, h('b', null, words), ' ', cameFrom(from[name])),
          ),
        )
      : null,
    h(Actions, { view, approved }),
  );
}

/** @param {{view: View, approved: boolean}} props */
function Actions({ view, approved }) {
  const { full } = view.data.merge;
  /** @type {(words: string, kind: string, name: string) => import('../../../lib/components/component.js').Drawn} */
  const approve = (words, kind, name) =>
    button(words, () => view.approve().catch(report), { kind, name, hint: 'split.approve' });
  if (approved)
    return h(
      'div',
      { class: 'dl-row' },
      h(
        'a',
        {
          class: 'dl-button dl-button-main',
          href: address.to('split', { video: view.page.bar.id }),
          onClick: (event) => {
            event.preventDefault();
            view.page.tabs.choose('split').catch(report);
          },
        },
        'To the split',
      ),
      view.can ? approve('Reopen', 'quiet', 'reopen-full') : null,
    );
  if (!view.can || !(view.mine || full)) return null;
  return h(
    'div',
    { class: 'dl-row' },
    view.mine
      ? button(full ? 'Join again' : 'Join the parts', () => view.join().catch(report), {
          kind: full ? '' : 'main',
          name: 'join',
          hint: 'split.join',
        })
      : null,
    full ? approve('Approve', 'main', 'approve-full') : null,
  );
}
