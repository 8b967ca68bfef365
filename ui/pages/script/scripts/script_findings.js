// Findings of the checks beside the text that they are about: what is wrong and why, and a person's word that it is right.
import { button, h, mark } from '../../../lib/parts/elements.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { dayAndTime } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { askWords } from '../../../lib/shell/assignment_bar.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SceneFinding']} SceneFinding */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Dismissed']} Dismissed */

const NAMES = {
  too_long: 'too long',
  frame_wording: 'tells frames apart',
  refusal: 'refusal',
  camera_measured: 'not as measured',
  shot_measured: 'not as measured',
  language_flip: 'other language',
  speech_outside: 'beyond the clip',
  text_not_shown: 'text not shown',
  text_misquoted: 'text is different',
};

/** @param {SceneFinding[]} findings */
export const openOnes = (findings) => findings.filter((f) => !f.dismissal);

/**
 * The same for a finding that was asked for anew.
 * @param {SceneFinding} finding
 */
export const nameOf = ({ finding }) => JSON.stringify(finding);

/**
 * `page`: {can, changed(finding, dismissal)}: what a person has just said of one, by its `nameOf`.
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
 * The focus goes to the same finding in a list that was drawn anew, or else, in another text, to one of the same check.
 * @param {Element} place of the list
 * @param {HTMLElement} held the finding that had the focus
 */
export function refocus(place, held) {
  const { finding, check } = held.dataset;
  const rows = /** @type {HTMLElement[]} */ ([...place.querySelectorAll('li')]);
  const same =
    rows.find((one) => one.dataset.finding === finding) ||
    rows.findLast((one) => one.dataset.check === check);
  same?.querySelector('button')?.focus({ preventScroll: true });
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
    {
      class: `dl-finding ${dismissal ? 'dl-dismissed' : ''}`,
      'data-check': finding.check,
      'data-finding': nameOf(finding),
    },
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
  page.changed(nameOf(finding), dismissal);
  notice(dismissal ? 'In order: it is not counted any more' : 'It is a finding again');
}
