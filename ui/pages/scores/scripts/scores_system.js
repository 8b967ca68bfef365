// Another benchmark's long table: groups down, metrics across, one policy at a time. One module for all.
import { computed, h, mount, signal } from '../../../lib/components/component.js';
import { badge, baselineBadge, choice, held } from '../../../lib/components/small_components.js';
import { column, table } from '../../../lib/components/table.js';
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal } from '../../../lib/page/open_page.js';
import { named } from '../../../lib/parts/choice.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { go } from '../../../lib/editor/save_before_leaving.js';
import { bindKeys } from '../../../lib/keys/keymap.js';
import { JobPanel } from '../../../lib/shell/job_list.js';
import { MeasureButton } from './evaluation_passes.js';
import { leftOut, MOST, notes, scoreCell } from './scores_table.js';

/** @typedef {import('./scores_table.js').Group} Group */
/** @typedef {Awaited<ReturnType<typeof systemSwitch>>} Systems */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SystemRow']} SystemRow */
/** @typedef {{group: Group, cells: Object<string, SystemRow>}} TableRow its cells by metric */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Metric']} Metric */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ThingsList']} List below the table */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SystemTable']} System */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SystemName']} SystemName */

/** The systems of questions first, then every other one, with the way to the next. */
export async function systemSwitch() {
  // A person who labels blind sees no scores: the page itself says so.
  /** @type {SystemName[]} */
  const all = await api('/api/scoring/systems').catch((error) => {
    if (error.status === 403) return [];
    throw error;
  });
  const now = address.get('system');
  const names = all.map(({ name }) => name);
  const next = () => {
    if (names.length) go(scoresOf(names[(names.indexOf(now) + 1) % names.length]));
  };
  return { all, now, next, known: (/** @type {string} */ name) => names.includes(name) };
}

/** @param {string} system */
const scoresOf = (system) =>
  address.to('scores', { system, evaluation: system ? '' : address.get('evaluation') });

/** @param {{systems: Systems}} props */
export const SystemSwitch = ({ systems: { all, now } }) =>
  h(
    'nav',
    { class: 'dl-segmented dl-systems', 'aria-label': 'Benchmark', hidden: !all.length },
    all.map(({ name, title, evaluations }) =>
      h(
        'a',
        {
          key: name,
          class: 'dl-segment-button dl-systemlink',
          href: scoresOf(name),
          'aria-current': name === now ? 'page' : undefined,
        },
        title,
        name ? h('small', null, ` ${evaluations}`) : null,
      ),
    ),
  );

/**
 * @param {import('../../../lib/shell/top_bar.js').Frame} frame
 * @param {Systems} systems
 */
export async function showSystem(frame, systems) {
  const { main, search } = frame;
  const jobs = new JobPanel(frame.can);
  const state = new SystemState(systems.now, jobs);
  search.placeholder = 'Search groups';
  state.words.value = search.value;
  search.addEventListener(
    'input',
    debounce(() => {
      state.words.value = search.value;
    }, 200),
  );
  frame.evaluation.node.hidden = true; // these evaluations have a list of their own
  document.addEventListener('dl-changed', () => state.load().catch(report), { signal: pageSignal() });
  bindKeys('scores', {
    measure: () => state.nextPolicy(),
    mean: () => {},
    system: systems.next,
    worst: () => {
      const questions = state.worst();
      if (questions) go(questions);
    },
  });
  main.classList.add('dl-scores', 'dl-scores-system');
  mount(main, h(SystemScores, { state, systems }), pageSignal());
  await state.load();
  if (state.data.value.measures) await state.followJobs();
}

class SystemState {
  /** @type {import('../../../lib/components/component.js').Signal<System | null>} */
  data = signal(null);
  /** What is searched in the names of the groups. */
  words = signal('');
  wanted = signal(address.get('policy'));
  busy = signal(false);
  turn = 0; // of `load`: the answer to an older one is not shown
  /** @type {string} the id of the job whose evaluation is shown */
  shown;

  /**
   * @param {string} name
   * @param {JobPanel} jobs
   */
  constructor(name, jobs) {
    this.name = name;
    this.jobs = jobs;
    this.policy = computed(() => {
      const names = this.#policies();
      return names.includes(this.wanted.value) ? this.wanted.value : names[0];
    });
    this.rows = computed(() => this.#rows());
    jobs.addEventListener(
      'progress',
      debounce(() => this.#jobsMoved().catch(report), 300),
    );
  }

  async load() {
    this.turn += 1;
    const { turn } = this;
    this.busy.value = true;
    try {
      const query = new URLSearchParams(location.search);
      query.set('evaluation', address.get('scored'));
      /** @type {System} */
      const data = await api(`/api/scores/system/${encodeURIComponent(this.name)}?${query}`);
      if (turn === this.turn) this.data.value = data;
    } finally {
      if (turn === this.turn) this.busy.value = false;
    }
  }

  async followJobs() {
    await this.jobs.poll();
    this.shown = this.#made()?.id; // a pass that ended before does not change what was chosen
  }

  /** A pass has ended: what it made is shown. */
  async #jobsMoved() {
    const made = this.#made();
    if (!made || made.id === this.shown) return;
    this.shown = made.id;
    address.set({ scored: made.evaluation });
    await this.load();
  }

  /** The newest pass of this benchmark that has ended. */
  #made() {
    const measures = this.data.value?.measures;
    return this.jobs.jobs.find((job) => job.finished && job.evaluation && job.stages.includes(measures));
  }

  #policies() {
    return Object.keys(this.data.value?.policies || {});
  }

  #rows() {
    /** @type {Map<string, TableRow>} */
    const groups = new Map();
    for (const row of this.data.value?.rows || []) {
      if (row.policy !== this.policy.value) continue;
      const key = JSON.stringify([row.group, row.runs]);
      if (!groups.has(key)) groups.set(key, { group: row.group, cells: {} });
      groups.get(key).cells[row.metric] = row;
    }
    const words = this.words.value.trim().toLowerCase();
    return [...groups.values()].filter(
      ({ group }) => !words || groupName(group).toLowerCase().includes(words),
    );
  }

  /**
   * @param {string} name of the choice in the address
   * @param {string} value
   */
  choose(name, value) {
    address.set({ [name]: value });
    if (name === 'policy') this.wanted.value = value;
    this.load().catch(report);
  }

  nextPolicy() {
    const names = this.#policies();
    if (names.length < 2) return;
    this.wanted.value = names[(names.indexOf(this.policy.value) + 1) % names.length];
    address.set({ policy: this.wanted.value });
  }

  /** The link to the questions of the group that is worst by the first metric. */
  worst() {
    const [[name, metric] = []] = Object.entries(this.data.value?.metrics || {});
    const sign = metric?.better === 'lower' ? -1 : 1;
    const found = this.rows.value
      .slice(0, MOST)
      .map(({ cells }) => cells[name])
      .filter((row) => row?.href && row.value !== null);
    return found.sort((a, b) => sign * (a.value - b.value))[0]?.href;
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{state: SystemState, systems: Systems}} props */
function SystemScores({ state, systems }) {
  const data = state.data.value;
  const measure = data?.measures
    ? h(MeasureButton, { what: data.measures, started: () => state.jobs.poll() })
    : null;
  return h(
    'section',
    { class: 'dl-pane dl-scoreleft', 'aria-label': 'Scores', 'aria-busy': state.busy.value || undefined },
    h(SystemSwitch, { systems }),
    h(
      'header',
      { class: 'dl-scorehead' },
      data
        ? [
            h('h1', null, data.id ? data.evaluation : data.title),
            data.id && data.baseline ? baselineBadge() : null,
            data.id && data.judges.length ? badge(`judge: ${data.judges.join(', ')}`) : null,
            data.id && data.about ? h('p', { class: 'dl-hint dl-systemabout' }, data.about) : null,
            h('span', { class: 'dl-grow' }),
            measure,
          ]
        : null,
    ),
    held(state.jobs.node),
    h(
      'div',
      { class: 'dl-scoretools', role: 'toolbar', 'aria-label': 'What the table shows' },
      data?.id ? h(Tools, { state }) : null,
    ),
    h('div', { class: 'dl-scoretablebox' }, data ? h(Table, { state }) : null),
    h(
      'div',
      { class: 'dl-systemlists' },
      data?.id ? data.lists.map((list) => h(ListBelow, { key: list.title, list })) : null,
    ),
  );
}

/** @param {{state: SystemState}} props */
function Tools({ state }) {
  const data = state.data.value;
  const policy = state.policy.value;
  /** @type {(label: string, name: string, options: string[][], now: string) => import('../../../lib/components/component.js').Drawn} */
  const pick = (label, name, options, now) =>
    h(
      'label',
      { key: name, class: 'dl-scoreby' },
      label,
      choice(label, options, now, (value) => state.choose(name, value)),
    );
  return [
    data.evaluations.length > 1 ? pick('evaluation', 'scored', named(data.evaluations), data.id) : null,
    pick(
      'rule',
      'policy',
      Object.entries(data.policies).map(([name, what]) => [name, name.replaceAll('_', ' '), what]),
      policy,
    ),
    Object.entries(data.choices).map(([name, { options, chosen }]) =>
      pick(name, name, Object.entries(options), chosen),
    ),
    h('span', { class: 'dl-hint dl-grow' }, data.policies[policy]),
  ];
}

/** @param {{state: SystemState}} props */
function Table({ state }) {
  const { id, title, start, metrics, rows: all } = state.data.value;
  const rows = state.rows.value;
  if (!id) return h('div', { class: 'dl-empty' }, h('p', null, `No evaluation yet. ${start}`));
  if (!rows.length)
    return h('p', { class: 'dl-hint' }, all.length ? 'No group of this name.' : 'Nothing is counted yet.');
  const names = Object.keys(metrics).filter((name) => rows.some(({ cells }) => cells[name]));
  return table(
    { class: 'dl-scoretable dl-systemtable' },
    [h('td', null), ...names.map((name) => heading(metrics[name]))],
    rows.slice(0, MOST).map(({ group, cells }) =>
      h(
        'tr',
        { class: isTotal(group) ? 'dl-scoretotal' : '' },
        h('th', { scope: 'row' }, groupName(group), notes(Object.values(cells))),
        names.map((name) => cell(cells[name], metrics[name], name, group)),
      ),
    ),
    `${title}: groups by metrics`,
    leftOut(rows.length),
  );
}

/** @param {Metric} metric */
const heading = ({ title, what, better }) =>
  column([title, better === 'lower' ? h('small', null, 'lower is better') : null], what);

/** @param {Group} group */
const isTotal = (group) => Object.keys(group).length === 0 || Object.values(group).every((value) => !value);
/** @param {Group} group */
const groupName = (group) =>
  Object.values(group)
    .filter(Boolean)
    .map((value) => value.replaceAll('_', ' '))
    .join(' · ') || 'all';

/**
 * @param {SystemRow | undefined} row
 * @param {Metric} metric
 * @param {string} name of the metric
 * @param {Group} group
 */
function cell(row, metric, name, group) {
  if (!row) return h('td', null);
  const { top, digits } = metric;
  return scoreCell(
    { ...row, of: row.of || null },
    {
      href: row.href,
      range: top === null ? null : [0, top],
      say: (value) => value.toFixed(digits),
      scale: top === null ? '' : ` of 0 to ${top}`,
      none: 'no interval',
    },
    {
      'data-value': row.value ?? '',
      'data-metric': name,
      'data-policy': row.policy,
      'data-group': groupName(group),
    },
  );
}

/** @param {{list: List}} props */
function ListBelow({ list: { title, about, empty, items } }) {
  return h(
    'section',
    { class: 'dl-scorepart', 'aria-label': title },
    h('h2', null, `${title} · ${items.length.toLocaleString('en')}`),
    about ? h('p', { class: 'dl-hint' }, about) : null,
    items.length
      ? h(
          'ul',
          { class: 'dl-nextlist' },
          items.slice(0, MOST).map(({ href, text, facts }) => {
            const more = facts ? h('small', null, href ? facts : ` ${facts}`) : null;
            return h(
              'li',
              null,
              href ? h('a', { href }, h('span', null, text), more) : h('span', null, text, more),
            );
          }),
        )
      : h('p', { class: 'dl-hint' }, empty || 'none'),
  );
}
