// Personal tokens: what a program sends in place of a login. A new one is shown once; the list says what still holds.
import { h, signal, useLayoutEffect, useRef } from '../components/component.js';
import { badge, button, choice } from '../components/small_components.js';
import { notice, report } from '../parts/notices.js';
import { dayAndTime } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { confirmed, openDialog } from '../parts/dialog.js';

/** @typedef {import('../wire.d.ts').components['schemas']['TokenFacts']} Token */
/** @typedef {import('../wire.d.ts').components['schemas']['MadeToken']} MadeToken */
/**
 * @template Value
 * @typedef {import('../components/component.js').Signal<Value>} Signal
 */

/** @type {[string, string][]} */
const SCOPES = [
  ['read', 'reads and exports'],
  ['write', 'may do what you may'],
];
/** @type {[string, string][]} */
const DAYS = [
  ['7', 'for 7 days'],
  ['30', 'for 30 days'],
  ['90', 'for 90 days'],
  ['365', 'for a year'],
];

export async function showTokens() {
  const tokens = new Tokens();
  const { node } = openDialog('Tokens for programs', h(TokensOfMine, { tokens }), [], { cancel: 'Close' });
  node.querySelector('input').focus();
  await tokens.load();
}

class Tokens {
  /** @type {Signal<Token[] | null>} */
  all = signal(null);
  /** @type {Signal<MadeToken | null>} the one that was made last */
  made = signal(null);
  scope = signal('read');
  days = signal('90');

  async load() {
    this.all.value = await api('/api/tokens');
  }

  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  async make(event) {
    event.preventDefault();
    const name = event.currentTarget.querySelector('input');
    try {
      const body = { name: name.value, scope: this.scope.value, days: Number(this.days.value) };
      this.made.value = await api('/api/tokens', body);
      name.value = '';
      await this.load();
    } catch (error) {
      report(error);
    }
  }

  /** @param {Token} token */
  async revoke(token) {
    const words = ['Programs that use it are refused from then on. This cannot be undone.'];
    if (!(await confirmed(`Revoke ${token.name}?`, words, 'Revoke'))) return;
    await api(`/api/tokens/${encodeURIComponent(token.id)}/revoke`, {});
    notice(`${token.name} is revoked`);
    await this.load();
  }
}

/** @param {{tokens: Tokens}} props */
function TokensOfMine({ tokens }) {
  const all = tokens.all.value;
  const made = tokens.made.value;
  /** @type {(label: string, options: [string, string][], of: Signal<string>) => import('../components/component.js').Drawn} */
  const chosen = (label, options, of) =>
    choice(label, options, of.value, (value) => {
      of.value = value;
    });
  return [
    h(
      'p',
      { class: 'dl-hint' },
      'A notebook, script or agent that sends a token works here as you: keep it like a password. ',
      h('a', { href: '/docs', target: '_blank' }, 'What programs can call'),
    ),
    h(
      'form',
      { class: 'dl-token-form', 'aria-label': 'A new token', onSubmit: (event) => void tokens.make(event) },
      h('input', {
        class: 'dl-input',
        'aria-label': 'Name of the token',
        placeholder: 'What is it for?',
        maxLength: 80,
        autocomplete: 'off',
        required: true,
      }),
      chosen('Scope', SCOPES, tokens.scope),
      chosen('How long', DAYS, tokens.days),
      h('button', { class: 'dl-button dl-button-main' }, 'Make'),
    ),
    h(
      'div',
      { class: 'dl-token-new', role: 'status' },
      made ? h(ShownOnce, { key: made.token, made }) : null,
    ),
    h('div', { class: 'dl-token-list' }, all ? list(all, tokens) : null),
  ];
}

/** @param {Token[]} all @param {Tokens} tokens */
const list = (all, tokens) =>
  all.length
    ? h(
        'div',
        { class: 'dl-tokens', role: 'table', 'aria-label': 'Your tokens' },
        all.map((token) => h(Line, { key: token.id, tokens, token })),
      )
    : h('p', { class: 'dl-hint' }, 'You have no tokens yet.');

/** @param {{made: MadeToken}} props */
function ShownOnce({ made }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useLayoutEffect(() => {
    field.current.focus();
    field.current.scrollIntoView({ block: 'center' });
  }, []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made.token);
      notice('The token is on the clipboard.');
    } catch {
      field.current.select();
      notice('This browser lets no page copy here; the token is selected: press Ctrl+C.');
    }
  };
  return [
    h('b', null, 'Copy it now: it is not shown again.'),
    h(
      'div',
      { class: 'dl-row' },
      h('input', {
        ref: field,
        class: 'dl-input',
        readOnly: true,
        'aria-label': `The token ${made.name}`,
        value: made.token,
        onFocus: (event) => event.currentTarget.select(),
      }),
      button('Copy', copy),
    ),
    h(
      'code',
      null,
      `Client("${location.origin}", headers={"Authorization": "Bearer ${made.token.slice(0, 12)}…"})`,
    ),
  ];
}

/** @param {{tokens: Tokens, token: Token}} props */
function Line({ tokens, token }) {
  const valid = token.state === 'valid';
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
      valid ? button('Revoke', () => tokens.revoke(token).catch(report), { kind: 'quiet' }) : null,
    ),
  );
}

/** @param {number} unix seconds */
const day = (unix) =>
  new Date(unix * 1000).toLocaleDateString([], { day: 'numeric', month: 'short', year: 'numeric' });
