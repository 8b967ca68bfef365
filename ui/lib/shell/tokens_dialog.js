// Personal tokens: what a program sends in place of a login. A new one is shown once; the list says what still holds.
import { badge, button, clear, h } from '../parts/elements.js';
import { notice, report } from '../parts/notices.js';
import { dayAndTime } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { choice } from '../parts/choice.js';
import { confirmed, openDialog } from '../parts/dialog.js';

/** @typedef {import('../wire.d.ts').components['schemas']['TokenFacts']} Token */
/** @typedef {import('../wire.d.ts').components['schemas']['MadeToken']} MadeToken */

const SCOPES = [
  ['read', 'reads and exports'],
  ['write', 'may do what you may'],
];
const DAYS = [
  [7, 'for 7 days'],
  [30, 'for 30 days'],
  [90, 'for 90 days'],
  [365, 'for a year'],
];

export async function showTokens() {
  const made = h('div', { class: 'dl-token-new', role: 'status' });
  const list = h('div', { class: 'dl-token-list' });
  const [form, name] = maker((token) => {
    clear(made, shownOnce(token));
    const field = /** @type {HTMLInputElement} */ (made.querySelector('input'));
    field.focus();
    field.scrollIntoView({ block: 'center' });
    return draw();
  });
  openDialog(
    'Tokens for programs',
    [
      h(
        'p',
        { class: 'dl-hint' },
        'A notebook, script or agent that sends a token works here as you: keep it like a password. ',
        h('a', { href: '/docs', target: '_blank' }, 'What programs can call'),
      ),
      form,
      made,
      list,
    ],
    [],
    { cancel: 'Close' },
  );
  name.focus();
  await draw();

  async function draw() {
    /** @type {Token[]} */
    const tokens = await api('/api/tokens');
    clear(
      list,
      tokens.length
        ? h(
            'div',
            { class: 'dl-tokens', role: 'table', 'aria-label': 'Your tokens' },
            tokens.map((token) => line(token, draw)),
          )
        : h('p', { class: 'dl-hint' }, 'You have no tokens yet.'),
    );
  }
}

/**
 * Gives [form, the field of the name].
 * @param {(token: MadeToken) => Promise<void>} show
 * @returns {[HTMLFormElement, HTMLInputElement]}
 */
function maker(show) {
  const name = h('input', {
    class: 'dl-input',
    'aria-label': 'Name of the token',
    placeholder: 'What is it for?',
    maxlength: '80',
    autocomplete: 'off',
    required: true,
  });
  const scope = choice('Scope', SCOPES, 'read');
  const days = choice('How long', DAYS, 90);
  /** @param {SubmitEvent} event */
  const send = async (event) => {
    event.preventDefault();
    try {
      const body = { name: name.value, scope: scope.value, days: Number(days.value) };
      const token = await api('/api/tokens', body);
      name.value = '';
      await show(token);
    } catch (error) {
      report(error);
    }
  };
  const go = h('button', { class: 'dl-button dl-button-main' }, 'Make');
  return [
    h('form', { class: 'dl-token-form', 'aria-label': 'A new token', onsubmit: send }, name, scope, days, go),
    name,
  ];
}

/** @param {MadeToken} made */
function shownOnce(made) {
  const field = h('input', {
    class: 'dl-input',
    readonly: true,
    'aria-label': `The token ${made.name}`,
    value: made.token,
    onfocus: () => field.select(),
  });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made.token);
      notice('The token is on the clipboard.');
    } catch {
      field.select();
      notice('This browser lets no page copy here; the token is selected: press Ctrl+C.');
    }
  };
  const code = `Client("${location.origin}", headers={"Authorization": "Bearer ${made.token.slice(0, 12)}…"})`;
  return [
    h('b', {}, 'Copy it now: it is not shown again.'),
    h('div', { class: 'dl-row' }, field, button('Copy', copy)),
    h('code', {}, code),
  ];
}

/**
 * @param {Token} token
 * @param {() => Promise<void>} draw
 */
function line(token, draw) {
  const valid = token.state === 'valid';
  const revoke = async () => {
    const words = ['Programs that use it are refused from then on. This cannot be undone.'];
    if (!(await confirmed(`Revoke ${token.name}?`, words, 'Revoke'))) return;
    await api(`/api/tokens/${encodeURIComponent(token.id)}/revoke`, {});
    notice(`${token.name} is revoked`);
    await draw();
  };
  return h(
    'div',
    { role: 'row', 'data-token': token.name, class: valid ? '' : 'dl-token-over' },
    h(
      'span',
      { role: 'cell', class: 'dl-people-name', title: token.name },
      token.name,
      valid ? null : badge(token.state),
    ),
    h('span', { role: 'cell' }, token.scope),
    h(
      'span',
      { role: 'cell', class: 'dl-token-times' },
      token.state === 'revoked' ? null : `until ${day(token.until)} · `,
      token.used_at ? `used ${dayAndTime(token.used_at)}` : 'never used',
    ),
    h(
      'span',
      { role: 'cell' },
      valid ? button('Revoke', () => revoke().catch(report), { kind: 'quiet' }) : null,
    ),
  );
}

/** @param {number} unix seconds */
const day = (unix) =>
  new Date(unix * 1000).toLocaleDateString([], { day: 'numeric', month: 'short', year: 'numeric' });
