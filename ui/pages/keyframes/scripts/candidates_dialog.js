// The dialog for other candidates: which frames, how many at a time, and what their captions tell.
import { openDialog } from '../../../lib/parts/dialog.js';
import { h, signal } from '../../../lib/components/component.js';
import { button, choice, field } from '../../../lib/components/small_components.js';
import { plural } from '../../../lib/parts/words.js';
import { CONTEXTS, MODES } from './author_words.js';

/** @typedef {import('./captioning.js').Captioning} Captioning */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['RunBody']} CaptionOptions */
/** @typedef {import('../../../lib/components/component.js').Drawn} Drawn */

const RATES = [0.25, 0.5, 1, 2, 4, 8];
const MOST = 24; // candidates, where no rate is chosen

class Form {
  /** @param {Captioning} captioning */
  constructor(captioning) {
    this.captioning = captioning;
    const state = captioning.state;
    const {
      fps = null,
      frames = [],
      per_call = 2,
      context = 'before',
      mode = 'c',
    } = state.author()?.options || {};
    const rates = RATES.includes(fps || 1) ? RATES : [...RATES, fps].sort((a, b) => a - b);
    this.rates = rates.map((r) => [String(r), `${r} a second`]);
    this.own = state.body.frames;
    this.seconds = state.data.value.player.duration_s;
    /** What is chosen, and what went wrong when it was sent. */
    this.chosen = signal({
      by: frames.length ? 'typed' : 'time',
      fps: String(fps ?? ''),
      typed: frames.join(', '),
      size: String(per_call),
      context: String(context),
      mode: String(mode),
      problem: '',
    });
  }

  /** @param {Partial<Form['chosen']['value']>} some */
  set(some) {
    this.chosen.value = { ...this.chosen.value, problem: '', ...some };
  }

  /** @returns {CaptionOptions} */
  get options() {
    const { by, context, fps, mode, size, typed } = this.chosen.value;
    const numbers = by === 'typed' ? (typed.match(/\d+/g) || []).map(Number) : [];
    return {
      fps: by === 'time' && fps ? Number(fps) : null,
      frames: by === 'own' ? this.own : numbers,
      per_call: Number(size),
      context: /** @type {CaptionOptions['context']} */ (context),
      mode: /** @type {CaptionOptions['mode']} */ (mode),
    };
  }

  /** How many candidates there will be. */
  get count() {
    const { fps, frames } = this.options;
    if (this.chosen.value.by !== 'time') return new Set(frames).size;
    const all = Math.floor(this.seconds * (fps || 1)) + 1;
    return Math.max(2, fps ? all : Math.min(MOST, all));
  }

  get about() {
    const { count: n } = this;
    if (n < 2) return 'Choose at least two frames.';
    const requests = plural(Math.max(1, n - this.options.per_call + 1), 'caption request');
    return `${n} candidates: ${requests} and ${plural(n - 1, 'verdict')}. What is there already is not asked for again, and what is shown now stays.`;
  }
}

/** @param {Captioning} captioning */
export function candidatesDialog(captioning) {
  const form = new Form(captioning);
  const send = () =>
    captioning
      .run(form.options)
      .then(() => dialog.close())
      .catch((error) => form.set({ problem: error.message }));
  const dialog = openDialog('Other candidates', h(Fields, { form }), h(Send, { form, send }));
}

/** @param {{form: Form}} props */
function Fields({ form }) {
  const { by, problem, typed } = form.chosen.value;
  /** @type {(words: string, label: string, name: 'by' | 'fps' | 'size' | 'context' | 'mode', options: string[][]) => Drawn} */
  const select = (words, label, name, options) =>
    field(
      words,
      choice(label, options, form.chosen.value[name], (value) => form.set({ [name]: value })),
    );
  return [
    select('frames', 'Which frames', 'by', [
      ['time', 'by time'],
      ['own', `the frames of my row (${form.own.length})`],
      ['typed', 'frame numbers'],
    ]),
    by === 'time'
      ? select('how many', 'Candidates a second', 'fps', [['', '1 a second, at most 24'], ...form.rates])
      : null,
    by === 'typed'
      ? field(
          'numbers',
          h('input', {
            class: 'dl-input',
            'aria-label': 'Frame numbers',
            placeholder: '0, 30, 75',
            value: typed,
            onInput: (event) => form.set({ typed: event.currentTarget.value }),
          }),
        )
      : null,
    select(
      'at a time',
      'Frames at a time',
      'size',
      ['2', '3', '4', '5', '6'].map((n) => [n, `${n} frames`]),
    ),
    select('window', 'Window', 'context', Object.entries(CONTEXTS)),
    select('captions tell', 'Attends to', 'mode', Object.entries(MODES)),
    h('p', { class: `dl-hint ${problem ? 'dl-is-failed' : ''}` }, problem || form.about),
  ];
}

/** @param {{form: Form, send: () => void}} props */
const Send = ({ form, send }) =>
  button('Caption them', send, { kind: 'main', name: 'caption', disabled: form.count < 2 });
