// Drafts whose text is not on this page: typed before a crash or without a connection, sent now.
import { api, notice, plural } from './core.js';
import { draftKeys, draftOf, dropDraft, freshDraft } from './drafts.js';
import { isLive } from './editor.js';

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
  if (outcomes.sent) notice(`${plural(outcomes.sent, 'text')} typed here before the connection was lost ${outcomes.sent === 1 ? 'is' : 'are'} saved now.`);
  if (outcomes.conflict) notice(`${plural(outcomes.conflict, 'text')} typed here, and not saved, ${outcomes.conflict === 1 ? 'was' : 'were'} changed by somebody else since: open it to compare.`, 'error');
}

async function sendOne(key, seen) {
  if (!seen?.subject || seen.part !== '' || isLive(key) || Date.now() - seen.at < OLD_MS) return '';
  const draft = await freshDraft(key);
  if (!draft) { dropDraft(key); return ''; }
  if (draft.at !== seen.at) return '';
  try {
    await api('/api/edit', { subject: draft.subject, value: draft.value, base_revision: draft.revision });
  } catch (error) {
    if (error.status !== 409) return '';
    if (error.body.current !== draft.value) return 'conflict';
  }
  dropDraft(key);
  return 'sent';
}
