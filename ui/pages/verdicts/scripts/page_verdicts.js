// Verdicts: the list of questions, the frames, and everything about the one that is open.
import { address } from '../../../lib/page/address.js';
import { h } from '../../../lib/components/component.js';
import { baselineBadge, button, mark } from '../../../lib/components/small_components.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { aspectName, plural, scoreText, verdictWord } from '../../../lib/parts/words.js';
import { bindKeys } from '../../../lib/keys/keymap.js';
import { QueueBar } from '../../../lib/shell/assignment_bar.js';
import { ofVerdict } from '../../../lib/player/evidence_strip.js';
import { prefetch, read } from '../../../lib/store/server_records.js';
import { meansAlone } from '../../../lib/parts/means_alone.js';
import { ListPage } from './list_page.js';
import { beside, Filters, VerdictFilters, verdictPath } from './verdict_filters.js';
import { VerdictPanel } from './verdict_panel.js';
import { VerdictState } from './verdict_state.js';

/** @typedef {import('../../../lib/shell/top_bar.js').Frame} Frame */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictLine']} VerdictLine */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictDetail']} VerdictDetail */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['NextVerdict']} NextVerdict */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictsPage']} Page of the list */

/** @type {(shape: string, label: string, more: string) => import('../../../lib/components/component.js').Drawn} */
const sign = (shape, label, more) =>
  h('span', { role: 'img', 'aria-label': label, title: `${label}: ${more}` }, shape);

/** @param {Frame} frame */
export async function show(frame) {
  const page = new VerdictsPage(frame);
  page.bind();
  await page.start();
}

/** @augments {ListPage<VerdictState>} */
class VerdictsPage extends ListPage {
  /** @param {Frame} frame */
  constructor(frame) {
    super(
      frame,
      { keys: 'verdicts', place: 'qa', path: '/api/verdicts', of: '', label: 'Questions' },
      new VerdictFilters(frame, () => this.ahead.go(() => this.reload(address.get('qa')))),
      { Filters, Panel: VerdictPanel },
    );
    this.queue = new QueueBar(frame, {
      flush: () => this.panel?.leave(),
      open: (id) => this.#openVideo(id),
    });
  }

  // --- the list ---------------------------------------------------------------------

  idOf = (/** @type {VerdictLine | NextVerdict} */ row) => row.verdict_id;
  heading = (/** @type {VerdictLine} */ row) => row.video_title;

  async first() {
    return address.get('task') ? ((await this.next('')).position ?? 0) : 0;
  }

  /** @param {Page} page */
  take(page) {
    this.meansAlone = page.facets?.aspect.length === 0;
    this.frame.main.classList.toggle('dl-with-others', beside().length > 0 && !page.blind);
    super.take(page);
  }

  /** @returns {[words: string, action: import('../../../lib/components/component.js').Children]} */
  nothing = () => {
    const none = !this.frame.evaluation.all.length;
    return [
      none
        ? 'There are no verdicts yet. Run the pipeline on a video, or import an evaluation.'
        : this.meansAlone
          ? meansAlone(this.frame.evaluation)
          : 'No verdict fits this filter.',
      none || this.meansAlone
        ? h('a', { class: 'dl-button dl-button-main', href: '/' }, 'To the Library')
        : button('Show all', () => this.filters.clear(), { kind: 'main' }),
    ];
  };

  counted = () => {
    const c = this.counts.value;
    /** @param {string} state */
    const some = (state) => (c[state] ? mark(state, c[state].toLocaleString('en')) : null);
    return [
      plural(c.all, 'question'),
      ' · ',
      this.blind
        ? `${c.labelled.toLocaleString('en')} labelled by you`
        : [
            mark('yes', `${c.yes.toLocaleString('en')} yes`),
            mark('no', `${c.no.toLocaleString('en')} no`),
            some('unparsed'),
            some('failed'),
            some('missing'),
          ],
    ];
  };

  row = (/** @type {VerdictLine} */ row) => {
    const grouped = this.list.starts.length > 0;
    const others =
      row.beside?.map((other) => (other ? mark(verdictWord(other), '') : mark('missing', ''))) || [];
    const aspect = aspectName(row.kind || '');
    return [
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
        h('span', { class: 'dl-item-words' }, row.question || `${aspect}, all questions`),
        h('small', null, grouped ? aspect : `${row.video_title} · ${aspect}`),
      ),
      h(
        'span',
        { class: 'dl-item-marks' },
        row.corrected ? mark('corrected', '') : row.confirmed ? mark('confirmed', '') : null,
        row.disputed && sign('⚖', 'people differ', 'see who says what'),
        row.stale && mark('stale', ''),
        row.contradicts && sign('≠', 'contradicts itself', 'its word and its score say different things'),
        row.error_source &&
          h('span', { class: 'dl-dot', title: `error source: ${row.error_source.replace('_', ' ')}` }),
        row.flag &&
          h(
            'span',
            {
              class: `dl-flag dl-flag-${row.flag}`,
              title: row.flag === 'excluded' ? 'excluded from the count' : 'a check flags this question',
            },
            mark(row.flag === 'excluded' ? 'skipped' : 'flagged', ''),
          ),
      ),
    ];
  };

  // --- the open one -------------------------------------------------------------------

  show = async (/** @type {string} */ id) => {
    const seen = this.strip.path;
    const linked = address.get('qa') === id && seen === '' && address.get('frame') !== '';
    /** @type {[VerdictDetail, unknown]} */
    const [detail] = await this.asked(id);
    const player = await this.playerFor(id, detail.video.id);
    if (!player) return;
    this.frame.main.classList.toggle('dl-nofile', !player.data.file);
    this.draw(
      new VerdictState(detail, {
        can: this.frame.can,
        player,
        evaluation: this.evaluation,
        frame: this.frame,
        pane: this.right,
        changed: (what) => this.#changed(what),
        open: (next) => this.ahead.go(() => this.open(next)),
      }),
    );
    this.right.prepend(this.queue.node);
    this.queue.show(detail.video.id).catch(report);
    const { caption, from_video: fromVideo } = detail;
    const direct = detail.answer_frames || [];
    this.middle.given({
      player,
      frames: direct.length ? direct : caption?.frames || [],
      title: fromVideo ? 'frames given with the question' : 'frames given to the captioner',
      none: `Not recorded by the source of this ${fromVideo ? 'answer' : 'caption'}.`,
      badge: caption?.baseline || (direct.length && detail.baseline) ? baselineBadge() : null,
    });
    // A video that plays on from another page is where it should be, as is a frame that the link names.
    const stay = linked || (seen === '' && Boolean(player.shuttle?.playing));
    this.strip
      .show(player, { path: ofVerdict(id), questionId: detail.question_id || '', stay })
      .then(() => this.#prefetchNext())
      .catch(report);
    this.middle.start();
  };

  ask = (/** @type {string} */ id) => Promise.all([read(verdictPath(id), ''), this.strip.ask(ofVerdict(id))]);

  /** The question that the next key opens is on its way while this one is read. */
  #prefetchNext() {
    const next = this.list.row(this.openIndex + 1);
    if (!next) return;
    prefetch(verdictPath(next.verdict_id), '');
    prefetch(ofVerdict(next.verdict_id), '');
  }

  /**
   * Something was saved: the line in the list follows, the place in the list stays.
   * @param {import('./verdict_state.js').VerdictChange} change
   */
  async #changed({ verdict, row, reload }) {
    this.renewLine(verdict, row);
    if (reload) await this.reload(reload === true ? this.openId : reload);
    else await this.#recount();
  }

  /**
   * Others have changed something: lines and counts follow, the place in the list stays; so does what is open, where
   * one has a hand in it.
   */
  others = async (/** @type {string[]} */ by) => {
    const { turn, openId, panel } = this;
    const page = await this.page(openId ? { at: openId } : { offset: 0 });
    if (turn !== this.turn) return;
    for (const row of page.rows) {
      const at = this.list.find((r) => r.verdict_id === row.verdict_id);
      if (at >= 0 && JSON.stringify(this.list.row(at)) !== JSON.stringify(row))
        this.renewLine(row.verdict_id, row);
    }
    this.counts.value = page.counts;
    if ((await panel?.renew()) && panel === this.panel && by.length) notice(`${by.join(', ')} changed this`);
  };

  /** Counts follow every change; the rows stay where they are until the list is asked for anew. */
  async #recount() {
    const { turn } = this;
    const page = await this.page({ offset: 0, limit: 1 });
    if (turn === this.turn) this.counts.value = page.counts;
  }

  /**
   * The next video of my queue: its questions alone, the first open one first.
   * @param {string} id
   */
  async #openVideo(id) {
    /** @type {VerdictFilters} */ (this.filters).narrow(id);
    await this.reload();
  }

  /**
   * Work that is given to me is done video by video: nothing open is left in this one.
   * @param {NextVerdict} next
   * @param {boolean} none
   */
  async handedOn({ video_id: video }, none) {
    await this.queue.ready?.catch(() => null); // reported where it was asked for
    if (!none && video === address.get('video')) return false;
    return Boolean(this.queue.work?.unfinished && (await this.queue.done()));
  }

  #moreFilters() {
    const { more } = /** @type {VerdictFilters} */ (this.filters);
    more.value = !more.value;
  }

  bind() {
    const errorSources = [1, 2, 3, 4, 5].map((n) => [
      `error_source_${n}`,
      this.act((panel) => panel.numberKey(n)),
    ]);
    this.keys({
      ...Object.fromEntries(errorSources),
      edit: this.act((panel) => panel.editVerdict()),
      edit_caption: this.act((panel) => panel.edit('caption')),
      edit_answer: this.act((panel) => panel.edit('answer')),
      edit_question: this.act((panel) => panel.edit('question')),
      exclude: this.act((panel) => panel.flagged.exclude()),
      confirm_source: this.act((panel) => panel.confirmSource()),
      pin: () => this.ahead.afterMove(() => this.strip.pin()),
      ask_video: this.act((panel) => panel.opinion.ask()),
      rerun: this.act((panel) => panel.rerun('question')),
      filters: () => this.#moreFilters(),
      label_yes: this.act((panel) => panel.blindForm?.label('yes')),
      label_no: this.act((panel) => panel.blindForm?.label('no')),
      score_0: this.act((panel) => panel.blindForm?.score(0)),
    });
    bindKeys('queue', this.queue.runs());
  }
}
