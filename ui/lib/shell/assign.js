// The dialog that gives videos to one person, shares them out among several, or takes them out of a queue.
import { choice, field } from '../parts/choice.js';
import { debounce } from '../page/open_page.js';
import { button, clear, h } from '../parts/elements.js';
import { notice, report } from '../parts/notices.js';
import { plural } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { openDialog } from '../parts/dialog.js';
import { workMark } from './assignment_bar.js';
import { shelf } from '../page/browser_storage.js';
import { Boxes, number, peopleList, rolesTable } from './people_and_numbers.js';

const KEPT = 'dailies-assign';
const SEVERAL = '*'; // in place of a person: share among several
const WORKFLOW = '*'; // in place of a task: all three of CaReBench
const WRITERS = '2';
const LOOK_MS = 150;

/** @typedef {import('../wire.d.ts').components['schemas']['Queue']} Queue */
/** @typedef {import('../wire.d.ts').components['schemas']['TaskShare']} TaskShare */
/** @typedef {import('../wire.d.ts').components['schemas']['LibraryRow']} Row */
/** @typedef {{task: string, people: string[], copies?: number}} Part */

/**
 * `rows` of the Library in the order in which they are to be done.
 * @param {Row[]} rows
 * @param {Queue} queue
 * @param {import('./top_bar.js').Frame} frame
 * @param {() => unknown} done
 */
export function showAssign(rows, queue, frame, done) {
  new AssignDialog(rows, queue, frame, done).person.focus();
}

class AssignDialog {
  /**
   * @param {Row[]} rows
   * @param {Queue} queue
   * @param {import('./top_bar.js').Frame} frame
   * @param {() => unknown} done
   */
  constructor(rows, queue, frame, done) {
    this.videos = rows.map((row) => row.id);
    this.done = done;
    /** @type {{person?: string, task?: string, several?: string[], writers?: string[], mergers?: string[], splitters?: string[]}} */
    this.kept = JSON.parse(shelf.getItem(KEPT) || '{}');
    const me = frame.me.person.id;
    const shares = frame.can('assign') && queue.people.length > 1;
    const follow = () => this.#follow();
    this.person = choice(
      'Person',
      [
        ...queue.people.map((p) => [p.id, p.id === me ? `${p.name} (you)` : p.name]),
        ...(shares ? [[SEVERAL, 'several people: share the videos']] : []),
      ],
      this.kept.person || me,
      follow,
    );
    this.task = choice(
      'Task',
      [
        ...queue.tasks.map((name) => [name, name]),
        ...(shares ? [[WORKFLOW, 'CaReBench, all of it: write, merge, split']] : []),
      ],
      this.kept.task || 'script',
      follow,
    );
    /** @param {string} role @param {string[]} [chosen] @param {Queue['people']} [people] */
    const boxes = (role, chosen, people = queue.people) => new Boxes(role, people, chosen, follow);
    this.several = boxes('', this.kept.several);
    this.roles = [
      boxes('write', this.kept.writers),
      boxes(
        'merge',
        this.kept.mergers,
        queue.people.filter((p) => p.merges),
      ),
      boxes('split', this.kept.splitters),
    ];
    this.people = peopleList(queue.people, this.several);
    this.table = rolesTable(queue.people, this.roles);
    this.copies = number('Writers of each video', WRITERS, follow, 1);
    this.each = number('Videos each', '', follow, 1);
    this.each.placeholder = 'evenly';
    this.overlap = number('Videos that everyone gets', '', follow, 0);
    this.overlap.placeholder = '0';
    this.percent = choice(
      'Unit',
      [
        ['', 'videos'],
        ['%', '% of the videos'],
      ],
      '',
      follow,
    ); // prettier-ignore
    this.said = h('div', { class: 'dl-sharing', role: 'status' });
    this.look = debounce(() => this.#look().catch(report), LOOK_MS);
    this.give = button('Assign', () => this.#give().catch(report), {
      kind: 'main',
      name: 'give',
      key: 'Enter',
    });
    this.take = button('Take away', () => this.#withdraw().catch(report), {
      kind: 'danger',
      name: 'withdraw',
      title: 'Out of this person’s queue for this task',
    });
    const held = rows.flatMap((row) => row.work);
    this.mayTake = held.length > 0 && frame.can('assign');
    this.parts = this.#sharing();
    this.personLine = field('person', this.person);
    this.dialog = openDialog(
      rows.length === 1 ? `Assign “${rows[0].title}”` : `Assign ${plural(rows.length, 'video')}`,
      [field('task', this.task), this.personLine, this.parts, this.said, givenAlready(held)],
      [this.take, this.give],
    );
    this.#follow();
  }

  #sharing() {
    const line = (/** @type {import('../parts/elements.js').Content[]} */ ...content) =>
      h('label', { class: 'dl-sharenumber' }, content);
    this.copiesLine = line(this.copies, 'writers for each video');
    return h(
      'div',
      { class: 'dl-share' },
      h(
        'div',
        { class: 'dl-sharenumbers' },
        this.copiesLine,
        line(this.each, 'videos for each person'),
        h('div', { class: 'dl-sharenumber' }, this.overlap, this.percent, 'go to everyone, for agreement'),
      ),
      this.people,
      this.table,
    );
  }

  get #workflow() {
    return this.task.value === WORKFLOW;
  }

  get #shared() {
    return this.#workflow || this.person.value === SEVERAL;
  }

  /** What is shown follows the two choices. */
  #follow() {
    this.personLine.hidden = this.#workflow;
    this.parts.hidden = !this.#shared;
    this.people.hidden = this.#workflow;
    this.table.hidden = this.copiesLine.hidden = !this.#workflow;
    this.take.hidden = this.#shared || !this.mayTake;
    this.give.disabled = false; // until the server has refused these choices
    this.said.hidden = !this.#shared;
    if (this.#shared) this.look();
  }

  /** @returns {Part[]} */
  #asked() {
    if (!this.#workflow) {
      const people = this.#shared ? this.several.chosen() : [this.person.value];
      return [{ task: this.task.value, people }];
    }
    const [writers, mergers, splitters] = this.roles.map((role) => role.chosen());
    return [
      { task: 'aspects', people: writers, copies: Number(this.copies.value) || 1 },
      { task: 'merge', people: mergers },
      { task: 'split', people: splitters },
    ].filter(({ task, people }) => task === 'aspects' || people.length);
  }

  #body(preview = false) {
    const { videos } = this;
    const parts = this.#asked();
    if (!this.#shared) return { videos, parts };
    const [each, overlap] = [this.each, this.overlap].map(({ value }) => Number(value));
    return { videos, parts, each: each || null, overlap, percent: Boolean(this.percent.value), preview };
  }

  /** How many videos each person would get, as the server counts them. */
  async #look() {
    const body = this.#body(true);
    const asked = JSON.stringify(body);
    const answer = await api('/api/queue/share', body);
    if (asked !== JSON.stringify(this.#body(true))) return; // another one is on its way
    if (answer.refused) this.#refuse(answer.refused);
    else
      clear(
        this.said,
        answer.parts.map((/** @type {TaskShare} */ part) => h('p', {}, sharedWords(part, this.#workflow))),
      );
    this.give.disabled = Boolean(answer.refused);
  }

  /** @param {string} why */
  #refuse(why) {
    clear(this.said, h('p', { class: 'dl-sharerefused' }, `${why}.`));
    this.said.hidden = false;
  }

  async #give() {
    if (this.give.disabled) return;
    this.give.disabled = true;
    try {
      const { parts } = await api('/api/queue/share', this.#body());
      const shared = parts.map((/** @type {TaskShare} */ part) => sharedWords(part, this.#workflow));
      this.#over(this.#shared ? `Assigned: ${shared.join('. ')}` : this.#givenWords(parts[0]));
    } catch (error) {
      this.#refuse(error.message);
    } finally {
      this.give.disabled = false;
    }
  }

  /** @param {TaskShare} part */
  #givenWords({ people: [{ videos, given }] }) {
    const already = videos - given;
    return `${plural(given, 'video')} given to ${this.#whom()}${already ? ` · ${already} already theirs` : ''}`;
  }

  async #withdraw() {
    const { videos, person, task } = this;
    const body = { videos, person: person.value, task: task.value };
    const { withdrawn } = await api('/api/queue/withdraw', body);
    this.#over(`${plural(withdrawn, 'video')} taken from ${this.#whom()}`);
  }

  #whom() {
    return `${this.person.selectedOptions[0].textContent} · ${this.task.value}`;
  }

  /** @param {string} words */
  #over(words) {
    const [writers, mergers, splitters] = this.roles.map((role) => role.chosen());
    const chosen = {
      person: this.person.value,
      task: this.task.value,
      several: this.several.chosen(),
      writers,
      mergers,
      splitters,
    };
    shelf.setItem(KEPT, JSON.stringify(chosen));
    this.dialog.close();
    notice(words);
    this.done();
  }
}

/**
 * "Ada 5, Ben 4; 2 for everyone; 3 left over".
 * @param {TaskShare} part
 * @param {unknown} named whether the task is named
 */
function sharedWords({ task, people, everyone, left }, named = true) {
  const already = people.reduce((sum, { videos, given }) => sum + videos - given, 0);
  return [
    `${named ? `${task}: ` : ''}${people.map(({ name, videos }) => `${name} ${videos}`).join(', ')}`,
    everyone ? `${plural(everyone, 'video')} for everyone` : '',
    left ? `${plural(left, 'video')} for no one` : '',
    already ? `${already} already theirs` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

/** @param {Row['work']} held */
const givenAlready = (held) =>
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
    : null;
