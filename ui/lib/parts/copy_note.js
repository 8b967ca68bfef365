// What stands over the picture of a video that the browser does not play: why, and the way to a copy that it does.
import { api, button, can, clear, h } from './core.js';

/** @typedef {import('../shell/job_list.js').Job} Job */

const POLL_MS = 700;

export class CopyNote {
  /**
   * `player` shows frames as pictures until its `useCopy` is called.
   * @param {import('../player/player.js').Player} player
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
    this.#offer();
    this.#join().catch((error) => this.#offer(error.message));
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

  /** A job may be at work on it already: after an upload, or started on another page. */
  async #join() {
    /** @type {Job[]} */
    const jobs = await api('/api/jobs');
    const mine = jobs.find(
      (job) => !job.finished && job.stages.includes('probe') && job.video_ids.includes(this.player.data.id),
    );
    if (mine) await this.#watch(mine.id);
  }

  async #make() {
    try {
      const job = await api('/api/jobs', { videos: [this.player.data.id], stages: ['probe'] });
      await this.#watch(job.id);
    } catch (error) {
      this.#offer(error.message);
    }
  }

  /** @param {string} id of the job */
  async #watch(id) {
    this.words.textContent = 'Making a playable copy. Frames are shown as pictures until it is done.';
    const bar = h('i');
    const progress = h(
      'span',
      {
        class: 'dl-progress',
        role: 'progressbar',
        'aria-label': 'Making a playable copy',
        'aria-valuemin': '0',
        'aria-valuemax': '100',
      },
      bar,
    );
    const said = h('span', { class: 'dl-copysaid' }, 'waiting');
    const stop = button(
      'Stop',
      () => {
        stop.disabled = true;
        api(`/api/jobs/${encodeURIComponent(id)}/stop`, {}).catch(() => {});
      },
      { name: 'stop-copy' },
    );
    clear(this.tools, progress, said, can('run') ? stop : null);
    let failures = 0;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (!this.node.isConnected) return;
      const job = await this.#look(id).catch((error) => {
        failures += 1;
        if (failures > 5) throw error;
        return null;
      });
      if (job === undefined) return this.#finish('its job is gone; the server was started anew');
      if (job) {
        this.#draw(job, bar, progress, said);
        // A longer job goes on with other stages: the copy is made in its first one.
        const past = job.video_id === this.player.data.id && job.stage && job.stage !== 'probe';
        if (job.finished || past)
          return this.#finish(job.state === 'stopped' ? 'stopped' : job.problems.at(-1));
      }
    }
  }

  /**
   * @param {string} id
   * @returns {Promise<Job | undefined>}
   */
  async #look(id) {
    return (await api('/api/jobs')).find((job) => job.id === id);
  }

  /**
   * @param {Job} job
   * @param {HTMLElement} bar
   * @param {HTMLElement} progress
   * @param {HTMLElement} said
   */
  #draw(job, bar, progress, said) {
    const at =
      job.video_id === this.player.data.id && job.stage === 'probe' && job.total
        ? Math.round((job.done / job.total) * 100)
        : 0;
    bar.style.width = `${at}%`;
    progress.setAttribute('aria-valuenow', String(at));
    said.textContent = job.state === 'queued' ? 'waiting for the job before it' : `${at} %`;
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
    await this.player.useCopy(data);
    if (focused) this.player.toggle.focus();
  }
}
