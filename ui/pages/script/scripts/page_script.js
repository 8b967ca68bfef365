// Script: the player, and beside it the scene script, the five captions, and the speech.
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal, whenLeft, whileOpen } from '../../../lib/page/open_page.js';
import { batch, h, mount, signal } from '../../../lib/components/component.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { ASPECTS, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { CaptionState } from './caption_state.js';
import { CutTools } from './cut_state.js';
import { CutsWatch } from './cuts_watch.js';
import { onTheWay } from '../../../lib/keys/keymap.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { QueueBar } from '../../../lib/shell/assignment_bar.js';
import { EvidenceStrip, ofWords } from '../../../lib/player/evidence_strip.js';
import { SceneState } from './scene_state.js';
import { NoVideos, Right, TABS } from './script_view.js';
import { ScriptKeys } from './script_keys.js';
import { SpeechState } from './speech_state.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';
import { read } from '../../../lib/store/server_records.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ScriptPage']} ScriptData */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SceneFinding']} SceneFinding */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutEdits']} CutEdits */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VideoOrder']} VideoOrder */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PlayerData']} PlayerData */

/** @param {import('../../../lib/shell/top_bar.js').Frame} frame */
export async function show(frame) {
  await new ScriptPage(frame).start();
}

export class ScriptPage {
  /** @type {import('../../../lib/components/component.js').Signal<ScriptData | null>} */
  data = signal(null);
  /** @type {import('../../../lib/components/component.js').Signal<VideoOrder['videos']>} in the order of the Library */
  order = signal([]);
  tab = signal('script');
  /** @type {import('../../../lib/components/component.js').Signal<SceneState | CaptionState | SpeechState | null>} what the tab shows */
  part = signal(null);
  /** @type {import('../../../lib/player/player.js').Player} */
  player;
  /** @type {CutTools} */
  cuts;
  /** @type {CutsWatch} */
  watch;
  /** @type {Promise<void>} that the first video is here */
  begun;
  /** @type {Promise<unknown>} */
  renewing = Promise.resolve();
  /** @type {string | undefined} the video that is on its way */
  goal;
  /** @type {HTMLElement} of what the tab shows */
  panel;
  turn = 0;

  /** @param {import('../../../lib/shell/top_bar.js').Frame} frame */
  constructor(frame) {
    this.frame = frame;
    this.left = pane('dl-middle dl-scriptleft');
    this.right = pane('dl-scriptright');
    this.strip = new EvidenceStrip(
      { can: frame.can, me: () => frame.me.person?.id || '' },
      { next: 'script.where_next', previous: 'script.where_previous', title: 'frames for this sentence' },
    );
    this.queue = new QueueBar(frame, {
      flush: () => this.part.value.flush(),
      open: (id) => this.#openWork(id),
    });
    if (TABS.includes(address.get('tab'))) this.tab.value = address.get('tab');
    document.addEventListener(
      'dl-changed',
      (/** @type {CustomEvent} */ { detail }) => {
        const drawn = this.#changed(detail).catch(report);
        detail.until?.(drawn);
      },
      { signal: pageSignal() },
    );
    whenLeft(() => this.watch?.stop());
  }

  async start() {
    // What changes while the page is on its way is read once it is here.
    onChange(
      () => this.data.value?.video.id ?? address.get('video'),
      async () => {
        await this.begun.catch(() => null); // reported where the page is drawn
        if (this.data.value && !(await this.watch.look())) await this.#renew();
      },
    );
    this.begun = this.#begin();
    await this.begun;
  }

  async #begin() {
    const { frame } = this;
    // A link names its video: its data is on the way while the order of the others is fetched.
    const early = address.get('video') ? this.#script(address.get('video')) : null;
    early?.catch(() => null);
    await this.#sort();
    if (!this.order.value.length) {
      mount(frame.main, h(NoVideos, {}), pageSignal());
      return;
    }
    frame.main.classList.add('dl-two', 'dl-scriptpage');
    frame.main.replaceChildren(this.left, this.right);
    mount(this.right, h(Right, { page: this }), pageSignal());
    frame.search.placeholder = 'Search in this video';
    frame.search.addEventListener(
      'input',
      debounce(() => {
        address.set({ q: frame.search.value });
        this.#filter();
      }, 150),
    );
    frame.evaluation.onchange(() => this.#sort().catch(report));
    new ScriptKeys(this).bind();
    await onTheWay(this.#open(address.get('video') || this.order.value[0], { early }));
  }

  /**
   * @param {string} id
   * @returns {Promise<ScriptData>}
   */
  #script(id) {
    return read(`/api/script/${encodeURIComponent(id)}`, id);
  }

  /** The Library's order, which "next video" follows. */
  async #sort() {
    /** @type {VideoOrder} */
    const { videos, evaluation } = await read(
      `/api/videos?${new URLSearchParams({ evaluation: address.get('evaluation') })}`,
      '',
    );
    this.order.value = videos;
    this.frame.evaluation.show(evaluation);
  }

  /**
   * `tab` is shown with the new video: until it is here, the texts of the old one are on the page.
   * @param {string} id
   * @param {{early?: Promise<ScriptData> | null, tab?: string}} [more]
   */
  async #open(id, { early = null, tab = '' } = {}) {
    this.turn += 1;
    const { turn } = this;
    this.goal = id;
    await whileOpen(Promise.resolve(this.part.value?.flush()));
    const data = await (early || this.#script(id)).catch((error) => {
      this.goal = this.data.value?.video.id;
      throw error;
    });
    if (turn !== this.turn) return;
    this.watch?.stop();
    this.watch = new CutsWatch(id, data.cuts, () => this.#renew());
    address.set({ video: id });
    this.player = playerOf(data.player);
    this.player.addEventListener(
      'frame',
      (/** @type {CustomEvent<number>} */ event) => this.#follow(event.detail),
      { signal: pageSignal() },
    );
    batch(() => {
      this.data.value = data;
      this.cuts = this.#cutTools(id);
      this.#show(tab || this.tab.value);
    });
    this.left.replaceChildren(this.player.node, this.cuts.node);
    this.#start(this.player).catch(report);
    this.queue.show(id).catch(report);
  }

  /** @param {import('../../../lib/player/player.js').Player} player */
  async #start(player) {
    await player.start();
    if (player === this.player) this.#follow(player.index);
  }

  /** @param {number} by */
  step(by) {
    const to = this.order.value[this.order.value.indexOf(this.goal) + by];
    return to ? onTheWay(this.#leaveFor(to)).catch(report) : null;
  }

  /** @param {string} id */
  async #leaveFor(id) {
    await whileOpen(requireSaved());
    address.set({ scene: '', frame: '' });
    await this.#open(id);
  }

  // --- tabs -------------------------------------------------------------------------

  /** How much there is under each tab. */
  get counts() {
    const { player, captions } = this.data.value;
    return {
      script: player.scenes?.length || 0,
      speech: player.speech?.segments.length || 0,
      ...Object.fromEntries(ASPECTS.map((aspect) => [aspect, captions[`vdc:${aspect}`].length])),
    };
  }

  /** Something of the data was changed in place: what shows it follows. */
  changedHere() {
    this.data.value = { ...this.data.value };
  }

  /** @param {string} name of a tab */
  choose(name) {
    this.#show(name);
    this.panel.scrollTop = 0;
  }

  /** @param {string} name */
  #show(name) {
    const { player } = this.data.value;
    this.part.value?.flush().catch(report);
    this.strip.clear();
    address.set({ tab: name === 'script' ? '' : name });
    batch(() => {
      this.tab.value = name;
      this.part.value = this.#partOf(name);
      this.#filter();
    });
    if (this.player?.pts) this.#follow(this.player.index);
    else if (this.scenes && player.scenes?.length && !player.file)
      this.scenes.show(Math.min(player.scenes.length, Math.max(1, Number(address.get('scene')) || 1)) - 1);
  }

  /** @param {string} name */
  #partOf(name) {
    if (name === 'script') return new SceneState(this);
    if (name === 'speech') return new SpeechState(this);
    return new CaptionState(`vdc:${name}`, this);
  }

  /** What the tab of the scenes shows, while it is open. */
  get scenes() {
    return this.part.value instanceof SceneState ? this.part.value : null;
  }

  /** As `#scenes`, of speech. */
  get speech() {
    return this.part.value instanceof SpeechState ? this.part.value : null;
  }

  /** @returns {Promise<ScriptData['claims']>} */
  claims() {
    return api(`/api/script/${encodeURIComponent(this.data.value.video.id)}/claims`);
  }

  /** @returns {Promise<Object<string, SceneFinding[]>>} */
  findings() {
    return api(`/api/script/${encodeURIComponent(this.data.value.video.id)}/findings`);
  }

  /** @param {number} at the scene that was opened */
  opened(at) {
    address.set({ scene: at + 1 });
  }

  /** @param {string} key of a scene */
  looksRight(key) {
    return this.cuts.looksRight(key);
  }

  /** @param {KeyboardEvent} event on a tab */
  arrow(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    const name = TABS[(TABS.indexOf(this.tab.value) + by + TABS.length) % TABS.length];
    this.choose(name);
    this.right.querySelector(/** @type {'button'} */ (`[data-tab=${name}]`)).focus();
  }

  /** @param {number} index */
  #follow(index) {
    const { pts, end } = this.player;
    if (!this.data.value.player.file) return;
    this.scenes?.follow(index);
    if (pts) this.speech?.follow(pts[index], pts[index + 1] ?? end);
  }

  #filter() {
    this.part.value?.filter(this.frame.search.value);
  }

  /**
   * Others have changed something, the pipeline is through, or this person has `undone` a decision. What is being typed
   * stays. One after the other.
   * @returns {Promise<ScriptData['cuts'] | null>} the cuts that are shown now; null: somebody is typing, ask again
   */
  #renew(undone = false) {
    const renewed = this.renewing.catch(() => null).then(() => this.#renewNow(undone));
    this.renewing = renewed;
    return renewed;
  }

  async #renewNow(undone) {
    const { part, watch } = this;
    await part.value.flush();
    const { id } = this.data.value.video;
    /** @type {ScriptData} */
    const fresh = await api(`/api/script/${encodeURIComponent(id)}`);
    if (watch !== this.watch) return fresh.cuts;
    if ('busy' in part.value && part.value.busy) return null;
    const { player } = this.data.value;
    const { scenes = [], speech, proposal, screen_texts = [] } = fresh.player;
    const proposed = player.proposal && !proposal;
    const found = { scenes, speech, proposal, screen_texts };
    Object.assign(player, found);
    this.player.renew(found);
    batch(() => {
      this.data.value = { ...fresh, player };
      part.value.renewed(undone);
    });
    this.cuts.show(fresh.edits);
    if (proposed) notice(`${plural(scenes.length, 'scene')} found by the full pass replace the proposal.`);
    return fresh.cuts;
  }

  /** A decision was undone or redone: what it changed shows at once. */
  async #changed({ video }) {
    if (!this.data.value || (video && video !== this.data.value.video.id)) return;
    this.cuts.said.value = '';
    const cuts = await this.#renew(true);
    if (cuts) this.watch.shown = cuts;
  }

  // --- cuts -------------------------------------------------------------------------

  /** @param {string} id */
  #cutTools(id) {
    return new CutTools(id, this.data.value.edits, {
      player: this.player,
      flush: () => this.part.value.flush(),
      renew: () => this.watch.look(),
      measured: () => this.#measured(),
      remark: (/** @type {CutEdits} */ edits) => {
        this.data.value = { ...this.data.value, edits };
        this.cuts.show(edits);
      },
    });
  }

  /** Measurements came; nothing else on the page is touched. */
  async #measured() {
    const { player } = this;
    const { id } = this.data.value.video;
    /** @type {[PlayerData, ScriptData['claims']]} */
    const [fresh, claims] = await Promise.all([api(`/api/player/${encodeURIComponent(id)}`), this.claims()]);
    if (id !== this.data.value.video.id) return;
    for (const scene of player.data.scenes || []) {
      const found = fresh.scenes.find(
        (s) => s.key === scene.key && s.start === scene.start && s.end === scene.end,
      );
      if (found) scene.measurements = found.measurements;
    }
    this.data.value = { ...this.data.value, claims };
    player.draw();
    this.scenes?.recheck();
  }

  /** The next video of my queue begins where its task does. @param {string} id */
  async #openWork(id) {
    await this.part.value.flush();
    await this.#open(id, { tab: address.get('task') === 'captions' ? ASPECTS[0] : 'script' });
  }

  /** The frames for a sentence of a caption; asked again, the next one. @param {number} by @param {string} words */
  async where(by, words) {
    const { player, video } = this.data.value;
    if (!player.file) throw new Refused('There is no video file here.');
    if (!words) throw new Refused('Put the caret into a sentence of a caption first.');
    const path = ofWords(video.id, words);
    if (path === this.strip.path && this.player === this.strip.player) {
      await this.strip.step(by);
      return;
    }
    await this.strip.ask(path);
    await this.strip.show(this.player, { path });
  }
}

/** @param {string} names */
function pane(names) {
  const node = document.createElement('div');
  node.className = `dl-pane ${names}`;
  return node;
}
