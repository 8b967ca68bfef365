// Undo and redo of decisions: what is typed is saved first, a toast says what was undone, pages draw anew.
// What is being typed is not a decision yet: in a text field the browser's own undo works.
import { address, button, call, h, notice } from '../parts/elements_and_requests.js';
import { keyHint } from '../keys/keymap.js';
import { confirmed } from '../parts/dialog.js';
import { settle } from './save_before_leaving.js';

let turning = Promise.resolve();
let toast = null;
const LEFT_MS = 30_000; // a list of names takes longer to read than a line
const NAMED = 3;
const DECIDED_MS = 20_000;

/**
 * Says what was decided, with the way back. It takes the place of what was said before: undo takes back the last decision.
 * @param {string} words
 */
export function decided(words) {
  toast?.remove();
  const undo = button('Undo', () => turn('undo'), { kind: 'quiet', name: 'undo-decision' });
  toast = notice([words, ' ', undo], 'info', DECIDED_MS);
}

/** `way` is 'undo' or 'redo'. One after the other, however fast the keys come. */
export function turn(way) {
  turning = turning.then(() => turnNow(way));
  return turning;
}

async function turnNow(way, sure = false) {
  await settle();
  try {
    const { action, left } = await call(`/api/${way}`, sure ? { sure } : {});
    say(way, action, left);
    if (action) changed(action);
  } catch (error) {
    if (error.body?.lost && (await sureOf(error))) {
      await turnNow(way, true);
      return;
    }
    if (error.body?.lost) return;
    notice(error.message, 'error');
    changed({ video_id: null, changes: [] });
  }
}

/** Tell the page that values are others than it shows. `video` is empty when any may be. */
function changed({ video_id: video, changes }) {
  document.dispatchEvent(new CustomEvent('dl-changed', { detail: { video: video || '', changes } }));
}

/** What cannot be redone is asked for, with what others would lose. */
function sureOf({ message, body }) {
  const lost = Object.entries(body.lost).map(([kind, n]) => `${n} ${kind.replaceAll('_', ' ')}`);
  const words = [`${message.split(';')[0].split(': taking')[0]}: it goes, and cannot be redone.`];
  if (lost.length) words.push(`What was done on it since goes with it: ${lost.join(', ')}.`);
  return confirmed('Take the import back?', words, 'Take back');
}

function say(way, action, left) {
  toast?.remove();
  const other = way === 'undo' ? 'redo' : 'undo';
  if (!action) {
    toast = notice(`There is nothing to ${way}.`);
    return;
  }
  const words = [way === 'undo' ? 'Undone: ' : 'Done again: ', action.what];
  const count =
    action.of > action.changes.length
      ? `${action.changes.length} of ${action.of} ${way === 'undo' ? 'taken back' : 'done again'}`
      : '';
  toast = notice(
    [
      h(
        'div',
        {},
        h(
          'span',
          { 'data-name': 'undone' },
          words,
          elsewhere(action) ? [' in ', linkTo(action, action.video_title)] : null,
          count ? h('b', {}, `; ${count}`) : null,
        ),
        listOf(left),
      ),
      ' ',
      action.state === 'dropped'
        ? null
        : button([other === 'undo' ? 'Undo' : 'Redo', keyHint(`everywhere.${other}`)], () => turn(other), {
            kind: 'quiet',
            name: `toast-${other}`,
          }),
    ],
    'info',
    left.length ? LEFT_MS : undefined,
  );
}

/** What somebody else has changed since, by name, each with the way there. */
function listOf(left) {
  if (!left.length) return null;
  const line = (one) =>
    h('li', {}, one.video_id ? linkTo(one, `${one.video_title}, ${one.where}`) : one.where, `: ${one.why}`);
  const more = left.slice(NAMED);
  return [
    h('p', {}, left.length === 1 ? 'Left as it is:' : 'Left as they are:'),
    h('ul', { class: 'dl-left', 'aria-label': 'Left as they are' }, left.slice(0, NAMED).map(line)),
    more.length
      ? h(
          'details',
          {},
          h('summary', {}, `${more.length} more`),
          h('ul', { class: 'dl-left' }, more.map(line)),
        )
      : null,
  ];
}

const linkTo = (thing, words) => h('a', { href: placeOf(thing) }, words);

/** Whether it shows on another page or video than this. */
const elsewhere = (action) =>
  action.video_id &&
  (action.video_id !== address.get('video') ||
    (onOnePage(action) && new URL(placeOf(action), location.href).pathname !== location.pathname));

const ASKED = ['answer', 'question'];

/** Texts and cuts show on several pages; these on one. */
const onOnePage = ({ changes: [{ kind, subject }] }) =>
  ['opinion', 'error_source', 'exclusion', 'keyframes', 'frame_label', 'study_choice'].includes(kind) ||
  ASKED.includes(subject[0]);

/** Where the thing can be seen. */
function placeOf({ video_id: video, changes: [{ kind, subject }] }) {
  if (kind === 'error_source') return address.to('verdicts', { qa: subject[0] });
  if (kind === 'exclusion') return address.to('verdicts', { video });
  if (kind === 'keyframes') return address.to('keyframes', { video });
  if (kind === 'frame_label') return address.to('keyframes', { video, view: 'label' });
  if (kind === 'study_choice')
    return address.to('keyframes', { view: 'study', study: subject[0], sequence: Number(subject[1]) + 1 });
  if (kind === 'assignment' || kind === 'join') return '/';
  if (kind === 'opinion')
    return address.to(
      'verdicts',
      address.get('of') ? { of: address.get('of'), item: subject[0] } : { qa: subject[0] },
    );
  return address.to(ASKED.includes(subject[0]) ? 'verdicts' : 'script', { video });
}
