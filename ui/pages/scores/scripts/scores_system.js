// Another benchmark's long table: groups down, metrics across, one policy at a time. One module for all.
import { choice, named } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal } from '../../../lib/page/open_page.js';
import { badge, baselineBadge, clear, h } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { empty } from '../../../lib/parts/empty.js';
import { bindKeys } from '../../../lib/keys/keymap.js';
import { JobPanel } from '../../../lib/shell/job_list.js';
import { column, table } from '../../../lib/parts/table.js';
import { leftOut, MOST, notes, scoreCell } from './scores_table.js';
import { measureButton } from './evaluation_passes.js';

/** @typedef {import('./scores_table.js').Group} Group */
/** @typedef {Awaited<ReturnType<typeof systemSwitch>>} Systems */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SystemRow']} SystemRow */
/** @typedef {Object<string, SystemRow>} Cells of a group, by metric */

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Metric']} Metric */

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ThingsList']} List below the table */

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SystemTable']} System */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SystemName']} SystemName */

/** The switch: the systems of questions first, then every other one. */
export async function systemSwitch() {
  // A person who labels blind sees no scores: the page itself says so.
  /** @type {SystemName[]} */
  const systems = await api('/api/scoring/systems').catch((error) => {
    if (error.status === 403) return [];
    throw error;
  });
  const now = address.get('system');
  /** @type {(system: SystemName) => HTMLElement} */
  const link = ({ name, title, evaluations }) =>
    h(
      'a',
      {
        class: 'dl-segment-button dl-systemlink',
        href: address.to('scores', { system: name, evaluation: name ? '' : address.get('evaluation') }),
        'aria-current': name === now ? 'page' : null,
      },
      title,
      name ? h('small', {}, ` ${evaluations}`) : null,
    );
  const node = h(
    'nav',
    { class: 'dl-segmented dl-systems', 'aria-label': 'Benchmark', hidden: !systems.length },
    systems.map(link),
  );
  const names = systems.map((s) => s.name);
  const next = () => node.children[(names.indexOf(now) + 1) % names.length]?.click();
  return { node, next, known: (/** @type {string} */ name) => names.includes(name) };
}

/**
 * @param {import('../../../lib/shell/top_bar.js').Frame} frame
 * @param {Systems} systems
 */
export async function showSystem(frame, systems) {
  await new SystemPage(frame, systems).start();
}

class SystemPage {
  /** @type {System} */
  data;
  turn = 0; // of `#load`: the answer to an older one is not drawn
  /** @type {string} the id of the job whose evaluation is shown */
  shown;

  /**
   * @param {import('../../../lib/shell/top_bar.js').Frame} frame
   * @param {Systems} systems
   */
  constructor(frame, systems) {
    this.frame = frame;
    this.systems = systems;
    this.name = address.get('system');
    this.head = h('header', { class: 'dl-scorehead' });
    this.tools = h('div', { class: 'dl-scoretools', role: 'toolbar', 'aria-label': 'What the table shows' });
    this.table = h('div', { class: 'dl-scoretablebox' });
    this.lists = h('div', { class: 'dl-systemlists' });
    this.jobs = new JobPanel(frame.can);
    this.jobs.addEventListener(
      'progress',
      debounce(() => this.#jobsMoved().catch(report), 300),
    );
    this.pane = h(
      'section',
      { class: 'dl-pane dl-scoreleft', 'aria-label': 'Scores' },
      systems.node,
      this.head,
      this.jobs.node,
      this.tools,
      this.table,
      this.lists,
    );
  }

  async start() {
    const { frame } = this;
    frame.search.placeholder = 'Search groups';
    frame.search.addEventListener(
      'input',
      debounce(() => this.#drawTable(), 200),
    );
    frame.evaluation.node.hidden = true; // these evaluations have a list of their own
    document.addEventListener('dl-changed', () => this.#load().catch(report), { signal: pageSignal() });
    bindKeys('scores', {
      measure: () => this.#nextPolicy(),
      mean: () => {},
      system: this.systems.next,
      worst: () => this.#worst()?.querySelector('a')?.click(),
    });
    frame.main.classList.add('dl-scores', 'dl-scores-system');
    frame.main.replaceChildren(this.pane);
    await this.#load();
    if (!this.data.measures) return;
    await this.jobs.poll();
    this.shown = this.#made()?.id; // a pass that ended before does not change what was chosen
  }

  /** A pass has ended: what it made is shown. */
  async #jobsMoved() {
    const made = this.#made();
    if (!made || made.id === this.shown) return;
    this.shown = made.id;
    address.set({ scored: made.evaluation });
    await this.#load();
  }

  /** The newest pass of this benchmark that has ended. */
  #made() {
    return this.jobs.jobs.find(
      (job) => job.finished && job.evaluation && job.stages.includes(this.data.measures),
    );
  }

  #measure() {
    return this.data.measures ? measureButton(this.data.measures, () => this.jobs.poll()) : null;
  }

  async #load() {
    this.turn += 1;
    const { turn } = this;
    this.pane.setAttribute('aria-busy', 'true');
    try {
      const query = new URLSearchParams(location.search);
      query.set('evaluation', address.get('scored'));
      /** @type {System} */
      const data = await api(`/api/scores/system/${encodeURIComponent(this.name)}?${query}`);
      if (turn !== this.turn) return;
      this.data = data;
      this.#draw();
    } finally {
      if (turn === this.turn) this.pane.removeAttribute('aria-busy');
    }
  }

  get policy() {
    const names = Object.keys(this.data.policies || {});
    return names.includes(address.get('policy')) ? address.get('policy') : names[0];
  }

  #draw() {
    const { data } = this;
    if (!data.id) {
      clear(this.head, h('h1', {}, data.title), h('span', { class: 'dl-grow' }), this.#measure());
      clear(this.tools);
      clear(this.table, empty(`No evaluation yet. ${data.start}`));
      clear(this.lists);
      return;
    }
    clear(
      this.head,
      h('h1', {}, data.evaluation),
      data.baseline ? baselineBadge() : null,
      data.judges.length ? badge(`judge: ${data.judges.join(', ')}`) : null,
      data.about ? h('p', { class: 'dl-hint dl-systemabout' }, data.about) : null,
      h('span', { class: 'dl-grow' }),
      this.#measure(),
    );
    this.#drawTools();
    this.#drawTable();
    clear(
      this.lists,
      data.lists.map((list) => listOf(list)),
    );
  }

  #drawTools() {
    const { data } = this;
    /** @type {(label: string, name: string, options: string[][], now: string) => HTMLElement} */
    const pick = (label, name, options, now) =>
      h(
        'label',
        { class: 'dl-scoreby' },
        label,
        choice(label, options, now, (value) => {
          address.set({ [name]: value });
          this.#load().catch(report);
        }),
      );
    clear(
      this.tools,
      data.evaluations.length > 1 ? pick('evaluation', 'scored', named(data.evaluations), data.id) : null,
      pick(
        'rule',
        'policy',
        Object.entries(data.policies).map(([name, what]) => [name, name.replaceAll('_', ' '), what]),
        this.policy,
      ),
      Object.entries(data.choices).map(([name, { options, chosen }]) =>
        pick(name, name, Object.entries(options), chosen),
      ),
      h('span', { class: 'dl-hint dl-grow' }, data.policies[this.policy]),
    );
  }

  #rows() {
    const words = this.frame.search.value.trim().toLowerCase();
    /** @type {Map<string, {group: Group, cells: Cells}>} */
    const groups = new Map();
    for (const row of this.data.rows) {
      if (row.policy !== this.policy) continue;
      const key = JSON.stringify([row.group, row.runs]);
      if (!groups.has(key)) groups.set(key, { group: row.group, cells: {} });
      groups.get(key).cells[row.metric] = row;
    }
    return [...groups.values()].filter(
      ({ group }) => !words || groupName(group).toLowerCase().includes(words),
    );
  }

  #drawTable() {
    if (!this.data?.id) return;
    const { metrics } = this.data;
    const rows = this.#rows();
    const names = Object.keys(metrics).filter((name) => rows.some(({ cells }) => cells[name]));
    if (!rows.length) {
      const why = this.data.rows.length ? 'No group of this name.' : 'Nothing is counted yet.';
      clear(this.table, h('p', { class: 'dl-hint' }, why));
      return;
    }
    clear(
      this.table,
      table(
        { class: 'dl-scoretable dl-systemtable' },
        [h('td'), ...names.map((name) => heading(metrics[name]))],
        rows.slice(0, MOST).map(({ group, cells }) =>
          h(
            'tr',
            { class: isTotal(group) ? 'dl-scoretotal' : '' },
            h('th', { scope: 'row' }, groupName(group), notes(Object.values(cells))),
            names.map((name) => cell(cells[name], metrics[name], name, group)),
          ),
        ),
        {
          caption: `${this.data.title}: groups by metrics`,
          foot: leftOut(rows.length),
        },
      ),
    );
  }

  #nextPolicy() {
    const names = Object.keys(this.data?.policies || {});
    if (names.length < 2) return;
    address.set({ policy: names[(names.indexOf(this.policy) + 1) % names.length] });
    this.#draw();
  }

  #worst() {
    const name = Object.keys(this.data?.metrics || {})[0];
    const cells = [...this.table.querySelectorAll(`td[data-metric="${name}"]`)].filter(
      (c) => c.dataset.value && c.querySelector('a'),
    );
    const sign = this.data.metrics[name]?.better === 'lower' ? -1 : 1;
    return cells.sort((a, b) => sign * (Number(a.dataset.value) - Number(b.dataset.value)))[0];
  }
}

/** @param {Metric} metric */
const heading = ({ title, what, better }) =>
  column([title, better === 'lower' ? h('small', {}, 'lower is better') : null], what);

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
  if (!row) return h('td', {});
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

/** @param {List} list */
function listOf({ title, about, empty, items }) {
  return h(
    'section',
    { class: 'dl-scorepart', 'aria-label': title },
    h('h2', {}, `${title} · ${items.length.toLocaleString('en')}`),
    about ? h('p', { class: 'dl-hint' }, about) : null,
    items.length
      ? h(
          'ul',
          { class: 'dl-nextlist' },
          items
            .slice(0, MOST)
            .map((item) =>
              h(
                'li',
                {},
                item.href
                  ? h(
                      'a',
                      { href: item.href },
                      h('span', {}, item.text),
                      item.facts ? h('small', {}, item.facts) : null,
                    )
                  : h('span', {}, item.text, item.facts ? h('small', {}, ` ${item.facts}`) : null),
              ),
            ),
        )
      : h('p', { class: 'dl-hint' }, empty || 'none'),
  );
}
