// The one script that a document names: it draws the page of the address, and other pages in its place, without
// another document. What a page has set up ends with it (`pageSignal` in open_page.js); the player of a video stays.
import { guardWaysOut, settle } from './editor/save_before_leaving.js';
import { keysOfPage, onTheWay } from './keys/keymap.js';
import { leavePage } from './page/open_page.js';
import { can } from './page/rights.js';
import { report } from './parts/notices.js';
import { fetched, stated } from './requests/requests.js';
import { askAhead, endFirstAnswers, openWithAnswers } from './requests/first_answers.js';
import { whenIdle } from './page/idle.js';
import { holdPlayer, restPlayer } from './player/kept_player.js';
import { knownPerson, refreshOldPerson } from './shell/known_person.js';
import { isOutdated, listenToServer } from './shell/server_events.js';
import { begin, shell } from './shell/top_bar.js';
import { faceAt, linkedPages, pageAt } from './parts/pages.js';

const LOOK_AGAIN_MS = 2000; // for a server that does not answer
const REST_MS = 60; // of the pointer or the focus on a link, before its page is requested

/** @type {HTMLElement} */
const root = document.querySelector('.dl-root');
let begun = false;
let turn = 0; // of `draw`: a page that was asked for before another is not drawn
let shown = ''; // the address of the page that is drawn, as it is now

const here = () => location.pathname + location.search;

/** Keys that are pressed before the page is there are about what it will show. */
async function draw() {
  turn += 1;
  const mine = turn;
  const page = pageAt(location.pathname);
  const face = faceAt(page, new URLSearchParams(location.search));
  delete root.dataset.ready;
  keysOfPage(face);
  try {
    await onTheWay(show(page, face, mine));
    if (mine !== turn) return;
    root.dataset.ready = 'true';
    document.dispatchEvent(new Event('dl-drawn'));
    endFirstAnswers();
    restPlayer();
    refreshOldPerson();
    whenIdle(bringOtherPages);
    if (can('edit')) void import('./editor/send_old_drafts.js').then((sender) => sender.sendDraftsLater());
  } catch (error) {
    if (mine !== turn) return;
    console.error(error);
    await sayWhatFailed(error);
  }
}

/**
 * @param {import('./parts/pages.js').PageFacts} page
 * @param {string} face its name, or that of its other face
 * @param {number} mine the turn
 */
async function show(page, face, mine) {
  const [me, module] = await Promise.all([knownPerson(), scriptOf(page, face)]);
  if (mine !== turn) return;
  if (!begun) {
    begun = true;
    begin(me);
    listenToServer();
  }
  holdPlayer();
  root.dataset.page = page.name;
  root.inert = false;
  document.title = `${page.label} · Dailies`;
  await module.show(shell(root, page, me));
}

/**
 * @param {import('./parts/pages.js').PageFacts} page
 * @param {string} face
 */
const scriptOf = (page, face = page.name) => import(`../pages/${page.name}/scripts/page_${face}.js`);

/** The first change of page loads no scripts. One that cannot be loaded now is loaded with its page. */
async function bringOtherPages() {
  for (const page of linkedPages()) await scriptOf(page).catch(() => null);
}

/**
 * What a page shows first, in one response.
 * @param {string} to its address
 */
async function answersFor(to) {
  const { pathname, search } = new URL(to, location.href);
  const options = { headers: stated, redirect: /** @type {const} */ ('manual') };
  const answer = await fetched(`/api/first/${pageAt(pathname).name}${search}`, options);
  return answer.ok ? answer.json() : {};
}

let resting = 0;

/**
 * The pointer or the focus is on a link to a page, which may be opened next.
 * @param {Event} event
 */
function restsOn({ target }) {
  clearTimeout(resting);
  const link = /** @type {HTMLElement} */ (target).closest?.('a[href]');
  if (!(link instanceof HTMLAnchorElement) || link.origin !== location.origin) return;
  if (pageAt(link.pathname) && link.pathname !== location.pathname)
    resting = setTimeout(() => askAhead(link.pathname + link.search, answersFor), REST_MS);
}

/** Another page of this document: the one before is over, though its picture stays until the other is drawn. */
function change() {
  leavePage();
  root.inert = true;
  shown = here();
  clearTimeout(resting);
  openWithAnswers(shown, answersFor);
  void draw();
}

/**
 * @param {URL} url
 * @returns {boolean} whether it is one of the pages here
 */
function open(url) {
  if (url.origin !== location.origin || !pageAt(url.pathname) || isOutdated()) return false;
  const address = url.pathname + url.search;
  leavePage();
  if (address === here()) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  change();
  return true;
}

/** Back and forward have changed the address already: what is typed goes out, and drafts hold what cannot. */
function moved() {
  if (here() === shown) return; // to a place within the page
  settle().catch(report);
  change();
}

/**
 * Offers to load the page again, and does so once a server that was away answers.
 * @param {Error} error
 */
async function sayWhatFailed(error) {
  const why = document.createElement('p');
  const again = Object.assign(document.createElement('button'), {
    className: 'dl-button',
    textContent: 'Try again',
    onclick: () => location.reload(),
  });
  const box = Object.assign(document.createElement('div'), {
    className: 'dl-empty dl-failed',
    role: 'alert',
  });
  box.append(why, again);
  if (root.inert) root.replaceChildren(); // the page before
  root.inert = false;
  root.append(box);
  again.focus();
  why.textContent = `This page could not be shown: ${error.message}`;
  if (await serverAnswers()) return;
  why.textContent = 'The server does not answer. The page comes back by itself when it does.';
  while (!(await serverAnswers())) await new Promise((go) => setTimeout(go, LOOK_AGAIN_MS));
  location.reload();
}

const serverAnswers = () =>
  fetch('/healthz').then(
    () => true,
    () => false,
  );

shown = here();
document.addEventListener('dl-address', () => {
  shown = here();
});
addEventListener('popstate', moved);
document.addEventListener('pointerover', restsOn);
document.addEventListener('focusin', restsOn);
guardWaysOut(open);
void draw();
