// What stands over the picture of a video that the browser does not play: why, and the way to a copy that it does.
import { lastTold, onServer } from '../shell/server_events.js';
import { can } from '../page/rights.js';
import { button, clear, h } from '../parts/elements.js';
import { api } from '../requests/requests.js';

/** @typedef {import('../shell/job_list.js').Job} Job */

export class CopyNote {
  /**
   * `player` shows frames as pictures until its `playCopy` is called.
   * @param {import('./player.js').Player} player
   */
  constructor(player) {
    this.player = player;
    this.words = h('p', { role: 'status' });
    this.tools = h('div', { class: 'dl-copytools' });
    // Clicks on the note are not clicks on the picture, which plays.
    this.node = h(
      'div',
      { class: 'dl-screen-note dl-copynote', onclick: (event) => event.stopPropagation() },
      this.words,
      this.tools,
    );
    this.bar = h('i');
    this.said = h('span', { class: 'dl-copysaid' }, 'waiting');
    this.job = ''; // that makes the copy
    this.seen = false; // among the jobs that the server tells of
    this.#offer();
    this.#told(lastTold('jobs')?.jobs || []);
    onServer('jobs', ({ jobs }) => this.#told(jobs), player.closed.signal);
  }

  #offer(trouble = '') {
    this.words.textContent = trouble
      ? `No copy: ${trouble}`
      : `${this.#why()}. Frames are shown as pictures.`;
    if (!this.player.data.needs_copy) clear(this.tools);
    else if (can('run'))
      clear(
        this.tools,
        button(trouble ? 'Try again' : 'Make a playable copy', () => this.#make(), { name: 'make-copy' }),
      );
    else clear(this.tools, h('span', {}, 'A researcher can make a copy that plays.'));
  }

  #why() {
    const { playable, problems, why } = this.player.data;
    if (playable)
      return problems.length
        ? 'This browser stopped: the file is damaged'
        : 'This browser cannot play the file';
    return `${why[0].toUpperCase()}${why.slice(1)}`;
  }

  /**
   * What the server tells of its jobs. One may be at work on it already: after an upload, or started on another page.
   * @param {Job[]} jobs
   */
  #told(jobs) {
    const { id } = this.player.data;
    const works = (/** @type {Job} */ job) =>
      !job.finished && job.stages.includes('probe') && job.video_ids.includes(id);
    const job = jobs.find((one) => (this.job ? one.id === this.job : works(one)));
    if (job) this.#follow(job);
    else if (this.seen) this.#end('its job is gone; the server was started anew');
  }

  /** @param {Job} job */
  #follow(job) {
    if (!this.seen) this.#watch(job.id);
    this.seen = true;
    const { id } = this.player.data;
    const here = job.video_id === id;
    const at = here && job.stage === 'probe' && job.total ? Math.round((job.done / job.total) * 100) : 0;
    this.bar.style.width = `${at}%`;
    this.bar.parentElement.setAttribute('aria-valuenow', String(at));
    this.said.textContent = job.state === 'queued' ? 'waiting for the job before it' : `${at} %`;
    // A longer job goes on with other stages: the copy is made in its first one.
    if (job.finished || (here && job.stage && job.stage !== 'probe'))
      this.#end(job.state === 'stopped' ? 'stopped' : job.problems.at(-1));
  }

  async #make() {
    try {
      const job = await api('/api/jobs', { videos: [this.player.data.id], stages: ['probe'] });
      this.job = job.id;
      this.#follow(lastTold('jobs')?.jobs.find((/** @type {Job} */ one) => one.id === job.id) || job);
    } catch (error) {
      this.#offer(error.message);
    }
  }

  /** @param {string} id of the job */
  #watch(id) {
    this.job = id;
    this.words.textContent = 'Making a playable copy. Frames are shown as pictures until it is done.';
    const progress = h(
      'span',
      {
        class: 'dl-progress',
        role: 'progressbar',
        'aria-label': 'Making a playable copy',
        'aria-valuemin': '0',
        'aria-valuemax': '100',
      },
      this.bar,
    );
    const stop = button(
      'Stop',
      () => {
        stop.disabled = true;
        api(`/api/jobs/${encodeURIComponent(id)}/stop`, {}).catch(() => {});
      },
      { name: 'stop-copy' },
    );
    clear(this.tools, progress, this.said, can('run') ? stop : null);
  }

  /** @param {string} [trouble] why there may be no copy */
  #end(trouble) {
    this.job = '';
    this.seen = false;
    this.#finish(trouble).catch((error) => this.#offer(error.message));
  }

  /** @param {string} [trouble] why there may be no copy */
  async #finish(trouble) {
    const data = await api(`/api/player/${encodeURIComponent(this.player.data.id)}`);
    if (!data.copy) {
      this.#offer(trouble || 'the job made none');
      return;
    }
    const focused = this.node.contains(document.activeElement);
    this.node.remove();
    await this.player.playCopy(data);
    if (focused) this.player.toggle.focus();
  }
}
