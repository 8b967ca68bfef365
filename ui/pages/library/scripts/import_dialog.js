// What dropped files are, before anything is written: one block for each evaluation, dataset and set of videos.
import { computed, h, signal } from '../../../lib/components/component.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { plural } from '../../../lib/parts/words.js';
import { andMore, foldedLines, problemList } from './problem_list.js';

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

/** What is to be imported of what was found. */
class ImportChoice {
  /** @type {Map<string, string>} names of evaluations as they were typed, by id */
  names = new Map();
  /** @type {Map<string, string>} titles of videos, as they were typed, by the place of a file */
  typed = new Map();

  /** @param {Preview} seen */
  constructor(seen) {
    const { things, videos } = seen;
    this.seen = seen;
    this.left = signal(new Set(things.filter(({ error }) => error).map(({ id }) => id)));
    this.addRest = signal(videos.add_rest);
    /** @type {import('../../../lib/components/component.js').Signal<Object<string, string>>} files of videos, by place */
    this.byHand = signal({});
    this.anything = computed(
      () =>
        things.some(({ id }) => !this.left.value.has(id)) ||
        videos.fit > 0 ||
        (this.addRest.value && videos.rest_count > 0) ||
        Object.keys(this.byHand.value).length > 0,
    );
  }

  /** @param {string} id of a thing */
  toggle(id) {
    const left = new Set(this.left.value);
    if (!left.delete(id)) left.add(id);
    this.left.value = left;
  }

  /**
   * @param {string} place of a file
   * @param {string} title
   */
  match(place, title) {
    this.typed.set(place, title.trim());
    const ids = new Map(this.seen.videos.waiting.map((one) => [one.title, one.id]));
    const matched = [...this.typed].map(([at, words]) => [at, ids.get(words)]);
    this.byHand.value = Object.fromEntries(matched.filter(([, video]) => video));
  }

  /** @returns {Choice} */
  get value() {
    const { things, videos } = this.seen;
    const left = this.left.value;
    const named = things
      .filter(({ id }) => !left.has(id))
      .flatMap(({ evaluations }) => evaluations)
      .map(({ id, name }) => [id, this.names.get(id)?.trim(), name])
      .filter(([, now, before]) => now && now !== before);
    return {
      leave: [...left],
      names: Object.fromEntries(named),
      add_rest: videos.files > 0 && this.addRest.value,
      by_hand: this.byHand.value,
    };
  }
}

/**
 * Resolves to what is to be imported; null: nothing.
 * @param {Preview} seen
 * @returns {Promise<Choice | null>}
 */
export function askImport(seen) {
  return new Promise((resolve) => {
    /** @type {Choice | null} */
    let made = null;
    const choice = new ImportChoice(seen);
    const write = () => {
      made = choice.value;
      dialog.close();
    };
    const { node, ...dialog } = openDialog(titleOf(seen), h(Found, { choice }), h(Import, { choice, write }));
    node.classList.add('dl-import');
    node.addEventListener('close', () => resolve(made));
    const name = /** @type {HTMLInputElement | null} */ (node.querySelector('.dl-importname'));
    (name || /** @type {HTMLButtonElement} */ (node.querySelector('[data-name=import]'))).focus();
    name?.select();
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

/** @param {{choice: ImportChoice, write: () => void}} props */
const Import = ({ choice, write }) =>
  h(
    'button',
    {
      type: 'button',
      class: 'dl-button dl-button-main',
      'data-name': 'import',
      disabled: !choice.anything.value,
      onClick: write,
    },
    'Import',
    h('kbd', null, 'Enter'),
  );

/** @param {{choice: ImportChoice}} props */
function Found({ choice }) {
  const { things, videos, unread, unread_count: count } = choice.seen;
  return [
    things.map((thing) => h(ThingBlock, { key: thing.id, choice, thing })),
    videos.files ? h(VideoBlock, { choice, videos }) : null,
    things.length || videos.files
      ? null
      : h('p', { class: 'dl-importnothing' }, 'Nothing here is of a format that is known.'),
    problemList(unread, count, `${plural(count, 'file')} not read`),
  ];
}

/** @param {{choice: ImportChoice, thing: Thing}} props */
const ThingBlock = ({ choice, thing }) =>
  h(
    'section',
    { class: 'dl-importthing', 'aria-label': thing.name },
    h(
      'label',
      { class: 'dl-importhead' },
      h('input', {
        type: 'checkbox',
        'aria-label': `Import ${thing.name}`,
        checked: !choice.left.value.has(thing.id),
        disabled: Boolean(thing.error),
        onChange: () => choice.toggle(thing.id),
      }),
      h('b', null, thing.name),
      h('span', null, thing.what),
    ),
    thing.evaluations.map((one) =>
      h('input', {
        key: one.id,
        type: 'text',
        class: 'dl-input dl-importname',
        defaultValue: one.name,
        maxLength: 180,
        spellcheck: false,
        'aria-label': 'Name of the evaluation',
        disabled: one.known,
        onInput: (event) => choice.names.set(one.id, event.currentTarget.value),
      }),
    ),
    h('p', { class: 'dl-importfacts' }, factsOf(thing)),
    thing.missing.map((words) => h('p', { key: words, class: 'dl-importmissing', role: 'note' }, words)),
    thing.error && !thing.missing.includes(thing.error)
      ? h('p', { class: 'dl-importerror', role: 'alert' }, thing.error)
      : null,
    problemList(thing.problems, thing.problem_count),
  );

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

/** @param {{choice: ImportChoice, videos: Videos}} props */
const VideoBlock = ({ choice, videos }) =>
  h(
    'section',
    { class: 'dl-importthing', 'aria-label': 'Videos' },
    h('p', { class: 'dl-importhead' }, h('b', null, plural(videos.files, 'video file'))),
    videos.fit ? h('p', null, `${plural(videos.fit, 'file')} of videos that wait for one`) : null,
    foldedLines(
      videos.without,
      `${plural(videos.without, 'video')} would stay without a file`,
      videos.waiting.map((one) => one.title),
    ),
    videos.again.map((one) =>
      h(
        'p',
        { key: one.place, class: 'dl-importmissing' },
        `${one.file} is the same file as ${one.title}, which is here`,
      ),
    ),
    videos.rest_count
      ? h(
          'label',
          { class: 'dl-importrest' },
          h('input', {
            type: 'checkbox',
            'data-name': 'add-rest',
            checked: choice.addRest.value,
            onChange: (event) => {
              choice.addRest.value = event.currentTarget.checked;
            },
          }),
          videos.rest_count === 1
            ? `add ${videos.rest[0].file} as a new video`
            : `add ${videos.rest_count} files as new videos`,
        )
      : null,
    h(ByHand, { choice, videos }),
    problemList(videos.unclear, videos.unclear.length),
  );

/**
 * The files that no video is named like, and those of videos that are here, each with a field for the video that it
 * is of. What a video that is here has already offers to join the two once it is imported.
 * @param {{choice: ImportChoice, videos: Videos}} props
 */
function ByHand({ choice, videos }) {
  const waits = videos.waiting.length > 0;
  const again = waits ? videos.again : [];
  const given = [
    ...videos.rest,
    ...again.map(({ file, place, title }) => ({ file: `${file}, here as ${title}`, place })),
  ];
  if (!given.length) return null;
  const count = videos.rest_count + again.length;
  return h(
    'details',
    { class: 'dl-uploadproblems dl-byhand' },
    h(
      'summary',
      null,
      `${plural(count, 'file')} that no video${again.length ? ' waiting for one' : ''} is named like`,
    ),
    h(
      'datalist',
      { id: 'dl-waiting' },
      videos.waiting.map(({ id, title }) => h('option', { key: id, value: title })),
    ),
    h(
      'ul',
      null,
      given.map(({ file, place }) =>
        h(
          'li',
          { key: place },
          h(
            'label',
            null,
            h('span', null, file),
            h('input', {
              type: 'text',
              class: 'dl-input',
              list: 'dl-waiting',
              disabled: !waits,
              'aria-label': `${file} is the file of`,
              placeholder: waits ? 'is the file of …' : '',
              autocomplete: 'off',
              onInput: (event) => choice.match(place, event.currentTarget.value),
            }),
          ),
        ),
      ),
      andMore(count - given.length),
    ),
  );
}
