// What is done to the cuts of a video: split, merge, nudge by frames, and comparing with another detection.
import { can } from '../../../lib/page/rights.js';
import { h, render, signal } from '../../../lib/components/component.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { Comparison } from './cut_compare.js';
import { chooseDetection } from './cut_detection.js';
import { CutToolsView } from './cut_tools.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutEdits']} CutEdits */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutsChanged']} CutsChanged */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutsDifference']} CutsDifference */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutWorkNow']} CutWorkNow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['TextsSettled']} TextsSettled */

const POLL_MS = 800;

export class CutTools {
  /** @type {import('../../../lib/components/component.js').Signal<CutEdits>} what the server says of the cuts now */
  edits = signal(null);
  /** What was done last. */
  said = signal('');
  /** @type {import('../../../lib/components/component.js').Signal<Comparison | null>} with another detection, while it is open */
  compared = signal(null);
  /** Whether scenes that were cut anew are being measured. */
  measuring = signal(false);
  /** @type {Promise<unknown>} */
  turn = Promise.resolve();
  /** @type {Promise<unknown> | null} of the end, while cuts are being changed */
  changing = null;
  /** @type {{by: number} | null} frames by which the nearest cut is to move, until that is under way */
  waiting = null;
  anew = false;

  /**
   * `page`: {player, flush(), renew() -> Promise<edits>, measured(), remark(edits)}; `edits` as /api/cuts gives them.
   * @param {string} videoId
   * @param {CutEdits} edits
   * @param {any} page
   */
  constructor(videoId, edits, page) {
    this.path = `/api/cuts/${encodeURIComponent(videoId)}`;
    this.page = page;
    this.node = document.createElement('section');
    this.node.className = 'dl-cuttools';
    this.node.ariaLabel = 'Cuts';
    this.node.hidden = !page.player.data.file;
    if (this.node.hidden) return;
    this.show(edits);
    render(h(CutToolsView, { tools: this }), this.node);
    this.#followMeasuring().catch(report);
  }

  /** @param {CutEdits} edits */
  show(edits) {
    const { player } = this.page;
    if (!player.data.file) return;
    player.data.cutBy = edits.by;
    this.edits.value = edits;
    player.draw?.();
  }

  /** How many scenes were cut anew and have not been measured since. */
  get unmeasured() {
    const recut = new Set(this.edits.value.recut);
    const scenes = /** @type {{key: string, measurements: object}[]} */ (this.page.player.data.scenes);
    return scenes.filter((scene) => recut.has(scene.key) && !Object.keys(scene.measurements).length).length;
  }

  // --- changes ----------------------------------------------------------------------

  /** The frame is the one on the screen when the key was pressed, however long the changes before it take. */
  split() {
    const frame = this.page.player.index;
    this.#after(() => ({ kind: 'split', frame }));
  }

  merge() {
    const frame = this.page.player.index;
    this.#after(() => ({ kind: 'merge', frame }));
  }

  /** Presses that come while one is on its way go together. */
  nudge(by) {
    if (this.waiting) {
      this.waiting.by += by;
      return;
    }
    const waiting = { by };
    this.waiting = waiting;
    this.#after(() => {
      this.waiting = null;
      return waiting.by ? this.#move(waiting.by) : null;
    });
  }

  here() {
    const frame = this.page.player.index;
    this.#after(() => {
      const cut = this.#nearest(frame);
      return this.#move(cut === null ? 0 : frame - cut, cut);
    });
  }

  #move(by, cut = this.#nearest()) {
    if (cut === null) throw new Refused('There is no cut to move; split the video first.');
    if (!by) throw new Refused('The nearest cut is at this frame already.');
    return { kind: 'nudge', frame: cut, by };
  }

  #nearest(index = this.page.player.index) {
    const cuts = this.page.player.data.scenes.slice(1).map((s) => s.start);
    return cuts.length
      ? cuts.reduce((best, cut) => (Math.abs(cut - index) < Math.abs(best - index) ? cut : best))
      : null;
  }

  /** One change at a time: each is made of the cuts that the one before it gave. */
  #after(change) {
    this.turn = this.turn
      .then(async () => {
        const body = change();
        if (body) await this.#send('', body);
        if (body?.kind === 'nudge') await this.page.player.seek(body.frame + body.by);
      })
      .catch(report);
    const mine = this.turn;
    this.changing = mine;
    void mine.then(() => {
      if (this.changing === mine) this.changing = null;
    });
  }

  /** Texts that are being typed are saved first, on the scenes that they were typed for. */
  async #send(where, body) {
    await requireSaved();
    try {
      /** @type {CutsChanged} */
      const { what, base } = await api(this.path + where, { ...body, base: this.edits.value.base });
      await this.#renewed(base);
      this.said.value = what;
      this.#followMeasuring().catch(report);
    } catch (error) {
      if (error.status !== 409) throw error;
      await this.page.renew();
      notice('Somebody else changed the cuts. Here they are as they are now; look, and try again.', 'error');
    }
  }

  async #renewed(base) {
    await this.page.renew();
    if (this.edits.value.base !== base) await this.page.renew();
  }

  /** The texts of a scene are right for its new cuts. */
  looksRight(key = this.page.player.sceneAt(this.page.player.index)?.key) {
    this.turn = this.turn.then(() => key && this.#settle(key)).catch(report);
  }

  async #settle(key) {
    await this.page.flush();
    /** @type {TextsSettled} */
    const { settled } = await api(`${this.path}/looks-right`, { scene: key });
    await this.refresh();
    this.said.value = settled ? `${plural(settled, 'text')} found right` : 'nothing to look at here';
  }

  async refresh() {
    this.page.remark(await api(this.path));
  }

  // --- measuring --------------------------------------------------------------------

  async measure() {
    await api(`${this.path}/measure`, {});
    await this.#followMeasuring();
  }

  /** Until scenes that were cut anew are measured; then their measurements are shown. */
  async #followMeasuring() {
    this.anew = true; // also where the scenes of an earlier cut are being followed
    if (this.measuring.value || !this.unmeasured) return;
    this.measuring.value = true;
    try {
      while (this.anew) await this.#followOnce();
    } finally {
      this.measuring.value = false;
    }
  }

  /** @returns {Promise<CutWorkNow>} */
  #work() {
    return api(`${this.path}/work`);
  }

  async #followOnce() {
    this.anew = false;
    while ((await this.#work()).measuring) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      if (!this.node.isConnected) return;
    }
    await this.page.measured();
  }

  // --- another detection ------------------------------------------------------------

  detect() {
    return api(this.path).then(({ detections }) =>
      chooseDetection(this.path, detections, (id) => this.compare(id)),
    );
  }

  async compare(id) {
    /** @type {CutsDifference} */
    const found = await api(`${this.path}/difference/${encodeURIComponent(id)}`);
    this.compared.value = new Comparison(found, this.page.player, {
      adopt: () => this.#send('/adopt', { detection: id }),
      again: () => this.compare(id),
      person: this.edits.value.made.person,
      close: () => {
        this.compared.value = null;
      },
    });
  }
}

/** What the keys of cuts do on the page; `current()` gives its tools, which each video has anew. */
export function cutRuns(current) {
  const run = (action) => () => {
    const tools = current();
    const player = tools?.page.player;
    if (player && !player.data.file)
      throw new Refused('There are no pictures of this video here: nothing to cut.');
    if (!player?.pts)
      throw new Refused(
        'The pictures of this video are on their way: press the key again when they are here.',
      );
    return action(tools);
  };
  const edit = (action) =>
    run((tools) => {
      if (!can('edit')) throw new Refused('Only people who may edit can change cuts.');
      return action(tools);
    });
  return {
    split: edit((tools) => tools.split()),
    merge: edit((tools) => tools.merge()),
    cut_earlier: edit((tools) => tools.nudge(-1)),
    cut_later: edit((tools) => tools.nudge(1)),
    cut_here: edit((tools) => tools.here()),
    looks_right: edit((tools) => tools.looksRight()),
    detect: run((tools) => tools.detect()),
  };
}
