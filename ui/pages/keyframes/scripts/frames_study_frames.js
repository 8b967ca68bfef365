// Of the Study view: the frames of a sequence, and the captions of the one in focus among which a person chooses.
import { h, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { badge, hint, keyHint, mark } from '../../../lib/components/small_components.js';
import { clock, frameName } from '../../../lib/parts/words.js';

/** @typedef {import('./frames_study.js').View} View */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['StudyFrame']} StudyFrame */

const LETTERS = ['A', 'B', 'C', 'D', 'E'];
/** The digits 1 to 5 of keys.json, which label pairs in the other views. */
export const KEYS = ['yes', 'no', 'uncertain', 'choice_4', 'choice_5'];

/** @param {{view: View}} props */
export function Frames({ view }) {
  const { frames, video } = view.data.value;
  const here = useRef(/** @type {HTMLButtonElement | null} */ (null));
  useLayoutEffect(
    () => here.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [view.at.value, video.id],
  );
  return h(
    'div',
    { class: 'dl-fs-frames', role: 'group', 'aria-label': 'Frames of the sequence' },
    frames.map((frame, n) =>
      h(
        'button',
        {
          key: frame.index,
          ref: n === view.at.value ? here : undefined,
          type: 'button',
          class: 'dl-fs-frame',
          'aria-current': n === view.at.value,
          'data-n': n,
          onClick: () => view.inTurn(() => view.go(n)),
          'aria-label': `Frame ${n + 1} of ${frames.length}: ${chosenWords(frame)}`,
        },
        video.file
          ? h('img', { src: `/media/${video.id}/preview/${frame.index}.jpg`, alt: '', decoding: 'async' })
          : h('span', { class: 'dl-fl-nopicture' }, 'no picture here'),
        h(
          'span',
          { class: 'dl-fs-under' },
          h('b', null, n + 1),
          frameName(frame.index),
          frame.seconds === null ? null : h('span', null, clock(frame.seconds)),
          mark(frame.mine ? 'done' : 'open', chosenWords(frame)),
        ),
      ),
    ),
  );
}

/** @param {StudyFrame} frame */
function chosenWords({ mine }) {
  if (!mine) return 'open';
  if (mine.best === null) return 'none';
  return LETTERS[mine.best] + (mine.second === null ? '' : `, ${LETTERS[mine.second]}`);
}

/** @param {{view: View}} props */
export function Captions({ view }) {
  const { frame, locked } = view;
  const { models } = view.data.value;
  const { best = null, second = null } = frame.mine || {};
  const none = Boolean(frame.mine) && best === null;
  return h(
    'div',
    { class: 'dl-fs-captions', role: 'group', 'aria-label': `Captions of frame ${view.at.value + 1}` },
    hint(
      locked
        ? 'This study is closed.'
        : [
            'Which caption describes frame ',
            h('b', null, view.at.value + 1),
            ' best, and which second best?',
            keyHint('keyframes.save_next'),
            'next open frame',
          ],
    ),
    frame.captions.map((words, n) => {
      const hint = locked ? null : keyHint(`keyframes.${KEYS[n]}`);
      return h(
        'button',
        {
          key: n,
          type: 'button',
          class: `dl-fs-caption ${n === best ? 'dl-fs-best' : ''} ${n === second ? 'dl-fs-second' : ''}`,
          'data-letter': LETTERS[n],
          'aria-pressed': n === best || n === second,
          disabled: locked,
          onClick: () => view.inTurn(() => view.toggle(n)),
        },
        h('b', null, LETTERS[n]),
        h(
          'span',
          { class: 'dl-fs-words' },
          words || '(no caption)',
          models ? h('small', null, models[n]) : null,
        ),
        n === best ? badge('best') : n === second ? badge('second') : hint,
      );
    }),
    h(
      'button',
      {
        key: 'none',
        type: 'button',
        class: `dl-fs-caption dl-fs-none ${none ? 'dl-fs-best' : ''}`,
        'data-letter': 'none',
        'aria-pressed': none,
        disabled: locked,
        onClick: () => view.inTurn(() => view.none()),
      },
      h('b', null, '–'),
      h('span', { class: 'dl-fs-words' }, 'none of them will do'),
      locked ? null : keyHint('keyframes.clear'),
    ),
  );
}
