// Undo and redo of decisions, in the order of the keys: what was typed before is saved first, what comes after waits, a
// toast says what was undone, pages draw anew. A page takes back what it shows (undo_reach.js), and names what is beyond.
// What is being typed is not a decision yet: in a text field the browser's own undo works.
import { address } from '../page/address.js';
import { button, h } from '../parts/elements.js';
import { notice } from '../parts/notices.js';
import { call, changesAnswered } from '../requests/requests.js';
import { keyHint } from '../keys/keymap.js';
import { confirmed } from '../parts/dialog.js';
import { goesFirst, settle } from './save_before_leaving.js';
import { finishing } from './type_ahead_to_next_item.js';
import { reachOf } from './undo_reach.js';
import { pageAt } from '../parts/pages.js';

/** @type {Promise<unknown>} */
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

/** @typedef {import('./undo_reach.js').Reach} Reach */

/**
 * One after the other, however fast the keys come. Until the answer is here and the page shows it, keys wait and nothing
 * can be clicked in the page: what a person does next comes after it, and is not what it takes back.
 * @param {'undo' | 'redo'} way
 * @param {Reach & {sure?: boolean}} [reach]
 */
export async function turn(way, reach = reachOf(pageAt(location.pathname).shows, address.get)) {
  const answered = turning.then(() => turnNow(way, reach));
  turning = answered;
  goesFirst(answered);
  const { ask } = await finishing(document.getElementById('dl-main'), async () => {
    const answer = await answered;
    await answer.shown;
    return answer;
  });
  if (ask && (await ask())) await turn(way, { ...reach, sure: true });
}

/**
 * @param {'undo' | 'redo'} way
 * @param {Reach & {sure?: boolean}} reach
 * @returns {Promise<{shown?: Promise<unknown>, ask?: () => Promise<boolean>}>}
 *   `shown`: once the page is drawn anew; `ask`: what the person has to agree to
 */
async function turnNow(way, reach) {
  await asked('dl-undo');
  await settle();
  await changesAnswered();
  try {
    const turned = await call(`/api/${way}`, reach);
    say(way, turned, Boolean(reach.video_id));
    return { shown: turned.action ? changed(turned.action) : null };
  } catch (error) {
    if (error.body?.lost) return { ask: () => sureOf(error) };
    notice(error.message, 'error');
    return { shown: changed({ video_id: null, changes: [] }) };
  }
}

/**
 * Tells the page that values are others than it shows, and resolves once it shows them. `video` is empty when any may be.
 * @returns {Promise<unknown>}
 */
function changed({ video_id: video, changes }) {
  return asked('dl-changed', { video: video || '', changes });
}

/** Dispatches an event, and resolves once all that its listeners name by `until` is over. */
function asked(event, detail = {}) {
  const all = [];
  const until = (/** @type {Promise<unknown>} */ promise) => all.push(promise);
  document.dispatchEvent(new CustomEvent(event, { detail: { ...detail, until } }));
  return Promise.allSettled(all);
}

/** What cannot be redone is asked for, with what others would lose. */
function sureOf({ message, body }) {
  const lost = Object.entries(body.lost).map(([kind, n]) => `${n} ${kind.replaceAll('_', ' ')}`);
  const words = [`${message.split(';')[0].split(': taking')[0]}: it goes, and cannot be redone.`];
  if (lost.length) words.push(`What was done on it since goes with it: ${lost.join(', ')}.`);
  return confirmed('Take the import back?', words, 'Take back');
}

function say(way, { action, left, beyond }, oneVideo) {
  toast?.remove();
  const other = way === 'undo' ? 'redo' : 'undo';
  if (!action) {
    toast = beyond ? sayBeyond(way, beyond, oneVideo) : notice(`There is nothing to ${way}.`);
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

/** What the page does not take back by itself, by name, with the way to it. */
function sayBeyond(way, beyond, oneVideo) {
  const words = [
    `There is nothing more to ${way} ${oneVideo ? 'on this video' : 'on this page'}. Beyond it: ${beyond.what}`,
    beyond.video_id ? [' in ', linkTo(beyond, beyond.video_title)] : null,
    ' ',
  ];
  const take = button(way === 'undo' ? 'Undo that' : 'Redo that', () => turn(way, { action_id: beyond.id }), {
    kind: 'quiet',
    name: 'beyond',
  });
  return notice([h('span', { 'data-name': 'beyond-words' }, words), take], 'info', DECIDED_MS);
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
