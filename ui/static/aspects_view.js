// What the tabs Write and Merge share: one video with a player, its data, and editors that are saved before leaving.
import { api, h, mark, report } from './core.js';
import { TextEditor } from './editor.js';
import { Player } from './player.js';

export const STATE_MARKS = {
  given: 'open', writing: 'working', returned: 'returned', done: 'done', merged: 'neutral', approved: 'approved', split: 'moved', 'split approved': 'approved',
};
/** The state of a video: "writing", "split approved" ... with its shape. */
export const stateOfVideo = (state) => mark(STATE_MARKS[state] || 'missing', state || 'given to nobody');

/** "Actions “he runs”: which hand?" as {where, quote, words}; where is '' for the whole caption. */
export function readComment(note, parts) {
  for (const [name, words] of parts) {
    const found = new RegExp(`^${words}(?: “([^”]*)”)?: `).exec(note);
    if (found) return { where: name, quote: found[1] || '', words: note.slice(found[0].length) };
  }
  return { where: '', quote: '', words: note };
}

export class AspectView {
  constructor(page, kind) {
    Object.assign(this, { page, frame: page.frame, editors: new Map(), data: null });
    this.left = h('div', { class: 'dl-pane dl-middle dl-as-left' });
    this.below = h('section', { class: 'dl-as-below', 'aria-label': 'This video' });
    this.right = h('div', { class: 'dl-pane dl-as-right' });
    this.node = h('div', { class: `dl-as dl-as-${kind}` }, this.left, this.right);
    document.addEventListener('dl-work', (event) => { if (page.tabs.view === this && event.detail.video === page.bar.id) this.refresh().catch(report); });
  }

  get me() { return this.frame.me.person.id; }

  async shown(id) {
    await this.leave();
    const data = await api(`/api/aspects/${encodeURIComponent(id)}`);
    if (this.page.bar.id !== id) return;
    this.page.bar.named(data.video.title);
    this.player?.video?.pause();
    this.player = new Player(data.player);
    this.left.replaceChildren(this.player.node, this.below);
    this.player.start().catch(report);
    await this.take(data);
  }

  async refresh() {
    const id = this.page.bar.id;
    await this.leave();
    const data = await api(`/api/aspects/${encodeURIComponent(id)}?player=false`);
    if (this.page.bar.id === id) await this.take(data);
  }

  async take(data) {
    this.data = data;
    this.editors.clear();
    this.draw();
  }

  /** Something is asked of the server about this video; what it answers is drawn. */
  async say(what, body = {}) {
    await this.leave();
    const data = await api(`/api/aspects/${encodeURIComponent(this.page.bar.id)}/${what}`, body);
    await this.take(data);
    return data;
  }

  /** Work of somebody is another now: the bar on top says so too. */
  told() { document.dispatchEvent(new CustomEvent('dl-changed', { detail: { video: this.page.bar.id, changes: [] } })); }

  async changed({ video }) { if (this.data && (!video || video === this.page.bar.id)) await this.refresh(); }

  leave() { return Promise.all([...this.editors.values()].map((editor) => editor.save())); }

  /** A TextEditor that is saved with the rest. */
  editor(name, text, options) {
    const made = new TextEditor(text, options);
    this.editors.set(name, made);
    return made;
  }

  /** Keys that work while typing: the player goes on without the mouse. */
  playerKeys() {
    return {
      play_typing: () => this.player?.play(),
      back_typing: () => this.#jump(-1),
      on_typing: () => this.#jump(1),
    };
  }

  #jump(seconds) {
    const { player } = this;
    if (!player?.pts) return;
    player.seek(player.frameAt(player.pts[player.index] + seconds));
  }
}
