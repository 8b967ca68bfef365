// Brings changed cuts to the page, others' and those that take a proposal's place; scenes that are only a proposal say so.
import { h, signal } from '../../../lib/components/component.js';
import { badge } from '../../../lib/components/small_components.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutsNow']} CutsNow */

const BUSY_MS = 1000;
const WORDS = {
  running: 'from keyframes, detection is running',
  waiting: 'from keyframes, detection waits for its turn',
  '': 'from keyframes, detection has not run to its end',
};

export class CutsWatch {
  /**
   * `cuts` as the server gives it. `renew()` fetches and shows what is new; it resolves to the cuts that the
   * page shows then, or to null when it must be asked again, since somebody is typing.
   * @param {string} videoId
   * @param {CutsNow} cuts
   * @param {() => Promise<CutsNow | null>} renew
   */
  constructor(videoId, cuts, renew) {
    this.path = `/api/script/${encodeURIComponent(videoId)}/cuts`;
    this.renew = renew;
    /** What the page shows, as the server tells of it. */
    this.now = signal(cuts);
    this.#later(cuts);
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Ask now; one question at a time. */
  look() {
    this.looking ||= this.#ask().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  /** Whether the page was renewed. */
  async #ask() {
    clearTimeout(this.timer);
    let now = this.shown;
    let renewed = null;
    try {
      if (!document.hidden || this.shown.working) now = await api(this.path);
      // What a job has written shows when it is through; scenes show at once.
      const over = this.shown.working && !now.working;
      if (!this.stopped && (now.id !== this.shown.id || over)) {
        renewed = await this.renew();
        now = renewed || { ...now, id: this.shown.id, working: true };
      }
      this.shown = now;
    } catch (error) {
      if (error.status !== 0 && !this.stopped) report(error);
    } finally {
      this.#later(now);
    }
    return Boolean(renewed);
  }

  /** @param {CutsNow} cuts */
  #later(cuts) {
    if (!this.stopped && cuts.working) this.timer = setTimeout(() => this.look(), BUSY_MS);
  }

  get shown() {
    return this.now.value;
  }

  set shown(cuts) {
    this.now.value = cuts;
  }
}

/** Says that the scenes are only a proposal yet. @param {{watch: CutsWatch}} props */
export function CutsNote({ watch }) {
  const { proposal, detection, share } = watch.now.value;
  return h(
    'span',
    { class: 'dl-cutsnote', hidden: !proposal },
    badge('proposal', 'proposal'),
    h('span', { role: 'status' }, proposal ? WORDS[detection] : ''),
    h('span', { 'aria-hidden': true }, proposal && share ? `${Math.floor(share * 100)} %` : ''),
  );
}
