// Script: the player, and beside it the scene script, the five captions, and the speech.
import { address } from '../../../lib/page/address.js';
import { debounce, pageSignal, whenLeft, whileOpen } from '../../../lib/page/open_page.js';
import { h, icon } from '../../../lib/parts/elements.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { aspectName, ASPECTS, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { toLibrary } from '../../../lib/parts/empty.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { CaptionTab } from './caption_tab.js';
import { CutTools, cutRuns } from './cut_buttons.js';
import { CutsWatch } from './cuts_watch.js';
import { bindKeys, keyText, onTheWay, wanted } from '../../../lib/keys/keymap.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { playerRuns } from '../../../lib/player/player.js';
import { QueueBar } from '../../../lib/shell/assignment_bar.js';
import { EvidenceStrip, ofWords } from '../../../lib/player/evidence_strip.js';
import { SceneCards } from './scene_cards.js';
import { SpeechTab } from './speech_tab.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';
import { read } from '../../../lib/store/server_records.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ScriptPage']} Script */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SceneFinding']} SceneFinding */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutEdits']} CutEdits */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutsNow']} CutsNow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VideoOrder']} VideoOrder */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PlayerData']} PlayerData */
/** @typedef {Script & {findings?: Object<string, SceneFinding[]>}} ScriptData the findings come later */

const TABS = ['script', ...ASPECTS, 'speech'];
const CLICK_MS = 400; // a button that is being clicked stays until then

export async function show(frame) {
  await new ScriptPage(frame).start();
}

class ScriptPage {
  /** @type {ScriptData} */
  data;
  /** @type {VideoOrder['videos']} */
  order;
  /** @type {Promise<void>} that the first video is here */
  begun;
  behind = false; // others have changed something that is not shown yet

  constructor(frame) {
    this.frame = frame;
    this.left = h('div', { class: 'dl-pane dl-middle dl-scriptleft' });
    this.head = h('header', { class: 'dl-scripthead' });
    this.tabs = h('div', {
      class: 'dl-tabs',
      role: 'tablist',
      'aria-label': 'Texts of this video',
      onkeydown: (event) => this.#tabKeys(event),
    });
    this.panel = h('div', {
      class: 'dl-tabpanel',
      role: 'tabpanel',
      id: 'dl-tabpanel',
      tabindex: '-1',
      onfocusout: ({ relatedTarget }) => {
        if (!this.panel.contains(relatedTarget)) setTimeout(() => this.#handsOff().catch(report), CLICK_MS);
      },
    });
    this.strip = new EvidenceStrip(
      { can: frame.can, me: () => frame.me.person?.id || '' },
      { next: 'script.where_next', previous: 'script.where_previous', title: 'frames for this sentence' },
    );
    this.queue = new QueueBar(frame, {
      flush: () => this.part.flush(),
      open: (id) => this.#openWork(id),
    });
    this.right = h(
      'div',
      { class: 'dl-pane dl-scriptright' },
      h('div', {}, this.head, this.queue.node),
      this.tabs,
      this.panel,
    );
    this.tab = TABS.includes(address.get('tab')) ? address.get('tab') : 'script';
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
      () => this.data?.video.id ?? address.get('video'),
      async () => {
        await this.begun.catch(() => null); // reported where the page is drawn
        if (this.data) await this.#others();
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
    if (!this.order.length) {
      this.#noVideos();
      return;
    }
    frame.main.classList.add('dl-two', 'dl-scriptpage');
    frame.main.replaceChildren(this.left, this.right);
    frame.search.placeholder = 'Search in this video';
    frame.search.addEventListener(
      'input',
      debounce(() => {
        address.set({ q: frame.search.value });
        this.#filter();
      }, 150),
    );
    frame.evaluation.onchange(() =>
      this.#sort()
        .then(() => this.#head())
        .catch(report),
    );
    this.#keys();
    await onTheWay(this.#open(address.get('video') || this.order[0], { early }));
  }

  /**
   * @param {string} id
   * @returns {Promise<Script>}
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
    this.order = videos;
    this.frame.evaluation.show(evaluation);
  }

  #noVideos() {
    this.frame.main.replaceChildren(
      h(
        'div',
        { class: 'dl-empty dl-welcome' },
        h('h1', {}, 'No videos yet'),
        h(
          'p',
          {},
          'Add one in the Library; its script, captions and speech are then written and corrected here.',
        ),
        toLibrary('Add videos'),
      ),
    );
  }

  /** `tab` is shown with the new video: until it is here, the texts of the old one are on the page. */
  async #open(id, { early = null, tab = '' } = {}) {
    this.turn = (this.turn || 0) + 1;
    const { turn } = this;
    this.goal = id;
    await whileOpen(Promise.resolve(this.part?.flush()));
    const data = await (early || this.#script(id)).catch((error) => {
      this.goal = this.data?.video.id;
      throw error;
    });
    if (turn !== this.turn) return;
    this.data = data;
    this.behind = false;
    this.watch?.stop();
    this.watch = new CutsWatch(id, data.cuts, () => this.#renew());
    address.set({ video: id });
    this.player = playerOf(data.player);
    this.player.addEventListener(
      'frame',
      (/** @type {CustomEvent<number>} */ event) => this.#follow(event.detail),
      { signal: pageSignal() },
    );
    this.cuts = this.#cutTools(id);
    this.left.replaceChildren(this.player.node, this.cuts.node);
    this.#head();
    this.#drawTabs();
    this.#show(tab || this.tab);
    this.#start(this.player).catch(report);
    this.queue.show(id).catch(report);
  }

  async #start(player) {
    await player.start();
    if (player === this.player) this.#follow(player.index);
  }

  #head() {
    const { video, player } = this.data;
    const at = this.order.indexOf(video.id);
    const gone = player.scenes?.filter((scene) => scene.missing).length;
    const step = (by, sign, words, key) =>
      h(
        'button',
        {
          type: 'button',
          class: 'dl-button dl-button-quiet',
          disabled: !this.order[at + by],
          'aria-label': words,
          title: `${words} (${keyText(key)})`,
          onclick: () => this.#step(by),
        },
        icon(sign),
      );
    this.head.replaceChildren(
      h(
        'div',
        { class: 'dl-scripttitle' },
        h('h1', { title: video.title }, video.title),
        h(
          'span',
          { class: 'dl-hint' },
          [
            video.category,
            player.scenes ? plural(player.scenes.length, 'scene') : null,
            gone ? `${plural(gone, 'clip')} missing` : null,
            `video ${at + 1} of ${this.order.length}`,
          ]
            .filter(Boolean)
            .join(' · '),
        ),
        this.watch.node,
      ),
      h(
        'span',
        { class: 'dl-stepper' },
        step(-1, 'back', 'Previous video', 'videos.previous'),
        step(1, 'next', 'Next video', 'videos.next'),
      ),
    );
  }

  #step(by) {
    const to = this.order[this.order.indexOf(this.goal) + by];
    return to ? onTheWay(this.#leaveFor(to)).catch(report) : null;
  }

  async #leaveFor(id) {
    await whileOpen(requireSaved());
    address.set({ scene: '', frame: '' });
    await this.#open(id);
  }

  // --- tabs -------------------------------------------------------------------------

  #drawTabs() {
    const counts = this.#counts();
    this.tabs.replaceChildren(
      ...TABS.map((name) =>
        h(
          'button',
          {
            type: 'button',
            class: 'dl-tab',
            role: 'tab',
            id: `dl-tab-${name}`,
            'aria-controls': 'dl-tabpanel',
            title: `${tabHint(name, counts[name])} (${keyText(`script.tab_${name}`)})`,
            'data-tab': name,
            onclick: () => this.#show(name),
          },
          aspectName(name),
          h('small', { 'aria-hidden': 'true' }, counts[name]),
        ),
      ),
    );
  }

  #drawCounts() {
    const counts = this.#counts();
    for (const tab of this.tabs.children) tab.querySelector('small').textContent = counts[tab.dataset.tab];
  }

  #counts() {
    const { player, captions } = this.data;
    return {
      script: player.scenes?.length || 0,
      speech: player.speech?.segments.length || 0,
      ...Object.fromEntries(ASPECTS.map((aspect) => [aspect, captions[`vdc:${aspect}`].length])),
    };
  }

  #show(name) {
    this.part?.flush().catch(report);
    this.tab = name;
    this.strip.clear();
    address.set({ tab: name === 'script' ? '' : name });
    for (const tab of this.tabs.children) {
      const on = tab.dataset.tab === name;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
    }
    this.panel.setAttribute('aria-labelledby', `dl-tab-${name}`);
    this.part = this.#part(name);
    this.panel.replaceChildren(this.part.node);
    this.panel.scrollTop = 0;
    this.#filter();
    if (this.player?.pts) this.#follow(this.player.index);
    else if (name === 'script' && this.data.player.scenes?.length && !this.data.player.file)
      this.#cards.show(
        Math.min(this.#cards.scenes.length, Math.max(1, Number(address.get('scene')) || 1)) - 1,
      );
  }

  /** What the tab of the scenes shows, while it is open. */
  get #cards() {
    return /** @type {SceneCards} */ (this.part);
  }

  /** As `#cards`, of speech. */
  get #speech() {
    return /** @type {SpeechTab} */ (this.part);
  }

  #part(name) {
    const page = {
      can: this.frame.can,
      player: this.player,
      written: () => this.#drawCounts(),
      claims: () => api(`/api/script/${encodeURIComponent(this.data.video.id)}/claims`),
      findings: () => api(`/api/script/${encodeURIComponent(this.data.video.id)}/findings`),
      opened: (at) => address.set({ scene: at + 1 }),
      looksRight: (key) => this.cuts.looksRight(key),
      where: (by, words) => this.#where(by, words),
    };
    if (name === 'script') return new SceneCards(this.data, page);
    if (name === 'speech')
      return new SpeechTab(this.data.player.speech || { heard: false, segments: [], gaps: [] }, page);
    return new CaptionTab(`vdc:${name}`, this.data.captions[`vdc:${name}`], page, this.frame.me.person);
  }

  #tabKeys(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#show(TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length]);
    this.tabs.querySelector('[aria-selected=true]').focus();
  }

  #follow(index) {
    if (!this.data.player.file) return;
    if (this.tab === 'script') this.#cards?.follow(index);
    if (this.tab === 'speech' && this.player.pts)
      this.#speech?.follow(this.player.pts[index], this.player.pts[index + 1] ?? this.player.end);
  }

  #filter() {
    this.part?.filter(this.frame.search.value);
  }

  /**
   * The pipeline found other scenes, or is through. Frame, scrolling and what is being typed stay.
   * One after the other: of two at once, the second would find the first's cards and give up.
   */
  #renew(undone = false) {
    this.renewing = (this.renewing || Promise.resolve()).catch(() => null).then(() => this.#renewNow(undone));
    return this.renewing;
  }

  async #renewNow(undone) {
    const { part, data, watch } = this;
    await part.flush();
    /** @type {Script} */
    const fresh = await api(`/api/script/${encodeURIComponent(data.video.id)}`);
    if (watch !== this.watch) return fresh.cuts;
    if (part !== this.part || ('busy' in part && part.busy)) return null;
    if (!undone && this.#reads()) {
      this.behind = true;
      return null;
    }
    const proposed = data.player.proposal && !fresh.player.proposal;
    const { scenes = [], speech, proposal, screen_texts = [] } = fresh.player;
    const kept = !undone && this.tab !== 'script' && this.#touched();
    const heard = kept && this.tab === 'speech' ? data.player.speech : speech;
    const found = { scenes, proposal, screen_texts, speech: heard };
    const kind = `vdc:${this.tab}`;
    const captions =
      kept && data.captions[kind] ? { ...fresh.captions, [kind]: data.captions[kind] } : fresh.captions;
    Object.assign(data, { script: fresh.script, claims: fresh.claims, edits: fresh.edits, captions });
    Object.assign(data.player, found);
    this.player.renew(found);
    this.cuts.show(fresh.edits);
    this.#head();
    this.#drawCounts();
    if (!kept) this.#swap(part);
    if (proposed) notice(`${plural(scenes.length, 'scene')} found by the full pass replace the proposal.`);
    return fresh.cuts;
  }

  /** A decision was undone or redone: what it changed shows at once. */
  async #changed({ video }) {
    if (!this.data || (video && video !== this.data.video.id)) return;
    this.cuts.said.textContent = '';
    const cuts = await this.#renew(true);
    if (cuts) this.watch.shown = cuts;
  }

  /** Others have changed something: what they cut shows in any case, the rest where nobody has a hand in it. */
  async #others() {
    const renewed = await this.watch.look();
    this.behind = this.#touched() || ('busy' in this.part && this.part.busy);
    if (!renewed && !this.behind) await this.#renew();
  }

  /** A text is left: what others changed while it was open shows now. */
  async #handsOff() {
    if (!this.behind) return;
    await this.part.flush();
    await this.#others();
  }

  /** Where somebody writes, or reads the history or the differences of a text, nothing is redrawn. */
  #touched() {
    const { activeElement: focused } = document;
    const writes = this.panel.contains(focused) && !focused.matches('button, a');
    return writes || this.#reads() || this.part.editors.some((editor) => editor.unsaved);
  }

  #reads() {
    return this.panel.querySelector('.dl-below[data-open], .dl-below > *') !== null;
  }

  #swap(old) {
    const place = old.place?.();
    const { scrollTop } = this.panel;
    this.part = this.#part(this.tab);
    this.panel.replaceChildren(this.part.node);
    this.#filter();
    this.panel.scrollTop = scrollTop;
    if (place) this.#cards.restore(place, this.player.index, this.panel);
    else this.#follow(this.player.index);
  }

  // --- cuts -------------------------------------------------------------------------

  #cutTools(id) {
    return new CutTools(id, this.data.edits, {
      player: this.player,
      flush: () => this.part.flush(),
      renew: () => this.watch.look(),
      measured: () => this.#measured(),
      remark: (/** @type {CutEdits} */ edits) => {
        this.data.edits = edits;
        this.cuts.show(edits);
        if ('remark' in this.part) this.part.remark();
      },
    });
  }

  /** Measurements came; nothing else on the page is touched. */
  async #measured() {
    const { data, player } = this;
    const id = encodeURIComponent(data.video.id);
    /** @type {[PlayerData, Script['claims']]} */
    const [fresh, claims] = await Promise.all([api(`/api/player/${id}`), api(`/api/script/${id}/claims`)]);
    if (data !== this.data) return;
    for (const scene of player.data.scenes || []) {
      const found = fresh.scenes.find(
        (s) => s.key === scene.key && s.start === scene.start && s.end === scene.end,
      );
      if (found) scene.measurements = found.measurements;
    }
    data.claims = claims;
    player.draw();
    if (this.tab === 'script') this.#cards.remeasured();
  }

  // --- keys -------------------------------------------------------------------------

  /** The caret goes into the text; where cuts are being changed, into that of the scene that is here then. */
  async #edit(kind = undefined, only = '') {
    if (only && this.tab !== only)
      throw new Refused(`Open the scene script first (${keyText(`script.tab_${only}`)}).`);
    if (!this.frame.can('edit')) throw new Refused('Only people who may edit can write here.');
    this.player?.catchUp();
    const still = wanted();
    if (this.cuts.changing) await this.cuts.changing;
    if (this.renewing) await this.renewing;
    if (still()) this.part.focus(kind);
  }

  async #saveAndNext() {
    this.player?.catchUp();
    if (this.cuts.changing) await this.cuts.changing;
    if (this.#atLast()) await this.#nextVideo();
    else if (this.tab === 'script') await this.#cards.next();
    else if (this.tab === 'speech') await this.#speech.next();
    else {
      await requireSaved();
      this.#show(TABS[TABS.indexOf(this.tab) + 1]);
      this.part.focus();
    }
  }

  /** In the last field of the last scene, or the last line of speech; where captions are the work, the last of them. */
  #atLast() {
    if (this.tab === 'script') return this.#cards.atLast;
    if (this.tab === 'speech') return this.#speech.atLast;
    return this.queue.work?.task === 'captions' && this.tab === ASPECTS.at(-1);
  }

  /** The next video of my queue begins where its task does. */
  async #openWork(id) {
    await this.part.flush();
    await this.#open(id, { tab: address.get('task') === 'captions' ? ASPECTS[0] : 'script' });
  }

  /** After the last scene: the work here is done, and the next of my queue opens; without one, the next video. */
  async #nextVideo() {
    const { id } = this.data.video;
    await onTheWay(requireSaved());
    if (!(await this.queue.done())) await this.#step(1);
    if (this.data.video.id === id) throw new Refused('This was the end, and no other video comes after it.');
    throw new Refused(
      `The video before is through. This is “${this.data.video.title}”: ${keyText('script.edit')} writes.`,
    );
  }

  #scene(by) {
    if (this.tab === 'speech') this.#speech.step(by);
    else if (this.data.player.file) this.player.stepScene(by);
    else if (this.tab === 'script') this.#cards.show(this.#cards.open + by);
    else
      throw new Refused(
        `There are no pictures to go through here; ${keyText('script.tab_script')} shows the scenes.`,
      );
  }

  /** The frames for a sentence of a caption; asked again, the next one. */
  async #where(by, words) {
    if (!this.data.player.file) throw new Refused('There is no video file here.');
    if (!words) throw new Refused('Put the caret into a sentence of a caption first.');
    const path = ofWords(this.data.video.id, words);
    if (path === this.strip.path && this.player === this.strip.player) {
      await this.strip.step(by);
      return;
    }
    await this.strip.ask(path);
    await this.strip.show(this.player, { path });
  }

  #sentence() {
    return this.part instanceof CaptionTab ? this.part.sentence() : '';
  }

  #nextFinding() {
    if (this.tab !== 'script') this.#show('script');
    if (!this.#cards.nextFinding()) notice('No open finding in this script.');
  }

  #keys() {
    bindKeys(
      'script',
      {
        next_scene: () => this.#scene(1),
        previous_scene: () => this.#scene(-1),
        edit: () => this.#edit(),
        edit_camera: () => this.#edit('script:camera_movement', 'script'),
        next_finding: () => this.#nextFinding(),
        where_next: () => this.#where(1, this.#sentence()),
        where_previous: () => this.#where(-1, this.#sentence()),
        ...Object.fromEntries(TABS.map((name) => [`tab_${name}`, () => this.#show(name)])),
        save_next: () => this.#saveAndNext(),
        ...SpeechTab.runs(() => {
          if (this.tab !== 'speech')
            throw new Refused(`Open the speech first (${keyText('script.tab_speech')}).`);
          return this.part;
        }),
      },
      () => Boolean(this.data),
    );
    bindKeys(
      'script',
      cutRuns(() => this.cuts),
      () => Boolean(this.data),
    );
    bindKeys('videos', { next: () => this.#step(1), previous: () => this.#step(-1) });
    bindKeys(
      'player',
      playerRuns(
        () => this.player,
        () => (this.tab === 'script' ? this.#cards?.scene : undefined),
      ),
    );
    bindKeys('queue', this.queue.runs());
  }
}

function tabHint(name, count) {
  if (name === 'script') return count === undefined ? 'scene script' : plural(count, 'scene');
  if (name === 'speech') return count === undefined ? 'speech' : plural(count, 'segment');
  return count === undefined
    ? `${aspectName(name)} caption`
    : `${aspectName(name)} caption: ${plural(count, 'author')}`;
}
