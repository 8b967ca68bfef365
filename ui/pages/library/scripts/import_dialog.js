// What dropped files are, before anything is written: one block for each evaluation, dataset and set of videos.
import { button, h } from '../../../lib/parts/elements.js';
import { plural } from '../../../lib/parts/words.js';
import { openDialog } from '../../../lib/parts/dialog.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['HeapPreview']} Preview */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['HeapThing']} Thing */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['HeapVideos']} Videos */
/** @typedef {{leave: string[], names: Object<string, string>, add_rest: boolean, by_hand: Object<string, string>}} Choice */

const FACTS = [
  ['Video', 'video'],
  ['Text', 'caption'],
  ['Question', 'question'],
  ['Answer', 'answer'],
  ['Verdict', 'verdict'],
];

/**
 * Resolves to what is to be imported; null: nothing.
 * @param {Preview} seen
 * @returns {Promise<Choice | null>}
 */
export function askImport(seen) {
  return new Promise((resolve) => {
    /** @type {Choice | null} */
    let choice = null;
    const blocks = seen.things.map((thing) => thingBlock(thing, () => follow()));
    const videos = videoBlock(seen.videos, () => follow());
    const write = button(
      'Import',
      () => {
        choice = chosen();
        dialog.close();
      },
      { kind: 'main', name: 'import', key: 'Enter' },
    );
    const chosen = () => ({
      leave: blocks.filter((block) => !block.wanted()).map((block) => block.id),
      names: Object.assign({}, ...blocks.filter((block) => block.wanted()).map((block) => block.names())),
      add_rest: videos.addRest(),
      by_hand: videos.byHand(),
    });
    const follow = () => {
      write.disabled = !blocks.some((block) => block.wanted()) && !videos.anything();
    };
    const dialog = openDialog(
      titleOf(seen),
      [
        ...blocks.map((block) => block.node),
        videos.node,
        seen.things.length || seen.videos.files
          ? null
          : h('p', { class: 'dl-importnothing' }, 'Nothing here is of a format that is known.'),
        problemList(seen.unread, seen.unread_count, `${plural(seen.unread_count, 'file')} not read`),
      ],
      [write],
    );
    dialog.node.classList.add('dl-import');
    dialog.node.addEventListener('close', () => resolve(choice));
    follow();
    const first = /** @type {HTMLElement} */ (dialog.node.querySelector('.dl-importname')) || write;
    first.focus();
    if (first instanceof HTMLInputElement) first.select();
  });
}

/** @param {Preview} seen */
function titleOf(seen) {
  const evaluations = seen.things.reduce((sum, thing) => sum + thing.evaluations.length, 0);
  const others = seen.things.filter((thing) => !thing.evaluations.length).length;
  const parts = [
    evaluations ? plural(evaluations, 'evaluation') : '',
    others ? plural(others, 'other thing') : '',
    seen.videos.files ? plural(seen.videos.files, 'video file') : '',
  ].filter(Boolean);
  return parts.length ? `Found: ${parts.join(', ')}` : 'Found nothing to import';
}

/**
 * @param {Thing} thing
 * @param {() => void} changed
 */
function thingBlock(thing, changed) {
  const box = h('input', { type: 'checkbox', onchange: changed, 'aria-label': `Import ${thing.name}` });
  box.checked = !thing.error;
  box.disabled = Boolean(thing.error);
  const fields = thing.evaluations.map((one) =>
    h('input', {
      type: 'text',
      class: 'dl-input dl-importname',
      value: one.name,
      maxlength: '180',
      spellcheck: 'false',
      'aria-label': 'Name of the evaluation',
      disabled: one.known,
    }),
  );
  const node = h(
    'section',
    { class: 'dl-importthing', 'aria-label': thing.name },
    h('label', { class: 'dl-importhead' }, box, h('b', {}, thing.name), h('span', {}, thing.what)),
    fields,
    h('p', { class: 'dl-importfacts' }, factsOf(thing)),
    thing.missing.map((words) => h('p', { class: 'dl-importmissing', role: 'note' }, words)),
    thing.error && !thing.missing.includes(thing.error)
      ? h('p', { class: 'dl-importerror', role: 'alert' }, thing.error)
      : null,
    problemList(thing.problems, thing.problem_count),
  );
  return {
    id: thing.id,
    node,
    wanted: () => box.checked,
    names: () =>
      Object.fromEntries(
        thing.evaluations
          .map((one, n) => [one.id, fields[n].value.trim(), one.name])
          .filter(([, now, before]) => now && now !== before),
      ),
  };
}

/** @param {Thing} thing */
function factsOf(thing) {
  const counts = FACTS.filter(([kind]) => thing.counts[kind]).map(([kind, word]) => {
    const all = thing.counts[kind];
    const fresh = thing.new[kind] || 0;
    return plural(all, word) + (fresh && fresh < all ? ` (${fresh} new)` : '');
  });
  const judge = thing.models.verdicts;
  const here = thing.evaluations.filter((one) => one.known);
  return [
    ...thing.benchmarks,
    ...counts,
    judge ? `judged by ${judge}` : '',
    here.length ? 'here already: nothing new' : '',
    plural(thing.files.length, 'file'),
  ]
    .filter(Boolean)
    .join(' · ');
}

/**
 * @param {Videos} videos
 * @param {() => void} changed
 */
function videoBlock(videos, changed) {
  const box = h('input', { type: 'checkbox', onchange: changed, 'data-name': 'add-rest' });
  box.checked = videos.add_rest;
  if (!videos.files)
    return {
      node: null,
      addRest: () => false,
      anything: () => false,
      byHand: () => /** @type {Object<string, string>} */ ({}),
    };
  const hand = matchByHand(videos, changed);
  const anything = () =>
    videos.fit > 0 || (box.checked && videos.rest_count > 0) || Object.keys(hand.said()).length > 0;
  const node = h(
    'section',
    { class: 'dl-importthing', 'aria-label': 'Videos' },
    h('p', { class: 'dl-importhead' }, h('b', {}, plural(videos.files, 'video file'))),
    videos.fit ? h('p', {}, `${plural(videos.fit, 'file')} of videos that wait for one`) : null,
    videos.without
      ? h(
          'details',
          { class: 'dl-uploadproblems' },
          h('summary', {}, `${plural(videos.without, 'video')} would stay without a file`),
          h(
            'ul',
            {},
            videos.waiting.map((one) => h('li', {}, one.title)),
            videos.without > videos.waiting.length
              ? h('li', {}, `and ${videos.without - videos.waiting.length} more`)
              : null,
          ),
        )
      : null,
    videos.again.map((one) =>
      h('p', { class: 'dl-importmissing' }, `${one.file} is the same file as ${one.title}, which is here`),
    ),
    videos.rest_count
      ? h(
          'label',
          { class: 'dl-importrest' },
          box,
          videos.rest_count === 1
            ? `add ${videos.rest[0].file} as a new video`
            : `add ${videos.rest_count} files as new videos`,
        )
      : null,
    hand.node,
    problemList(videos.unclear, videos.unclear.length),
  );
  return { node, addRest: () => box.checked, anything, byHand: hand.said };
}

/**
 * The files that no video is named like, and those of videos that are here, each with a field for the video that it
 * is of. What a video that is here has already offers to join the two once it is imported.
 * @param {Videos} videos
 * @param {() => void} changed
 */
function matchByHand(videos, changed) {
  const ids = new Map(videos.waiting.map(({ id, title }) => [title, id]));
  const again = ids.size ? videos.again : [];
  const given = [
    ...videos.rest,
    ...again.map(({ file, place, title }) => ({ file: `${file}, here as ${title}`, place })),
  ];
  const count = videos.rest_count + again.length;
  const fields = given.map(({ file }) =>
    h('input', {
      type: 'text',
      class: 'dl-input',
      list: 'dl-waiting',
      disabled: !ids.size,
      'aria-label': `${file} is the file of`,
      placeholder: ids.size ? 'is the file of …' : '',
      autocomplete: 'off',
      oninput: changed,
    }),
  );
  /** @returns {Object<string, string>} */
  const said = () =>
    Object.fromEntries(
      given.map(({ place }, n) => [place, ids.get(fields[n].value.trim())]).filter(([, video]) => video),
    );
  const node = given.length
    ? h(
        'details',
        { class: 'dl-uploadproblems dl-byhand' },
        h(
          'summary',
          {},
          `${plural(count, 'file')} that no video${again.length ? ' waiting for one' : ''} is named like`,
        ),
        h(
          'datalist',
          { id: 'dl-waiting' },
          videos.waiting.map(({ title }) => h('option', { value: title })),
        ),
        h(
          'ul',
          {},
          given.map(({ file }, n) => h('li', {}, h('label', {}, h('span', {}, file), fields[n]))),
          count > given.length ? h('li', {}, `and ${count - given.length} more`) : null,
        ),
      )
    : null;
  return { node, said };
}

/**
 * What is wrong with files, folded up.
 * @param {{where: string, what: string}[]} problems
 * @param {number} count
 */
export function problemList(problems, count, words = plural(count, 'problem')) {
  if (!count) return null;
  return h(
    'details',
    { class: 'dl-uploadproblems' },
    h('summary', {}, words),
    h(
      'ul',
      {},
      problems.map((p) => h('li', {}, h('b', {}, p.where), ` ${p.what}`)),
      count > problems.length ? h('li', {}, `and ${count - problems.length} more`) : null,
    ),
  );
}
