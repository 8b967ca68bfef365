// The heads of the three columns of Split: what a text is, whose it is, how long, and which others there are.
import { h } from '../../../lib/components/component.js';
import {
  authorMarks,
  badge,
  baselineBadge,
  button,
  choice,
  correctedMark,
  mark,
} from '../../../lib/components/small_components.js';
import { dayAndTime, plural, wordCount } from '../../../lib/parts/words.js';

/** @typedef {import('./split_state.js').SplitState} SplitState */
/** @typedef {import('./split_text.js').Column} Column */
/** @typedef {import('./split_text.js').Side} Side */
/** @typedef {import('./split_text.js').ColumnText} ColumnText */
/** @typedef {import('./split_text.js').Version} Version */

/**
 * One column's head: name, words, author, states, and what can be done.
 * @param {{split: SplitState, name: Column}} props
 */
export function ColumnHead({ split, name }) {
  const text = split.data.value.texts[name];
  const editing = Boolean(split.editors.value[name]);
  const { canEdit } = split;
  return h(
    'div',
    { class: 'dl-sx-head', role: 'columnheader', 'data-column': name },
    h(
      'div',
      { class: 'dl-sx-headline' },
      h('h2', null, name === 'full' ? 'full caption' : name),
      text ? h('span', { class: 'dl-sx-count' }, plural(wordCount(text.value), 'word')) : null,
      h('span', { class: 'dl-grow' }),
      (text || editing) && canEdit
        ? button(editing ? 'done' : 'edit', () => split.openByButton(name), {
            kind: 'quiet',
            pressed: editing,
            name: `edit-${name}`,
            title: editing ? 'Back to the aligned clauses' : `Edit the ${name} text`,
            hint: `split.edit_${name}`,
          })
        : null,
    ),
    h(
      'div',
      { class: 'dl-sx-about' },
      text
        ? h(About, { split, name, text })
        : [
            h('span', null, `no ${name} text yet`),
            name === 'full' ? null : h(OtherSplits, { split, name }),
            canEdit && !editing
              ? button(`Write ${name}`, () => split.openByButton(name), {
                  name: `write-${name}`,
                  hint: `split.edit_${name}`,
                })
              : null,
          ],
    ),
  );
}

/**
 * CaReBench asks for 150 to 300 words of a full caption.
 * @param {{value: string, range: [number, number]}} props
 */
function Length({ value, range: [least, most] }) {
  const words = wordCount(value);
  const range = `${least} to ${most}`;
  if (words < least) return mark('failed', `short of ${range}`);
  if (words > most) return mark('failed', `longer than ${range}`);
  return mark('done', `within ${range}`);
}

/** @param {{split: SplitState, name: Column, text: ColumnText}} props */
function About({ split, name, text }) {
  const standIn = text.kind === 'vdc:detailed';
  return [
    h(WrittenBy, { split, name, text }),
    name === 'full' ? h(Length, { value: text.value, range: split.data.value.words }) : null,
    standIn ? badge('detailed VDC caption') : null,
    text.stale
      ? mark(
          'stale',
          'the full caption has changed',
          'The full caption was changed after this was made from it',
        )
      : null,
    text.of_other
      ? mark(
          'unparsed',
          'of another full caption',
          'It was made from another full caption than the one beside it',
        )
      : null,
    ['failed', 'unparsed'].includes(text.state) && !text.corrected
      ? mark(text.state, text.state, text.reason)
      : null,
    (text.by === 'run' || standIn) && text.value && split.canEdit
      ? button('Keep as mine', () => split.adopt(name), {
          kind: 'quiet',
          title: `Make it your own ${name} text: exports hold what people and data sets wrote`,
          name: `adopt-${name}`,
        })
      : null,
  ];
}

/**
 * Who wrote it; a choice where several did.
 * @param {{split: SplitState, name: Column, text: ColumnText}} props
 */
function WrittenBy({ split, name, text }) {
  const versions = split.data.value.versions[name];
  // A clause that was sent and taken back leaves the machine's words.
  const shown = { ...text, corrected: text.corrected && text.value !== text.machine };
  if (versions.length < 2) return authorMarks(shown);
  /** @param {Version} v */
  const plain = (v) => `${v.author}${v.kind === 'vdc:detailed' ? ', detailed VDC' : ''}`;
  /** @param {Version} v */
  const words = (v) =>
    versions.filter((o) => plain(o) === plain(v)).length > 1
      ? `${plain(v)} · ${dayAndTime(v.created_at)}`
      : plain(v);
  return [
    choice(
      `${name} text by`,
      versions.map((v) => /** @type {[string, string]} */ ([v.id, words(v)])).reverse(),
      text.id,
      (id) => split.choose(name, id),
    ),
    shown.corrected ? correctedMark(shown) : text.baseline ? baselineBadge() : null,
  ];
}

/**
 * Splits of other full captions: they are not of this one, and stay readable.
 * @param {{split: SplitState, name: Side}} props
 */
function OtherSplits({ split, name }) {
  const versions = split.data.value.versions[name];
  if (!versions.length) return null;
  /** @type {[string, string][]} */
  const options = versions.map((v) => [v.id, `${v.author} · ${dayAndTime(v.created_at)}`]);
  return choice(
    `${name} text of another full caption`,
    [['', 'of other captions'], ...options.reverse()],
    '',
    (id) => split.choose(name, id),
  );
}
