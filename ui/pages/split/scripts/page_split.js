// Split: the full caption beside its spatial and its temporal version, lined up by clause, with what the checks find.
import { pageSignal, whenLeft } from '../../../lib/page/open_page.js';
import { h as element, icon } from '../../../lib/parts/elements.js';
import { report } from '../../../lib/parts/notices.js';
import { download } from '../../../lib/parts/download.js';
import { h, mount } from '../../../lib/components/component.js';
import { button, toLibrary } from '../../../lib/components/small_components.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { watchSaver } from '../../../lib/editor/save_before_leaving.js';
import { bindKeys } from '../../../lib/keys/keymap.js';
import { playerOf } from '../../../lib/player/kept_player.js';
import { playerRuns } from '../../../lib/player/player_keys.js';
import { VideoBar } from '../../../lib/player/video_bar.js';
import { FindingList } from './split_findings.js';
import { SplitState } from './split_state.js';
import { Summary } from './split_summary.js';
import { SplitTable } from './split_table.js';
import { SplitTabs } from './split_tabs.js';
import { COLUMNS, SIDES } from './split_text.js';

/** @typedef {import('../../../lib/shell/top_bar.js').Frame} Frame */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['PlayerData']} PlayerData of a video */
/** @typedef {SplitPage} Page */

/** @param {Frame} frame */
export async function show(frame) {
  await new SplitPage(frame).start();
}

class SplitPage {
  /** @type {import('../../../lib/player/player.js').Player} */
  player;

  /** @param {Frame} frame */
  constructor(frame) {
    this.frame = frame;
    this.bar = new VideoBar(
      frame,
      'Split',
      (id) => this.tabs.open(id),
      () => this.tabs.flush(),
    );
    this.split = new SplitState(frame, this.bar);
    this.tabs = new SplitTabs(this, this.#runs());
    this.left = element('div', { class: 'dl-pane dl-middle dl-sx-left' });
    this.right = element('div', { class: 'dl-pane dl-sx-right' });
    this.summary = element('section', { class: 'dl-sx-summary', 'aria-label': 'This clause' });
    // Editors say themselves why they are not saved.
    whenLeft(
      watchSaver({ save: () => Promise.all([this.split.sending.under, this.tabs.flush()]), why: () => '' }),
    );
    document.addEventListener(
      'dl-changed',
      (/** @type {CustomEvent} */ { detail }) => {
        const drawn = this.tabs.changed(detail)?.catch(report);
        detail.until?.(drawn);
      },
      { signal: pageSignal() },
    );
  }

  async start() {
    const { frame, split } = this;
    onChange(
      () => this.bar.shown,
      () => (this.tabs.view ? this.tabs.view.follow?.() : split.follow()),
    );
    frame.main.classList.add('dl-sx');
    const link = element(
      'a',
      {
        class: 'dl-button',
        href: '/api/export/carebench?values=current',
        'data-name': 'download',
        title:
          'All videos: the texts that count now, also drafts of machines; Export in the Library says whose they are',
        onclick: (event) => {
          event.preventDefault();
          download(link.href).catch(report);
        },
      },
      icon('download'),
      'metadata.json',
    );
    const saved = element('span', {});
    this.bar.extra.replaceChildren(this.tabs.node, saved, ...(frame.can('export') ? [link] : []));
    mount(saved, h(Saved, { split }), pageSignal());
    mount(this.summary, h(Loaded, { split, View: Summary }), pageSignal());
    mount(this.right, h(Loaded, { split, View: Texts, Empty: NoCaption }), pageSignal());
    this.#keys();
    frame.main.replaceChildren(this.bar.node, this.left, this.right, this.tabs.host);
    await this.bar.start();
  }

  /** @param {string} id */
  openSplit(id) {
    return this.split.open(id, ({ video, player }) => {
      this.bar.named(video.title);
      this.player = playerOf(player);
      if (this.player.node.parentNode !== this.left) {
        this.left.replaceChildren(this.player.node, this.summary);
        this.player.start().catch(report);
      }
    });
  }

  flush() {
    return this.split.flush();
  }

  /**
   * A decision was undone or redone.
   * @param {import('./split_tabs.js').Changed} detail
   */
  async changed({ video }) {
    if (this.split.data.value && (!video || video === this.bar.id)) await this.split.changed();
  }

  get data() {
    return this.split.data.value;
  }

  /**
   * What the keys of the page do while the split is shown.
   * @returns {import('./split_tabs.js').Runs}
   */
  #runs() {
    const { split } = this;
    const { findings, proposal } = split;
    return {
      begin: () => true, // of Write and Merge
      save_next: () => split.saveNext(),
      next: () => split.go(split.at.value + 1),
      previous: () => split.go(split.at.value - 1),
      ...Object.fromEntries(SIDES.map((side) => [side, () => split.sending.send(side)])),
      ...Object.fromEntries(COLUMNS.map((name) => [`edit_${name}`, () => split.openOnArrival(name)])),
      finding: () => findings.go(1),
      finding_before: () => findings.go(-1),
      fix: () => split.may(() => findings.fix()),
      dismiss: () => split.may(() => findings.dismiss()),
      propose: () => split.may(() => proposal.ask()),
      accept: () => split.may(() => proposal.accept()),
      edit_proposal: () => split.may(() => proposal.edit()),
      refuse: () => split.may(() => proposal.refuse()),
      accept_all: () => split.may(() => proposal.acceptAll()),
      refuse_all: () => split.may(() => proposal.refuseAll()),
    };
  }

  #keys() {
    bindKeys('split', this.tabs.runs(Object.keys(this.tabs.own)), () =>
      Boolean((this.tabs.view || this).data),
    );
    bindKeys('videos', this.bar.runs());
    bindKeys('queue', this.bar.queue.runs());
    bindKeys(
      'player',
      playerRuns(() => this.tabs.player),
    );
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{split: SplitState}} props */
function Saved({ split }) {
  const { kind, words } = split.saved.value;
  return h('span', { class: `dl-saved ${kind ? `dl-saved-${kind}` : ''}`, role: 'status' }, words);
}

/**
 * A view of the three texts, once they are here and there are any.
 * @param {{split: SplitState, View: import('preact').FunctionComponent<{split: SplitState}>,
 *   Empty?: import('preact').FunctionComponent<{split: SplitState}>}} props
 */
function Loaded({ split, View, Empty }) {
  const data = split.data.value;
  const some = data && COLUMNS.some((name) => data.texts[name] || split.editors.value[name]);
  if (some) return h(View, { split });
  return Empty ? h(Empty, { split }) : null;
}

/** @param {{split: SplitState}} props */
const Texts = ({ split }) => [h(SplitTable, { split }), h(FindingList, { findings: split.findings })];

/** @param {{split: SplitState}} props */
function NoCaption({ split }) {
  if (!split.data.value) return h('p', { class: 'dl-empty', role: 'status' }, 'Reading the captions …');
  return h(
    'div',
    { class: 'dl-empty' },
    h(
      'p',
      null,
      'This video has no full caption to split. Import a metadata.json of CaReBench or run the captions in the Library, or write the caption here.',
    ),
    h(
      'div',
      { class: 'dl-row' },
      toLibrary(),
      split.canEdit
        ? button('Write the full caption', () => split.openByButton('full'), { name: 'write-full' })
        : null,
    ),
  );
}
