// The dialog for other candidates: which frames, how many at a time, and what their captions tell.
import { batch, h, mount, signal } from '../../../lib/components/component.js';
import { choice } from '../../../lib/components/small_components.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { h as element } from '../../../lib/parts/elements.js';
import { plural } from '../../../lib/parts/words.js';
import { CONTEXTS, MODES } from './author_words.js';

/** @typedef {import('./captioning.js').Captioning} Captioning */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['RunBody']} CaptionOptions */

/** @type {CaptionOptions} */
const USUAL = { fps: null, frames: [], per_call: 2, context: 'before', mode: 'c' };
const RATES = [0.25, 0.5, 1, 2, 4, 8];
const SIZES = [2, 3, 4, 5, 6];
const MOST = 24; // candidates, where no rate is chosen

class Form {
  /** What went wrong when it was sent. */
  problem = signal('');

  /** @param {Captioning} captioning */
  constructor(captioning) {
    this.captioning = captioning;
    this.state = captioning.state;
    const options = this.state.author()?.options || USUAL;
    this.options = signal(options);
    this.by = signal(options.frames.length ? 'typed' : 'time');
    this.typed = signal(options.frames.join(', '));
  }

  /** @param {Partial<CaptionOptions>} some */
  set(some) {
    this.options.value = { ...this.options.value, ...some };
  }

  get frames() {
    if (this.by.value === 'own') return this.state.body.frames;
    return this.by.value === 'typed' ? (this.typed.value.match(/\d+/g) || []).map(Number) : [];
  }

  /** How many candidates there will be. */
  get count() {
    if (this.by.value !== 'time') return new Set(this.frames).size;
    const { fps } = this.options.value;
    const all = Math.floor(this.state.data.value.player.duration_s * (fps || 1)) + 1;
    return Math.max(2, fps ? all : Math.min(MOST, all));
  }

  async send() {
    const { by, frames, options } = this;
    await this.captioning.run({
      ...options.value,
      fps: by.value === 'time' ? options.value.fps : null,
      frames,
    });
  }
}

/** @param {Captioning} captioning */
export function candidatesDialog(captioning) {
  const form = new Form(captioning);
  const [fields, main] = [0, 1].map(() => element('div', { style: { display: 'contents' } }));
  const closed = new AbortController();
  const send = () =>
    form
      .send()
      .then(() => dialog.close())
      .catch((error) => {
        form.problem.value = error.message;
      });
  mount(fields, h(Fields, { form }), closed.signal);
  mount(main, h(Send, { form, send }), closed.signal);
  const dialog = openDialog('Other candidates', fields, main);
  dialog.node.addEventListener('close', () => closed.abort());
}

/** @param {{form: Form}} props */
function Fields({ form }) {
  const { by, options, state, typed } = form;
  const { per_call: size, context, fps, mode } = options.value;
  /** Whatever is changed, what went wrong before is out of date. */
  const change = (/** @type {() => void} */ act) =>
    batch(() => {
      act();
      form.problem.value = '';
    });
  return [
    field(
      'frames',
      choice(
        'Which frames',
        [
          ['time', 'by time'],
          ['own', `the frames of my row (${state.picks.value.size})`],
          ['typed', 'frame numbers'],
        ],
        by.value,
        (value) => change(() => (by.value = value)),
      ),
    ),
    by.value === 'time'
      ? field(
          'how many',
          choice(
            'Candidates a second',
            [
              ['', '1 a second, at most 24'],
              ...withValue(RATES, fps || 1).map((r) => pairOf(r, `${r} a second`)),
            ],
            String(fps ?? ''),
            (value) => change(() => form.set({ fps: value ? Number(value) : null })),
          ),
        )
      : null,
    by.value === 'typed'
      ? field(
          'numbers',
          h('input', {
            class: 'dl-input',
            'aria-label': 'Frame numbers',
            placeholder: '0, 30, 75',
            value: typed.value,
            onInput: (event) => change(() => (typed.value = event.currentTarget.value)),
          }),
        )
      : null,
    field(
      'at a time',
      choice(
        'Frames at a time',
        SIZES.map((n) => pairOf(n, `${n} frames`)),
        String(size),
        (value) => change(() => form.set({ per_call: Number(value) })),
      ),
    ),
    field(
      'window',
      choice('Window', Object.entries(CONTEXTS), context, (value) =>
        change(() => form.set({ context: /** @type {CaptionOptions['context']} */ (value) })),
      ),
    ),
    field(
      'captions tell',
      choice('Attends to', Object.entries(MODES), mode, (value) =>
        change(() => form.set({ mode: /** @type {CaptionOptions['mode']} */ (value) })),
      ),
    ),
    h(
      'p',
      { class: `dl-hint ${form.problem.value ? 'dl-is-failed' : ''}` },
      form.problem.value || about(form),
    ),
  ];
}

/** @param {Form} form */
function about({ count: n, options }) {
  if (n < 2) return 'Choose at least two frames.';
  const requests = plural(Math.max(1, n - options.value.per_call + 1), 'caption request');
  return `${n} candidates: ${requests} and ${plural(n - 1, 'verdict')}. What is there already is not asked for again, and what is shown now stays.`;
}

/** @param {{form: Form, send: () => void}} props */
const Send = ({ form, send }) =>
  h(
    'button',
    {
      type: 'button',
      class: 'dl-button dl-button-main',
      'data-name': 'caption',
      disabled: form.count < 2,
      onClick: send,
    },
    'Caption them',
  );

/** @type {(words: string, control: import('../../../lib/components/component.js').Drawn) => import('../../../lib/components/component.js').Drawn} */
const field = (words, control) =>
  h('label', { key: words, class: 'dl-field' }, h('span', null, words), control);

/** @type {(value: number, words: string) => [string, string]} */
const pairOf = (value, words) => [String(value), words];

/** @type {(list: number[], value: number) => number[]} */
const withValue = (list, value) => (list.includes(value) ? list : [...list, value].sort((a, b) => a - b));
