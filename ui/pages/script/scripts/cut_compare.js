// Another detection beside the cuts that count: asked for, shown on the lane and as a list, taken over with a yes.
import { choice } from '../../../lib/parts/choice.js';
import { can } from '../../../lib/page/rights.js';
import { button, clear, h } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { legend } from '../../../lib/parts/cut_lane.js';
import { confirmed, openDialog } from '../../../lib/parts/dialog.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutsDifference']} CutsDifference */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutWorkNow']} CutWorkNow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['DetectionFacts']} DetectionFacts */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['DetectorFacts']} DetectorFacts */
/** @typedef {[frame: number, sign: string, kind: string, words: string]} Change */

const POLL_MS = 400;

/**
 * Ask which detector to compare with, and wait for it. `compare(id)` is called with what it found.
 * @param {string} path
 * @param {DetectionFacts[]} known
 * @param {(id: string) => Promise<void>} compare
 */
export async function chooseDetection(path, known, compare) {
  /** @type {[DetectorFacts[], CutWorkNow]} */
  const [detectors, work] = await Promise.all([api('/api/cuts/detectors'), api(`${path}/work`)]);
  const select = choice(
    'Detector',
    detectors.map((d) => d.name),
    '',
    () => about(),
  );
  const params = h('input', {
    class: 'dl-input',
    'aria-label': 'Parameters',
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const hint = h('p', { class: 'dl-hint' });
  const state = h('div', { class: 'dl-cutstate', role: 'status' });
  const about = () => {
    const all = Object.entries(detectors.find((d) => d.name === select.value).params).map(
      ([name, value]) => `${name}=${value}`,
    );
    params.placeholder = all[0] || '';
    hint.textContent = `As they are: ${all.join(', ')}. Name only those to change.`;
  };
  const open = (id) => {
    dialog.close();
    compare(id).catch(report);
  };
  const go = button(
    'Look for cuts',
    async () => {
      go.disabled = true;
      try {
        const typed = params.value.trim();
        await api(`${path}/detect`, { detector: typed ? `${select.value}:${typed}` : select.value });
        await follow();
      } catch (error) {
        clear(state, h('span', { class: 'dl-is-failed' }, error.message));
      } finally {
        go.disabled = false;
      }
    },
    { kind: 'main', name: 'detect-cuts' },
  );
  const follow = async () => {
    const found = await watch(path, state, () => dialog.node.isConnected);
    if (found?.list && dialog.node.isConnected) open(found.list);
  };
  about();
  const earlier = known.map((d) =>
    h(
      'li',
      {},
      button(`${d.detector}${changed(d, detectors)}`, () => open(d.id), {
        kind: 'quiet',
        name: 'earlier-detection',
      }),
    ),
  );
  const dialog = openDialog(
    'Detect cuts again',
    [
      h('p', {}, 'Nothing is replaced: you see first what would be added, removed and moved.'),
      can('run')
        ? [h('div', { class: 'dl-cutform' }, select, params), hint, state]
        : h(
            'p',
            { class: 'dl-hint' },
            'A researcher can run a detector; you can compare with what was found before.',
          ),
      earlier.length ? [h('h3', {}, 'Found before'), h('ul', { class: 'dl-cutearlier' }, earlier)] : null,
    ]
      .flat()
      .filter(Boolean),
    can('run') ? [go] : [],
  );
  (can('run') ? select : dialog.node.querySelector('button')).focus();
  if (work.detection && ['waiting', 'running'].includes(work.detection.state)) follow().catch(report);
}

/** Parameters that are not as they come, in brackets. */
function changed(detection, detectors) {
  const usual = detectors.find((d) => d.name === detection.detector)?.params || {};
  const other = Object.entries(detection.params).filter(
    ([name, value]) => typeof value !== 'object' && usual[name] !== value,
  );
  return other.length ? ` (${other.map(([name, value]) => `${name}=${value}`).join(', ')})` : '';
}

/** Show how far a detection is until it is over; resolves to it, or to null when nobody looks any more. */
async function watch(path, state, looked) {
  const bar = h('i');
  const progress = h(
    'span',
    {
      class: 'dl-progress',
      role: 'progressbar',
      'aria-label': 'Looking for cuts',
      'aria-valuemin': '0',
      'aria-valuemax': '100',
    },
    bar,
  );
  const words = h('span', {}, 'waiting');
  clear(
    state,
    progress,
    words,
    button('Stop', () => api(`${path}/halt`, {}).catch(report), { name: 'stop-detection' }),
  );
  for (;;) {
    /** @type {CutWorkNow} */
    const { detection } = await api(`${path}/work`);
    if (!looked()) return null;
    if (!detection || !['waiting', 'running'].includes(detection.state)) {
      clear(state, detection?.state === 'done' ? null : h('span', {}, detection?.why || 'stopped'));
      return detection;
    }
    const share = detection.total ? Math.round((100 * detection.done) / detection.total) : 0;
    bar.style.width = `${share}%`;
    progress.setAttribute('aria-valuenow', String(share));
    words.textContent = detection.state === 'waiting' ? 'waiting' : `${share} %`;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** What a detection would change. `run`: {adopt(), again(), close(), person}. */
export class Comparison {
  /**
   * @param {CutsDifference} found
   * @param {import('../../../lib/player/player.js').Player} player
   * @param {any} run
   */
  constructor(found, player, run) {
    this.found = found;
    this.player = player;
    this.run = run;
    this.late = h(
      'p',
      { class: 'dl-whynot', hidden: true },
      'The cuts have changed since they were compared. ',
      button('Compare again', () => this.#leave(run.again), { kind: 'quiet' }),
    );
    this.node = h(
      'section',
      { class: 'dl-compare', 'aria-label': 'What this detection would change', tabindex: '-1' },
      this.#head(),
      this.late,
      this.#list(),
    );
    this.node.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') {
        event.preventDefault();
        event.stopPropagation();
        this.close();
      }
    });
    player.data.compare = found;
    player.draw();
  }

  get #changes() {
    return this.found.added.length + this.found.removed.length + this.found.moved.length;
  }

  #head() {
    const { found } = this;
    const use = button('Use these cuts', () => this.#adopt().catch(report), {
      kind: 'main',
      name: 'adopt-cuts',
    });
    return [
      h(
        'h2',
        {},
        `${found.detection.detector} finds ${plural(found.scenes, 'scene')}, here are ${found.scenes_now}`,
      ),
      h(
        'div',
        { class: 'dl-cutabout' },
        legend('added', `${found.added.length} added`),
        legend('removed', `${found.removed.length} removed`),
        legend('moved', `${found.moved.length} moved`),
        h('span', {}, `${found.same} the same`),
        h('span', { class: 'dl-grow' }),
        button('Keep the cuts', () => this.close(), { name: 'keep-cuts' }),
        can('edit') && this.#changes ? use : null,
      ),
    ];
  }

  #list() {
    const { added, removed, moved } = this.found;
    const whose = (cut) => (cut.by === 'person' ? ' · a person’s' : '');
    const rows = /** @type {Change[]} */ ([
      ...added.map((cut) => [cut.frame, '+', 'added', `${frameName(cut.frame)} · ${clock(cut.at_s)}`]),
      ...removed.map((cut) => [
        cut.frame,
        '×',
        'removed',
        `${frameName(cut.frame)} · ${clock(cut.at_s)}${whose(cut)}`,
      ]),
      ...moved.map((cut) => [
        cut.to,
        cut.to > cut.frame ? '→' : '←',
        'moved',
        `${frameName(cut.frame)} to ${frameName(cut.to)} (${cut.to > cut.frame ? '+' : '−'}${Math.abs(cut.to - cut.frame)})${whose(cut)}`,
      ]),
    ]).sort((a, b) => a[0] - b[0]);
    if (!rows.length) return h('p', { class: 'dl-hint' }, 'It finds the same cuts: nothing would change.');
    return h(
      'ul',
      { class: 'dl-cutchanges' },
      rows.map(([frame, sign, kind, words]) =>
        h(
          'li',
          {},
          h(
            'button',
            {
              type: 'button',
              class: `dl-cutchange dl-cutchange-${kind}`,
              title: 'to this frame',
              onclick: () => this.player.seek(frame),
            },
            h('b', {}, sign),
            ` ${kind} `,
            words,
          ),
        ),
      ),
    );
  }

  /** The list of changes can be walked through with Tab or the arrows of the browser. */
  focus() {
    (this.node.querySelector('.dl-cutchange') || this.node.querySelector('button')).focus();
  }

  outdated(base) {
    this.late.hidden = base === this.found.base;
  }

  async #adopt() {
    if (!this.found.scenes_now) return this.#leave(this.run.adopt);
    const lost = [...this.found.removed, ...this.found.moved].filter((cut) => cut.by === 'person').length;
    const words = [
      `${plural(this.#changes, 'cut')} would change. Texts stay with their scenes and are marked to be looked at again; undo brings the cuts back.`,
    ];
    if (lost)
      words.unshift(
        `${lost === 1 ? 'One of them was' : `${lost} of them were`} put there by ${this.run.person || 'a person'}.`,
      );
    return (await confirmed('Replace the cuts?', words, 'Replace them')) ? this.#leave(this.run.adopt) : null;
  }

  close() {
    void this.#leave(() => {});
  }

  async #leave(next) {
    delete this.player.data.compare;
    this.player.draw();
    this.run.close();
    await next();
  }
}
