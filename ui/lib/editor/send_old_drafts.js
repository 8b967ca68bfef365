// Drafts whose text is not on this page: typed before a crash or without a connection, sent now.
import { notice } from '../parts/notices.js';
import { plural } from '../parts/words.js';
import { request } from '../requests/requests.js';
import { draftKeys, draftOf, dropDraft, freshDraft } from './drafts.js';
import { isLive } from './editor.js';
import { saveOf } from './saved_text.js';

const SETTLE_MS = 4000; // what another tab is still typing is younger
const OLD_MS = 10000;

/** Once per page: sends what waits, and says what needs a look. */
export function sendDraftsLater() {
  setTimeout(() => sendDrafts().catch(() => {}), SETTLE_MS);
}

async function sendDrafts() {
  const outcomes = { sent: 0, conflict: 0 };
  for (const key of draftKeys()) {
    const outcome = await sendOne(key, draftOf(key));
    if (outcome) outcomes[outcome] += 1;
  }
  if (outcomes.sent)
    notice(
      `${plural(outcomes.sent, 'text')} typed here before the connection was lost ${outcomes.sent === 1 ? 'is' : 'are'} saved now.`,
    );
  if (outcomes.conflict)
    notice(
      `${plural(outcomes.conflict, 'text')} typed here, and not saved, ${outcomes.conflict === 1 ? 'was' : 'were'} changed by somebody else since: open it to compare.`,
      'error',
    );
}

/** What was typed here for this video on other pages goes out now. Gives the drafts that cannot be saved. */
export async function sendDraftsOf(video) {
  const waiting = draftKeys()
    .map((key) => [key, draftOf(key)])
    .filter(([key, draft]) => draft.video === video && !isLive(key));
  const left = [];
  for (const [key, draft] of waiting) {
    if ((await sendOne(key, draft, 0)) !== 'sent' && draftOf(key)) left.push(draft);
  }
  return left;
}

async function sendOne(key, seen, least = OLD_MS) {
  if (seen?.part !== '' || isLive(key) || Date.now() - seen.at < least) return '';
  const draft = await freshDraft(key);
  if (!draft) {
    dropDraft(key);
    return '';
  }
  if (draft.at !== seen.at) return '';
  const outcome = await send(draft, draft.revision);
  const since = outcome === 'sent' && (await freshDraft(key)); // somebody may have opened the text and typed on
  if (since && since.at === draft.at) dropDraft(key);
  return outcome;
}

/** Over what was sent before and stored, though its answer never came, the draft goes on. */
async function send(draft, revision) {
  try {
    await request(...saveOf(draft, { value: draft.value, base_revision: revision }));
  } catch (error) {
    const { current, revision: now } = error.body || {};
    if (error.status !== 409) return '';
    if (current === draft.value) return 'sent';
    return now !== revision && draft.sent.includes(current) ? send(draft, now) : 'conflict';
  }
  return 'sent';
}
