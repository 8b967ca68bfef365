// Merge: two annotators' parts side by side, and the expert's own beside them: left, right or own words by one key.
import { choice } from '../../../lib/parts/choice.js';
import { address } from '../../../lib/page/address.js';
import { button, clear, h, icon, mark } from '../../../lib/parts/elements.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { plural, timeOfDay, wordCount } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { empty, toLibrary } from '../../../lib/parts/empty.js';
import { AspectView, stateOfVideo } from './aspects_view.js';
import { askedFirst, openDialog } from '../../../lib/parts/dialog.js';
import { diffView, wordDiff } from '../../../lib/parts/diff_and_merge.js';
import { keyHint, keyText, openField } from '../../../lib/keys/keymap.js';
import { chosenWith, pairOf } from './merge_pair.js';
import { workMark } from '../../../lib/shell/assignment_bar.js';

/** @typedef {import('../../../lib/parts/elements.js').Content} Content */
/** @typedef {import('./aspects_view.js').Aspects} Aspects */
/** @typedef {import('./aspects_view.js').Source} Source */
/** @typedef {import('./aspects_view.js').Sources} Sources */
/** @typedef {import('./aspects_view.js').Writer} Writer */
/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {[kind: 'same' | 'gone' | 'new', text: string]} Stretch of the difference between two texts */

const LEAST = 3; // words in a row
/** @param {number} share */
const percent = (share) => `${Math.round(share * 100)} %`;

/** @param {Page} page */
export const open = (page) => new MergeView(page);

/**
 * Single words in common are chance between two people's texts: only stretches of them count as the same.
 * @param {Stretch[]} parts
 * @returns {Stretch[]}
 */
const stretches = (parts) =>
  parts.flatMap(([kind, text]) =>
    kind === 'same' && wordCount(text) < LEAST
      ? [
          ['gone', text],
          ['new', text],
        ]
      : [[kind, text]],
  );

/**
 * One side of the difference: what is the same and what is only here, neighbours as one.
 * @param {Stretch[]} parts
 * @param {'gone' | 'new'} side
 */
function joined(parts, side) {
  /** @type {Stretch[]} */
  const out = [];
  for (const [kind, text] of parts.filter(([k]) => k === 'same' || k === side)) {
    if (out.at(-1)?.[0] === kind) out.at(-1)[1] += text;
    else out.push([kind, text]);
  }
  return out;
}

/**
 * Whose words a part of the full caption holds; never "as written" over words that its writer has changed.
 * @param {Source | undefined} source
 */
function cameFrom(source) {
  if (!source?.by) return 'own words';
  if (source.was === null) return `${source.how === 'taken' ? 'as written by' : 'edited from'} ${source.by}`;
  return [
    mark('stale', `${source.how === 'taken' ? '' : 'edited from '}earlier words of ${source.by}`),
    ', who has rewritten them since',
  ];
}

class MergeView extends AspectView {
  /** @param {Page} page */
  constructor(page) {
    super(page, 'merge');
    this.at = 0;
    /** @type {[string, string]} ids of the people chosen for the two columns */
    this.chosen = ['', ''];
    /** @type {[number, number]} */
    this.pair = [0, 1];
    /** @type {HTMLElement[]} */
    this.rows = [];
    this.sum = h('p', { class: 'dl-as-sum', role: 'status' });
    this.right.addEventListener('input', () => this.#count());
    this.keys = {
      edit_full: () => this.#pick('left'),
      edit_spatial: () => this.#pick('right'),
      edit_temporal: () => this.#pick('own'),
      next: () => this.#go(this.at + 1),
      previous: () => this.#go(this.at - 1),
      save_next: () => this.#saveNext(),
      begin: () => this.#beginMerge(),
      join: () => this.join().catch(report),
      approve: () => this.approve().catch(report),
      return_work: () => this.giveBack(),
    };
  }

  /** Work that others have said something of meanwhile is shown, unless somebody is typing here. */
  async follow() {
    const { id } = this.page.bar;
    if (this.right.contains(document.activeElement?.closest('textarea') || null)) return;
    /** @type {Aspects} */
    const data = await api(`/api/aspects/${encodeURIComponent(id)}?player=false`);
    /** @param {Aspects} one */
    const seen = (one) => JSON.stringify([one.writers, one.state]);
    // Asked once more, after what is being saved here: this answer may be older than that.
    if (this.page.bar.id === id && this.data && seen(data) !== seen(this.data)) await this.refresh();
  }

  get can() {
    return this.frame.can('assign');
  }

  get mine() {
    return this.data.merge?.id === this.me && this.data.merge.work.unfinished;
  }

  /** Whether the expert who looks may begin: all are done, and nobody else merges. */
  get ready() {
    return (
      this.can &&
      this.data.writers.length > 0 &&
      this.data.writers.every((w) => ['done', 'approved'].includes(w.work.state)) &&
      (!this.data.merge || this.data.merge.id === this.me)
    );
  }

  draw() {
    const { writers, parts, merge } = this.data;
    this.pair = pairOf(writers, this.chosen);
    this.#below();
    if (!writers.length) {
      clear(this.right, this.#nothing());
      return;
    }
    this.rows = parts.map(([name, words], n) => this.#row(name, words, n));
    clear(
      this.right,
      h(
        'div',
        { class: 'dl-as-grid', role: 'grid', 'aria-label': 'Parts' },
        h(
          'div',
          { class: 'dl-as-heads', role: 'row' },
          this.#writerHead(0),
          writers.length > 1
            ? this.#writerHead(1)
            : h('div', { class: 'dl-as-colhead', role: 'columnheader' }, h('h2', {}, 'nobody else')),
          this.#mergeHead(merge),
        ),
        this.rows,
      ),
    );
    this.#mark(false);
    this.#count();
  }

  // --- heads ------------------------------------------------------------------------

  /** @param {0 | 1} side */
  #writerHead(side) {
    const { writers } = this.data;
    const writer = writers[this.pair[side]];
    const take = (/** @type {string} */ n) => {
      this.chosen = chosenWith(writers, this.pair, side, Number(n));
      this.draw();
    };
    const select =
      writers.length > 2
        ? choice(
            side ? 'right text by' : 'left text by',
            writers.map((w, n) => [n, w.name]),
            this.pair[side],
            take,
          )
        : null;
    const back =
      this.can &&
      ['done', 'approved', 'flagged', 'skipped'].includes(writer.work.state) &&
      this.data.merge?.work.state !== 'approved';
    return h(
      'div',
      { class: 'dl-as-colhead', role: 'columnheader', 'data-writer': writer.name },
      h(
        'div',
        { class: 'dl-row' },
        select || h('h2', {}, writer.name),
        h('span', { class: 'dl-grow' }),
        back
          ? button('Return', () => openField('return', () => this.giveBack(writer)), {
              kind: 'quiet',
              title: 'Give it back with a comment',
              name: 'return-work',
            })
          : null,
      ),
      h(
        'div',
        { class: 'dl-as-about' },
        workMark({ ...writer.work, task: '' }),
        writer.texts ? h('span', {}, plural(this.#words(writer.texts), 'word')) : null,
      ),
      writer.work.note ? h('p', { class: 'dl-queue-note' }, writer.work.note) : null,
    );
  }

  /** @param {Aspects['merge']} merge */
  #mergeHead(merge) {
    return h(
      'div',
      { class: 'dl-as-colhead', role: 'columnheader' },
      h('div', { class: 'dl-row' }, h('h2', {}, merge ? `merged by ${merge.name}` : 'merged')),
      h(
        'div',
        { class: 'dl-as-about' },
        merge ? [workMark({ ...merge.work, task: '' }), this.sum] : h('span', {}, 'not begun'),
      ),
    );
  }

  /** @param {Writer['texts']} texts */
  #words(texts) {
    return this.data.parts.reduce((sum, [name]) => sum + wordCount(texts[name]?.value || ''), 0);
  }

  // --- rows -------------------------------------------------------------------------

  /**
   * @param {string} name
   * @param {string} words
   * @param {number} n
   */
  #row(name, words, n) {
    const [left, right] = this.#texts(name);
    const parts = left && right ? stretches(wordDiff(left, right)) : [];
    const was = this.#was(name);
    /** @type {(kind: 'gone' | 'new', text: string | null, own: string, side: number) => Content} */
    const one = (kind, text, own, side) =>
      text === null
        ? h('p', { class: 'dl-hint' }, 'shown when all who write are done')
        : was && was.side === side
          ? [
              h(
                'p',
                { class: 'dl-hint' },
                mark('stale', 'rewritten since it was merged'),
                ' ',
                h('del', {}, 'words merged'),
                ' ',
                h('ins', {}, 'words now'),
              ),
              diffView(was.words, text, `${words} by ${was.by}: merged words and words now`),
            ]
          : h(
              'p',
              { class: 'dl-as-words' },
              parts.length
                ? joined(parts, kind).map(([k, t]) =>
                    k === 'same' ? t : h('span', { class: own, title: 'only here' }, t),
                  )
                : text || h('span', { class: 'dl-hint' }, 'nothing written'),
            );
    const both = this.data.agreement[name];
    return h(
      'div',
      {
        class: 'dl-as-row',
        role: 'row',
        tabindex: '-1',
        'data-row': n,
        'data-part': name,
        'aria-selected': 'false',
        onclick: () => this.#select(n),
        onfocusin: () => this.#select(n),
      },
      h(
        'div',
        { class: 'dl-as-rowhead', role: 'rowheader' },
        h('h3', {}, words),
        both
          ? h(
              'span',
              {
                class: 'dl-hint',
                title: 'How far the two agree: ROUGE-L F1, and the share of content words that both use',
              },
              `ROUGE-L ${percent(both.rouge_l)} · ${percent(both.shared)} of content words shared`,
            )
          : null,
      ),
      this.#cell('left', left, one('gone', left, 'dl-as-only-left', 0)),
      this.data.writers.length > 1
        ? this.#cell('right', right, one('new', right, 'dl-as-only-right', 1))
        : h('div', { class: 'dl-as-cell', role: 'gridcell' }),
      this.#merged(name, words),
    );
  }

  /**
   * Words of a writer that the merged part holds or comes from, where that writer has others now.
   * @param {string} name
   */
  #was(name) {
    const source = this.data.merge?.sources?.[name];
    if (!source || source.was === null) return null;
    return {
      words: source.was,
      by: source.by,
      side: this.pair.findIndex((at) => this.data.writers[at]?.id === source.person),
    };
  }

  /**
   * The left text and the right one; null where it is not to be seen.
   * @param {string} name
   */
  #texts(name) {
    const { writers } = this.data;
    return this.pair.map((at, side) =>
      side && writers.length < 2 ? '' : writers[at].texts ? writers[at].texts[name]?.value || '' : null,
    );
  }

  /**
   * @param {'left' | 'right'} side
   * @param {string | null} text
   * @param {Content} node
   */
  #cell(side, text, node) {
    return h(
      'div',
      { class: 'dl-as-cell', role: 'gridcell', 'data-side': side },
      node,
      this.mine && text
        ? button(
            [
              icon('next'),
              side === 'left' ? 'Take left' : 'Take right',
              keyHint(side === 'left' ? 'split.edit_full' : 'split.edit_spatial'),
            ],
            (event) => {
              const row = /** @type {HTMLElement} */ (event.target).closest('[data-row]');
              this.#select(Number(/** @type {HTMLElement} */ (row).dataset.row));
              this.choose(side);
            },
            { kind: 'quiet', name: `take-${side}` },
          )
        : null,
    );
  }

  /**
   * @param {string} name
   * @param {string} words
   */
  #merged(name, words) {
    const { merge } = this.data;
    const text = merge?.texts?.[name];
    const cell = h('div', { class: 'dl-as-cell dl-as-merged', role: 'gridcell' });
    if (!text) {
      cell.append(
        h(
          'p',
          { class: 'dl-hint' },
          merge ? (merge.texts ? 'nothing yet' : 'shown when all who write are done') : '',
        ),
      );
      return cell;
    }
    const editor = this.editor(name, text, {
      plain: true,
      label: `merged ${words}`,
      rows: name === 'overview' ? 2 : 3,
      readonly: !this.mine,
    });
    const from = merge.from?.[name];
    editor.node.querySelector('.dl-label').replaceWith(h('span', { class: 'dl-as-from' }));
    cell.append(editor.node);
    cell.dataset.how = from?.how || '';
    return cell;
  }

  /**
   * Whose words the merged part holds now.
   * @param {string} name
   * @returns {[state: string, words: string]}
   */
  #how(name) {
    const value = this.editors.get(name)?.area.value.trim() || '';
    const [left, right] = this.#texts(name).map((text) => text?.trim());
    if (!value) return ['open', 'empty'];
    if (value === left && value === right) return ['done', 'both say so'];
    if (value === left) return ['done', 'left'];
    if (value === right) return ['done', 'right'];
    const was = this.#was(name);
    return was && value === was.words.trim()
      ? ['stale', `earlier words of ${was.by}`]
      : ['corrected', 'own words'];
  }

  #count() {
    const {
      parts,
      words: [least, most],
    } = this.data;
    let sum = 0;
    for (const row of this.rows) {
      const name = row.dataset.part;
      const editor = this.editors.get(name);
      if (!editor) continue;
      sum += wordCount(editor.area.value);
      clear(row.querySelector('.dl-as-from') || h('span'), mark(...this.#how(name)));
    }
    if (!parts.some(([name]) => this.editors.has(name))) {
      clear(this.sum);
      return;
    }
    clear(
      this.sum,
      plural(sum, 'word'),
      ' ',
      sum < least
        ? mark('failed', `short of ${least} to ${most}`)
        : sum > most
          ? mark('failed', `beyond ${least} to ${most}`)
          : mark('done', `within ${least} to ${most}`),
    );
  }

  // --- the video's summary ------------------------------------------------------------

  #below() {
    const { merge, state, writers } = this.data;
    clear(
      this.below,
      h('p', { class: 'dl-as-state' }, stateOfVideo(state)),
      this.#begin(),
      merge?.texts ? this.#fullBox(merge) : null,
      writers.length > 1 && writers.every((w) => w.texts)
        ? h(
            'p',
            { class: 'dl-as-key' },
            h('span', { class: 'dl-as-only-left' }, 'only left'),
            h('span', { class: 'dl-as-only-right' }, 'only right'),
          )
        : null,
    );
  }

  #begin() {
    const { merge, writers } = this.data;
    if (merge?.texts && Object.keys(merge.texts).length) return null;
    if (this.ready)
      return h(
        'p',
        {},
        button(
          ['Merge this video', keyHint('split.begin')],
          () => openField('merge this video', () => this.#beginMerge()),
          { kind: 'main', name: 'begin-merge' },
        ),
      );
    const left = writers.filter((w) => !['done', 'approved'].includes(w.work.state)).map((w) => w.name);
    if (left.length)
      return h(
        'p',
        { class: 'dl-hint' },
        `${left.join(' and ')} still ${left.length === 1 ? 'writes' : 'write'}; merging begins when all are done.`,
      );
    return this.can || merge ? null : h('p', { class: 'dl-hint' }, 'An expert merges the two.');
  }

  /** @param {Aspects['merge']} merge */
  #fullBox(merge) {
    const { full, from, work } = merge;
    const approved = work.state === 'approved';
    return h(
      'div',
      { class: 'dl-as-fullbox' },
      h('h2', {}, 'Full caption'),
      full
        ? h(
            'p',
            {},
            mark(
              approved ? 'approved' : 'done',
              `${plural(wordCount(full.value), 'word')}, joined ${timeOfDay(full.created_at)}`,
            ),
          )
        : h(
            'p',
            { class: 'dl-hint' },
            'The four parts, one after the other, become the full caption that is split.',
          ),
      full && !from ? h('p', {}, mark('stale', 'changed since it was joined')) : null,
      full && merge.approved !== null && merge.approved !== full.revision
        ? h('p', {}, mark('stale', 'changed since it was approved'))
        : null,
      merge.approved === null
        ? null
        : h(
            'p',
            { class: 'dl-hint' },
            `Approved: revision ${merge.approved} of the caption${this.#named(from)}.`,
          ),
      from
        ? h(
            'ul',
            { class: 'dl-as-sources' },
            this.data.parts.map(([name, words]) => h('li', {}, h('b', {}, words), ' ', cameFrom(from[name]))),
          )
        : null,
      this.can && !approved && (this.mine || full)
        ? h(
            'div',
            { class: 'dl-row' },
            this.mine
              ? button(
                  [full ? 'Join again' : 'Join the parts', keyHint('split.join')],
                  () => this.join().catch(report),
                  { kind: full ? '' : 'main', name: 'join' },
                )
              : null,
            full
              ? button(['Approve', keyHint('split.approve')], () => this.approve().catch(report), {
                  kind: 'main',
                  name: 'approve-full',
                })
              : null,
          )
        : null,
      approved
        ? h(
            'div',
            { class: 'dl-row' },
            h(
              'a',
              {
                class: 'dl-button dl-button-main',
                href: address.to('split', { video: this.page.bar.id }),
                onclick: (event) => {
                  event.preventDefault();
                  this.page.tabs.choose('split').catch(report);
                },
              },
              'To the split',
            ),
            this.can
              ? button(['Reopen', keyHint('split.approve')], () => this.approve().catch(report), {
                  kind: 'quiet',
                  name: 'reopen-full',
                })
              : null,
          )
        : null,
    );
  }

  #nothing() {
    return empty(
      'Nobody was given this video to write its four parts.',
      h(
        'p',
        { class: 'dl-hint' },
        'Give it to two annotators in the Library, task “aspects”; when both are done, an expert merges here.',
      ),
      toLibrary(),
    );
  }

  // --- doing ------------------------------------------------------------------------

  /** Whether nothing is merged yet, and the expert who looks may begin. */
  get untouched() {
    return this.ready && !Object.keys(this.data.merge?.texts ?? {}).length;
  }

  /**
   * A key that chooses words begins the merge, where it can begin.
   * @param {'left' | 'right' | 'own'} side
   */
  #pick(side) {
    return this.untouched ? this.#beginWith(side) : this.choose(side);
  }

  /** @param {'left' | 'right' | 'own'} side */
  async #beginWith(side) {
    const { at } = this;
    await this.#beginMerge();
    this.#go(at);
    return this.choose(side);
  }

  /**
   * The part in focus: the left text, the right one, or words of one's own.
   * @param {'left' | 'right' | 'own'} side
   */
  choose(side) {
    const name = this.data.parts[this.at]?.[0];
    const editor = this.editors.get(name);
    if (!this.mine || !editor) throw new Refused(this.#whyNot());
    const [left, right] = this.#texts(name);
    const words =
      side === 'left'
        ? left
        : side === 'right'
          ? right
          : [left, right].includes(editor.area.value)
            ? ''
            : editor.area.value;
    const who = { left: this.data.writers[this.pair[0]], right: this.data.writers[this.pair[1]] }[side];
    if (words !== null && editor.area.value !== words) {
      editor.put(words);
      // The server reads from the reason that what stood here before is not the origin of what comes now.
      editor.save({ reason: who ? `took the text of ${who.name}` : 'own words' }).catch(report);
      this.#count();
    }
    if (side === 'own') editor.area.focus();
    return side !== 'own';
  }

  #whyNot() {
    return this.mine
      ? 'There is nothing to merge here yet.'
      : 'Only the expert who merges this video can write here.';
  }

  /** Puts four parts of the merged caption beside the two; the first is chosen then. */
  async #beginMerge() {
    const { merge } = this.data;
    if (merge?.texts && Object.keys(merge.texts).length)
      throw new Refused(
        this.mine
          ? `You merge this video already: ${keyText('split.edit_full')}, ${keyText('split.edit_spatial')} and ${keyText('split.edit_temporal')} choose the words of a part.`
          : this.#whyNot(),
      );
    if (!this.ready)
      throw new Refused('Merging begins when all who write this video are done, by an expert.');
    await this.say('merge');
    this.told();
    this.#go(0);
    return true;
  }

  async join() {
    if (!this.mine) return;
    await this.say('full', { base_revision: this.data.merge.full?.revision || 0 });
    notice('The full caption is joined from the four parts.');
  }

  async approve() {
    const { merge } = this.data;
    if (!this.can || !merge?.full) return;
    const approved = merge.work.state === 'approved';
    await this.leave();
    const versions = this.#versions();
    const send = async (/** @type {boolean} */ sure) =>
      this.say(approved ? 'reopen' : 'approve', approved ? {} : { versions, sure });
    const data = await askedFirst(send, 'Approve with open points?', 'Approve all the same').catch(
      async (error) => {
        if (error.status === 409) await this.refresh();
        throw error;
      },
    );
    if (!data) return;
    this.told();
    notice(
      approved
        ? 'The caption is open again.'
        : `Approved: revision ${merge.full.revision} of the caption${this.#named(merge.from)}. It can be split.`,
    );
  }

  /**
   * ", made of Overview by Ann (revision 2), ..."
   * @param {Sources | null} from
   */
  #named(from) {
    const made = this.data.parts
      .filter(([name]) => from?.[name]?.by)
      .map(([name, words]) => `${words} by ${from[name].by} (revision ${from[name].revision})`);
    return made.length ? `, made of ${made.join(', ')}` : '';
  }

  /** The revision of every text on the page, by its id. */
  #versions() {
    const { writers, merge } = this.data;
    const texts = [...writers.flatMap((w) => Object.values(w.texts || {})), merge.full];
    const mine = Object.entries(merge.texts || {}).map(([name, text]) => [
      text.id,
      this.editors.get(name)?.value.revision ?? text.revision,
    ]);
    return Object.fromEntries([...texts.map((text) => [text.id, text.revision]), ...mine]);
  }

  /** @param {Writer | null} [chosen] */
  giveBack(chosen = null) {
    const writers = this.data.writers.filter((w) =>
      ['done', 'approved', 'flagged', 'skipped'].includes(w.work.state),
    );
    if (!this.can || !writers.length || this.data.merge?.work.state === 'approved')
      throw new Refused('There is nothing here that can be given back.');
    const picked = getSelection().toString().trim().slice(0, 300);
    const who = choice(
      'Whose',
      writers.map((w) => [w.id, w.name]),
      (chosen || writers[0]).id,
    );
    const where = choice(
      'Where',
      [['', 'the whole caption'], ...this.data.parts],
      this.data.parts[this.at]?.[0] || '',
    );
    const quote = h('input', {
      type: 'text',
      class: 'dl-input',
      'aria-label': 'Words that are meant',
      value: picked,
      maxlength: '300',
      placeholder: 'words that are meant (optional)',
    });
    const field = h('textarea', {
      class: 'dl-text',
      rows: '3',
      'aria-label': 'What is to be done',
      maxlength: '1500',
    });
    const send = () => {
      if (!field.value.trim()) {
        notice('Say first what is to be done.');
        field.focus();
        return;
      }
      dialog.close();
      this.say('return', {
        person: who.value,
        where: where.value,
        quote: where.value ? quote.value : '',
        note: field.value.trim(),
      })
        .then(() => this.told())
        .catch(report);
    };
    const dialog = openDialog(
      'Give the parts back',
      [
        /** @type {[string, HTMLElement][]} */ ([
          ['Whose', who],
          ['Where', where],
          ['Words', quote],
        ]).map(([label, node]) =>
          h('label', { class: 'dl-field' }, h('span', {}, label.toLowerCase()), node),
        ),
        h('label', { class: 'dl-asked' }, h('span', {}, 'What is to be done'), field),
      ],
      [button('Return', send, { kind: 'main', key: 'Enter', name: 'send-return' })],
    );
    field.focus();
  }

  // --- moving -----------------------------------------------------------------------

  /** @param {number} n */
  #select(n) {
    if (n !== this.at) {
      this.at = n;
      this.#mark(false);
    }
  }

  /** @param {number} n */
  #go(n) {
    if (!this.rows[n]) return;
    this.at = n;
    this.#mark(true);
  }

  /** @param {boolean} focus */
  #mark(focus) {
    this.rows.forEach((row, n) => {
      row.setAttribute('aria-selected', String(n === this.at));
      row.tabIndex = n === this.at ? 0 : -1;
    });
    if (!focus) return;
    this.rows[this.at].focus({ preventScroll: true });
    this.rows[this.at].scrollIntoView({ block: 'nearest' });
  }

  /** To the next row, where a key takes a text or opens the field for own words. */
  async #saveNext() {
    if (this.at < this.rows.length - 1) this.#go(this.at + 1);
    else notice('That was the last part.');
    await this.leave();
    return true;
  }
}
