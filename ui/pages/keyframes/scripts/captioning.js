// Captions of candidates are written in the background.
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { JobPanel } from '../../../lib/shell/job_list.js';

/** @typedef {import('./keyframes_state.js').KeyframesState} State */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['RunBody']} CaptionOptions */

export class Captioning {
  waiting = false; // for candidates that are being captioned

  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.jobs = new JobPanel(state.can, () => state.bar.id);
    this.jobs.addEventListener('progress', () => this.#progress().catch(report));
    this.jobs.poll().catch(report);
  }

  /** @param {CaptionOptions} options */
  async run(options) {
    await api(`/api/keyframes/${encodeURIComponent(this.state.bar.shown)}/run`, options);
    this.waiting = true;
    await this.jobs.poll();
  }

  /** The same candidates once more: what failed, and what is stale. */
  async again() {
    await this.state.flush();
    const options = this.state.author()?.options;
    if (!options) throw new Error('these captions came from a file; choose candidates to caption them here');
    await this.run(options);
  }

  async #progress() {
    const { id } = this.state.bar;
    if (!this.waiting || this.jobs.running.some((job) => job.video_ids.includes(id))) return;
    this.waiting = false;
    await this.state.choose({ author: '' });
  }
}
