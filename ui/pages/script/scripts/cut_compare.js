// Another detection beside the cuts that count: shown on the lane and as a list, taken over with a yes.
import { h, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { button } from '../../../lib/components/small_components.js';
import { can } from '../../../lib/page/rights.js';
import { confirmed } from '../../../lib/parts/dialog.js';
import { report } from '../../../lib/parts/notices.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { Legend } from './cut_legend.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutsDifference']} CutsDifference */
/** @typedef {[frame: number, sign: string, kind: string, words: string]} Change */
/** @typedef {{comparison: Comparison}} Props */

export class Comparison {
  /**
   * `run`: {adopt(), again(), close(), person}.
   * @param {CutsDifference} found
   * @param {import('../../../lib/player/player.js').Player} player
   * @param {any} run
   */
  constructor(found, player, run) {
    this.found = found;
    this.player = player;
    this.run = run;
    player.data.compare = found;
    player.draw();
  }

  get count() {
    const { added, removed, moved } = this.found;
    return added.length + removed.length + moved.length;
  }

  /** @returns {Change[]} by frame */
  get changes() {
    const { added, removed, moved } = this.found;
    const whose = (/** @type {{by: string}} */ cut) => (cut.by === 'person' ? ' · a person’s' : '');
    return /** @type {Change[]} */ ([
      ...added.map((cut) => [cut.frame, '+', 'added', `${frameName(cut.frame)} · ${clock(cut.at_s)}`]),
      ...removed.map((cut) => [
        cut.frame,
        '×',
        'removed',
        `${frameName(cut.frame)} · ${clock(cut.at_s)}${whose(cut)}`,
      ]),
      ...moved.map((cut) => [
        cut.to,
        cut.to > cut.frame ? '→' : '←',
        'moved',
        `${frameName(cut.frame)} to ${frameName(cut.to)} (${cut.to > cut.frame ? '+' : '−'}${Math.abs(cut.to - cut.frame)})${whose(cut)}`,
      ]),
    ]).sort((a, b) => a[0] - b[0]);
  }

  async adopt() {
    const { removed, moved, scenes_now: now } = this.found;
    if (!now) return this.leave(this.run.adopt);
    const lost = [...removed, ...moved].filter((cut) => cut.by === 'person').length;
    const words = [
      `${plural(this.count, 'cut')} would change. Texts stay with their scenes and are marked to be looked at again; undo brings the cuts back.`,
    ];
    if (lost)
      words.unshift(
        `${lost === 1 ? 'One of them was' : `${lost} of them were`} put there by ${this.run.person || 'a person'}.`,
      );
    return (await confirmed('Replace the cuts?', words, 'Replace them')) ? this.leave(this.run.adopt) : null;
  }

  /** @param {() => unknown} [next] */
  async leave(next) {
    delete this.player.data.compare;
    this.player.draw();
    this.run.close();
    await next?.();
  }
}

/** The list of changes can be walked through with Tab. @param {Props & {late: boolean}} props */
export function ComparisonView({ comparison, late }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null));
  const { found } = comparison;
  useLayoutEffect(() => {
    const all = /** @type {'button'} */ ('.dl-cutchange, button');
    (
      node.current.querySelector(/** @type {'button'} */ ('.dl-cutchange')) || node.current.querySelector(all)
    ).focus();
  }, [comparison]);
  return h(
    'section',
    {
      ref: node,
      class: 'dl-compare',
      'aria-label': 'What this detection would change',
      tabIndex: -1,
      onKeyDown: (event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        void comparison.leave();
      },
    },
    h(
      'h2',
      null,
      `${found.detection.detector} finds ${plural(found.scenes, 'scene')}, here are ${found.scenes_now}`,
    ),
    h(
      'div',
      { class: 'dl-cutabout' },
      h(Legend, { kind: 'added', words: `${found.added.length} added` }),
      h(Legend, { kind: 'removed', words: `${found.removed.length} removed` }),
      h(Legend, { kind: 'moved', words: `${found.moved.length} moved` }),
      h('span', null, `${found.same} the same`),
      h('span', { class: 'dl-grow' }),
      button('Keep the cuts', () => comparison.leave(), { name: 'keep-cuts' }),
      can('edit') && comparison.count
        ? button('Use these cuts', () => comparison.adopt().catch(report), {
            kind: 'main',
            name: 'adopt-cuts',
          })
        : null,
    ),
    h(
      'p',
      { class: 'dl-whynot', hidden: !late },
      'The cuts have changed since they were compared. ',
      button('Compare again', () => comparison.leave(comparison.run.again), { kind: 'quiet' }),
    ),
    h(Changes, { comparison }),
  );
}

/** @param {Props} props */
const Changes = ({ comparison }) =>
  comparison.count
    ? h(
        'ul',
        { class: 'dl-cutchanges' },
        comparison.changes.map(([frame, sign, kind, words]) =>
          h(
            'li',
            { key: `${kind} ${frame}` },
            h(
              'button',
              {
                type: 'button',
                class: `dl-cutchange dl-cutchange-${kind}`,
                title: 'to this frame',
                onClick: () => comparison.player.seek(frame),
              },
              h('b', null, sign),
              ` ${kind} `,
              words,
            ),
          ),
        ),
      )
    : h('p', { class: 'dl-hint' }, 'It finds the same cuts: nothing would change.');
