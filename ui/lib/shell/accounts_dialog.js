// Who may come in: the dialog of admins with accounts and the audit log, and the one for one's own password.
import { badge, button, clear, h } from '../parts/elements.js';
import { notice, report } from '../parts/notices.js';
import { dayAndTime } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { choice } from '../parts/choice.js';
import { confirmed, openDialog } from '../parts/dialog.js';

const ROLES = ['annotator', 'expert', 'researcher', 'admin'];
const PAGE = 50;

/** @typedef {import('../wire.d.ts').components['schemas']['AccountFacts']} Account */
/** @typedef {import('../wire.d.ts').components['schemas']['Accounts']} Accounts */

/** @param {import('./top_bar.js').Person} me who looks */
export async function showPeople(me) {
  const list = h('div', { class: 'dl-people', role: 'table', 'aria-label': 'People' });
  const log = h('div', { class: 'dl-audit' });
  openDialog(
    'People',
    [
      h('section', {}, h('h3', {}, 'Who may come in'), list),
      newcomer(draw),
      h('section', {}, h('h3', {}, 'What was done'), log),
    ],
    [],
    { cancel: 'Close' },
  );
  await draw();
  await older(log);

  async function draw() {
    /** @type {Accounts} */
    const { people, passwords } = await api('/api/accounts');
    clear(
      list,
      people.map((one) => line(one, me, passwords, draw)),
    );
  }
}

/**
 * @param {Account} one
 * @param {import('./top_bar.js').Person} me
 * @param {boolean} passwords
 * @param {() => Promise<void>} draw
 */
function line(one, me, passwords, draw) {
  /** @type {(body: Partial<Account>, words: string) => Promise<void>} */
  const change = async (body, words) => {
    try {
      await api(`/api/accounts/${encodeURIComponent(one.id)}`, body);
      notice(words);
    } catch (error) {
      report(error);
    }
    await draw();
  };
  const role = choice(`Role of ${one.name}`, ROLES, one.role, (name) =>
    change({ role: /** @type {Account['role']} */ (name) }, `${one.name} is ${name} now`),
  );
  const disable = async () => {
    if (
      one.disabled ||
      (await confirmed(
        `Keep ${one.name} out?`,
        ['They are logged out at once and cannot come back. What they wrote stays.'],
        'Keep out',
      ))
    )
      await change(
        { disabled: !one.disabled },
        one.disabled ? `${one.name} may come in again` : `${one.name} is kept out`,
      );
  };
  return h(
    'div',
    { role: 'row', 'data-person': one.name, class: one.disabled ? 'dl-people-out' : '' },
    h(
      'span',
      { role: 'cell', class: 'dl-people-name' },
      one.name,
      one.id === me.id ? badge('you') : null,
      one.disabled ? badge('kept out') : null,
    ),
    h('span', { role: 'cell' }, role),
    h(
      'span',
      { role: 'cell', class: 'dl-hint' },
      one.seen_at
        ? `here ${dayAndTime(one.seen_at)}`
        : passwords && !one.has_password
          ? 'no password yet'
          : 'never here',
    ),
    h(
      'span',
      { role: 'cell', class: 'dl-row' },
      passwords
        ? button(
            'New password',
            () =>
              askPassword(`Password of ${one.name}`, false, ({ fresh }) =>
                api(`/api/accounts/${encodeURIComponent(one.id)}`, { password: fresh }).then(draw),
              ),
            { kind: 'quiet' },
          )
        : null,
      one.id === me.id
        ? null
        : button(one.disabled ? 'Let in' : 'Keep out', () => disable().catch(report), { kind: 'quiet' }),
    ),
  );
}

/** @param {() => Promise<void>} draw */
function newcomer(draw) {
  const name = h('input', {
    class: 'dl-input',
    'aria-label': 'Name of somebody new',
    placeholder: 'Name',
    maxlength: '80',
    required: true,
  });
  const role = choice('Role of somebody new', ROLES);
  const password = h('input', {
    class: 'dl-input',
    type: 'password',
    'aria-label': 'Password of somebody new',
    placeholder: 'Password',
    autocomplete: 'new-password',
  });
  /** @param {SubmitEvent} event */
  const send = async (event) => {
    event.preventDefault();
    try {
      await api('/api/accounts', { name: name.value, role: role.value, password: password.value });
      notice(`${name.value} may come in`);
      name.value = password.value = '';
      await draw();
    } catch (error) {
      report(error);
    }
  };
  return h(
    'form',
    { class: 'dl-people-new', 'aria-label': 'Somebody new', onsubmit: send },
    name,
    role,
    password,
    h('button', { class: 'dl-button' }, 'Add'),
  );
}

/**
 * The next lines of the audit log.
 * @param {HTMLElement} log
 * @param {number | null} [before] a time in seconds
 */
async function older(log, before = null) {
  const lines = await api(`/api/audit?limit=${PAGE}${before === null ? '' : `&before=${before}`}`);
  log.querySelector('button')?.remove();
  log.append(
    ...lines.map((one) =>
      h(
        'p',
        {},
        h('time', {}, dayAndTime(one.at)),
        ' ',
        h('b', {}, one.who || (one.address ? 'a stranger' : 'command line')),
        ` ${one.what} `,
        h('span', { class: 'dl-hint' }, [one.about, one.address].filter(Boolean).join(' · ')),
      ),
    ),
  );
  if (lines.length === PAGE)
    log.append(button('Older', () => older(log, lines.at(-1).at).catch(report), { kind: 'quiet' }));
}

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
  /** @type {(words: string, complete: string) => HTMLInputElement} */
  const field = (words, complete) =>
    h('input', {
      class: 'dl-input',
      type: 'password',
      'aria-label': words,
      placeholder: words,
      autocomplete: complete,
      required: true,
    });
  const [old, fresh, again] = [
    own ? field('The one you have', 'current-password') : null,
    field('The new one, at least 8 characters', 'new-password'),
    field('Once more', 'new-password'),
  ];
  const save = async () => {
    if (fresh.value !== again.value) {
      notice('The two are not the same.', 'error');
      return;
    }
    try {
      await send({ old: old?.value, fresh: fresh.value });
      dialog.close();
      notice('The password is set. Every session of this account is over.');
    } catch (error) {
      report(error);
    }
  };
  const dialog = openDialog(
    title,
    [
      h(
        'form',
        {
          class: 'dl-people-password',
          onsubmit: (event) => {
            event.preventDefault();
            void save();
          },
        },
        [old, fresh, again].filter(Boolean),
        h('button', { class: 'dl-button dl-button-main' }, 'Set'),
      ),
    ],
    [],
    { cancel: 'Cancel' },
  );
  (old || fresh).focus();
}
