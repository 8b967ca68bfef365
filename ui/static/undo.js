// Undo and redo of decisions: what is typed is saved first, a toast says what was undone, pages draw anew.
// What is being typed is not a decision yet: in a text field the browser's own undo works.
import { address, api, button, h, notice } from './core.js';
import { keyHint } from './keymap.js';

let turning = Promise.resolve();
let toast = null;

/** `way` is 'undo' or 'redo'. One after the other, however fast the keys come. */
export function turn(way) {
  turning = turning.then(() => turnNow(way));
  return turning;
}

async function turnNow(way) {
  await flushed();
  try {
    const { action } = await api(`/api/${way}`, {});
    say(way, action);
    if (action) changed(action);
  } catch (error) {
    notice(error.message, 'error');
    changed({ video_id: null, changes: [] });
  }
}

/** Pages and editors put the promises of what they still have to save into the event's `detail`. */
function flushed() {
  const saving = [];
  document.dispatchEvent(new CustomEvent('dl-flush', { detail: saving }));
  return Promise.allSettled(saving);
}

/** Tell the page that values are others than it shows. `video` is empty when any may be. */
function changed({ video_id: video, changes }) {
  document.dispatchEvent(new CustomEvent('dl-changed', { detail: { video: video || '', changes } }));
}

function say(way, action) {
  toast?.remove();
  const other = way === 'undo' ? 'redo' : 'undo';
  if (!action) { toast = notice(`There is nothing to ${way}.`); return; }
  const place = placeOf(action);
  const elsewhere = action.video_id && (action.video_id !== address.get('video') || (onOnePage(action) && new URL(place, location).pathname !== location.pathname));
  toast = notice([h('span', { 'data-name': 'undone' }, `${way === 'undo' ? 'Undone' : 'Done again'}: ${action.what}`, elsewhere ? [' in ', h('a', { href: place }, action.video_title)] : null), ' ',
    button([other === 'undo' ? 'Undo' : 'Redo', keyHint(`everywhere.${other}`)], () => turn(other), { kind: 'quiet', name: `toast-${other}` })]);
}

const VERDICTS = ['judgement', 'answer', 'question'];

/** Texts and cuts show on several pages; these on one. */
const onOnePage = ({ changes: [{ kind, subject }] }) => ['blame', 'exclusion', 'keyframes', 'frame_label', 'study_choice'].includes(kind) || VERDICTS.includes(subject[0]);

/** Where the thing can be seen. */
function placeOf({ video_id: video, changes: [{ kind, subject }] }) {
  if (kind === 'blame') return address.to('verdicts', { qa: subject[0] });
  if (kind === 'exclusion') return address.to('verdicts', { video });
  if (kind === 'keyframes') return address.to('keyframes', { video });
  if (kind === 'frame_label') return address.to('keyframes', { video, view: 'label' });
  if (kind === 'study_choice') return address.to('keyframes', { view: 'study', study: subject[0], sequence: Number(subject[1]) + 1 });
  if (kind === 'assignment') return '/';
  if (subject[0] === 'judgement') return address.to('verdicts', address.get('of') ? { of: address.get('of'), item: subject[1] } : { qa: subject[1] });
  return address.to(VERDICTS.includes(subject[0]) ? 'verdicts' : 'script', { video });
}
