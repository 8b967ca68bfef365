// The dialog that gives videos to one person, shares them out among several, or takes them out of a queue.
import { among } from '../parts/choice.js';
import { debounce } from '../page/open_page.js';
import { computed, h, signal } from '../components/component.js';
import { openDialog } from '../parts/dialog.js';
import { button, choice } from '../components/small_components.js';
import { notice, report } from '../parts/notices.js';
import { plural } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { workState } from './work_on_video.js';
import { shelf } from '../page/browser_storage.js';
import { number, PeopleList, Role, RolesTable } from './people_and_numbers.js';

const KEPT = 'dailies-assign';
const SEVERAL = '*'; // in place of a person: share among several
const WORKFLOW = '*'; // in place of a task: all three of CaReBench
const WRITERS = '2';
const LOOK_MS = 150;
const MOST_HELD = 12;
const UNITS = [
  ['', 'videos'],
  ['%', '% of the videos'],
];

/** @typedef {import('../components/component.js').Children} Children */
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
  const work = new Assignment(rows, queue, frame, () => {
    dialog.close();
    done();
  });
  const held = rows.flatMap((row) => row.work);
  const dialog = openDialog(
    rows.length === 1 ? `Assign “${rows[0].title}”` : `Assign ${plural(rows.length, 'video')}`,
    [h(Choices, { work }), h(Said, { work }), held.length ? h(GivenAlready, { held }) : null],
    h(Actions, { work, mayTake: held.length > 0 && frame.can('assign') }),
  );
  /** @type {HTMLElement} */ (dialog.node.querySelector('[aria-label=Person]'))?.focus();
}

class Assignment {
  /** What the server says of these choices: what each would get, or why it refuses. */
  said = signal(/** @type {{parts?: TaskShare[], refused?: string}} */ ({}));
  copies = signal(WRITERS);
  each = signal('');
  overlap = signal('');
  percent = signal('');
  /** Until the choices change: what was refused is not given again, nor what is on its way. */
  blocked = signal(false);
  told = signal(false);

  /**
   * @param {Row[]} rows
   * @param {Queue} queue
   * @param {import('./top_bar.js').Frame} frame
   * @param {() => unknown} done
   */
  constructor(rows, queue, frame, done) {
    this.videos = rows.map((row) => row.id);
    this.everyone = queue.people;
    this.done = done;
    /** @type {{person?: string, task?: string, several?: string[], writers?: string[], mergers?: string[], splitters?: string[]}} */
    const kept = JSON.parse(shelf.getItem(KEPT) || '{}');
    const me = frame.me.person.id;
    const shares = frame.can('assign') && queue.people.length > 1;
    this.people = queue.people.map((p) => [p.id, p.id === me ? `${p.name} (you)` : p.name]);
    this.tasks = queue.tasks.map((name) => [name, name]);
    if (shares) {
      this.people.push([SEVERAL, 'several people: share the videos']);
      this.tasks.push([WORKFLOW, 'CaReBench, all of it: write, merge, split']);
    }
    this.person = signal(among(this.people, kept.person || me, this.people[0][0]));
    this.task = signal(among(this.tasks, kept.task || 'script', this.tasks[0][0]));
    this.follow = () => this.#follow();
    const experts = queue.people.filter((p) => p.merges);
    this.several = new Role('', queue.people, kept.several, this.follow);
    this.roles = [
      new Role('write', queue.people, kept.writers, this.follow),
      new Role('merge', experts, kept.mergers, this.follow),
      new Role('split', queue.people, kept.splitters, this.follow),
    ];
    this.workflow = computed(() => this.task.value === WORKFLOW);
    this.shared = computed(() => this.workflow.value || this.person.value === SEVERAL);
    this.look = debounce(() => this.#look().catch(report), LOOK_MS);
    this.#follow();
  }

  /** After a choice. */
  #follow() {
    this.blocked.value = false;
    this.told.value = this.shared.value;
    if (this.shared.value) this.look();
  }

  /** @returns {Part[]} */
  #asked() {
    if (!this.workflow.value) {
      const people = this.shared.value ? this.several.chosen() : [this.person.value];
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
    if (!this.shared.value) return { videos, parts };
    const [each, overlap] = [this.each, this.overlap].map(({ value }) => Number(value));
    return { videos, parts, each: each || null, overlap, percent: Boolean(this.percent.value), preview };
  }

  /** How many videos each person would get, as the server counts them. */
  async #look() {
    const body = this.#body(true);
    const asked = JSON.stringify(body);
    const answer = await api('/api/queue/share', body);
    if (asked !== JSON.stringify(this.#body(true))) return; // another one is on its way
    this.said.value = answer;
    this.blocked.value = Boolean(answer.refused);
  }

  async give() {
    if (this.blocked.value) return;
    this.blocked.value = true;
    try {
      const { parts } = await api('/api/queue/share', this.#body());
      const shared = parts.map((/** @type {TaskShare} */ part) => sharedWords(part, this.workflow.value));
      this.#over(this.shared.value ? `Assigned: ${shared.join('. ')}` : this.#givenWords(parts[0]));
    } catch (error) {
      this.said.value = { refused: error.message };
      this.told.value = true;
    } finally {
      this.blocked.value = false;
    }
  }

  /** @param {TaskShare} part */
  #givenWords({ people: [{ videos, given }] }) {
    const already = videos - given;
    return `${plural(given, 'video')} given to ${this.#whom()}${already ? ` · ${already} already theirs` : ''}`;
  }

  async withdraw() {
    const body = { videos: this.videos, person: this.person.value, task: this.task.value };
    try {
      const { withdrawn } = await api('/api/queue/withdraw', body);
      this.#over(`${plural(withdrawn, 'video')} taken from ${this.#whom()}`);
    } catch (error) {
      report(error);
    }
  }

  #whom() {
    const [, name] = this.people.find(([id]) => id === this.person.value);
    return `${name} · ${this.task.value}`;
  }

  /** @param {string} words */
  #over(words) {
    const [writers, mergers, splitters] = this.roles.map((role) => role.chosen());
    const chosen = { person: this.person.value, task: this.task.value, several: this.several.chosen() };
    shelf.setItem(KEPT, JSON.stringify({ ...chosen, writers, mergers, splitters }));
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

// --- drawing --------------------------------------------------------------------------

/** @typedef {{work: Assignment}} Props */

/** @param {Props} props */
function Choices({ work }) {
  /** @type {(label: string, words: string, options: string[][], chosen: import('../components/component.js').Signal<string>) => Children} */
  const field = (label, words, options, chosen) =>
    h('label', { class: 'dl-field' }, h('span', null, words), oneOf(work, label, options, chosen));
  return [
    field('Task', 'task', work.tasks, work.task),
    work.workflow.value ? null : field('Person', 'person', work.people, work.person),
    work.shared.value ? h(Sharing, { work }) : null,
  ];
}

/** @type {(work: Assignment, label: string, options: string[][], chosen: import('../components/component.js').Signal<string>) => Children} */
const oneOf = (work, label, options, chosen) =>
  choice(label, options, chosen.value, (value) => {
    chosen.value = value;
    work.follow();
  });

/** @param {Props} props */
function Sharing({ work }) {
  const { follow, workflow } = work;
  const line = (/** @type {Children[]} */ ...content) => h('label', { class: 'dl-sharenumber' }, content);
  return h(
    'div',
    { class: 'dl-share' },
    h(
      'div',
      { class: 'dl-sharenumbers' },
      workflow.value
        ? line(number('Writers of each video', work.copies, follow, 1), 'writers for each video')
        : null,
      line(number('Videos each', work.each, follow, 1, 'evenly'), 'videos for each person'),
      h(
        'div',
        { class: 'dl-sharenumber' },
        number('Videos that everyone gets', work.overlap, follow, 0, '0'),
        oneOf(work, 'Unit', UNITS, work.percent),
        'go to everyone, for agreement',
      ),
    ),
    workflow.value
      ? h(RolesTable, { people: work.everyone, roles: work.roles })
      : h(PeopleList, { role: work.several }),
  );
}

/** @param {Props} props */
function Said({ work }) {
  const { parts = [], refused } = work.said.value;
  return h(
    'div',
    { class: 'dl-sharing', role: 'status', hidden: !work.told.value },
    refused
      ? h('p', { class: 'dl-sharerefused' }, `${refused}.`)
      : parts.map((part) => h('p', { key: part.task }, sharedWords(part, work.workflow.value))),
  );
}

/** @param {Props & {mayTake: boolean}} props */
const Actions = ({ work, mayTake }) => [
  mayTake && !work.shared.value
    ? button('Take away', () => work.withdraw(), {
        key: 'withdraw',
        kind: 'danger',
        name: 'withdraw',
        title: 'Out of this person’s queue for this task',
      })
    : null,
  button(['Assign', h('kbd', null, 'Enter')], () => work.give(), {
    key: 'give',
    kind: 'main',
    name: 'give',
    disabled: work.blocked.value,
  }),
];

/** @param {{held: Row['work']}} props */
const GivenAlready = ({ held }) =>
  h(
    'div',
    null,
    h('p', { class: 'dl-hint' }, 'given already'),
    h(
      'ul',
      { class: 'dl-work' },
      held.slice(0, MOST_HELD).map((w) => h('li', null, workState(w, w.person))),
      held.length > MOST_HELD ? h('li', null, `and ${held.length - MOST_HELD} more`) : null,
    ),
  );
