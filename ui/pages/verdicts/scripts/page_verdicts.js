// Verdicts: the list of questions, the frames, and everything about the one that is open.
import { Blindness } from '../../../lib/shell/blind_labelling.js';
import {
  address,
  api,
  aspectName,
  baselineBadge,
  button,
  clear,
  debounce,
  h,
  mark,
  pageSignal,
  plural,
  Refused,
  report,
  scoreText,
  verdictWord,
  whenLeft,
  notice,
} from '../../../lib/parts/core.js';
import { onChange } from '../../../lib/shell/server_events.js';
import { itemSwitch } from './item_tabs.js';
import { FramesPane } from '../../keyframes/scripts/frames_pane.js';
import { bindKeys, onTheWay } from '../../../lib/keys/keymap.js';
import { playerRuns } from '../../../lib/player/player.js';
import { QueueBar } from '../../../lib/shell/assignment_bar.js';
import { finishing, leaveFor, TypedAhead } from '../../../lib/editor/open_next_item.js';
import { watchSaver } from '../../../lib/editor/save_before_leaving.js';
import { EvidenceStrip, ofVerdict } from './evidence_strip.js';
import { beside, VerdictFilters } from './verdict_filters.js';
import { VerdictPanel } from './verdict_panel.js';
import { VirtualList } from '../../../lib/parts/virtual_list.js';

const PAGE = 100;
const ROW = 62;
const HEADING = 28;

/** @typedef {import('../../../lib/shell/shell.js').Frame} Frame */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictLine']} VerdictLine */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictDetail']} VerdictDetail */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['NextVerdict']} NextVerdict */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictsPage']} Page of the list */

/** @param {Frame} frame */
export async function show(frame) {
  await new VerdictsPage(frame).start();
}

class VerdictsPage {
  /** @type {string} the id of the verdict that is open, or on its way */
  openId;
  /** @type {number} its place in the list */
  openIndex;
  /** @type {NextVerdict} */
  next;
  turn = 0; // of `#reload`: the answer to an older one is not drawn

  /** @param {Frame} frame */
  constructor(frame) {
    this.frame = frame;
    this.filters = new VerdictFilters(frame, () => this.ahead.go(this.#reload()));
    this.list = new VirtualList({
      label: 'Questions',
      page: PAGE,
      row: ROW,
      heading: HEADING,
      fetch: (offset) => this.#page({ offset }),
      draw: (/** @type {VerdictLine} */ row) => this.#row(row),
      head: (/** @type {VerdictLine} */ row) => row.video_title,
      pick: (index) => this.ahead.go(this.openAt(index)),
    });
    this.foot = h('div', { class: 'dl-list-counts', role: 'status' });
    this.middle = new FramesPane();
    this.strip = new EvidenceStrip(
      { can: frame.can, me: () => frame.me.person?.id || '' },
      { next: 'verdicts.evidence_next', previous: 'verdicts.evidence_previous' },
    );
    this.ahead = new TypedAhead();
    this.right = h('div', { class: 'dl-pane dl-detail' });
    this.blindness = new Blindness(frame, () => this.ahead.go(this.#reload(this.openId)));
    this.queue = new QueueBar(frame, 'verdicts', {
      flush: () => this.panel?.leave(),
      open: (id) => this.#openVideo(id),
    });
    const signal = pageSignal();
    addEventListener('pagehide', () => this.panel?.sendAndForget(), { signal });
    whenLeft(watchSaver({ save: () => this.panel?.leave(), why: () => this.panel?.why || '' }));
    document.addEventListener(
      'dl-changed',
      (event) => this.ahead.go(this.#undone(/** @type {CustomEvent} */ (event).detail)),
      { signal },
    );
  }

  async start() {
    const { frame } = this;
    frame.main.classList.add('dl-three');
    frame.main.replaceChildren(
      h(
        'div',
        { class: 'dl-pane dl-listpane' },
        h('div', {}, itemSwitch(frame), this.filters.node),
        this.list.node,
        h('div', { class: 'dl-list-foot' }, this.foot, h('span', { class: 'dl-grow' }), this.blindness.node),
      ),
      this.middle.node,
      this.right,
    );
    frame.search.placeholder = 'Search questions';
    frame.search.addEventListener(
      'input',
      debounce(() => {
        address.set({ q: frame.search.value, qa: '' });
        this.ahead.go(this.#reload());
      }, 250),
    );
    frame.evaluation.onchange(() => this.ahead.go(this.#reload()));
    this.#keys();
    onChange(
      () => '',
      (by) => this.#others(by),
    );
    await onTheWay(this.#reload(address.get('qa')));
  }

  // --- the list ---------------------------------------------------------------------

  /**
   * A page of the list: {offset} or {at: a verdict on it}.
   * @param {Object<string, string | number>} place
   * @returns {Promise<Page>}
   */
  #page(place) {
    const query = this.filters.query();
    for (const [name, value] of Object.entries({ limit: PAGE, ...place })) query.set(name, String(value));
    return api(`/api/verdicts?${query}`);
  }

  async #reload(open = '') {
    this.turn += 1;
    const { turn } = this;
    const page = await this.#page(open ? { at: open } : { offset: 0 });
    if (turn !== this.turn) return;
    this.#take(page);
    if (!page.total && !open) {
      this.#empty();
      return;
    }
    if (open) await this.open(open, page.position ?? -1);
    else await this.openAt(address.get('task') ? ((await this.#nextOpenPlace('')) ?? 0) : 0);
  }

  /** @param {Page} page */
  #take(page) {
    this.evaluation = page.evaluation;
    this.frame.evaluation.show(page.evaluation);
    this.counts = page.counts;
    this.meansAlone = page.facets?.aspect.length === 0;
    this.blind = page.blind;
    this.frame.main.classList.toggle('dl-with-others', beside().length > 0 && !page.blind);
    this.filters.show(page);
    this.list.reset(page);
    this.#foot();
  }

  #empty() {
    const none = !this.frame.evaluation.all.length;
    this.middle.clear();
    this.right.replaceChildren(
      h(
        'div',
        { class: 'dl-empty' },
        h(
          'p',
          {},
          none
            ? 'There are no verdicts yet. Run the pipeline on a video, or import an evaluation.'
            : this.meansAlone
              ? 'This evaluation has no verdicts: its log holds means over all videos alone, or what it holds has not been judged yet.'
              : 'No verdict fits this filter.',
        ),
        none || this.meansAlone
          ? h('a', { class: 'dl-button dl-button-main', href: '/' }, 'To the Library')
          : button('Show all', () => this.filters.clear(), { kind: 'main' }),
      ),
    );
  }

  #foot() {
    const {
      counts: c,
      list: { total },
    } = this;
    /** @param {string} state */
    const some = (state) => (c[state] ? mark(state, c[state].toLocaleString('en')) : null);
    clear(
      this.foot,
      plural(c.all, 'question'),
      ' · ',
      this.blind
        ? [`${c.labelled.toLocaleString('en')} labelled by you`]
        : [
            mark('yes', `${c.yes.toLocaleString('en')} yes`),
            mark('no', `${c.no.toLocaleString('en')} no`),
            some('unparsed'),
            some('failed'),
            some('missing'),
          ],
      total !== c.all ? h('span', {}, `${total.toLocaleString('en')} shown`) : null,
    );
  }

  /** @param {VerdictLine} row */
  #row(row) {
    const grouped = this.list.starts.length > 0;
    const others =
      row.beside?.map((other) => (other ? mark(verdictWord(other), '') : mark('missing', ''))) || [];
    return h(
      'div',
      { class: 'dl-item', id: row.verdict_id, 'data-id': row.verdict_id },
      h(
        'span',
        { class: 'dl-item-verdicts' },
        row.hidden ? mark('open', '') : mark(verdictWord(row), ''),
        others,
      ),
      h(
        'span',
        { class: 'dl-item-score', title: 'score, 0 to 5' },
        row.state === 'done' ? scoreText(row.score) : row.hidden ? '' : '–',
      ),
      h(
        'span',
        { class: 'dl-item-text' },
        h('span', { class: 'dl-item-words' }, row.question || `${aspectName(row.kind || '')}, all questions`),
        h(
          'small',
          {},
          grouped ? aspectName(row.kind || '') : `${row.video_title} · ${aspectName(row.kind || '')}`,
        ),
      ),
      h(
        'span',
        { class: 'dl-item-marks' },
        row.corrected ? mark('corrected', '') : row.confirmed ? mark('confirmed', '') : null,
        row.disputed
          ? h(
              'span',
              { role: 'img', 'aria-label': 'people differ', title: 'people differ: see who says what' },
              '⚖',
            )
          : null,
        row.stale ? mark('stale', '') : null,
        row.contradicts
          ? h(
              'span',
              {
                role: 'img',
                'aria-label': 'contradicts itself',
                title: 'contradicts itself: its word and its score say different things',
              },
              '≠',
            )
          : null,
        row.error_source
          ? h('span', { class: 'dl-dot', title: `error source: ${row.error_source.replace('_', ' ')}` })
          : null,
        row.flag
          ? h(
              'span',
              {
                class: `dl-flag dl-flag-${row.flag}`,
                title: row.flag === 'excluded' ? 'excluded from the count' : 'a check flags this question',
              },
              mark(row.flag === 'excluded' ? 'skipped' : 'flagged', ''),
            )
          : null,
      ),
    );
  }

  // --- the open one -------------------------------------------------------------------

  /** @param {number} index */
  async openAt(index) {
    if (index >= 0 && index < this.list.total) this.list.select(index); // the next key counts from here
    const row = await this.list.rowAt(index);
    if (row && this.list.selected === index) await this.open(row.verdict_id, index);
  }

  /**
   * `index` is its place in the list; -1 for a verdict that the filter leaves out.
   * @param {string} id
   */
  async open(id, index = this.list.find((r) => r.verdict_id === id)) {
    if (!id) return;
    await leaveFor(this, id, index, () => this.#show(id));
  }

  /** @param {string} id */
  async #show(id) {
    const seen = this.strip.path;
    const linked = address.get('qa') === id && seen === '' && address.get('frame') !== '';
    /** @type {[VerdictDetail, unknown]} */
    const [detail] = await Promise.all([
      api(
        `/api/verdicts/${encodeURIComponent(id)}?${new URLSearchParams(beside().map((other) => ['with', other]))}`,
      ),
      this.strip.ask(ofVerdict(id)),
    ]);
    if (this.openId !== id) return;
    const other = address.get('video') && address.get('video') !== detail.video.id;
    address.set({
      qa: id,
      video: detail.video.id,
      evaluation: this.evaluation,
      ...(other ? { frame: '', scene: '' } : {}),
    });
    const player = await this.middle.of(detail.video.id);
    if (this.openId !== id) return;
    this.frame.main.classList.toggle('dl-nofile', !player.data.file);
    this.panel = new VerdictPanel(detail, {
      can: this.frame.can,
      player,
      evaluation: this.evaluation,
      frame: this.frame,
      changed: (what) => this.#changed(what),
      open: (next) => this.ahead.go(this.open(next)),
    });
    this.right.replaceChildren(this.queue.node, this.panel.node);
    this.queue.show(detail.video.id).catch(report);
    this.right.scrollTop = 0;
    const direct = detail.answer_frames || [];
    const given = direct.length ? direct : detail.caption?.frames || [];
    const title =
      detail.kind === 'mmlu:reasoning' ? 'frames given with the question' : 'frames given to the captioner';
    const from = detail.kind === 'mmlu:reasoning' ? 'answer' : 'caption';
    const baseline = detail.caption?.baseline || (direct.length && detail.baseline);
    this.middle.given(
      player,
      given,
      title,
      `Not recorded by the source of this ${from}.`,
      baseline ? baselineBadge() : null,
    );
    // A video that plays on from another page is where it should be, as is a frame that the link names.
    const stay = linked || (seen === '' && Boolean(player.shuttle?.playing));
    this.strip
      .show(player, { path: ofVerdict(id), questionId: detail.question_id || '', stay })
      .catch(report);
  }

  /**
   * Something was saved: the line in the list follows, the place in the list stays.
   * @param {import('./verdict_panel.js').VerdictChange} change
   */
  async #changed({ verdict, row, reload }) {
    const at = this.list.find((r) => r.verdict_id === verdict);
    if (at >= 0 && row) {
      Object.assign(this.list.row(at), row);
      this.list.refresh(at);
    }
    if (reload) await this.#reload(reload === true ? this.openId : reload);
    else await this.#recount();
  }

  /**
   * Others have changed something: lines and counts follow, the place in the list stays; so does what is open, where
   * one has a hand in it.
   * @param {string[]} by
   */
  async #others(by) {
    const { turn, openId } = this;
    const page = await this.#page(openId ? { at: openId } : { offset: 0 });
    if (turn !== this.turn) return;
    for (const row of page.rows) {
      const at = this.list.find((r) => r.verdict_id === row.verdict_id);
      if (at < 0 || JSON.stringify(this.list.row(at)) === JSON.stringify(row)) continue;
      Object.assign(this.list.row(at), row);
      this.list.refresh(at);
    }
    this.counts = page.counts;
    this.#foot();
    if ((await this.panel?.renew()) && by.length) notice(`${by.join(', ')} changed this`);
  }

  /** Counts follow every change; the rows stay where they are until the list is asked for anew. */
  async #recount() {
    const { turn } = this;
    const page = await this.#page({ offset: 0, limit: 1 });
    if (turn !== this.turn) return;
    this.counts = page.counts;
    this.#foot();
  }

  /**
   * A decision was undone or redone: the question that it was about opens, where the list has it.
   * @param {{changes: {kind: string, subject: string[]}[]}} detail what was changed
   */
  async #undone({ changes }) {
    if (!this.openId) return;
    const about = changes
      .map(({ kind, subject }) => (kind === 'error_source' || kind === 'opinion' ? subject[0] : ''))
      .find(Boolean);
    const there =
      about && about !== this.openId && (await this.#page({ at: about, limit: 1 })).position !== null;
    await this.#changed({ reload: there ? about : true });
  }

  /** @param {number} by */
  async #move(by) {
    const to = this.list.selected + by;
    if (to >= 0 && to < this.list.total) await this.openAt(to);
  }

  /**
   * The next video of my queue: its questions alone, the first open one first.
   * @param {string} id
   */
  async #openVideo(id) {
    this.filters.narrow(id);
    await this.#reload();
  }

  /**
   * The place of the next open question after this one, from the beginning again at the end; null: none.
   * @param {string} after
   * @returns {Promise<number | null>}
   */
  async #nextOpenPlace(after) {
    const query = this.filters.query();
    query.set('at', after);
    this.next = await api(`/api/verdicts/next?${query}`);
    return this.next.position;
  }

  async #nextOpen() {
    await this.queue.ready?.catch(() => null); // reported where it was asked for
    // Asked before it is saved: a correction moves its line in a list that is sorted by score.
    const to = await this.#nextOpenPlace(this.openId || '');
    const { verdict_id: id, video_id: video } = this.next;
    await this.panel?.save();
    const none = to === null || id === this.openId;
    // Work that is given to me is done video by video: nothing open is left in this one.
    if ((none || video !== address.get('video')) && this.queue.work?.unfinished && (await this.queue.done()))
      return;
    if (none) return;
    if ((await this.list.rowAt(to))?.verdict_id === id) await this.openAt(to);
    else await this.#reload(id);
  }

  #keys() {
    /** @param {() => Promise<unknown>} move */
    const go = (move) => () => this.ahead.go(move());
    /** @param {(panel: VerdictPanel) => unknown} what */
    const act = (what) => () =>
      this.ahead.afterMove(() => {
        if (!this.panel) throw new Refused('No question is open.');
        return what(this.panel);
      });
    const errorSources = [1, 2, 3, 4, 5].map((n) => [
      `error_source_${n}`,
      act((panel) => panel.numberKey(n)),
    ]);
    bindKeys('verdicts', {
      next: go(() => this.#move(1)),
      previous: go(() => this.#move(-1)),
      first: go(() => this.openAt(0)),
      last: go(() => this.openAt(this.list.total - 1)),
      ...Object.fromEntries(errorSources),
      edit: act((panel) => panel.editVerdict()),
      edit_caption: act((panel) => panel.editCaption()),
      edit_answer: act((panel) => panel.editAnswer()),
      edit_question: act((panel) => panel.editQuestion()),
      exclude: act((panel) => panel.exclude()),
      evidence_next: () => this.ahead.afterMove(() => this.strip.step(1)),
      evidence_previous: () => this.ahead.afterMove(() => this.strip.step(-1)),
      confirm_source: act((panel) => panel.confirmSource()),
      pin: () => this.ahead.afterMove(() => this.strip.pin()),
      rerun: act((panel) => panel.rerun('question')),
      raw: act((panel) => panel.toggleRaw()),
      filters: () => this.filters.moreButton.click(),
      blind: () => this.blindness.toggle().catch(report),
      label_yes: act((panel) => panel.blindForm?.label('yes')),
      label_no: act((panel) => panel.blindForm?.label('no')),
      score_0: act((panel) => panel.blindForm?.score(0)),
      save_next: go(() => finishing(this.right, () => this.ahead.afterMove(() => this.#nextOpen()))),
    });
    bindKeys(
      'player',
      playerRuns(() => this.middle.player),
    );
    bindKeys('queue', this.queue.runs());
  }
}
