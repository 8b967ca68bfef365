// The pages in the order of the bar, and every key: gathered by ui/pages/page_table.py from the folders of the pages.
import { can } from '../page/rights.js';

/** @typedef {import('../wire.d.ts').components['schemas']['PageFacts']} PageFacts */
/** @typedef {import('../wire.d.ts').components['schemas']['KeyRow']} KeyRow */

/** @type {import('../wire.d.ts').components['schemas']['PageTable']} */
const table = await (await fetch(new URL('../../pages.json', import.meta.url))).json();

export const { pages, rows, scopes } = table;

/** Those that this person sees links to. */
export const linkedPages = () => pages.filter((page) => can(page.needs));

/**
 * The page at a path; undefined where it is another document.
 * @param {string} path such as /script
 */
export const pageAt = (path) => pages.find((page) => page.path === path);

/**
 * The page on which a task is done; the first page of one video for a task that none declares.
 * @param {string} task
 */
export const pageOfTask = (task) => pages.find((page) => task in page.tasks) ?? pages.find(isOfVideo);

/**
 * Whether an address of the page can name one video.
 * @param {PageFacts} page
 */
export const isOfVideo = ({ shows }) => shows === 'video' || shows === 'questions';

/**
 * The name of what draws a page and has its keys: the page, or the face that a parameter of the address opens.
 * @param {PageFacts} page
 * @param {URLSearchParams} query
 */
export const faceAt = (page, query) =>
  page.faces.find(({ parameter }) => query.get(parameter))?.name ?? page.name;
