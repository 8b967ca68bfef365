// What runs in the background, as the server tells it by itself; told until dismissed.
import { address } from '../page/address.js';
import { pageSignal } from '../page/open_page.js';
import { button, clear, h, icon } from '../parts/elements.js';
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
  /**
   * Emits 'progress' whenever a stage or a job has finished.
   * @param {(action: string) => boolean} can
   * @param {(() => string) | null} [of] gives the one video whose jobs are shown, while they run
   */
  constructor(can, of = null) {
    super();
    this.can = can;
    this.of = of;
    /** @type {Job[]} */
    this.jobs = [];
    this.node = h('section', { class: 'dl-jobs', 'aria-label': 'Jobs', hidden: true });
    this.said = h('p', { class: 'dl-unseen', role: 'status' });
    this.over = h('details', { class: 'dl-jobsover' });
    /** @type {Map<string, number>} when this page saw that a job was over, by its id */
    this.ended = new Map();
    this.dismissed = new Set(JSON.parse(shelf.getItem(SEEN) || '[]'));
    this.last = '';
    onServer('jobs', ({ jobs }) => this.#show(jobs), pageSignal());
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
    for (const job of jobs) if (job.finished && !this.ended.has(job.id)) this.#end(job);
    this.jobs = jobs;
    this.#draw();
    const now = this.jobs.map((j) => `${j.id}${j.state}${j.video_id}${j.stage}`).join() || 'none';
    if (this.last && now !== this.last) this.dispatchEvent(new Event('progress'));
    this.last = now;
  }

  /**
   * Jobs that were over before this page was opened are folded at once.
   * @param {Job} job
   */
  #end(job) {
    const seen = this.jobs.some((one) => one.id === job.id);
    this.ended.set(job.id, seen ? Date.now() : 0);
    if (seen) {
      const clock = setTimeout(() => this.#draw(), FOLD_MS + 100);
      pageSignal().addEventListener('abort', () => clearTimeout(clock));
    }
  }

  /** @param {Job} job */
  #folded(job) {
    return job.state === 'done' && !job.problems_total && Date.now() - this.ended.get(job.id) > FOLD_MS;
  }

  #draw() {
    const shown = this.jobs.filter(
      (j) =>
        !this.dismissed.has(j.id) &&
        (!this.of || (j.video_ids.includes(this.of()) && (!j.finished || j.problems.length))),
    );
    const words = shown.map((j) => `${j.video || plural(j.videos, 'video')} ${WORDS[j.state]}`).join('. ');
    if (this.said.textContent !== words) this.said.textContent = words;
    this.node.hidden = !shown.length;
    const held = /** @type {HTMLElement | null} */ (document.activeElement);
    const focused = this.node.contains(held) ? held.dataset.name : '';
    clear(
      this.node,
      this.said,
      shown.filter((j) => !this.#folded(j)).map((j) => this.#line(j)),
      this.#past(shown.filter((j) => this.#folded(j))),
    );
    for (const log of this.node.querySelectorAll('.dl-joblog')) log.scrollTop = log.scrollHeight;
    if (focused) this.node.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  /** @param {Job[]} jobs */
  #past(jobs) {
    if (!jobs.length) return null;
    clear(
      this.over,
      h('summary', { 'data-name': 'jobs-over' }, `${plural(jobs.length, 'job')} done`),
      jobs.map((j) => this.#line(j)),
    );
    return this.over;
  }

  /** @param {Job} job */
  #line(job) {
    const over = Boolean(job.finished);
    const tool = over
      ? button('Dismiss', () => this.#dismiss(job), { kind: 'quiet', name: `dismiss-${job.id}` })
      : this.can('run')
        ? h(
            'button',
            {
              type: 'button',
              class: 'dl-button',
              'data-name': `stop-${job.id}`,
              disabled: job.state === 'stopping',
              onclick: () => this.#stop(job).catch(report),
            },
            icon('stop'),
            'Stop',
          )
        : null;
    return h(
      'div',
      { class: 'dl-job' },
      h(
        'div',
        { class: 'dl-jobhead' },
        h(
          'span',
          { class: `dl-mark dl-is-${job.state}` },
          icon(SIGNS[job.state] || 'play'),
          WORDS[job.state],
        ),
        over ? this.#summary(job) : job.loading ? this.#loading(job.loading) : this.#progress(job),
        h('span', { class: 'dl-grow' }),
        tool,
      ),
      job.loading?.lines.length
        ? h(
            'pre',
            {
              class: 'dl-joblog',
              tabindex: '0',
              'aria-label': 'log of the model server',
              'data-name': `log-${job.id}`,
            },
            job.loading.lines.join('\n'),
          )
        : null,
      job.notes.length
        ? h(
            'ul',
            { class: 'dl-problems dl-jobnotes' },
            job.notes.map((note) => h('li', {}, note)),
          )
        : null,
      job.problems.length
        ? h(
            'ul',
            { class: 'dl-problems' },
            job.problems.map((p) => h('li', {}, p.replace(/^(.+): (\w+): \1: /, '$1: $2: '))),
            job.problems_total > job.problems.length
              ? h('li', {}, `and ${job.problems_total - job.problems.length} more`)
              : null,
          )
        : null,
    );
  }

  /** @param {Job} job */
  #summary(job) {
    const what = job.plan
      ? `${job.plan}, ${job.videos_done} of ${plural(job.videos, 'video')}`
      : job.videos === 1
        ? job.video || 'one video'
        : `${job.videos_done} of ${plural(job.videos, 'video')}`;
    return [
      h('b', {}, what),
      h('span', {}, `${shortClock(job.elapsed_s)} · ${plural(job.stages.length, 'stage')}`),
      job.took ? h('span', { title: 'tokens of prompts + tokens of replies' }, job.took) : null,
      job.evaluation ? h('a', { href: scoresOf(job) }, 'Its scores') : null,
      job.problems_total ? h('span', {}, plural(job.problems_total, 'problem')) : null,
    ];
  }

  /** @param {Job} job */
  #progress(job) {
    if (job.state === 'queued' || !job.stage) return h('span', {}, plural(job.videos, 'video'));
    const share = job.total ? Math.min(1, job.done / job.total) : 0;
    const step = job.stages.indexOf(job.stage) + 1;
    const fetching = job.stage === 'fetch';
    return [
      h('b', {}, job.video),
      h('span', {}, fetching ? 'fetching the file' : `${job.stage}, stage ${step} of ${job.stages.length}`),
      h(
        'span',
        {
          class: 'dl-progress',
          role: 'progressbar',
          'aria-label': job.stage,
          'aria-valuemin': '0',
          'aria-valuemax': String(job.total || 1),
          'aria-valuenow': String(job.done),
        },
        h('i', { style: { width: `${share * 100}%` } }),
      ),
      h(
        'span',
        { class: 'dl-jobcount' },
        [
          fetching
            ? fetched(job)
            : job.total
              ? `${job.done.toLocaleString('en')} of ${job.total.toLocaleString('en')}`
              : 'starting',
          fetching
            ? null
            : job.rate
              ? `${job.rate < 10 ? job.rate.toFixed(1) : Math.round(job.rate)} a second`
              : null,
          job.left_s !== null && job.done < job.total ? `about ${shortClock(job.left_s)} left` : null,
        ]
          .filter(Boolean)
          .join(' · '),
      ),
      job.videos > 1 ? h('span', {}, `video ${job.videos_done + 1} of ${job.videos}`) : null,
    ];
  }

  /**
   * The run waits for a model: what its server does now. Its log stands below.
   * @param {Loading} loading
   */
  #loading(loading) {
    const { what, phase, share, seconds } = loading;
    return [
      h('b', {}, what),
      h('span', {}, phase),
      share === null
        ? null
        : h(
            'span',
            {
              class: 'dl-progress',
              role: 'progressbar',
              'aria-label': phase,
              'aria-valuemin': '0',
              'aria-valuemax': '100',
              'aria-valuenow': String(Math.round(share * 100)),
            },
            h('i', { style: { width: `${share * 100}%` } }),
          ),
      h('span', { class: 'dl-jobcount' }, shortClock(seconds)),
    ];
  }

  /** @param {Job} job */
  async #stop(job) {
    await api(`/api/jobs/${encodeURIComponent(job.id)}/stop`, {});
    await this.poll();
  }

  /** @param {Job} job */
  #dismiss(job) {
    this.dismissed.add(job.id);
    const known = new Set(this.jobs.map((j) => j.id));
    shelf.setItem(SEEN, JSON.stringify([...this.dismissed].filter((id) => known.has(id))));
    this.#draw();
  }
}
