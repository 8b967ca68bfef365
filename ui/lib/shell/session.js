// A session that ends under an open page: one logs in over the page, and what was and is typed stays where it is.
// Whoever is typing keeps the caret; the dialog takes the focus when the field is left.
import { isCatching, refuse } from '../keys/typing_ahead.js';
import { h, render, signal, useLayoutEffect } from '../components/component.js';
import { button } from '../components/small_components.js';
import { h as element } from '../parts/elements.js';
import { Refused, report } from '../parts/notices.js';
import { plural } from '../parts/words.js';
import { draftKeys } from '../editor/drafts.js';

const LOOK_MS = 2000;
const FIELD = 'textarea, input:not([type=checkbox], [type=radio], [type=button]), [contenteditable=true]';

/** @typedef {{id: string, name: string}} Other who works in this browser now */

/**
 * For `workFor`: `over(error)` resolves once the session is that person's again.
 * @param {import('./top_bar.js').Me} me
 * @returns {(error: import('../requests/requests.js').ApiError) => Promise<void>}
 */
export function sessionOf(me) {
  /** @type {SessionDialog | null} */
  let dialog = null;
  return (error) => {
    dialog ||= new SessionDialog(me, () => {
      dialog = null;
    });
    dialog.say(error.body?.other || null);
    return dialog.back;
  };
}

class SessionDialog {
  /** @type {() => void} */
  resolve;
  /** @type {import('../components/component.js').Signal<Other | null>} about whom it speaks; see `say` */
  about = signal(null);
  /** Asks this page's person to log in, even if another person is logged in. */
  asking = signal(false);
  problem = signal('');
  /** @type {string} the id of whoever else was logged in at the last look */
  other;
  /** @type {HTMLElement} in which somebody was typing when it opened */
  field;

  /**
   * @param {import('./top_bar.js').Me} me
   * @param {() => void} ended
   */
  constructor(me, ended) {
    this.me = me;
    this.ended = ended;
    /** @type {Promise<void>} */
    this.back = new Promise((resolve) => {
      this.resolve = resolve;
    });
    this.node = element('dialog', { class: 'dl-modal dl-session', 'aria-live': 'polite', closedby: 'none' });
    this.node.addEventListener('keydown', (event) => event.stopPropagation());
    // Everything on the page waits for the login: nobody closes it, also where Escape does in spite of `closedby`.
    this.node.addEventListener('close', () => {
      if (this.node.isConnected && !this.node.open) this.#open();
    });
    // Beside the page: it stays when another page is drawn.
    this.holder = document.body.appendChild(element('div', { class: 'dl-overlay' }, this.node));
    this.timer = setInterval(() => this.#look().catch(() => null), LOOK_MS);
  }

  /**
   * `other` is without an id where another workspace is served; null: nobody is logged in.
   * @param {Other | null} other
   */
  say(other) {
    if (this.asking.value && this.node.open) return; // somebody types a password in it
    this.about.value = other;
    render(h(Session, { dialog: this }), this.node); // at once: a field of it takes the focus when it opens
    if (!this.node.open) this.#open();
  }

  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  async send(event) {
    event.preventDefault();
    const [name, password] = event.currentTarget.querySelectorAll('input');
    this.problem.value = await this.#logIn(name.value, password.value);
    if (this.problem.value) password.select();
  }

  /**
   * Why not, in words; empty when somebody is logged in.
   * @param {string} name
   * @param {string} password
   * @returns {Promise<string>}
   */
  async #logIn(name, password) {
    const answer = await fetch('/login', {
      method: 'POST',
      headers: { Accept: 'application/json' },
      body: new URLSearchParams({ name, password }),
    }).catch(() => null);
    if (!answer) return 'the server does not answer';
    if (!answer.ok)
      return (await answer.json().catch(() => ({}))).error || `the server answered ${answer.status}`;
    await this.#look();
    return '';
  }

  /** Under the same name as this page. */
  goOn() {
    return this.#ask({ person_id: this.me.person.id }).then(() => this.#look());
  }

  // --- over the page ------------------------------------------------------------------

  #open() {
    if (isCatching()) refuse(new Refused('Your session has ended.')); // its field cannot come: nothing waits unseen
    const held = /** @type {HTMLElement | null} */ (document.activeElement);
    if (!held?.matches(FIELD)) {
      this.node.showModal();
      return;
    }
    this.field = held;
    this.node.dataset.at = held.getBoundingClientRect().top > innerHeight / 2 ? 'top' : 'bottom';
    this.node.show();
    held.focus({ preventScroll: true }); // a dialog takes the focus when it opens
    held.addEventListener('blur', () => this.#modal(), { once: true });
  }

  #modal() {
    if (!this.node.open || this.node.matches(':modal')) return;
    this.node.close();
    this.node.showModal();
  }

  // --- whether it is over -------------------------------------------------------------

  /**
   * Not as this page's person: it is asked who the session is of.
   * @param {{person_id: string}} [body] whom it shall be of
   */
  async #ask(body) {
    /** @type {RequestInit} */
    const options = {
      headers: { 'X-Dailies': '1', 'Content-Type': 'application/json' },
      redirect: 'manual',
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    };
    const answer = await fetch('/api/me', options);
    return answer.ok ? answer.json() : null;
  }

  async #look() {
    const now = await this.#ask();
    if (!now?.person) return;
    const { workspace_id: workspace, person } = this.me;
    if (now.workspace_id !== workspace) this.say({ id: '', name: '' });
    else if (now.person.id === person.id) this.#over();
    else if (!this.asking.value || now.person.id !== this.other) {
      this.asking.value = false;
      this.other = now.person.id;
      this.say(now.person);
    }
  }

  #over() {
    clearInterval(this.timer);
    render(null, this.node);
    this.holder.remove();
    this.ended();
    this.resolve();
    if (this.field?.isConnected) this.field.focus({ preventScroll: true });
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{dialog: SessionDialog}} props */
function Session({ dialog }) {
  const other = dialog.about.value;
  const [title, content] =
    !other || dialog.asking.value
      ? ['Your session has ended', h(Login, { dialog })]
      : other.id
        ? [`This browser works as ${other.name} now`, h(OtherPerson, { dialog, name: other.name })]
        : ['Another workspace is served here now', h(OtherWorkspace, {})];
  useLayoutEffect(() => dialog.node.setAttribute('aria-label', title), [title]);
  return [h('header', null, h('h2', null, title)), h('div', { class: 'dl-modal-body' }, content)];
}

const OtherWorkspace = () => [
  h('p', null, 'This page belongs to the one before. What you typed waits in this browser for it.'),
  h(
    'div',
    { class: 'dl-row' },
    button('Reload the page', () => location.reload(), { kind: 'main', name: 'reload' }),
  ),
];

/** @param {{dialog: SessionDialog}} props */
function Login({ dialog }) {
  const { person, login } = dialog.me;
  const { password, provider } = login;
  return [
    h(
      'p',
      null,
      `Log in as ${person.name}, and everything goes on. What you type stays in its field and in this browser until it is saved.`,
    ),
    password
      ? h(
          'form',
          {
            class: 'dl-session-form',
            'aria-label': 'Log in',
            onSubmit: (event) => dialog.send(event).catch(report),
          },
          field('Name', 'text', 'username', { defaultValue: person.name }),
          field('Password', 'password', 'current-password', { autofocus: true }),
          h('button', { class: 'dl-button dl-button-main' }, 'Log in'),
          h('p', { class: 'dl-saved-failed', role: 'alert' }, dialog.problem.value),
        )
      : null,
    provider || !password
      ? button(
          provider ? `Log in with ${provider}` : 'Log in in a window of its own',
          () =>
            open(
              provider ? '/login/provider?next=/logged-in' : '/logged-in',
              'dailies-login',
              'popup,width=480,height=640',
            ),
          { kind: password ? '' : 'main', name: 'login-window' },
        )
      : null,
  ];
}

/** @type {(words: string, type: string, complete: string, more: object) => import('../components/component.js').Drawn} */
const field = (words, type, complete, more) =>
  h('input', {
    class: 'dl-input',
    type,
    name: type,
    'aria-label': words,
    placeholder: words,
    autocomplete: complete,
    required: true,
    ...more,
  });

/** @param {{dialog: SessionDialog, name: string}} props */
function OtherPerson({ dialog, name: other }) {
  const { person, locked } = dialog.me;
  const waiting = draftKeys().length;
  const again = () => {
    dialog.asking.value = true;
  };
  return [
    h('p', null, `This page was opened by ${person.name}. Nothing of it is saved under another name.`),
    waiting
      ? h(
          'p',
          { 'data-name': 'waiting' },
          `${plural(waiting, 'text')} of ${person.name} ${waiting === 1 ? 'is' : 'are'} not saved yet, and ${waiting === 1 ? 'waits' : 'wait'} in this browser for ${person.name}.`,
        )
      : null,
    h(
      'div',
      { class: 'dl-row' },
      locked
        ? button(`Log in as ${person.name}`, again, { name: 'login-again' })
        : button(`Go on as ${person.name}`, () => dialog.goOn().catch(report), { name: 'go-on' }),
      button(`Open as ${other}`, () => location.reload(), { kind: 'main', name: 'open-as-other' }),
    ),
  ];
}
