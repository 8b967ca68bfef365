// Pictures of a long list: asked for before they come into sight, the nearest first and at most so many at once. What
// was scrolled past before its turn is not asked for.

const AT_ONCE = 4;
const AHEAD_PX = 1200;

export class PicturesAhead {
  /** @type {Map<HTMLImageElement, string>} near enough, and not asked for yet */
  waiting = new Map();
  /** @type {WeakMap<HTMLImageElement, string>} */
  sources = new WeakMap();
  loading = 0;

  constructor() {
    // Whether the page scrolls, or a part of it.
    const margin = { rootMargin: `${AHEAD_PX}px 0px`, scrollMargin: `${AHEAD_PX}px 0px` };
    this.near = new IntersectionObserver((seen) => this.#seen(seen), margin);
  }

  /**
   * Show the picture when its turn comes.
   * @param {HTMLImageElement} image
   * @param {string} source
   */
  show(image, source) {
    this.sources.set(image, source);
    this.near.observe(image);
  }

  /** @param {IntersectionObserverEntry[]} seen */
  #seen(seen) {
    for (const { target, isIntersecting } of seen) {
      const image = /** @type {HTMLImageElement} */ (target);
      if (isIntersecting) this.waiting.set(image, this.sources.get(image));
      else this.waiting.delete(image);
    }
    this.#next();
  }

  #next() {
    while (this.loading < AT_ONCE && this.waiting.size) {
      const image = this.#nearest();
      const source = this.waiting.get(image);
      this.waiting.delete(image);
      this.near.unobserve(image);
      this.loading += 1;
      const over = () => {
        this.loading -= 1;
        this.#next();
      };
      image.addEventListener('load', over, { once: true });
      image.addEventListener('error', over, { once: true });
      image.src = source;
    }
  }

  /** To the middle of the window. */
  #nearest() {
    const middle = innerHeight / 2;
    /** @param {HTMLImageElement} image */
    const far = (image) => Math.abs(image.getBoundingClientRect().top - middle);
    return [...this.waiting.keys()].reduce((one, other) => (far(other) < far(one) ? other : one));
  }
}
