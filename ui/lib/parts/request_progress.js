// A line that says what a request is doing, for how long, and what its model is doing when that has to start first.
import { api, h, mark, whenLeft } from './core.js';

const EVERY_MS = 1000;

export class Waiting {
  /** @type {string} */
  what;
  /** Whether the model is asked about now. */
  looking = false;
  /** @type {{what: string, phase: string, share: number | null} | null} what /api/loading said last */
  loading = null;

  constructor(name = '') {
    this.begin = Date.now();
    this.words = h('span', {});
    this.time = h('span', { 'aria-hidden': 'true' }); // nobody wants to hear every second
    this.node = h(
      'p',
      { class: `dl-hint ${name}`, role: 'status' },
      mark('working', ''),
      this.words,
      this.time,
    );
    this.timer = setInterval(() => this.#look(), EVERY_MS);
    whenLeft(() => clearInterval(this.timer));
  }

  /** @param {string} what */
  say(what) {
    this.what = what;
    this.#draw();
  }

  end() {
    clearInterval(this.timer);
    this.node.remove();
  }

  async #look() {
    this.#draw();
    if (this.looking) return;
    this.looking = true;
    // Not to know what the model does is no reason to say that the request failed.
    this.loading = await api('/api/loading').then(
      (found) => found.loading,
      () => null,
    );
    this.looking = false;
    this.#draw();
  }

  #draw() {
    const { what, loading } = this;
    const share = loading?.share ? ` ${Math.round(loading.share * 100)} %` : '';
    const model = loading ? ` · ${loading.what}: ${loading.phase}${share}` : '';
    if (this.words.textContent !== `${what}${model}`) this.words.textContent = `${what}${model}`;
    this.time.textContent = ` · ${Math.round((Date.now() - this.begin) / 1000)} s`;
  }
}
