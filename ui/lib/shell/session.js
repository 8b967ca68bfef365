// A session that ends under an open page: one logs in over the page, and what was and is typed stays where it is.
// Whoever is typing keeps the caret; the dialog takes the focus when the field is left.
import { isCatching, refuse } from '../keys/pending_keys.js';
import { button, clear, h } from '../parts/elements.js';
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
  /** @type {string} about whom it speaks, as JSON */
  said;
  asking = false; // for the login of this page's person, whoever else is logged in
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
    this.heading = h('h2', {});
    this.body = h('div', { class: 'dl-modal-body' });
    this.node = h(
      'dialog',
      { class: 'dl-modal dl-session', 'aria-live': 'polite', closedby: 'none' },
      h('header', {}, this.heading),
      this.body,
    );
    this.node.addEventListener('keydown', (event) => event.stopPropagation());
    // Everything on the page waits for the login: nobody closes it, also where Escape does in spite of `closedby`.
    this.node.addEventListener('close', () => {
      if (this.node.isConnected && !this.node.open) this.#open();
    });
    // Beside the page: it stays when another page is drawn.
    this.holder = document.body.appendChild(h('div', { class: 'dl-overlay' }, this.node));
    this.timer = setInterval(() => this.#look().catch(() => null), LOOK_MS);
  }

  /**
   * `other` is without an id where another workspace is served; null: nobody is logged in.
   * @param {Other | null} other
   */
  say(other) {
    if (this.asking && this.node.open) return; // somebody types a password in it
    const about = JSON.stringify(other);
    if (this.said !== about) {
      this.said = about;
      if (!other) this.#drawLogin();
      else if (other.id) this.#drawOther(other);
      else
        this.#draw(
          'Another workspace is served here now',
          [h('p', {}, 'This page belongs to the one before. What you typed waits in this browser for it.')],
          [button('Reload the page', () => location.reload(), { kind: 'main', name: 'reload' })],
        );
    }
    if (!this.node.open) this.#open();
  }

  /**
   * @param {string} title
   * @param {import('../parts/elements.js').Content} content
   * @param {import('../parts/elements.js').Content} actions
   */
  #draw(title, content, actions) {
    this.heading.textContent = title;
    this.node.setAttribute('aria-label', title);
    clear(this.body, content, h('div', { class: 'dl-row' }, actions));
  }

  #drawLogin() {
    const { name } = this.me.person;
    const { password, provider } = this.me.login;
    const ways = [
      password ? this.#form() : null,
      provider || !password
        ? button(
            provider ? `Log in with ${provider}` : 'Log in in a window of its own',
            () => this.#window(provider),
            { kind: password ? '' : 'main', name: 'login-window' },
          )
        : null,
    ];
    this.#draw(
      'Your session has ended',
      [
        h(
          'p',
          {},
          `Log in as ${name}, and everything goes on. What you type stays in its field and in this browser until it is saved.`,
        ),
        ways,
      ],
      [],
    );
  }

  #form() {
    const field = (words, type, complete, value = '') =>
      h('input', {
        class: 'dl-input',
        type,
        name: type,
        'aria-label': words,
        placeholder: words,
        autocomplete: complete,
        required: true,
        value,
      });
    const name = field('Name', 'text', 'username', this.me.person.name);
    const password = field('Password', 'password', 'current-password');
    password.autofocus = true;
    const problem = h('p', { class: 'dl-saved-failed', role: 'alert' });
    const send = async (event) => {
      event.preventDefault();
      problem.textContent = await this.#logIn(name.value, password.value);
      if (problem.textContent) password.select();
    };
    return h(
      'form',
      {
        class: 'dl-session-form',
        'aria-label': 'Log in',
        onsubmit: (event) => {
          send(event).catch(report);
        },
      },
      name,
      password,
      h('button', { class: 'dl-button dl-button-main' }, 'Log in'),
      problem,
    );
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

  /** @param {string} provider */
  #window(provider) {
    open(
      provider ? '/login/provider?next=/logged-in' : '/logged-in',
      'dailies-login',
      'popup,width=480,height=640',
    );
  }

  /** @param {Other} who */
  #drawOther({ name: other }) {
    const {
      person: { id, name },
      locked,
    } = this.me;
    const waiting = draftKeys().length;
    const again = locked
      ? button(
          `Log in as ${name}`,
          () => {
            this.said = '';
            this.asking = true;
            this.#drawLogin();
          },
          { name: 'login-again' },
        )
      : button(
          `Go on as ${name}`,
          () =>
            this.#ask({ person_id: id })
              .then(() => this.#look())
              .catch(report),
          { name: 'go-on' },
        );
    this.#draw(
      `This browser works as ${other} now`,
      [
        h('p', {}, `This page was opened by ${name}. Nothing of it is saved under another name.`),
        waiting
          ? h(
              'p',
              { 'data-name': 'waiting' },
              `${plural(waiting, 'text')} of ${name} ${waiting === 1 ? 'is' : 'are'} not saved yet, and ${waiting === 1 ? 'waits' : 'wait'} in this browser for ${name}.`,
            )
          : null,
      ],
      [again, button(`Open as ${other}`, () => location.reload(), { kind: 'main', name: 'open-as-other' })],
    );
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
    else if (!this.asking || now.person.id !== this.other) {
      this.asking = false;
      this.other = now.person.id;
      this.say(now.person);
    }
  }

  #over() {
    clearInterval(this.timer);
    this.holder.remove();
    this.ended();
    this.resolve();
    if (this.field?.isConnected) this.field.focus({ preventScroll: true });
  }
}
