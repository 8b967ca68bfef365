// Who may come in: the dialog of admins with accounts and the audit log, and the one for one's own password.
import { h, signal } from '../components/component.js';
import { badge, button, choice } from '../components/small_components.js';
import { notice, report } from '../parts/notices.js';
import { dayAndTime } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { confirmed, openDialog } from '../parts/dialog.js';

/** @type {[string, string][]} */
const ROLES = ['annotator', 'expert', 'researcher', 'admin'].map((role) => [role, role]);
const PAGE = 50;

/** @typedef {import('../wire.d.ts').components['schemas']['AccountFacts']} Account */
/** @typedef {import('../wire.d.ts').components['schemas']['Accounts']} Accounts */
/** @typedef {{at: number, who: string, what: string, about: string, address: string}} AuditLine */
/**
 * @template Value
 * @typedef {import('../components/component.js').Signal<Value>} Signal
 */

/** @param {import('./top_bar.js').Person} me who looks */
export async function showPeople(me) {
  const people = new People(me);
  openDialog('People', h(PeopleAndLog, { people }), [], { cancel: 'Close' });
  await people.load();
  await people.older();
}

class People {
  /** @type {Signal<Accounts>} */
  all = signal({ people: [], passwords: false });
  /** @type {Signal<AuditLine[]>} */
  log = signal([]);
  more = signal(false);
  roleOfNew = signal('annotator');

  /** @param {import('./top_bar.js').Person} me */
  constructor(me) {
    this.me = me;
  }

  async load() {
    this.all.value = await api('/api/accounts');
  }

  /** The next lines of the audit log. */
  async older() {
    const last = this.log.value.at(-1);
    const lines = await api(`/api/audit?limit=${PAGE}${last ? `&before=${last.at}` : ''}`);
    this.log.value = [...this.log.value, ...lines];
    this.more.value = lines.length === PAGE;
  }

  /** @param {Account} one @param {object} body @param {string} words */
  async change(one, body, words) {
    try {
      await api(`/api/accounts/${encodeURIComponent(one.id)}`, body);
      notice(words);
    } catch (error) {
      report(error);
    }
    await this.load();
  }

  /** @param {Account} one */
  async disable(one) {
    const { name, disabled } = one;
    const words = ['They are logged out at once and cannot come back. What they wrote stays.'];
    if (disabled || (await confirmed(`Keep ${name} out?`, words, 'Keep out')))
      await this.change(
        one,
        { disabled: !disabled },
        disabled ? `${name} may come in again` : `${name} is kept out`,
      );
  }

  /** @param {Account} one */
  password(one) {
    askPassword(`Password of ${one.name}`, false, ({ fresh }) =>
      api(`/api/accounts/${encodeURIComponent(one.id)}`, { password: fresh }).then(() => this.load()),
    );
  }

  /** @param {SubmitEvent & {currentTarget: HTMLFormElement}} event */
  async add(event) {
    event.preventDefault();
    const [name, password] = event.currentTarget.querySelectorAll('input');
    try {
      await api('/api/accounts', { name: name.value, role: this.roleOfNew.value, password: password.value });
      notice(`${name.value} may come in`);
      name.value = password.value = '';
      await this.load();
    } catch (error) {
      report(error);
    }
  }
}

/** @param {{people: People}} props */
const PeopleAndLog = ({ people }) => [
  h(
    'section',
    null,
    h('h3', null, 'Who may come in'),
    h(
      'div',
      { class: 'dl-people', role: 'table', 'aria-label': 'People' },
      people.all.value.people.map((one) => h(Line, { key: one.id, people, one })),
    ),
  ),
  h(
    'form',
    { class: 'dl-people-new', 'aria-label': 'Somebody new', onSubmit: (event) => void people.add(event) },
    h('input', {
      class: 'dl-input',
      'aria-label': 'Name of somebody new',
      placeholder: 'Name',
      maxLength: 80,
      required: true,
    }),
    choice('Role of somebody new', ROLES, people.roleOfNew.value, (role) => {
      people.roleOfNew.value = role;
    }),
    h('input', {
      class: 'dl-input',
      type: 'password',
      'aria-label': 'Password of somebody new',
      placeholder: 'Password',
      autocomplete: 'new-password',
    }),
    h('button', { class: 'dl-button' }, 'Add'),
  ),
  h(
    'section',
    null,
    h('h3', null, 'What was done'),
    h(
      'div',
      { class: 'dl-audit' },
      people.log.value.map(logLine),
      people.more.value ? button('Older', () => people.older().catch(report), { kind: 'quiet' }) : null,
    ),
  ),
];

/** @param {{people: People, one: Account}} props */
function Line({ people, one }) {
  const { passwords } = people.all.value;
  const isMe = one.id === people.me.id;
  const seen = passwords && !one.has_password ? 'no password yet' : 'never here';
  return h(
    'div',
    { role: 'row', 'data-person': one.name, class: one.disabled ? 'dl-people-out' : '' },
    h(
      'span',
      { role: 'cell', class: 'dl-people-name' },
      one.name,
      isMe ? badge('you') : null,
      one.disabled ? badge('kept out') : null,
    ),
    h(
      'span',
      { role: 'cell' },
      choice(`Role of ${one.name}`, ROLES, one.role, (role) =>
        people.change(one, { role }, `${one.name} is ${role} now`),
      ),
    ),
    h('span', { role: 'cell', class: 'dl-hint' }, one.seen_at ? `here ${dayAndTime(one.seen_at)}` : seen),
    h(
      'span',
      { role: 'cell', class: 'dl-row' },
      passwords ? button('New password', () => people.password(one), { kind: 'quiet' }) : null,
      isMe
        ? null
        : button(one.disabled ? 'Let in' : 'Keep out', () => people.disable(one).catch(report), {
            kind: 'quiet',
          }),
    ),
  );
}

/** @param {AuditLine} one @param {number} n */
const logLine = (one, n) =>
  h(
    'p',
    { key: n },
    h('time', null, dayAndTime(one.at)),
    ' ',
    h('b', null, one.who || (one.address ? 'a stranger' : 'command line')),
    ` ${one.what} `,
    h('span', { class: 'dl-hint' }, [one.about, one.address].filter(Boolean).join(' · ')),
  );

/** One's own password: the old one is asked for, and one logs in anew. */
export const showOwnPassword = () =>
  askPassword('Your password', true, ({ old, fresh }) =>
    api('/api/password', { old, new: fresh }).then(() => location.assign('/login')),
  );

/**
 * @param {string} title
 * @param {boolean} own whether the old one is asked for
 * @param {(passwords: {old?: string, fresh: string}) => Promise<unknown>} send
 */
function askPassword(title, own, send) {
  /** @type {(words: string, complete: string) => import('../components/component.js').Drawn} */
  const field = (words, complete) =>
    h('input', {
      class: 'dl-input',
      type: 'password',
      'aria-label': words,
      placeholder: words,
      autocomplete: complete,
      required: true,
    });
  /** @param {HTMLFormElement} form */
  const save = async (form) => {
    const [again, fresh, old] = [...form.querySelectorAll('input')].map((one) => one.value).reverse();
    if (fresh !== again) {
      notice('The two are not the same.', 'error');
      return;
    }
    try {
      await send({ old, fresh });
      dialog.close();
      notice('The password is set. Every session of this account is over.');
    } catch (error) {
      report(error);
    }
  };
  const dialog = openDialog(
    title,
    h(
      'form',
      {
        class: 'dl-people-password',
        onSubmit: (event) => {
          event.preventDefault();
          void save(event.currentTarget);
        },
      },
      own ? field('The one you have', 'current-password') : null,
      field('The new one, at least 8 characters', 'new-password'),
      field('Once more', 'new-password'),
      h('button', { class: 'dl-button dl-button-main' }, 'Set'),
    ),
  );
  dialog.node.querySelector('input').focus();
}
