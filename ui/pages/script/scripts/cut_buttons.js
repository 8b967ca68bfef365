// Cuts are changed here: split, merge, nudge by frames, compare with another detection.
import { can } from '../../../lib/page/rights.js';
import { button, clear, h } from '../../../lib/parts/elements.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { chooseDetection, Comparison } from './cut_compare.js';
import { legend } from '../../../lib/parts/cut_lane.js';
import { keyHint, openField } from '../../../lib/keys/keymap.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutEdits']} CutEdits */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutsChanged']} CutsChanged */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutsDifference']} CutsDifference */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutWorkNow']} CutWorkNow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['TextsSettled']} TextsSettled */

const POLL_MS = 800;

export class CutTools {
  /** `page`: {player, flush(), renew() -> Promise<edits>, measured()}; `edits` as /api/cuts gives them. */
  /**
   * @param {string} videoId
   * @param {CutEdits} edits
   * @param {any} page
   */
  constructor(videoId, edits, page) {
    this.path = `/api/cuts/${encodeURIComponent(videoId)}`;
    this.page = page;
    /** @type {Promise<unknown>} */
    this.turn = Promise.resolve();
    this.changing = null; // while cuts are being changed: a promise of the end
    this.said = h('span', { class: 'dl-cutsaid', role: 'status' });
    this.about = h('div', { class: 'dl-cutabout' });
    this.below = h('div');
    const { data } = page.player;
    this.node = h(
      'section',
      { class: 'dl-cuttools', 'aria-label': 'Cuts', hidden: !data.file },
      this.#buttons(),
      this.about,
      this.below,
    );
    if (!data.file) return;
    this.show(edits);
    this.#followMeasuring().catch(report);
  }

  #buttons() {
    const tool = (words, name, title, action) =>
      button([words, keyHint(`script.${name}`)], action, { title, name: `cut-${name}` });
    const tools = can('edit')
      ? [
          tool('Split', 'split', 'A scene begins at the frame on the screen', () => this.split()),
          tool('Merge', 'merge', 'Join this scene with the next', () => this.merge()),
          tool('Cut −1', 'cut_earlier', 'The nearest cut one frame earlier', () => this.nudge(-1)),
          tool('Cut +1', 'cut_later', 'The nearest cut one frame later', () => this.nudge(1)),
          tool('Cut here', 'cut_here', 'Move the nearest cut to the frame on the screen', () => this.here()),
        ]
      : [];
    return h(
      'div',
      { class: 'dl-cutbuttons' },
      tools,
      h('span', { class: 'dl-grow' }),
      tool('Detect …', 'detect', 'Compare with the cuts that another detector finds', () =>
        openField('detect', () => this.detect()),
      ),
    );
  }

  /**
   * What the server says of the cuts now.
   * @param {CutEdits} edits
   */
  show(edits) {
    this.edits = edits;
    const { player } = this.page;
    if (!player.data.file) return;
    player.data.cutBy = edits.by;
    player.draw?.();
    const { counts, made } = edits;
    const found = made.detection;
    const newer =
      made.person && found ? edits.detections.find((one) => !one.asked && one.at > found.at) : null;
    const unmeasured = this.#unmeasured();
    clear(
      this.about,
      found ? legend('detector', `${plural(counts.detector, 'cut')} by ${found.detector}`) : null,
      legend(
        'person',
        `${plural(counts.person, 'cut')} by ${counts.person && made.person ? made.person : 'a person'}`,
      ),
      counts.given_up
        ? h(
            'span',
            { title: `frames ${edits.given_up.join(', ')}` },
            `${counts.given_up} of ${found.detector} given up`,
          )
        : null,
      unmeasured
        ? h(
            'span',
            {},
            `${plural(unmeasured, 'scene')} not measured for the new cut`,
            this.measuring
              ? ', measuring …'
              : can('edit')
                ? button('measure', () => this.#measure().catch(report), {
                    kind: 'quiet',
                    name: 'measure-cuts',
                  })
                : null,
          )
        : null,
      newer
        ? button(
            `${newer.detector} has found other cuts since: compare`,
            () => this.compare(newer.id).catch(report),
            { kind: 'quiet', name: 'compare-newer' },
          )
        : null,
      this.said,
    );
    this.compared?.outdated(edits.base);
  }

  #unmeasured() {
    const recut = new Set(this.edits.recut);
    return this.page.player.data.scenes.filter((s) => recut.has(s.key) && !Object.keys(s.measurements).length)
      .length;
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
      const { what, base } = await api(this.path + where, { ...body, base: this.edits.base });
      await this.#renewed(base);
      this.said.textContent = what;
      this.#followMeasuring().catch(report);
    } catch (error) {
      if (error.status !== 409) throw error;
      await this.page.renew();
      notice('Somebody else changed the cuts. Here they are as they are now; look, and try again.', 'error');
    }
  }

  async #renewed(base) {
    await this.page.renew();
    if (this.edits.base !== base) await this.page.renew();
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
    this.said.textContent = settled ? `${plural(settled, 'text')} found right` : 'nothing to look at here';
  }

  async refresh() {
    this.page.remark(await api(this.path));
  }

  // --- measuring --------------------------------------------------------------------

  async #measure() {
    await api(`${this.path}/measure`, {});
    await this.#followMeasuring();
  }

  /** Until scenes that were cut anew are measured; then their measurements are shown. */
  async #followMeasuring() {
    this.anew = true; // also where the scenes of an earlier cut are being followed
    if (this.measuring || !this.#unmeasured()) return;
    this.measuring = true;
    try {
      while (this.anew) await this.#followOnce();
    } finally {
      this.measuring = this.drawn = false;
      this.show(this.edits);
    }
  }

  /** @returns {Promise<CutWorkNow>} */
  #work() {
    return api(`${this.path}/work`);
  }

  async #followOnce() {
    this.anew = false;
    while ((await this.#work()).measuring) {
      if (this.said.textContent !== '' && !this.drawn) {
        this.drawn = true;
        this.show(this.edits);
      }
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
    this.compared = new Comparison(found, this.page.player, {
      adopt: () => this.#send('/adopt', { detection: id }),
      again: () => this.compare(id),
      person: this.edits.made.person,
      close: () => {
        this.compared = null;
        clear(this.below);
      },
    });
    clear(this.below, this.compared.node);
    this.compared.focus();
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
