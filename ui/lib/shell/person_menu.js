// Who one is, with what is one's own. Where no accounts are kept another person is chosen in the same menu, by Enter or
// a click: a letter never is.
import { button, h, icon } from '../parts/elements.js';
import { notice, report } from '../parts/notices.js';
import { api } from '../requests/requests.js';
import { wanted } from '../keys/typing_ahead.js';
import { openDialog } from '../parts/dialog.js';
import { menuButton } from '../parts/menu.js';
import { requireSaved } from '../editor/save_before_leaving.js';

/** @param {import('./top_bar.js').Person} person */
const named = ({ name, role }) => `${name} · ${role}`;

/** @param {import('./top_bar.js').Me} me */
export function personMenu(me) {
  // What is being typed is the words of the person who types it: it is saved first.
  /** @type {(who: {person_id: string} | {name: string}) => Promise<unknown>} */
  const choose = (who) =>
    requireSaved()
      .then(() => api('/api/me', who))
      .then(() => location.reload())
      .catch(report);
  const rows = me.people.map((p) => ({
    words: named(p),
    checked: p.id === me.person.id,
    run: () => {
      if (p.id !== me.person.id) void choose({ person_id: p.id });
    },
  }));
  const title = 'Press to be another person, or for tokens and the Demo page';
  const more = { words: 'somebody else …', run: () => askName(choose) };
  return h('span', { class: 'dl-person' }, menuOf(me, title, [...rows, more]));
}

/**
 * Where people log in: what is one's own.
 * @param {import('./top_bar.js').Me} me
 * @param {{words: string, run: () => unknown}[]} rows
 */
export const ownMenu = (me, rows) => menuOf(me, 'Press for what is yours here', rows);

/**
 * @param {import('./top_bar.js').Me} me
 * @param {string} title
 * @param {{words: string, run: () => unknown, checked?: boolean}[]} rows
 */
function menuOf(me, title, rows) {
  const [open, menu] = menuButton(
    {
      class: 'dl-button dl-button-quiet dl-person-open',
      'aria-label': `You are ${named(me.person)}`,
      title: `You are ${named(me.person)}. ${title}`,
    },
    [h('span', { class: 'dl-person-name' }, named(me.person)), icon('down')],
    title,
    [
      ...rows,
      ...(me.may.includes('run') ? [DEMO] : []),
      ...(me.may.includes('manage') ? [MODEL] : []),
      { words: 'Tokens for programs …', run: openTokens },
    ],
  );
  menu.classList.add('dl-person-menu');
  return [open, menu];
}

const DEMO = {
  words: 'Demo page: a clip, nothing kept',
  run: () => window.open('/demo/', '_blank', 'noopener'),
};

const MODEL = {
  words: 'Connect a model …',
  run: () => connectModel().catch(report),
};

/** Few people open these: their scripts come when they do. */
export async function connectModel() {
  const still = wanted();
  const dialog = await import('./connect_model.js');
  if (still()) await dialog.connectModel();
}

const openTokens = () => import('./tokens_dialog.js').then(({ showTokens }) => showTokens()).catch(report);

/** @param {(who: {name: string}) => unknown} choose */
function askName(choose) {
  const field = h('input', {
    type: 'text',
    class: 'dl-input',
    maxlength: '80',
    autocomplete: 'off',
    'aria-label': 'Your name',
  });
  const go = () => {
    if (!field.value.trim()) {
      notice('Type your name first.');
      field.focus();
      return;
    }
    choose({ name: field.value.trim() });
  };
  openDialog(
    'Somebody else',
    [h('label', { class: 'dl-field' }, h('span', {}, 'your name'), field)],
    [button('Go on', go, { kind: 'main', key: 'Enter', name: 'be-somebody' })],
  );
  field.focus();
}
