// Findings of the checks beside the text that they are about: what is wrong and why, and a person's word that it is right.
import { h, useRef } from '../../../lib/components/component.js';
import { button, mark } from '../../../lib/components/small_components.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { dayAndTime } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { askWords } from '../../../lib/shell/assignment_bar.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SceneFinding']} SceneFinding */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Dismissed']} Dismissed */
/** @typedef {(id: string, dismissal: Dismissed['dismissal']) => void} Changed what a person has just said of a finding, by its `nameOf` */

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

let rows = 0; // of findings, in this document

/** @param {SceneFinding[]} findings */
export const openOnes = (findings) => findings.filter((f) => !f.dismissal);

/**
 * The same for a finding that was asked for anew.
 * @param {SceneFinding} finding
 */
export const nameOf = ({ finding }) => JSON.stringify(finding);

/** @param {{findings: SceneFinding[], may: boolean, changed: Changed}} props */
export function FindingList({ findings, may, changed }) {
  const before = useRef(/** @type {[finding: SceneFinding, key: string][]} */ ([]));
  const keys = rowKeys(findings, before.current);
  before.current = findings.map((finding, n) => [finding, keys[n]]);
  return findings.length
    ? h(
        'ul',
        { class: 'dl-findings', 'aria-label': 'Findings' },
        findings.map((finding, n) => h(Finding, { key: keys[n], finding, may, changed })),
      )
    : null;
}

/**
 * A finding keeps its row, and a button there the focus; in a text that has changed, so does the last one of its check.
 * @param {SceneFinding[]} findings
 * @param {[finding: SceneFinding, key: string][]} before
 */
function rowKeys(findings, before) {
  const left = [...before];
  const take = (/** @type {(one: SceneFinding) => boolean} */ fits) => {
    const at = left.findLastIndex(([one]) => fits(one));
    return at < 0 ? '' : left.splice(at, 1)[0][1];
  };
  const same = findings.map((finding) => take((one) => nameOf(one) === nameOf(finding)));
  return findings.map((finding, n) => {
    const key = same[n] || take((one) => one.check === finding.check);
    if (!key) rows += 1;
    return key || `row ${rows}`;
  });
}

/** @param {{finding: SceneFinding, may: boolean, changed: Changed}} props */
function Finding({ finding, may, changed }) {
  const { dismissal } = finding;
  const name = NAMES[finding.check] || finding.check.replaceAll('_', ' ');
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
      ? button('dismiss …', () => ask(finding, name, changed), {
          kind: 'quiet dl-dismissfinding',
          title: `Say why “${name}” is in order here`,
          name: 'dismiss',
        })
      : null,
    may && dismissal
      ? button('take back', () => send(finding, '', changed).catch(report), {
          kind: 'quiet dl-dismissfinding',
          title: 'It is a finding after all',
          name: 'undismiss',
        })
      : null,
  );
}

/** @type {(finding: SceneFinding, name: string, changed: Changed) => void} */
const ask = (finding, name, changed) =>
  askWords(
    `${name[0].toUpperCase()}${name.slice(1)}: in order?`,
    finding.why,
    (reason) => send(finding, reason, changed),
    'In order',
  );

/**
 * @param {SceneFinding} finding
 * @param {string} reason
 * @param {Changed} changed
 */
async function send(finding, reason, changed) {
  /** @type {Dismissed} */
  const { dismissal } = await api('/api/dismiss', { finding: finding.finding, reason });
  changed(nameOf(finding), dismissal);
  notice(dismissal ? 'In order: it is not counted any more' : 'It is a finding again');
}
