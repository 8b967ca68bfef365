// Keyframes: candidate frames with captions, what was kept by each method and why, and one's own row.
import { address } from '../../../lib/page/address.js';
import { pageSignal, whenLeft, whileOpen } from '../../../lib/page/open_page.js';
import { h as element } from '../../../lib/parts/elements.js';
import { Refused, report } from '../../../lib/parts/notices.js';
import { posted } from '../../../lib/requests/requests.js';
import { h, mount } from '../../../lib/components/component.js';
import { onChange, writesIn } from '../../../lib/shell/server_events.js';
import { requireSaved, watchSaver } from '../../../lib/editor/save_before_leaving.js';
import { bindKeys, onTheWay } from '../../../lib/keys/keymap.js';
import { playerRuns } from '../../../lib/player/player_keys.js';
import { VideoBar } from '../../../lib/player/video_bar.js';
import { Captioning } from './captioning.js';
import { exportRows } from './export_rows_dialog.js';
import { ActionBox } from './keyframes_action.js';
import { Panel } from './keyframes_panel.js';
import { KeyframesState } from './keyframes_state.js';
import { Strip } from './keyframes_strip.js';
import { fullScreen, Tools } from './keyframes_tools.js';
import { KeyframeViews } from './keyframes_views.js';
import { Explanation } from './selection_reasons.js';

/** Keys of the other views, which do nothing here. */
const CHOICES = ['choice_4', 'choice_5'];
const LABELS = ['yes', 'no', 'uncertain'];

/** @typedef {import('../../../lib/shell/top_bar.js').Frame} Frame */
/** @typedef {KeyframesPage} Page */

/** @param {Frame} frame */
export async function show(frame) {
  await new KeyframesPage(frame).start();
}

class KeyframesPage {
  /** @param {Frame} frame */
  constructor(frame) {
    this.frame = frame;
    this.bar = new VideoBar(
      frame,
      'Keyframes',
      (id) => this.#open(id),
      () => this.#leave(),
    );
    this.state = new KeyframesState(frame, this.bar);
    this.captioning = new Captioning(this.state);
    this.views = new KeyframeViews(this, this.#runs());
    this.left = element('div', { class: 'dl-kf-player' });
    this.body = element('div', { class: 'dl-kf-body' });
    const { state } = this;
    const signal = pageSignal();
    whenLeft(
      watchSaver({
        save: () => this.#leave(),
        why: () => (state.unsaved ? `your keyframes: ${state.saved.value.words}` : ''),
      }),
    );
    document.addEventListener(
      'dl-changed',
      (/** @type {CustomEvent} */ { detail }) => {
        const drawn = this.#changed(detail).catch(report);
        detail.until?.(drawn);
      },
      { signal },
    );
    const leave = () => {
      if (state.unsaved) fetch('/api/keyframes', posted(state.body, { keepalive: true })).catch(() => {});
    };
    addEventListener('pagehide', leave, { signal });
  }

  async start() {
    const { bar, captioning, frame, state } = this;
    onChange(
      () => bar.shown,
      () => this.#others(),
    );
    frame.main.classList.add('dl-kf');
    this.#keys();
    const action = element('span', {});
    bar.extra.replaceChildren(this.views.node, action);
    mount(action, h(ActionBox, { state }), pageSignal());
    mount(this.body, h(Body, { state, captioning }), pageSignal());
    frame.main.replaceChildren(bar.node, this.left, this.body, this.views.host);
    // First: the strip shows what the judges say, and a view that is blind must not begin with it.
    await onTheWay(this.views.choose(address.get('view')));
    await bar.start();
  }

  /** @param {string} id */
  async #open(id) {
    await whileOpen(this.#leave());
    await this.state.open(id, ({ video }, player) => {
      this.bar.named(video.title);
      this.left.replaceChildren(player.node);
    });
    if (this.bar.id === id) await this.views.shown(id);
  }

  /** Others have changed something here, unless one has a hand in it. */
  async #others() {
    const { state } = this;
    const busy = state.unsaved || state.editor.value?.unsaved || writesIn(this.frame.main);
    if (state.data.value && !this.views.view && !busy) await state.refresh();
  }

  /**
   * A decision was undone or redone.
   * @param {import('./keyframes_views.js').Changed} detail
   */
  async #changed(detail) {
    await this.views.changed(detail);
    const { video } = detail;
    if (this.state.data.value?.frames.length && (!video || video === this.bar.id)) await this.state.changed();
  }

  async #leave() {
    await Promise.all([this.state.flush(), this.views.leave()]);
  }

  // --- keys -------------------------------------------------------------------------

  /** After the last candidate the work here is done, and the next of my queue opens. */
  async #saveAndNext() {
    await requireSaved();
    const { bar, state } = this;
    if (state.at.value < state.data.value.frames.length - 1) {
      state.takesCaret = true;
      state.go(state.at.value + 1);
      return;
    }
    const { id } = bar;
    await bar.queue.done();
    throw new Refused(
      bar.id === id
        ? 'That was the last candidate of this video.'
        : `The video before is done. This is “${state.data.value.video.title}”.`,
    );
  }

  /** What the keys of the page do while the strip is shown. */
  #runs() {
    const { state } = this;
    return {
      next: () => state.go(state.at.value + 1),
      previous: () => state.go(state.at.value - 1),
      first: () => state.go(0),
      last: () => state.go((state.data.value?.frames.length || 0) - 1),
      pick: () => state.toggle(state.at.value),
      edit: () => state.editor.value?.area.focus(),
      save_next: () => this.#saveAndNext(),
      ...Object.fromEntries(LABELS.map((label) => [label, () => state.correct(label)])),
      clear: () => state.correct(''),
      size: () => state.nextSize(),
      more: () => state.resizeBudget(1),
      fewer: () => state.resizeBudget(-1),
      action: () => this.bar.extra.querySelector('.dl-kf-action')?.focus(),
      export: () => {
        if (!state.data.value?.frames.length) throw new Refused('There are no frames to export here yet.');
        if (!this.frame.can('export')) throw new Refused('You may not export files here.');
        exportRows(state);
      },
      full_screen: () => fullScreen(),
      raw: () => {
        state.raw.value = !state.raw.value;
      },
      ...Object.fromEntries(CHOICES.map((name) => [name, () => {}])),
    };
  }

  #keys() {
    bindKeys('keyframes', this.views.runs(Object.keys(this.views.own)), () => Boolean(this.state.data.value));
    bindKeys('videos', this.bar.runs());
    bindKeys('queue', this.bar.queue.runs());
    bindKeys(
      'player',
      playerRuns(() => this.state.player),
    );
  }
}

/**
 * Everything about the candidates of a video, once they are here.
 * @param {{state: KeyframesState, captioning: Captioning}} props
 */
function Body({ state, captioning }) {
  const data = state.data.value;
  if (!data) return null;
  return [
    h(Panel, { state, captioning }),
    h(Tools, { state, captioning }),
    h(Strip, { key: data.video.id, state }),
    h(Explanation, { state }),
  ];
}
