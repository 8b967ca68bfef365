// A question, or all questions of a video, extracted and judged again. Both results stay.
import { address } from '../../../lib/page/address.js';
import { whileOpen } from '../../../lib/page/open_page.js';
import { notice } from '../../../lib/parts/notices.js';
import { aspectName, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { refreshPerson } from '../../../lib/shell/known_person.js';
import { Waiting } from '../../../lib/shell/request_progress.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['JudgedAgain']} JudgedAgain */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictDetail']} Verdict */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictsPage']} VerdictsPage */
/** @typedef {import('./verdict_state.js').VerdictPage} VerdictPage */

/**
 * @param {import('./verdict_state.js').VerdictState} panel
 * @param {'question' | 'video'} what
 */
export async function judgeAgain({ detail: { value: detail }, page, waiting }, what) {
  const wait = new Waiting('dl-rerunning');
  wait.say('extracting and judging again');
  waiting.value = wait;
  const done = { verdicts: 0, failed: 0, evaluation: page.evaluation };
  try {
    const kinds = what === 'video' ? await kindsOf(detail, page) : [''];
    for (const [n, kind] of kinds.entries()) {
      const about = kind ? `${aspectName(kind)}, ${n + 1} of ${kinds.length}` : 'this question';
      wait.say(`extracting and judging again: ${about}`);
      const which = kind ? { video: detail.video.id, kind } : { question: detail.question_id };
      /** @type {JudgedAgain} */
      const part = await api('/api/rerun', { evaluation: page.evaluation, ...which });
      done.verdicts += part.verdicts.length;
      done.failed += part.failed;
      done.evaluation = part.evaluation;
    }
  } finally {
    waiting.value = null;
    wait.end();
  }
  if (done.failed) notice(`${done.failed} requests failed; try again`, 'error');
  else notice(`Judged again: ${plural(done.verdicts, 'verdict')}; the earlier ones stay`);
  await show(detail, page, done.evaluation);
}

/**
 * The aspects on which the video has verdicts here.
 * @param {Verdict} detail
 * @param {VerdictPage} page
 * @returns {Promise<string[]>}
 */
async function kindsOf({ video }, { evaluation }) {
  const query = new URLSearchParams({ evaluation, video: video.id, sort: 'title', limit: '500' });
  /** @type {VerdictsPage} */
  const { rows } = await api(`/api/verdicts?${query}`);
  return [...new Set(rows.map((row) => row.kind))];
}

/**
 * The new verdict beside the old: in columns when other engines made another evaluation, else among the others.
 * @param {Verdict} detail
 * @param {VerdictPage} page
 * @param {string} evaluation
 */
async function show({ id }, page, evaluation) {
  if (evaluation !== page.evaluation) {
    await whileOpen(refreshPerson());
    address.set({ with: evaluation });
    await page.changed({ verdict: id, reload: true });
    return;
  }
  /** @type {Verdict} */
  const now = await api(`/api/verdicts/${encodeURIComponent(id)}`);
  const newer = now.superseded ? now.others.find((o) => o.run === now.run?.id && !o.superseded) : null;
  await page.changed({ verdict: id, reload: newer?.id || true });
  document.querySelector('.dl-others')?.setAttribute('open', '');
}
