// The dialog that gives videos to somebody, or takes them out of a queue.
import { choice, field } from '../parts/choice.js';
import { api, button, h, notice, plural, report } from '../parts/elements_and_requests.js';
import { openDialog } from '../parts/dialog.js';
import { workMark } from './assignment_bar.js';
import { shelf } from '../parts/browser_storage.js';

const KEPT = 'dailies-assign';

/** @typedef {import('../wire.d.ts').components['schemas']['Queue']} Queue */

/**
 * `rows` of the Library in the order in which they are to be done.
 * @param {import('../wire.d.ts').components['schemas']['LibraryRow'][]} rows
 * @param {Queue} queue
 * @param {import('./top_bar.js').Frame} frame
 * @param {() => unknown} done
 */
export function showAssign(rows, queue, frame, done) {
  const kept = JSON.parse(shelf.getItem(KEPT) || '{}');
  const person = choice(
    'Person',
    queue.people.map((p) => [p.id, p.id === frame.me.person.id ? `${p.name} (you)` : p.name]),
    kept.person || frame.me.person.id,
  );
  const task = choice(
    'Task',
    queue.tasks.map((name) => [name, name]),
    kept.task || 'script',
  );
  /** @param {string} path */
  const send = async (path) => {
    dialog.close();
    shelf.setItem(KEPT, JSON.stringify({ person: person.value, task: task.value }));
    const answer = await api(path, {
      videos: rows.map((row) => row.id),
      person: person.value,
      task: task.value,
    });
    const who = person.selectedOptions[0].textContent;
    if ('withdrawn' in answer)
      notice(`${plural(answer.withdrawn, 'video')} taken from ${who} · ${task.value}`);
    else
      notice(
        `${plural(answer.given, 'video')} given to ${who} · ${task.value}${answer.already ? ` · ${answer.already} already theirs` : ''}`,
      );
    done();
  };
  const give = () => send('/api/queue').catch(report);
  const held = rows.flatMap((row) => row.work);
  const dialog = openDialog(
    `Give ${rows.length === 1 ? `“${rows[0].title}”` : plural(rows.length, 'video')} to somebody`,
    [
      field('person', person),
      field('task', task),
      held.length
        ? h(
            'div',
            {},
            h('p', { class: 'dl-hint' }, 'given already'),
            h(
              'ul',
              { class: 'dl-work' },
              held.slice(0, 12).map((w) => h('li', {}, workMark(w, w.person))),
              held.length > 12 ? h('li', {}, `and ${held.length - 12} more`) : null,
            ),
          )
        : null,
    ],
    [
      held.length && frame.can('assign')
        ? button('Take away', () => send('/api/queue/withdraw').catch(report), {
            kind: 'danger',
            name: 'withdraw',
            title: 'Out of this person’s queue for this task',
          })
        : null,
      button('Assign', give, { kind: 'main', name: 'give', key: 'Enter' }),
    ].filter(Boolean),
  );
  person.focus();
}
