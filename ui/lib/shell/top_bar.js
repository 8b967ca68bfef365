// The thin bar on top of every page: where you are, what is compared, who you are.
import { address } from '../page/address.js';
import { pageSignal } from '../page/open_page.js';
import { allow, can } from '../page/rights.js';
import { button, h, icon } from '../parts/elements.js';
import { Refused, report } from '../parts/notices.js';
import { workFor } from '../requests/requests.js';
import { choice, fill, named } from '../parts/choice.js';
import { draftsOf } from '../editor/drafts.js';
import { go } from '../editor/save_before_leaving.js';
import { bindKeys, installKeys, keyHint, keyText, onTheWay, openField, wanted } from '../keys/keymap.js';
import { followPerson, refreshPerson } from './known_person.js';
import { ownMenu, personMenu } from './person_menu.js';
import { sessionOf } from './session.js';
import { shelf } from '../page/browser_storage.js';
import { isOfVideo, linkedPages } from '../parts/pages.js';

/** @typedef {import('../wire.d.ts').components['schemas']['PersonFacts']} Person */

/** @typedef {import('../wire.d.ts').components['schemas']['EvaluationFacts']} EvaluationFacts */
/** @typedef {Pick<EvaluationFacts, 'id' | 'name' | 'baseline'> & Partial<EvaluationFacts>} Evaluation of questions with all, of items with a few */

/** @typedef {import('../wire.d.ts').components['schemas']['Me']} Me */

/** @typedef {import('../parts/pages.js').PageFacts} PageFacts */

/** @typedef {ReturnType<typeof shell>} Frame what every page is given */

/**
 * Once in a document: it works for this person.
 * @param {Me} me
 */
export function begin(me) {
  applyTheme();
  draftsOf(me);
  workFor(me, sessionOf(me));
  installKeys(me.person.id);
  followPerson();
}

/**
 * The bar and an empty page below it, in place of the page before.
 * @param {HTMLElement} root
 * @param {PageFacts} page
 * @param {Me} me
 */
export function shell(root, page, me) {
  allow(me.may);
  const search = h('input', {
    type: 'search',
    class: 'dl-search',
    placeholder: 'Search',
    'aria-label': 'Search',
    value: address.get('q'),
  });
  const linked = linkedPages();
  const links = linked.map((to) => pageLink(to, page));
  const main = h('main', { class: 'dl-main', id: 'dl-main', tabindex: '-1' });
  const evaluation = evaluationPicker(me.evaluations);
  root.replaceChildren(
    h('a', { class: 'dl-skip', href: '#dl-main' }, 'Skip to the content'),
    h(
      'header',
      { class: 'dl-bar' },
      h('a', { class: 'dl-name', href: '/' }, logo(), 'Dailies'),
      h('nav', { 'aria-label': 'Pages' }, links),
      h('label', { class: 'dl-searchbox' }, icon('search'), search, keyHint('everywhere.search')),
      evaluation.node,
      h('span', { class: 'dl-grow' }),
      person(me),
      can('edit') ? replaceButton() : null,
      button(icon('theme'), switchTheme, { kind: 'icon', title: 'Light or dark' }),
      button('?', () => openField('help', showHelp), { kind: 'icon', title: 'Keys' }),
    ),
    main,
  );
  bindKeys('everywhere', {
    search: () => {
      search.focus();
      search.select();
    },
    undo: () => turn('undo'),
    redo: () => turn('redo'),
    help: showHelp,
    leave: () => /** @type {HTMLElement | null} */ (document.activeElement)?.blur?.(),
    replace: () => {
      if (!can('edit')) throw new Refused('Only people who may edit can replace words.');
      return showReplace();
    },
    ...Object.fromEntries(linked.map(({ name }, n) => [`page_${name}`, () => go(links[n].href)])),
  });
  return { main, page, me, search, evaluation, can };
}

function replaceButton() {
  const node = button('Replace', () => openField('replace', showReplace), {
    kind: 'quiet',
    title: 'Find and replace',
  });
  node.setAttribute('aria-label', 'Find and replace');
  return node;
}

/** @type {Map<string, URLSearchParams>} the query of each page when it was open last in this document */
const lastPlaces = new Map();

/**
 * The link to a page about the video and the evaluation that are open. Where the page was open last about the same two,
 * the link has everything that was chosen there, but for the frame: the player knows that.
 * @param {PageFacts} page
 * @param {boolean} [anew]
 */
function pageAddress(page, anew = false) {
  const [video, evaluation] = [address.get('video'), address.get('evaluation')];
  const path = page.path.slice(1);
  const ofAll = page.shows === 'videos';
  const last = Object.fromEntries(lastPlaces.get(page.name) || []);
  const same =
    lastPlaces.has(page.name) &&
    (ofAll || !evaluation || !last.evaluation || evaluation === last.evaluation) &&
    (!video || !isOfVideo(page) || video === last.video);
  if (!same || anew) return address.to(path, ofAll ? { evaluation } : { video, evaluation });
  const ofSystem = last.system || last.of; // these pages have evaluations of their own
  const chosen = ofSystem ? last.evaluation : evaluation || last.evaluation;
  return address.to(path, { ...last, evaluation: chosen, frame: '', scene: '' });
}

/**
 * @param {PageFacts} to
 * @param {PageFacts} page that is open
 */
function pageLink(to, page) {
  const isOpen = to === page;
  const link = h(
    'a',
    {
      href: '/',
      class: 'dl-link',
      title: keyText(`everywhere.page_${to.name}`),
      'aria-current': isOpen ? 'page' : null,
    },
    to.label,
  );
  const refresh = () => {
    if (isOpen) lastPlaces.set(to.name, new URLSearchParams(location.search));
    link.href = pageAddress(to, isOpen);
  };
  document.addEventListener('dl-address', refresh, { signal: pageSignal() });
  refresh();
  return link;
}

/** @param {Evaluation[]} evaluations */
function evaluationPicker(evaluations) {
  /** @type {((id: string) => unknown)[]} */
  const listeners = [];
  let known = evaluations;
  let wanted = ''; // it may be newer than the list
  const select = choice('Evaluation', [], '', (id) => {
    wanted = id;
    address.set({ evaluation: id, qa: '' });
    listeners.forEach((f) => f(id));
  });
  const node = h('label', { class: 'dl-evaluation' }, h('span', {}, 'evaluation'), select);
  const picker = {
    node,
    /** @type {Evaluation[]} */
    all: [],
    /** @param {string} id */
    show: (id) => {
      if (!id) return;
      wanted = id;
      select.value = id;
      if (!select.value && picker.all === known) refreshPerson().catch(report);
    },
    /** @param {(id: string) => unknown} f */
    onchange: (f) => listeners.push(f),
    /**
     * New ones came, by a job or an import: the choice stays.
     * @param {Evaluation[]} list
     */
    update: (list) => {
      const before = JSON.stringify(named(picker.all));
      picker.all = list;
      if (JSON.stringify(named(list)) !== before) fill(select, named(list), wanted || select.value); // else a person may have it open
      node.hidden = !list.length;
    },
  };
  picker.update(evaluations);
  document.addEventListener(
    'dl-person',
    (/** @type {CustomEvent<Me>} */ { detail }) => {
      if (picker.all !== known) return; // the page has put others in their place
      known = detail.evaluations;
      picker.update(known);
    },
    { signal: pageSignal() },
  );
  return picker;
}

/**
 * Dialogs that are not opened each time that a page is: their script comes when they are.
 * @template Dialogs
 * @param {Promise<Dialogs>} script
 * @param {(dialogs: Dialogs) => unknown} show
 */
async function bring(script, show) {
  const still = wanted();
  const dialogs = await script;
  if (still()) await show(dialogs);
}

/** Loaded when it is first needed; keys wait meanwhile. @param {'undo' | 'redo'} way */
const turn = (way) => onTheWay(import('../editor/undo.js').then((undo) => undo.turn(way)));

const showHelp = () => bring(import('./keymap_help.js'), (dialogs) => dialogs.showHelp());
const showReplace = () => bring(import('../editor/replace.js'), (dialogs) => dialogs.showReplace());

/**
 * @param {string} what
 * @param {(dialogs: typeof import('./accounts_dialog.js')) => unknown} show
 */
const openAccounts = (what, show) => openField(what, () => bring(import('./accounts_dialog.js'), show));

/** @param {Me} me */
function person(me) {
  const others = can('manage')
    ? button(icon('people'), () => openAccounts('people', ({ showPeople }) => showPeople(me.person)), {
        kind: 'icon',
        title: 'People',
        name: 'people',
      })
    : null;
  if (me.locked) {
    return h(
      'span',
      { class: 'dl-person' },
      ownMenu(
        me,
        me.passwords
          ? [
              {
                words: 'Password …',
                run: () => openAccounts('password', ({ showOwnPassword }) => showOwnPassword()),
              },
            ]
          : [],
      ),
      others,
      me.leaves
        ? h(
            'form',
            { method: 'post', action: '/logout' },
            h('button', { class: 'dl-button dl-button-quiet' }, 'Log out'),
          )
        : null,
    );
  }
  return personMenu(me);
}

function applyTheme() {
  const wanted =
    shelf.getItem('dailies-theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  document.documentElement.dataset.dlTheme = wanted;
  document.body.classList.toggle('dark', wanted === 'dark');
}

function switchTheme() {
  shelf.setItem('dailies-theme', document.documentElement.dataset.dlTheme === 'dark' ? 'light' : 'dark');
  applyTheme();
}

function logo() {
  const holder = h('span', { class: 'dl-logo', 'aria-hidden': 'true' });
  holder.innerHTML =
    '<svg viewBox="0 0 20 20" width="20" height="20"><rect x="1.5" y="3.5" width="17" height="13" rx="2.5" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="M6 3.5v13M14 3.5v13" stroke="currentColor" stroke-width="1.3"/><path d="M1.5 7.8H6M1.5 12.2H6M14 7.8h4.5M14 12.2h4.5" stroke="currentColor" stroke-width="1.3"/></svg>';
  return holder;
}
