// Verdicts: the list of questions, the frames, and everything about the one that is open.
import { address, api, aspectName, ASPECTS, baselineBadge, button, clear, debounce, h, mark, plural, report, scoreText, verdictWord } from './core.js';
import { bindKeys } from './keymap.js';
import { frameRow, Player, playerRuns } from './player.js';
import { QueueBar } from './queue_bar.js';
import { VerdictPanel } from './verdict_panel.js';

const STATES = [['', 'all'], ['open', 'open'], ['no', 'no'], ['yes', 'yes'], ['unparsed', 'unparsed'], ['failed', 'failed'], ['missing', 'missing'], ['stale', 'stale'], ['corrected', 'corrected']];
const SORTS = [['worst_video', 'worst video first'], ['worst', 'worst question first'], ['order', 'by video and aspect'], ['newest', 'last changed first']];

export async function show(frame) {
  await new VerdictsPage(frame).start();
}

class VerdictsPage {
  constructor(frame) {
    this.frame = frame;
    this.rows = [];
    this.total = 0;
    this.players = new Map();
    this.list = h('div', { class: 'dl-list', role: 'listbox', 'aria-label': 'Questions', tabindex: '0', onscroll: () => this.#more() });
    this.foot = h('div', { class: 'dl-list-foot' });
    this.middle = h('div', { class: 'dl-pane dl-middle' });
    this.right = h('div', { class: 'dl-pane dl-detail' });
    this.queue = new QueueBar(frame, 'verdicts', { flush: () => this.panel?.save(), open: (id) => this.#openVideo(id) });
    this.state = this.#select('Show', STATES, address.get('state'), 'state');
    this.sort = this.#select('Sort', SORTS, address.get('sort') || 'worst_video', 'sort');
    this.aspect = this.#select('Aspect', [['', 'all aspects'], ...ASPECTS.map((a) => [`vdc:${a}`, aspectName(a)])], address.get('aspect'), 'aspect');
    const video = address.get('video');
    this.videoChip = h('span', { class: 'dl-chip', hidden: !video }, h('span', {}, 'one video'), h('button', { type: 'button', 'aria-label': 'Show all videos', onclick: () => { address.set({ video: '', qa: '' }); this.onlyVideo = ''; this.videoChip.hidden = true; this.#reload().catch(report); } }, '×'));
    this.onlyVideo = address.get('qa') ? '' : video;
    this.videoChip.hidden = !this.onlyVideo;
    document.addEventListener('dl-changed', (event) => this.#undone(event.detail).catch(report));
  }

  #select(label, options, value, name) {
    const select = h('select', { class: 'dl-select', 'aria-label': label, onchange: () => { address.set({ [name]: select.value, qa: '' }); this.#reload().catch(report); } },
      options.map(([v, words]) => h('option', { value: v }, words)));
    select.value = value;
    return select;
  }

  async start() {
    const { frame } = this;
    frame.main.classList.add('dl-three');
    frame.main.replaceChildren(
      h('div', { class: 'dl-pane dl-listpane' }, h('div', { class: 'dl-filters' }, this.state, this.aspect, this.sort, this.videoChip), this.list, this.foot),
      this.middle, this.right);
    frame.search.placeholder = 'Search questions';
    frame.search.addEventListener('input', debounce(() => { address.set({ q: frame.search.value }); this.#reload().catch(report); }, 250));
    frame.evaluation.onchange(() => this.#reload().catch(report));
    this.#keys();
    await this.#reload(address.get('qa'));
  }

  async #reload(open = '') {
    this.rows = [];
    this.total = 0;
    clear(this.list, h('p', { class: 'dl-hint' }, 'Loading …'));
    await this.#page(0);
    this.#draw();
    if (!this.rows.length) { this.#empty(); return; }
    const wanted = open && !this.rows.some((r) => r.judgement_id === open) ? { judgement_id: open } : this.rows.find((r) => r.judgement_id === open) || (address.get('task') && this.rows.find(isOpen)) || this.rows[0];
    await this.open(wanted.judgement_id);
  }

  async #page(offset) {
    const query = new URLSearchParams({ sort: this.sort.value, offset });
    if (this.state.value) query.append('state', this.state.value);
    if (this.aspect.value) query.set('aspect', this.aspect.value);
    if (this.onlyVideo) query.set('video', this.onlyVideo);
    if (this.frame.search.value) query.set('q', this.frame.search.value);
    if (address.get('evaluation')) query.set('evaluation', address.get('evaluation'));
    const page = await api(`/api/verdicts?${query}`);
    this.evaluation = page.evaluation;
    this.frame.evaluation.show(page.evaluation);
    this.rows = offset ? [...this.rows, ...page.rows] : page.rows;
    this.total = page.total;
    this.counts = page.counts;
  }

  async #more() {
    const { list } = this;
    if (this.loading || this.rows.length >= this.total || list.scrollTop + list.clientHeight < list.scrollHeight - 600) return;
    this.loading = true;
    try {
      await this.#page(this.rows.length);
      this.#draw();
    } catch (error) { report(error); } finally { this.loading = false; }
  }

  #empty() {
    const none = !this.frame.evaluation.all.length;
    clear(this.list);
    this.middle.replaceChildren();
    this.right.replaceChildren(h('div', { class: 'dl-empty' },
      h('p', {}, none ? 'There are no verdicts yet. Run the pipeline on a video, or import an evaluation.' : 'No verdict fits this filter.'),
      none ? h('a', { class: 'dl-button dl-button-main', href: '/' }, 'To the Library') : button('Show all', () => { this.state.value = ''; this.aspect.value = ''; this.frame.search.value = ''; address.set({ state: '', aspect: '', q: '' }); this.#reload().catch(report); }, { kind: 'main' })));
  }

  #draw() {
    let last = '';
    const grouped = ['worst_video', 'order'].includes(this.sort.value);
    clear(this.list, this.rows.map((row) => {
      const head = grouped && row.video_id !== last ? h('div', { class: 'dl-group', role: 'presentation' }, row.video_title) : null;
      last = row.video_id;
      return [head, this.#row(row, grouped)];
    }));
    const c = this.counts || {};
    clear(this.foot, plural(c.all || 0, 'question'), ' · ', mark('yes', `${c.yes || 0} yes`), mark('no', `${c.no || 0} no`), c.unparsed ? mark('unparsed', `${c.unparsed}`) : null, c.failed ? mark('failed', `${c.failed}`) : null, c.missing ? mark('missing', `${c.missing}`) : null,
      this.total !== c.all ? h('span', {}, `${this.total} shown`) : null);
    this.#highlight();
  }

  #row(row, grouped) {
    const state = verdictWord(row);
    return h('div', { class: 'dl-item', role: 'option', id: row.judgement_id, 'data-id': row.judgement_id, 'aria-selected': 'false', onclick: () => this.open(row.judgement_id).catch(report) },
      mark(state, ''), h('span', { class: 'dl-item-score', title: 'score, 0 to 5' }, row.state === 'done' ? scoreText(row.score) : '–'),
      h('span', { class: 'dl-item-text' }, row.question || `${aspectName(row.kind || '')}, all questions`, h('small', {}, grouped ? aspectName(row.kind || '') : `${row.video_title} · ${aspectName(row.kind || '')}`)),
      h('span', { class: 'dl-item-marks' }, row.corrected ? mark('corrected', '') : null, row.stale ? mark('stale', '') : null, row.blame ? h('span', { class: 'dl-dot', title: `blame: ${row.blame.replace('_', ' ')}` }) : null));
  }

  #highlight() {
    for (const item of this.list.querySelectorAll('.dl-item')) {
      const chosen = item.dataset.id === this.openId;
      item.setAttribute('aria-selected', String(chosen));
      if (chosen) { item.scrollIntoView({ block: 'nearest' }); this.list.setAttribute('aria-activedescendant', item.id); }
    }
  }

  async open(id) {
    if (!id) return;
    this.openId = id;
    this.#highlight();
    await this.panel?.flush();
    const detail = await api(`/api/verdicts/${encodeURIComponent(id)}`);
    if (this.openId !== id) return;
    const other = address.get('video') && address.get('video') !== detail.video.id;
    address.set({ qa: id, video: detail.video.id, evaluation: this.evaluation, ...(other ? { frame: '', scene: '' } : {}) });
    const player = await this.#player(detail.video.id);
    if (this.openId !== id) return;
    this.panel = new VerdictPanel(detail, { can: this.frame.can, player, evaluation: this.frame.evaluation, changed: (what) => this.#changed(what), open: (other) => this.open(other).catch(report) });
    this.right.replaceChildren(this.queue.node, this.panel.node);
    this.queue.show(detail.video.id).catch(report);
    this.right.scrollTop = 0;
    const given = detail.caption?.frames || [];
    this.middle.replaceChildren(player.node, h('section', { class: 'dl-given' },
      h('h2', {}, given.length ? `frames given to the captioner · ${given.length}` : 'frames given to the captioner', detail.caption?.baseline ? baselineBadge() : null),
      given.length ? frameRow(player, given, 'frames given to the captioner') : h('p', { class: 'dl-hint' }, 'Not recorded by the source of this caption.')));
    player.draw();
  }

  async #player(videoId) {
    if (!this.players.has(videoId)) {
      this.activePlayer?.video?.pause();
      const player = new Player(await api(`/api/player/${encodeURIComponent(videoId)}`));
      this.players.clear();
      this.players.set(videoId, player);
      this.middle.replaceChildren(player.node);
      player.start().catch(report);
    }
    this.activePlayer = this.players.get(videoId);
    return this.activePlayer;
  }

  /** Something was saved: the line in the list follows, the place in the list stays. */
  async #changed({ judgement, row, reload }) {
    const at = this.rows.find((r) => r.judgement_id === judgement);
    if (at && row) Object.assign(at, row);
    if (reload) { await this.#page(0); await this.open(reload === true ? this.openId : reload); }
    this.#draw();
  }

  /** A decision was undone or redone: the question that it was about opens. */
  async #undone({ changes }) {
    if (!this.openId) return;
    const about = changes.map(({ kind, subject }) => (kind === 'blame' ? subject[0] : subject[0] === 'judgement' ? subject[1] : '')).find((id) => this.rows.some((r) => r.judgement_id === id));
    await this.#changed({ reload: about || true });
  }

  #move(by) {
    const at = this.rows.findIndex((r) => r.judgement_id === this.openId);
    const to = this.rows[at + by];
    if (to) this.open(to.judgement_id).catch(report);
    if (to && at + by > this.rows.length - 20) this.#more();
  }

  /** The next video of my queue: its questions alone, the first open one first. */
  async #openVideo(id) {
    this.onlyVideo = id;
    this.videoChip.hidden = false;
    await this.#reload();
  }

  async #nextOpen() {
    await this.panel?.save();
    const at = this.rows.findIndex((r) => r.judgement_id === this.openId);
    const next = [...this.rows.slice(at + 1), ...this.rows.slice(0, Math.max(0, at))].find(isOpen);
    // Work that is given to me is done video by video: nothing open is left in this one.
    const leaves = !next || (at >= 0 && next.video_id !== this.rows[at].video_id);
    if (leaves && this.queue.work?.unfinished && await this.queue.done()) return;
    if (next) await this.open(next.judgement_id);
  }

  #keys() {
    bindKeys('verdicts', {
      next: () => this.#move(1),
      previous: () => this.#move(-1),
      ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`blame_${n}`, () => this.panel?.blame(n - 1)])),
      edit: () => this.panel?.editVerdict(),
      edit_caption: () => this.panel?.editCaption(),
      edit_answer: () => this.panel?.editAnswer(),
      raw: () => this.panel?.toggleRaw(),
      save_next: () => this.#nextOpen().catch(report),
    });
    bindKeys('player', playerRuns(() => this.activePlayer));
    bindKeys('queue', this.queue.runs());
  }
}

const isOpen = (r) => !r.corrected && !r.blame && (r.state !== 'done' || r.label !== 'yes');
