// Findings of the checks beside the text that they are about: what is wrong and why, and a person's word that it is right.
import { api, button, dayAndTime, h, mark, notice, report } from './core.js';
import { askWords } from './queue_bar.js';

const NAMES = {
  too_long: 'too long', frame_wording: 'tells frames apart', refusal: 'refusal', camera_measured: 'not as measured',
  shot_measured: 'not as measured', language_flip: 'other language', speech_outside: 'beyond the clip',
};

export const openOnes = (findings) => findings.filter((f) => !f.waiver);

/** `page`: {can, changed()}; a finding is as /api/script/{video}/findings gives it. */
export function findingList(findings, page) {
  return findings.length ? h('ul', { class: 'dl-findings', 'aria-label': 'Findings' }, findings.map((f) => row(f, page))) : null;
}

function row(finding, page) {
  const { waiver } = finding;
  const name = NAMES[finding.check] || finding.check.replaceAll('_', ' ');
  const may = page.can('edit');
  return h('li', { class: `dl-finding ${waiver ? 'dl-waived' : ''}`, 'data-check': finding.check },
    mark(waiver ? 'done' : 'flagged', waiver ? `${name}: in order` : name), h('span', { class: 'dl-findingwhy' }, waiver ? `${waiver.by}, ${dayAndTime(waiver.at)}: ${waiver.reason}` : finding.why),
    may && !waiver ? action('waive …', `Say why “${name}” is in order here`, () => ask(finding, name, page)) : null,
    may && waiver ? action('take back', 'It is a finding after all', () => send(finding, '', page).catch(report)) : null);
}

function action(words, title, run) {
  const node = button(words, run, { kind: 'quiet', title, name: words.startsWith('waive') ? 'waive' : 'unwaive' });
  node.classList.add('dl-waivefinding');
  return node;
}

function ask(finding, name, page) {
  askWords(`${name[0].toUpperCase()}${name.slice(1)}: in order?`, finding.why, (reason) => send(finding, reason, page), 'In order');
}

async function send(finding, reason, page) {
  const { waiver } = await api('/api/waive', { finding: finding.finding, reason });
  finding.waiver = waiver;
  page.changed();
  notice(waiver ? 'In order: it is not counted any more' : 'It is a finding again');
}
