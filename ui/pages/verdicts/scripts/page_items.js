// Items of any system on the Verdicts page (`?of=`): the list, the frames, and everything about the one that is open.
// The module of the system draws the content of the panel; filters, keys, corrections are of this page.
import { address } from '../../../lib/page/address.js';
import { h } from '../../../lib/components/component.js';
import { button, mark } from '../../../lib/components/small_components.js';
import { report } from '../../../lib/parts/notices.js';
import { plural, scoreText } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { writesIn } from '../../../lib/shell/server_events.js';
import { ItemPanel } from './items_panel.js';
import { ItemState } from './items_state.js';
import { Filters, ItemFilters } from './items_filters.js';
import { ofWords } from '../../../lib/player/evidence_strip.js';
import { ListPage } from './list_page.js';

/** @typedef {import('../../../lib/shell/top_bar.js').Frame} Frame */
/** @typedef {import('../../../lib/components/item_parts.js').Item} Item */
/** @typedef {import('../../../lib/components/item_parts.js').ItemSystem} ItemSystem */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ItemKind']} ItemKind */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ItemList']} Page of the list */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ItemRow']} ItemLine */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['NextItem']} NextItem */

/** @param {Frame} frame */
export async function show(frame) {
  const of = address.get('of');
  // Only paths that the server lists are imported.
  const kind = frame.me.items.find(({ name }) => name === of);
  if (!kind) throw new Error(`there are no items named “${of}”; open Verdicts without “of” in the address`);
  const page = new ItemsPage(frame, kind, await import(`../../../${kind.script}`));
  page.bind();
  await page.start();
}

/** @augments {ListPage<ItemState>} */
class ItemsPage extends ListPage {
  /**
   * @param {Frame} frame
   * @param {ItemKind} kind
   * @param {ItemSystem} system
   */
  constructor(frame, kind, system) {
    super(
      frame,
      { keys: 'items', place: 'item', path: `/api/items/${kind.name}`, of: kind.name, label: 'Items' },
      new ItemFilters(() => this.ahead.go(() => this.reload())),
      { Filters, Panel: ItemPanel },
    );
    this.kind = kind;
    this.system = system;
    frame.main.classList.add('dl-items');
  }

  // --- the list ---------------------------------------------------------------------

  idOf = (/** @type {ItemLine | NextItem} */ row) => row.id;
  heading = (/** @type {ItemLine} */ row) => row.title;

  /** @param {Page} page */
  take(page) {
    this.frame.evaluation.update(page.evaluations);
    super.take(page);
  }

  /** @returns {[words: string, action: import('../../../lib/components/component.js').Children]} */
  nothing = () =>
    this.evaluation
      ? ['No item fits this filter.', button('Show all', () => this.#showAll(), { kind: 'main' })]
      : [
          'There are no such verdicts yet. Import the benchmark’s annotations and a file of predictions.',
          h('a', { class: 'dl-button dl-button-main', href: '/' }, 'To the Library'),
        ];

  #showAll() {
    this.frame.search.value = '';
    this.filters.clear();
  }

  counted = () => {
    const c = this.counts.value;
    const each = {
      yes: 'right',
      no: 'wrong',
      done: this.kind.done,
      flagged: 'flagged',
      entailment: 'entailed',
      neutral: 'neutral',
      contradiction: 'contradicted',
      unparsed: 'unparsed',
      failed: 'failed',
      missing: 'missing',
      corrected: 'corrected',
      confirmed: 'confirmed',
    };
    return [
      plural(c.all, 'item'),
      ' · ',
      this.blind
        ? `${c.corrected.toLocaleString('en')} labelled by you`
        : Object.entries(each).map(([state, words]) =>
            c[state] ? mark(state, `${c[state].toLocaleString('en')} ${words}`) : null,
          ),
    ];
  };

  row = (/** @type {ItemLine} */ row) => {
    /** @type {{label?: string}} */
    const words = this.system.row?.(row) || {};
    return [
      mark(row.state, ''),
      h(
        'span',
        { class: 'dl-item-label' },
        row.hidden ? '' : (words.label ?? (row.label || (row.score === null ? '–' : scoreText(row.score)))),
      ),
      h(
        'span',
        { class: 'dl-item-text' },
        h('span', { class: 'dl-item-words' }, row.text),
        h('small', null, row.flag || row.note),
      ),
      h(
        'span',
        { class: 'dl-item-marks' },
        row.corrected ? mark('corrected', '') : row.confirmed ? mark('confirmed', '') : null,
        row.stale && mark('stale', ''),
      ),
    ];
  };

  // --- the open one -------------------------------------------------------------------

  show = async (/** @type {string} */ id) => {
    /** @type {Item} */
    const detail = await this.asked(id);
    const player = await this.playerFor(id, detail.video.id, this.evaluation || detail.evaluation);
    if (!player) return;
    this.draw(
      new ItemState(detail, this.system, {
        can: this.frame.can,
        path: this.names.path,
        pane: this.right,
        changed: (now) => this.#changed(now),
      }),
    );
    this.middle.given({
      player,
      frames: detail.frames || [],
      title: 'frames given to the model',
      none: 'Not recorded by the source of this reply.',
    });
    const first = detail.shot?.cuts && (detail.frames || [])[0];
    if (first >= 0 && player.data.file)
      player.seek(first).catch(report); // the scene that was shown, not where it should lie
    else if (detail.share && player.data.file)
      player.seek(Math.round(detail.share * (player.data.frames - 1))).catch(report);
    this.middle.start();
    const asked = this.system.asked?.(detail);
    if (!asked?.question) {
      this.strip.clear();
      return;
    }
    const path = ofWords(detail.video.id, asked.question, asked.answer);
    this.strip.ask(path).catch(report);
    this.strip.show(player, { path, stay: first >= 0 || Boolean(detail.share) }).catch(report);
  };

  ask = (/** @type {string} */ id) => api(this.#pathOf(id));

  /** @param {string} id */
  #pathOf(id) {
    return `${this.names.path}/${encodeURIComponent(id)}`;
  }

  /**
   * Something was saved: the line in the list follows, the place in the list stays.
   * @param {Item} now
   */
  async #changed(now) {
    const { turn } = this;
    const page = await this.page({ at: now.id, limit: 1 });
    if (turn !== this.turn) return;
    const fresh = page.rows.find((/** @type {ItemLine} */ row) => row.id === now.id);
    // Where the filter has no place for it any more, its line tells at least that it was corrected.
    const { corrected, confirmed, label } = now;
    this.renewLine(now.id, fresh || { corrected, confirmed, label: label || '' });
    this.counts.value = page.counts;
  }

  /** Others have changed something: lines follow, and so does what is open where one has no hand in it. */
  others = async () => {
    const { openId, panel } = this;
    if (!panel) return;
    /** @type {Item} */
    const now = await api(this.#pathOf(openId));
    if (openId !== this.openId || panel !== this.panel) return;
    await this.#changed(now);
    if (!panel.why && !writesIn(this.right)) panel.detail.value = now;
  };

  bind() {
    const choices = [0, 1, 2, 3, 4, 5, 6].map((n) => [`choose_${n}`, this.act((panel) => panel.number(n))]);
    this.keys({
      ...Object.fromEntries(choices),
      word_next: this.act((panel) => panel.step(1)),
      word_previous: this.act((panel) => panel.step(-1)),
      edit: this.act((panel) => panel.edit()),
      clear: this.act((panel) => panel.takeBack()),
    });
  }
}
