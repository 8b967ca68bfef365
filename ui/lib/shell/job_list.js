// What runs in the background, as the server tells it by itself; told until dismissed.
import { address } from '../page/address.js';
import { pageSignal } from '../page/open_page.js';
import { computed, h, mount, signal, useLayoutEffect, useRef } from '../components/component.js';
import { button, icon } from '../components/small_components.js';
import { h as element } from '../parts/elements.js';
import { report } from '../parts/notices.js';
import { plural, shortClock } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { onServer } from './server_events.js';
import { shelf } from '../page/browser_storage.js';

/** @typedef {import('../wire.d.ts').components['schemas']['JobFacts']} Job */
/** @typedef {import('../wire.d.ts').components['schemas']['Loading']} Loading of a job: a model that it waits for */

const SEEN = 'dailies-jobs-dismissed';
const FOLD_MS = 20_000; // after its end a job without problems moves to the folded ones
const WORDS = {
  queued: 'waiting for the job before it',
  running: 'running',
  stopping: 'stopping: requests in flight are finished',
  done: 'done',
  failed: 'finished with problems',
  stopped: 'stopped',
};
const SIGNS = { done: 'done', failed: 'failed', stopped: 'stop', queued: 'stale' };

/** @param {Job} job */
const scoresOf = (job) =>
  address.to(
    'scores',
    job.stages.includes('retrieval')
      ? { system: 'retrieval', scored: job.evaluation, evaluation: '' }
      : { evaluation: job.evaluation },
  );

/**
 * Bytes that came, of how many when the source says so.
 * @param {Job} job
 */
function fetched({ done, total, rate }) {
  const mb = (bytes) =>
    (bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1, minimumFractionDigits: 1 });
  return `${mb(done)}${total ? ` of ${mb(total)}` : ''} MB${rate ? ` · ${mb(rate)} MB a second` : ''}`;
}

export class JobPanel extends EventTarget {
  /** @type {import('../components/component.js').Signal<Job[]>} */
  #jobs = signal([]);
  #dismissed = signal(new Set(JSON.parse(shelf.getItem(SEEN) || '[]')));
  /** @type {Map<string, number>} when this page saw that a job was over, by its id */
  #ended = new Map();
  #clock = signal(Date.now());
  #last = '';

  /**
   * Emits 'progress' whenever a stage or a job has finished.
   * @param {(action: string) => boolean} can
   * @param {(() => string) | null} [of] gives the one video whose jobs are shown, while they run
   */
  constructor(can, of = null) {
    super();
    this.can = can;
    this.shown = computed(() =>
      this.#jobs.value.filter(
        (j) =>
          !this.#dismissed.value.has(j.id) &&
          (!of || (j.video_ids.includes(of()) && (!j.finished || j.problems.length))),
      ),
    );
    this.node = element('div', { style: { display: 'contents' } });
    mount(this.node, h(Jobs, { panel: this }), pageSignal());
    onServer('jobs', ({ jobs }) => this.#show(jobs), pageSignal());
  }

  get jobs() {
    return this.#jobs.value;
  }

  get running() {
    return this.jobs.filter((j) => !j.finished);
  }

  /** After something was started here; the server tells of it too, a second later at most. */
  async poll() {
    const { jobs } = this;
    try {
      const now = await api('/api/jobs');
      if (jobs === this.jobs) this.#show(now); // else the server has told of them meanwhile
    } catch (error) {
      if (error.status !== 0) report(error);
    }
  }

  /** @param {Job[]} jobs */
  #show(jobs) {
    for (const job of jobs) if (job.finished && !this.#ended.has(job.id)) this.#end(job);
    this.#jobs.value = jobs;
    const now = jobs.map((j) => `${j.id}${j.state}${j.video_id}${j.stage}`).join() || 'none';
    if (this.#last && now !== this.#last) this.dispatchEvent(new Event('progress'));
    this.#last = now;
  }

  /**
   * Jobs that were over before this page was opened are folded at once.
   * @param {Job} job
   */
  #end(job) {
    const seen = this.jobs.some((one) => one.id === job.id);
    this.#ended.set(job.id, seen ? Date.now() : 0);
    if (!seen) return;
    const tick = () => {
      this.#clock.value = Date.now();
    };
    const clock = setTimeout(tick, FOLD_MS + 100);
    pageSignal().addEventListener('abort', () => clearTimeout(clock));
  }

  /** @param {Job} job */
  folded(job) {
    const since = this.#clock.value - this.#ended.get(job.id);
    return job.state === 'done' && !job.problems_total && since > FOLD_MS;
  }

  /** @param {Job} job */
  async stop(job) {
    await api(`/api/jobs/${encodeURIComponent(job.id)}/stop`, {});
    await this.poll();
  }

  /** @param {Job} job */
  dismiss(job) {
    const known = new Set(this.jobs.map((j) => j.id));
    this.#dismissed.value = new Set([...this.#dismissed.value, job.id].filter((id) => known.has(id)));
    shelf.setItem(SEEN, JSON.stringify([...this.#dismissed.value]));
  }
}

/** @param {{panel: JobPanel}} props */
function Jobs({ panel }) {
  const shown = panel.shown.value;
  const past = shown.filter((j) => panel.folded(j));
  const line = (/** @type {Job} */ job) => h(JobLine, { key: job.id, panel, job });
  return h(
    'section',
    { class: 'dl-jobs', 'aria-label': 'Jobs', hidden: !shown.length },
    h(
      'p',
      { class: 'dl-unseen', role: 'status' },
      shown.map((j) => `${j.video || plural(j.videos, 'video')} ${WORDS[j.state]}`).join('. '),
    ),
    shown.filter((j) => !panel.folded(j)).map(line),
    past.length
      ? h(
          'details',
          { class: 'dl-jobsover' },
          h('summary', { 'data-name': 'jobs-over' }, `${plural(past.length, 'job')} done`),
          past.map(line),
        )
      : null,
  );
}

/** @param {{panel: JobPanel, job: Job}} props */
function JobLine({ panel, job }) {
  const over = Boolean(job.finished);
  return h(
    'div',
    { class: 'dl-job' },
    h(
      'div',
      { class: 'dl-jobhead' },
      h('span', { class: `dl-mark dl-is-${job.state}` }, icon(SIGNS[job.state] || 'play'), WORDS[job.state]),
      over ? summary(job) : job.loading ? loading(job.loading) : progress(job),
      h('span', { class: 'dl-grow' }),
      over
        ? button('Dismiss', () => panel.dismiss(job), { kind: 'quiet', name: `dismiss-${job.id}` })
        : panel.can('run')
          ? h(
              'button',
              {
                type: 'button',
                class: 'dl-button',
                'data-name': `stop-${job.id}`,
                disabled: job.state === 'stopping',
                onClick: () => panel.stop(job).catch(report),
              },
              icon('stop'),
              'Stop',
            )
          : null,
    ),
    job.loading?.lines.length ? h(ServerLog, { lines: job.loading.lines, name: `log-${job.id}` }) : null,
    problems(job.notes, 'dl-jobnotes'),
    problems([
      ...job.problems.map((p) => p.replace(/^(.+): (\w+): \1: /, '$1: $2: ')),
      ...(job.problems_total > job.problems.length
        ? [`and ${job.problems_total - job.problems.length} more`]
        : []),
    ]),
  );
}

/** Of a model server that starts; its end stays in sight. @param {{lines: string[], name: string}} props */
function ServerLog({ lines, name }) {
  const log = useRef(/** @type {HTMLPreElement | null} */ (null));
  useLayoutEffect(() => {
    log.current.scrollTop = log.current.scrollHeight;
  });
  return h(
    'pre',
    { ref: log, class: 'dl-joblog', tabIndex: 0, 'aria-label': 'log of the model server', 'data-name': name },
    lines.join('\n'),
  );
}

/** @param {string[]} lines */
const problems = (lines, name = '') =>
  lines.length
    ? h(
        'ul',
        { class: `dl-problems ${name}` },
        lines.map((line, n) => h('li', { key: n }, line)),
      )
    : null;

/** @param {string} label @param {number} done @param {number} most */
const progressBar = (label, done, most) =>
  h(
    'span',
    {
      class: 'dl-progress',
      role: 'progressbar',
      'aria-label': label,
      'aria-valuemin': 0,
      'aria-valuemax': most,
      'aria-valuenow': done,
    },
    h('i', { style: { width: `${Math.min(1, done / most) * 100}%` } }),
  );

/** @param {Job} job */
function summary(job) {
  const what = job.plan
    ? `${job.plan}, ${job.videos_done} of ${plural(job.videos, 'video')}`
    : job.videos === 1
      ? job.video || 'one video'
      : `${job.videos_done} of ${plural(job.videos, 'video')}`;
  return [
    h('b', null, what),
    h('span', null, `${shortClock(job.elapsed_s)} · ${plural(job.stages.length, 'stage')}`),
    job.took ? h('span', { title: 'tokens of prompts + tokens of replies' }, job.took) : null,
    job.evaluation ? h('a', { href: scoresOf(job) }, 'Its scores') : null,
    job.problems_total ? h('span', null, plural(job.problems_total, 'problem')) : null,
  ];
}

/** @param {Job} job */
function progress(job) {
  if (job.state === 'queued' || !job.stage) return h('span', null, plural(job.videos, 'video'));
  const step = job.stages.indexOf(job.stage) + 1;
  const fetching = job.stage === 'fetch';
  const rate = job.rate < 10 ? job.rate?.toFixed(1) : Math.round(job.rate);
  const count = job.total
    ? `${job.done.toLocaleString('en')} of ${job.total.toLocaleString('en')}`
    : 'starting';
  const words = [
    fetching ? fetched(job) : count,
    job.rate && !fetching ? `${rate} a second` : null,
    job.left_s !== null && job.done < job.total ? `about ${shortClock(job.left_s)} left` : null,
  ];
  return [
    h('b', null, job.video),
    h('span', null, fetching ? 'fetching the file' : `${job.stage}, stage ${step} of ${job.stages.length}`),
    progressBar(job.stage, job.total ? job.done : 0, job.total || 1),
    h('span', { class: 'dl-jobcount' }, words.filter(Boolean).join(' · ')),
    job.videos > 1 ? h('span', null, `video ${job.videos_done + 1} of ${job.videos}`) : null,
  ];
}

/**
 * The run waits for a model: what its server does now. Its log stands below.
 * @param {Loading} loading
 */
const loading = ({ what, phase, share, seconds }) => [
  h('b', null, what),
  h('span', null, phase),
  share === null ? null : progressBar(phase, Math.round(share * 100), 100),
  h('span', { class: 'dl-jobcount' }, shortClock(seconds)),
];
