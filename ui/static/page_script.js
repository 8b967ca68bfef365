// Script: the player, and beside it the scene script, the five captions, and the speech.
import { address, api, aspectName, ASPECTS, button, debounce, h, icon, notice, plural, report } from './core.js';
import { CaptionTab } from './caption_tab.js';
import { CutTools, cutRuns } from './cut_tools.js';
import { CutsWatch } from './cuts_watch.js';
import { draftKey, keepDraft } from './drafts.js';
import { bindKeys, keyText, onTheWay } from './keymap.js';
import { Player, playerRuns } from './player.js';
import { QueueBar } from './queue_bar.js';
import { SceneCards } from './scene_cards.js';
import { SpeechTab } from './speech_tab.js';

const TABS = ['script', ...ASPECTS, 'speech'];

export async function show(frame) {
  await new ScriptPage(frame).start();
}

class ScriptPage {
  constructor(frame) {
    this.frame = frame;
    this.left = h('div', { class: 'dl-pane dl-middle dl-scriptleft' });
    this.head = h('header', { class: 'dl-scripthead' });
    this.tabs = h('div', { class: 'dl-tabs', role: 'tablist', 'aria-label': 'Texts of this video', onkeydown: (event) => this.#tabKeys(event) });
    this.panel = h('div', { class: 'dl-tabpanel', role: 'tabpanel', id: 'dl-tabpanel', tabindex: '-1' });
    this.queue = new QueueBar(frame, 'script', { flush: () => this.part.flush(), open: (id) => this.#openWork(id) });
    this.right = h('div', { class: 'dl-pane dl-scriptright' }, h('div', {}, this.head, this.queue.node), this.tabs, this.panel);
    this.tab = TABS.includes(address.get('tab')) ? address.get('tab') : 'script';
    document.addEventListener('dl-changed', (event) => this.#changed(event.detail).catch(report));
  }

  async start() {
    const { frame } = this;
    // A link names its video: its data is on the way while the order of the others is fetched.
    const early = address.get('video') ? this.#script(address.get('video')) : null;
    early?.catch(() => null);
    await this.#sort();
    if (!this.order.length) { this.#noVideos(); return; }
    frame.main.classList.add('dl-two', 'dl-scriptpage');
    frame.main.replaceChildren(this.left, this.right);
    frame.search.placeholder = 'Search in this video';
    frame.search.addEventListener('input', debounce(() => { address.set({ q: frame.search.value }); this.#filter(); }, 150));
    frame.evaluation.onchange(() => this.#sort().then(() => this.#head()).catch(report));
    this.#keys();
    await onTheWay(this.#open(address.get('video') || this.order[0].id, early));
  }

  #script(id) { return api(`/api/script/${encodeURIComponent(id)}`); }

  /** The Library's order, which "next video" follows. */
  async #sort() {
    const { videos, evaluation } = await api(`/api/videos?${new URLSearchParams({ evaluation: address.get('evaluation') })}`);
    this.order = videos;
    this.frame.evaluation.show(evaluation);
  }

  #noVideos() {
    this.frame.main.replaceChildren(h('div', { class: 'dl-empty dl-welcome' }, h('h1', {}, 'No videos yet'), h('p', {}, 'Add one in the Library; its script, captions and speech are then written and corrected here.'), h('a', { class: 'dl-button dl-button-main', href: '/' }, 'To the Library')));
  }

  async #open(id, early = null) {
    const turn = (this.turn = (this.turn || 0) + 1);
    this.goal = id;
    await this.part?.flush();
    const data = await (early || this.#script(id));
    if (turn !== this.turn) return;
    this.player?.video?.pause();
    this.data = data;
    this.watch?.stop();
    this.watch = new CutsWatch(id, data.cuts, () => this.#renew());
    this.typed = new Map();
    address.set({ video: id });
    this.player = new Player(data.player);
    this.player.addEventListener('frame', (event) => this.#follow(event.detail));
    this.cuts = this.#cutTools(id);
    this.left.replaceChildren(this.player.node, this.cuts.node);
    this.#head();
    this.#drawTabs();
    this.#show(this.tab);
    this.#start(this.player).catch(report);
    this.queue.show(id).catch(report);
  }

  async #start(player) {
    await player.start();
    if (player === this.player) this.#follow(player.index);
  }

  #head() {
    const { video, player } = this.data;
    const at = this.order.findIndex((v) => v.id === video.id);
    const step = (by, sign, words, key) => h('button', { type: 'button', class: 'dl-button dl-button-quiet', disabled: !this.order[at + by], 'aria-label': words, title: `${this.order[at + by]?.title ?? words} (${keyText(key)})`, onclick: () => this.#step(by) }, icon(sign));
    const to = (path, words) => h('a', { href: address.to(path, { video: video.id, evaluation: address.get('evaluation') }) }, words);
    this.head.replaceChildren(h('div', { class: 'dl-scripttitle' }, h('h1', { title: video.title }, video.title),
      h('span', { class: 'dl-hint' }, [video.category, player.scenes ? plural(player.scenes.length, 'scene') : null, `video ${at + 1} of ${this.order.length}`].filter(Boolean).join(' · ')), this.watch.node),
    h('nav', { 'aria-label': 'This video' }, to('verdicts', 'Verdicts'), to('split', 'Split'), to('keyframes', 'Keyframes')),
    h('span', { class: 'dl-stepper' }, step(-1, 'back', 'Previous video', 'videos.previous'), step(1, 'next', 'Next video', 'videos.next')));
  }

  #step(by) {
    const at = this.order.findIndex((v) => v.id === this.goal);
    const to = this.order[at + by];
    if (!to) return;
    address.set({ scene: '', frame: '' });
    onTheWay(this.#open(to.id)).catch(report);
  }

  // --- tabs -------------------------------------------------------------------------

  #drawTabs() {
    const counts = this.#counts();
    this.tabs.replaceChildren(...TABS.map((name) => h('button', { type: 'button', class: 'dl-tab', role: 'tab', id: `dl-tab-${name}`, 'aria-controls': 'dl-tabpanel', title: `${tabHint(name, counts[name])} (${keyText(`script.tab_${name}`)})`, 'data-tab': name, onclick: () => this.#show(name) },
      aspectName(name), h('small', { 'aria-hidden': 'true' }, counts[name]))));
  }

  #counts() {
    const { player, captions } = this.data;
    return { script: player.scenes?.length || 0, speech: player.speech?.segments.length || 0, ...Object.fromEntries(ASPECTS.map((aspect) => [aspect, captions[`vdc:${aspect}`].length])) };
  }

  #show(name) {
    this.part?.flush().catch(report);
    this.tab = name;
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
    else if (name === 'script' && this.data.player.scenes?.length && !this.data.player.file) this.part.show(Math.min(this.part.scenes.length, Math.max(1, Number(address.get('scene')) || 1)) - 1);
  }

  #part(name) {
    const page = {
      can: this.frame.can, player: this.player, typed: this.typed,
      write: (kind, area, scene) => this.#write(kind, area, scene),
      claims: () => api(`/api/script/${encodeURIComponent(this.data.video.id)}/claims`),
      findings: () => api(`/api/script/${encodeURIComponent(this.data.video.id)}/findings`),
      opened: (at) => address.set({ scene: at + 1 }), looksRight: (key) => this.cuts.looksRight(key),
    };
    if (name === 'script') return new SceneCards(this.data, page);
    if (name === 'speech') return new SpeechTab(this.data.player.speech || { heard: false, segments: [], gaps: [] }, page);
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
    if (this.tab === 'script') this.part?.follow(index);
    if (this.tab === 'speech' && this.player.pts) this.part?.follow(this.player.pts[index], this.player.pts[index + 1] ?? this.player.end);
  }

  #filter() { this.part?.filter(this.frame.search.value); }

  /** A text of one's own where there was none; everything else on the page stays as it is. */
  async #write(kind, area, scene) {
    const value = area.value.trim();
    if (scene) await this.watch.look();
    if (scene && (this.watch.behind || !this.data.player.scenes.some((s) => s.key === scene))) throw new Error('Other scenes have just taken the place of these; what you typed is kept: save it again');
    const { data, typed } = this;
    await api('/api/text', { video_id: data.video.id, kind, value, scene });
    delete typed.get(scene)?.[kind];
    const fresh = await this.#script(data.video.id);
    Object.assign(data, { script: fresh.script, captions: fresh.captions, claims: fresh.claims });
    if (area.value.trim() !== value) this.#typedOn(scene ? fresh.script[scene][kind] : fresh.captions[kind].find((text) => text.person === this.frame.me.person.id), area.value);
    // Somebody may have gone on to another video meanwhile.
    if (data === this.data) this.#written();
  }

  /** What was typed while the first words of a text were on their way to the server is a change of that text. */
  #typedOn({ subject, value, revision }, typed) {
    keepDraft(draftKey(subject), { subject, part: '', value: typed, base: value, revision, sent: [], at: Date.now() });
  }

  /** Whoever types on in a field goes on typing there; a text that is there now has another name than the field for it. */
  #written() {
    const open = this.tab === 'script' ? this.part.open : -1;
    const { activeElement: held } = document;
    const typing = this.panel.contains(held) && held.matches('textarea') ? held : null;
    const named = (name) => [...this.panel.querySelectorAll('textarea')].filter((area) => area.ariaLabel === name);
    const n = typing && named(typing.ariaLabel).indexOf(typing);
    this.#drawTabs();
    this.#show(this.tab);
    if (open >= 0) this.part.show(open);
    const area = typing && (named(typing.ariaLabel)[n] || named(typing.ariaLabel.replace(/^(new|my) /, '')).find((one) => one.value === typing.value));
    if (!area) return;
    area.focus({ preventScroll: true });
    area.setSelectionRange(typing.selectionStart, typing.selectionEnd);
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
    const fresh = await api(`/api/script/${encodeURIComponent(data.video.id)}`);
    if (watch !== this.watch) return fresh.cuts;
    if (part !== this.part || part.busy) return null;
    const proposed = data.player.proposal && !fresh.player.proposal;
    const { scenes = [], speech, proposal } = fresh.player;
    const kept = !undone && this.tab !== 'script' && this.#touched();
    moveTyped(this.typed, data.player.scenes || [], scenes, this.player.index);
    const found = { scenes, proposal, speech: kept && this.tab === 'speech' ? data.player.speech : speech };
    const kind = `vdc:${this.tab}`;
    const captions = kept && data.captions[kind] ? { ...fresh.captions, [kind]: data.captions[kind] } : fresh.captions;
    Object.assign(data, { script: fresh.script, claims: fresh.claims, edits: fresh.edits, captions });
    Object.assign(data.player, found);
    this.player.renew(found);
    this.cuts.show(fresh.edits);
    this.#head();
    const counts = this.#counts();
    for (const tab of this.tabs.children) tab.querySelector('small').textContent = counts[tab.dataset.tab];
    if (!kept) this.#swap(part);
    if (proposed) notice(`${plural(scenes.length, 'scene')} found by the full pass replace the proposal.`);
    return fresh.cuts;
  }

  /** A decision was undone or redone: what it changed shows at once. */
  async #changed({ video }) {
    if (!this.data || (video && video !== this.data.video.id)) return;
    const cuts = await this.#renew(true);
    if (cuts) this.watch.shown = cuts;
  }

  /** Captions and speech that somebody has a hand in are left alone. */
  #touched() {
    const areas = [...this.panel.querySelectorAll('textarea')];
    return this.panel.contains(document.activeElement) || areas.some((area) => area.value && !this.part.editors.some((e) => e.area === area));
  }

  #swap(old) {
    const place = old.place?.();
    const { scrollTop } = this.panel;
    this.part = this.#part(this.tab);
    this.panel.replaceChildren(this.part.node);
    this.#filter();
    this.panel.scrollTop = scrollTop;
    if (place) this.part.restore(place, this.player.index, this.panel);
    else this.#follow(this.player.index);
  }

  // --- cuts -------------------------------------------------------------------------

  #cutTools(id) {
    return new CutTools(id, this.data.edits, {
      player: this.player, flush: () => this.part.flush(), renew: () => this.watch.look(), measured: () => this.#measured(),
      remark: (edits) => { this.data.edits = edits; this.cuts.show(edits); this.part.remark?.(); },
    });
  }

  /** Measurements came; nothing else on the page is touched. */
  async #measured() {
    const { data, player } = this;
    const id = encodeURIComponent(data.video.id);
    const [fresh, claims] = await Promise.all([api(`/api/player/${id}`), api(`/api/script/${id}/claims`)]);
    if (data !== this.data) return;
    for (const scene of player.data.scenes) {
      const found = fresh.scenes.find((s) => s.key === scene.key && s.start === scene.start && s.end === scene.end);
      if (found) scene.measurements = found.measurements;
    }
    data.claims = claims;
    player.draw();
    if (this.tab === 'script') this.part.remeasured();
  }

  // --- keys -------------------------------------------------------------------------

  async #saveAndNext() {
    const { part } = this;
    if (this.#atLast()) await onTheWay(this.#nextVideo());
    else if (this.tab === 'script') await part.go(1, part.focusedKind());
    else if (this.tab === 'speech') await part.next();
    else {
      this.#show(TABS[TABS.indexOf(this.tab) + 1]); // saves what it leaves
      this.part.focus();
    }
  }

  /** The last scene or line of speech; where captions are the work, the last of them. */
  #atLast() {
    if (this.tab === 'script') return this.part.open >= this.part.scenes.length - 1;
    if (this.tab === 'speech') return this.part.atLast;
    return this.queue.work?.task === 'captions' && this.tab === ASPECTS.at(-1);
  }

  /** The next video of my queue begins where its task does. */
  async #openWork(id) {
    await this.part.flush();
    this.tab = address.get('task') === 'captions' ? ASPECTS[0] : 'script';
    await this.#open(id);
  }

  /** After the last scene: the work here is done, and the next of my queue opens; without one, the next video. */
  async #nextVideo() {
    await this.part.flush();
    if (await this.queue.done() || this.panel.querySelector('.dl-saved-failed')) return;
    this.#step(1);
  }

  #scene(by) {
    if (this.tab !== 'script') this.#show('script');
    if (this.data.player.file) this.player.stepScene(by);
    else this.part.show(this.part.open + by);
  }

  #nextFinding() {
    if (this.tab !== 'script') this.#show('script');
    if (!this.part.nextFinding()) notice('No open finding in this script.');
  }

  #keys() {
    bindKeys('script', {
      next_scene: () => this.#scene(1),
      previous_scene: () => this.#scene(-1),
      edit: () => this.part.focus('script:content'),
      edit_camera: () => { if (this.tab === 'script') this.part.focus('script:camera_movement'); },
      next_finding: () => this.#nextFinding(),
      ...Object.fromEntries(TABS.map((name) => [`tab_${name}`, () => this.#show(name)])),
      save_next: () => this.#saveAndNext().catch(report),
      ...SpeechTab.runs(() => (this.tab === 'speech' ? this.part : null)),
    });
    bindKeys('script', cutRuns(() => this.cuts));
    bindKeys('videos', { next: () => this.#step(1), previous: () => this.#step(-1) });
    bindKeys('player', playerRuns(() => this.player));
    bindKeys('queue', this.queue.runs());
  }
}

/** What was typed and not saved goes with the scene of the frame on the screen, or else of the old scene's first frame. */
function moveTyped(typed, old, scenes, index) {
  for (const [key, fields] of [...typed]) {
    if (scenes.some((s) => s.key === key)) continue;
    const from = old.find((s) => s.key === key);
    const at = index >= from.start && index < from.end ? index : from.start;
    const to = scenes.find((s) => at >= s.start && at < s.end)?.key;
    const there = typed.get(to) || {};
    for (const [kind, text] of Object.entries(fields)) there[kind] = [there[kind], text].filter(Boolean).join(' ');
    typed.delete(key);
    if (to) typed.set(to, there);
  }
}

function tabHint(name, count) {
  if (name === 'script') return count === undefined ? 'scene script' : plural(count, 'scene');
  if (name === 'speech') return count === undefined ? 'speech' : plural(count, 'segment');
  return count === undefined ? `${aspectName(name)} caption` : `${aspectName(name)} caption: ${plural(count, 'author')}`;
}
