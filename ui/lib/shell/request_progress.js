// A line that says what a request is doing, for how long, and what its model is doing when that has to start first.
import { whenLeft } from '../page/open_page.js';
import { h, mark } from '../parts/elements.js';
import { lastTold } from './server_events.js';

const EVERY_MS = 1000;

export class Waiting {
  /** @type {string} */
  what;

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
    this.timer = setInterval(() => this.#draw(), EVERY_MS);
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

  #draw() {
    const { what } = this;
    /** @type {import('../wire.d.ts').components['schemas']['LoadingNow']['loading']} */
    const loading = lastTold('loading')?.loading;
    const share = loading?.share ? ` ${Math.round(loading.share * 100)} %` : '';
    const model = loading ? ` · ${loading.what}: ${loading.phase}${share}` : '';
    if (this.words.textContent !== `${what}${model}`) this.words.textContent = `${what}${model}`;
    this.time.textContent = ` · ${Math.round((Date.now() - this.begin) / 1000)} s`;
  }
}
