// Findings of the checks beside the text that they are about: what is wrong and why, and a person's word that it is right.
import { api, button, dayAndTime, h, mark, notice, report } from '../lib/core.js';
import { askWords } from '../shell/assignment_bar.js';

/** @typedef {import('../wire.d.ts').components['schemas']['SceneFinding']} SceneFinding */
/** @typedef {import('../wire.d.ts').components['schemas']['Dismissed']} Dismissed */

const NAMES = {
  too_long: 'too long',
  frame_wording: 'tells frames apart',
  refusal: 'refusal',
  camera_measured: 'not as measured',
  shot_measured: 'not as measured',
  language_flip: 'other language',
  speech_outside: 'beyond the clip',
};

/** @param {SceneFinding[]} findings */
export const openOnes = (findings) => findings.filter((f) => !f.dismissal);

/**
 * `page`: {can, changed()}.
 * @param {SceneFinding[]} findings
 * @param {any} page
 */
export function findingList(findings, page) {
  return findings.length
    ? h(
        'ul',
        { class: 'dl-findings', 'aria-label': 'Findings' },
        findings.map((f) => row(f, page)),
      )
    : null;
}

/**
 * @param {SceneFinding} finding
 * @param {any} page
 */
function row(finding, page) {
  const { dismissal } = finding;
  const name = NAMES[finding.check] || finding.check.replaceAll('_', ' ');
  const may = page.can('edit');
  return h(
    'li',
    { class: `dl-finding ${dismissal ? 'dl-dismissed' : ''}`, 'data-check': finding.check },
    mark(dismissal ? 'done' : 'flagged', dismissal ? `${name}: in order` : name),
    h(
      'span',
      { class: 'dl-findingwhy' },
      dismissal ? `${dismissal.by}, ${dayAndTime(dismissal.at)}: ${dismissal.reason}` : finding.why,
    ),
    may && !dismissal
      ? action('dismiss …', `Say why “${name}” is in order here`, () => ask(finding, name, page))
      : null,
    may && dismissal
      ? action('take back', 'It is a finding after all', () => send(finding, '', page).catch(report))
      : null,
  );
}

function action(words, title, run) {
  const node = button(words, run, {
    kind: 'quiet',
    title,
    name: words.startsWith('dismiss') ? 'dismiss' : 'undismiss',
  });
  node.classList.add('dl-dismissfinding');
  return node;
}

/**
 * @param {SceneFinding} finding
 * @param {string} name
 * @param {any} page
 */
function ask(finding, name, page) {
  askWords(
    `${name[0].toUpperCase()}${name.slice(1)}: in order?`,
    finding.why,
    (reason) => send(finding, reason, page),
    'In order',
  );
}

/**
 * @param {SceneFinding} finding
 * @param {string} reason
 * @param {any} page
 */
async function send(finding, reason, page) {
  /** @type {Dismissed} */
  const { dismissal } = await api('/api/dismiss', { finding: finding.finding, reason });
  finding.dismissal = dismissal;
  page.changed();
  notice(dismissal ? 'In order: it is not counted any more' : 'It is a finding again');
}
