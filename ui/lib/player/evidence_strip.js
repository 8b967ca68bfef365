// The frames that matter for the open question, or for a sentence of a caption, each with its reasons; pins; below
// them one picture per scene.
import { batch, h, mount, signal } from '../components/component.js';
import { keyHint } from '../components/small_components.js';
import { pageSignal } from '../page/open_page.js';
import { h as element } from '../parts/elements.js';
import { notice, Refused } from '../parts/notices.js';
import { clock, frameName } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { read } from '../store/server_records.js';

const LONGEST = 2000; // letters that the route takes
const WAIT_MS = 400; // an unmeasured video is looked at first: the question does not wait for it

/** @typedef {import('../wire.d.ts').components['schemas']['QuestionEvidence']} Evidence */
/** @typedef {import('../wire.d.ts').components['schemas']['EvidenceRow']} Row */
/** @typedef {import('./player.js').Player} Player */

/** @param {string} id of a verdict on an answer */
export const ofVerdict = (id) => `/api/verdicts/${encodeURIComponent(id)}/evidence`;

/** @param {string} videoId @param {string} words a sentence, or a question @param {string} [answer] */
export const ofWords = (videoId, words, answer = '') => {
  const asked = new URLSearchParams({ words: words.slice(0, LONGEST), answer: answer.slice(0, LONGEST) });
  return `/api/videos/${encodeURIComponent(videoId)}/evidence?${asked}`;
};

export class EvidenceStrip {
  /** @type {Evidence} */
  evidence = { frames: [], found: false, scenes: [] };
  /** @type {Player | null} */
  player = null;
  /** @type {Promise<unknown>} */
  ready = Promise.resolve();
  path = ''; // of what is shown
  /** @type {number | undefined} */
  stood; // the frame on the screen when frames were asked for
  played = false; // whether it played then
  /** @type {number | undefined} */
  went; // the frame that the strip itself went to last, maybe after the next frames were asked for
  questionId = ''; // '' where there is nothing to pin frames to
  /** @type {import('../components/component.js').Signal<Evidence & {waiting?: string}>} what is shown */
  drawn = signal(this.evidence);
  /** The place of the frame on the screen among those that are shown, and its scene. */
  at = signal(-1);
  /** @type {import('../components/component.js').Signal<number | undefined>} */
  scene = signal(undefined);

  /**
   * @param {{can: (action: string) => boolean, me: () => string}} page `me`: the id of who is here
   * @param {{next: string, previous: string, title?: string}} words keys that step, and the heading
   */
  constructor(page, { next, previous, title = 'frames for this question' }) {
    this.page = page;
    this.keys = { next, previous };
    this.title = title;
    this.label = title[0].toUpperCase() + title.slice(1);
    this.node = element('section', { class: 'dl-evidence', 'aria-label': this.label });
    mount(this.node, h(Strip, { strip: this }), pageSignal());
    this.moved = () => this.#mark();
  }

  /**
   * Asks for the frames; resolves when they are here, or are not within a moment.
   * @param {string} path the route: `ofVerdict` or `ofWords`
   */
  async ask(path) {
    this.asked = path;
    this.#stands(this.player); // whoever moves on, or plays, before the frames are here stays there
    const answer = read(path, '');
    this.ready = answer.then((evidence) => this.#take(path, evidence));
    this.ready.catch(() => {}); // said where it is shown
    await Promise.race([answer.catch(() => {}), new Promise((late) => setTimeout(late, WAIT_MS))]);
  }

  /** @param {Player | null} player */
  #stands(player) {
    this.stood = player?.index;
    this.played = Boolean(player?.shuttle?.playing);
  }

  /** @param {string} path @param {Evidence} evidence */
  #take(path, evidence) {
    if (this.asked !== path) return;
    this.evidence = evidence;
    this.here = path;
  }

  /**
   * Draws the frames that were asked for, and goes to the first one.
   * @param {Player} player
   * @param {{path: string, questionId?: string, stay?: boolean}} about `stay`: the player is where it should be
   */
  async show(player, { path, questionId = '', stay = false }) {
    const again = this.path === path && this.player === player;
    if (this.player !== player) this.#stands(player);
    const { stood, played } = this;
    this.player?.removeEventListener('frame', this.moved);
    Object.assign(this, { player, path, questionId });
    player.addEventListener('frame', this.moved);
    player.node.after(this.node);
    if (this.here !== path) this.#draw('looking for frames');
    await this.ready;
    if (this.path !== path || this.here !== path || this.player !== player) return;
    this.#draw();
    const [first] = this.evidence.frames;
    const moved = player.shuttle?.playing ? !played : ![stood, this.went].includes(player.index);
    if (!first || stay || again || moved) return;
    this.went = first.frame;
    await player.seek(first.frame);
  }

  /** Nothing is asked any more. */
  clear() {
    this.path = '';
    this.asked = '';
    this.node.remove();
  }

  /** @param {string} [waiting] */
  #draw(waiting = '') {
    const shown = waiting ? { frames: [], found: true, scenes: [], waiting } : { ...this.evidence };
    this.node.hidden = !waiting && !shown.frames.length && !shown.scenes.length;
    batch(() => {
      this.drawn.value = shown;
      this.#mark();
    });
  }

  /** The frame and the scene on the screen are outlined; the heading says which frame of how many. */
  #mark() {
    const { player } = this;
    this.at.value = this.drawn.peek().frames.findIndex((row) => row.frame === player?.index);
    this.scene.value = player?.data.file ? player.sceneAt(player.index)?.index : undefined;
  }

  /** @param {number} by */
  async step(by) {
    await this.ready;
    const { frames } = this.evidence;
    if (!frames.length || !this.player?.data.file) throw new Refused(`There are no ${this.title}.`);
    const at = frames.findIndex((row) => row.frame === this.player.index);
    const to = at < 0 ? (by > 0 ? 0 : frames.length - 1) : (at + by + frames.length) % frames.length;
    await this.player.seek(frames[to].frame);
    // The picture last: where both have no room it is the one that stays in sight.
    this.node.querySelectorAll('.dl-evidence-frame')[to]?.scrollIntoView({ block: 'nearest' });
    this.player.screen.scrollIntoView({ block: 'nearest' });
  }

  /** Pins the frame on the screen to the question, or takes the pin back. @param {number} [frame] */
  async pin(frame = this.player?.index) {
    if (!this.questionId) throw new Refused('The log names no question here.');
    if (!this.player?.data.file || frame === undefined) throw new Refused('There is no video file here.');
    if (!this.page.can('edit')) throw new Refused('Only people who may edit pin frames.');
    const { path, questionId } = this;
    await this.ready;
    if (this.here !== path) throw new Refused('Another question is shown by now: nothing was pinned.');
    const row = this.evidence.frames.find((one) => one.frame === frame);
    const pinned = !row?.pinned.some((one) => one.person === this.page.me());
    await api(`/api/questions/${encodeURIComponent(questionId)}/pins`, { frame, pinned });
    notice(`${pinned ? 'Pinned' : 'Unpinned'} frame ${frameName(frame)}`);
    if (this.path !== path) return;
    await this.ask(path);
    await this.ready;
    if (this.path === path) this.#draw();
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{strip: EvidenceStrip}} props */
function Strip({ strip }) {
  const { frames, found, scenes, waiting } = strip.drawn.value;
  const at = strip.at.value;
  return [
    h(
      'h2',
      null,
      `${strip.title} `,
      h(
        'span',
        { class: 'dl-evidence-place', role: 'status' },
        frames.length ? `${at < 0 ? '–' : at + 1}/${frames.length}` : '',
      ),
      waiting ? h('span', { class: 'dl-hint' }, waiting) : null,
      h('span', { class: 'dl-grow' }),
      frames.length ? [keyHint(strip.keys.previous), keyHint(strip.keys.next)] : null,
    ),
    found || !frames.length
      ? null
      : h('p', { class: 'dl-hint' }, 'no source points to a place: one frame per scene, in order'),
    h(
      'div',
      { class: 'dl-evidence-frames', role: 'group', 'aria-label': strip.label },
      frames.map((row, n) => evidenceFrame(strip, row, found, n === at)),
    ),
    scenes.length > 1 ? h(Scenes, { strip, scenes }) : null,
  ];
}

/** @param {EvidenceStrip} strip @param {Row} row @param {boolean} found @param {boolean} current */
function evidenceFrame(strip, row, found, current) {
  const me = strip.page.me();
  const mine = row.pinned.some((one) => one.person === me);
  const others = row.pinned.filter((one) => one.person !== me).map((one) => one.by);
  const pins = [mine ? 'pinned by you' : null, others.length ? `pinned by ${others.join(', ')}` : null];
  const reasons = [...pins.filter(Boolean), ...(found ? row.reasons : [])];
  const why = reasons.join(' · ');
  const { frame, at_s: time } = row;
  return h(
    'div',
    { key: frame, class: 'dl-evidence-frame', 'data-frame': frame, 'aria-current': current },
    h(
      'button',
      {
        type: 'button',
        class: 'dl-thumb',
        title: why || `Frame ${frame}`,
        'aria-label': `Frame ${frame}${why ? `: ${why}` : ''}`,
        onClick: () => strip.player.seek(frame),
      },
      h('img', { src: `/media/${strip.player.data.id}/strip/${frame}.jpg`, alt: '' }),
      h('span', null, frameName(frame), time === null ? '' : ` · ${clock(time)}`),
    ),
    reasons.map((words) => h('span', { key: words, class: 'dl-evidence-why' }, words)),
    strip.questionId && strip.page.can('edit')
      ? h(
          'button',
          {
            type: 'button',
            class: 'dl-choice dl-evidence-pin',
            'aria-pressed': mine,
            'aria-label': `${mine ? 'Unpin' : 'Pin'} frame ${frame}`,
            onClick: () => strip.pin(frame),
          },
          mine ? 'pinned' : 'pin',
        )
      : null,
  );
}

/** @param {{strip: EvidenceStrip, scenes: Evidence['scenes']}} props */
function Scenes({ strip, scenes }) {
  const here = strip.scene.value;
  return [
    h('h2', null, `all scenes · ${scenes.length}`),
    h(
      'div',
      { class: 'dl-evidence-scenes', role: 'group', 'aria-label': 'All scenes' },
      scenes.map(({ scene, frame }) =>
        h(
          'button',
          {
            key: scene,
            type: 'button',
            class: 'dl-thumb',
            'data-scene': scene,
            'aria-label': `Scene ${scene + 1}`,
            title: `Scene ${scene + 1}`,
            'aria-current': scene === here,
            onClick: () => strip.player.seek(frame),
          },
          h('img', { src: `/media/${strip.player.data.id}/strip/${frame}.jpg`, alt: '', loading: 'lazy' }),
          h('span', null, scene + 1),
        ),
      ),
    ),
  ];
}
