// What the page shows of added files: how far they are, and what became of each.
import { address } from '../../../lib/page/address.js';
import { h, signal, useRef } from '../../../lib/components/component.js';
import { button, mark } from '../../../lib/components/small_components.js';
import { report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { problemList } from './problem_list.js';

/** @typedef {import('./upload.js').Taken} Taken */
/** @typedef {import('./upload.js').Uploads} Uploads */

const MOST_LINES = 6; // of an import; the others are folded away

/** @type {Object<string, string[]>} for `plural` */
const KINDS = {
  Text: ['caption'],
  Verdict: ['verdict'],
  Alias: ['id', 'ids'],
  Person: ['person', 'people'],
  RunVideo: ['run state'],
  SceneList: ['scene list'],
  EvaluationRun: ['evaluation link'],
  ModelCall: ['model call'],
};

/**
 * `{Text: 5, Video: 1}` in words.
 * @param {Object<string, number>} records
 */
function countWords(records) {
  const parts = Object.entries(records).map(([kind, n]) =>
    plural(n, ...(KINDS[kind] || [kind.toLowerCase()])),
  );
  return parts.length ? parts.join(', ') : 'nothing new';
}

/**
 * What is shown at once, and what is folded away: what asks for something comes first.
 * @param {Taken[]} files
 * @returns {[Taken[], Taken[]]}
 */
export function folded(files) {
  const asks = (/** @type {Taken} */ one) => Boolean(one.error || one.join || one.problems?.length);
  const sorted = [...files.filter(asks), ...files.filter((one) => !asks(one))];
  const count = sorted.length <= MOST_LINES ? sorted.length : MOST_LINES - 1;
  return [sorted.slice(0, count), sorted.slice(count)];
}

/** @param {{uploads: Uploads}} props */
export function Added({ uploads }) {
  if (!uploads.shown.value) return null;
  const { words, share } = uploads.said.value;
  const [first, rest] = folded(uploads.files.value);
  const line = (/** @type {Taken} */ one) => h(Line, { uploads, one });
  return h(
    'section',
    { class: 'dl-uploads', 'aria-label': 'Added files' },
    h(
      'header',
      null,
      h('b', null, words),
      h(
        'span',
        { class: 'dl-progress', 'aria-hidden': 'true' },
        h('i', { style: { width: `${share * 100}%` } }),
      ),
      h('span', { class: 'dl-grow' }),
      button('Dismiss', () => uploads.clear(), { kind: 'quiet', name: 'dismiss-uploads' }),
    ),
    h(
      'ul',
      { class: 'dl-uploadlines' },
      first.map(line),
      rest.length
        ? h(
            'li',
            null,
            h(
              'details',
              { class: 'dl-uploadrest' },
              h('summary', null, `and ${plural(rest.length, 'more file')}`),
              h('ul', null, rest.map(line)),
            ),
          )
        : null,
    ),
  );
}

/** @param {{uploads: Uploads, one: Taken}} props */
const Line = ({ uploads, one }) =>
  h('li', null, result(one), one.join ? h(Join, { uploads, join: one.join }) : null);

/** @param {Taken} one */
function result(one) {
  const [state, words, more] = outcome(one);
  return [mark(state, words), h('b', null, one.file), more];
}

/**
 * @param {Taken} one
 * @returns {[state: string, words: string, more: import('../../../lib/components/component.js').Children]}
 */
function outcome(one) {
  if (one.error) return ['failed', 'not taken', h('span', null, one.error.replace(`${one.file}: `, ''))];
  if (one.known) return ['done', 'here already', h('span', null, `the same file as ${one.title}`)];
  if (one.video)
    return ['done', 'added', h('a', { href: address.to('script', { video: one.video }) }, 'open')];
  if (!one.format) return ['done', 'file found', null];
  const facts = [`${one.format}: ${countWords(one.records)}`, ...(one.evaluations || [])];
  return [
    'done',
    'imported',
    [h('span', null, facts.join(' · ')), problemList(one.problems, one.problems.length)],
  ];
}

/**
 * The way on for a file that a video waits for and another one has.
 * @param {{uploads: Uploads, join: Taken['join']}} props
 */
function Join({ uploads, join: [first, second] }) {
  const { current: at } = useRef(signal(/** @type {'open' | 'sent' | 'joined'} */ ('open')));
  const press = async () => {
    at.value = 'sent';
    try {
      const { joinVideos } = await import('./join_videos.js');
      await joinVideos(first, second);
      at.value = 'joined';
      await uploads.done([], 1, []);
    } catch (error) {
      if (at.value === 'sent') at.value = 'open';
      report(error);
    }
  };
  if (at.value === 'joined') return null;
  return button('Join the two', press, { name: 'join-files', disabled: at.value === 'sent' });
}

/** @param {{uploads: Uploads}} props */
export function Choosers({ uploads }) {
  /** @type {(name: 'input' | 'folder', label: string) => import('../../../lib/components/component.js').Drawn} */
  const chooser = (name, label) =>
    h('input', {
      type: 'file',
      multiple: true,
      class: 'dl-unseen',
      tabIndex: -1,
      'aria-label': label,
      ref: (node) => {
        uploads[name] = node;
        if (node) node.webkitdirectory = name === 'folder';
      },
      onChange: ({ currentTarget: input }) => {
        uploads.add([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
        input.value = '';
      },
    });
  return [chooser('input', 'Videos or annotations'), chooser('folder', 'A folder')];
}
