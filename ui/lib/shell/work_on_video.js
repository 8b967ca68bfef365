// What stands in the bar of a queue: my work on the video that is open, and that of others, with what can be said of it.
import { h } from '../components/component.js';
import { button, mark } from '../components/small_components.js';
import { report } from '../parts/notices.js';
import { plural } from '../parts/words.js';

/** @typedef {import('./assignment_bar.js').QueueBar} QueueBar */
/** @typedef {import('./assignment_bar.js').Work} Work */

/** @param {Work} work */
const workWords = (work, who = '') => [who, work.task, work.state].filter(Boolean).join(' · ');

/**
 * "ana · script · working", with its shape; the comment is the tooltip and, where there is room, beside it.
 * @param {Work} work
 */
export const workState = (work, who = '') => mark(work.state, workWords(work, who), work.note || undefined);

/** @param {{queue: QueueBar}} props */
export function OnThisVideo({ queue }) {
  const { work, others } = queue.shown.value;
  return [
    work ? h(Mine, { queue, work }) : null,
    others.map((other) => h(Other, { key: `${other.person_id} ${other.task}`, queue, work: other })),
  ];
}

/** @param {{queue: QueueBar, work: Work}} props */
function Mine({ queue, work }) {
  const { left, of } = queue.shown.value;
  const { unfinished, state, note } = work;
  return h(
    'div',
    { class: 'dl-queue-mine' },
    workState(work),
    h('span', { class: 'dl-queue-left' }, `${left} of ${plural(of, 'video')} left`),
    h('span', { class: 'dl-grow' }),
    unfinished
      ? [
          button('Flag', () => queue.flag(), {
            kind: 'quiet',
            name: 'flag',
            title: 'Ask somebody else to look, with a comment',
            hint: 'queue.flag',
          }),
          button('Skip', () => queue.skip().catch(report), {
            kind: 'quiet',
            name: 'skip',
            title: 'Leave this video and go on',
            hint: 'queue.skip',
          }),
        ]
      : button('Reopen', () => queue.reopen().catch(report), { kind: 'quiet', name: 'reopen' }),
    button(
      unfinished ? ['Done', h('span', { class: 'dl-queue-next' }, ', next')] : 'Next',
      () => queue.done().catch(report),
      { kind: unfinished ? 'main' : '', name: 'done', hint: 'queue.done' },
    ),
    note && (state === 'returned' || state === 'flagged') ? h('p', { class: 'dl-queue-note' }, note) : null,
  );
}

/** @param {{queue: QueueBar, work: Work}} props */
function Other({ queue, work }) {
  const may = queue.frame.can('assign') && ['done', 'flagged', 'skipped'].includes(work.state);
  return h(
    'div',
    { class: 'dl-queue-other' },
    workState(work, work.person),
    h('span', { class: 'dl-grow' }),
    may ? button('Return', () => queue.giveBack(work), { kind: 'quiet', name: 'return' }) : null,
    may && work.task !== 'merge'
      ? button('Approve', () => queue.approve(work).catch(report), { kind: 'quiet', name: 'approve' })
      : null,
    work.note ? h('p', { class: 'dl-queue-note' }, work.note) : null,
  );
}
