// Asking for another detection of cuts: which detector, how far it is, and those that were found before.
import { h, signal } from '../../../lib/components/component.js';
import { button, choice } from '../../../lib/components/small_components.js';
import { can } from '../../../lib/page/rights.js';
import { openDialog } from '../../../lib/parts/dialog.js';
import { report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['CutWorkNow']} CutWorkNow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['DetectionFacts']} DetectionFacts */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['DetectorFacts']} DetectorFacts */

const POLL_MS = 400;
const UNDER_WAY = ['waiting', 'running'];

class Detection {
  detector = signal('');
  params = '';
  sending = signal(false);
  /** @type {import('../../../lib/components/component.js').Signal<CutWorkNow['detection']>} */
  work = signal(null);
  failed = signal('');
  closed = false;

  /**
   * @param {string} path
   * @param {DetectorFacts[]} detectors
   * @param {(id: string) => void} found
   */
  constructor(path, detectors, found) {
    this.path = path;
    this.detectors = detectors;
    this.found = found;
    this.detector.value = detectors[0]?.name || '';
  }

  /** @returns {[name: string, value: unknown][]} the parameters of the chosen detector as they are */
  get usual() {
    return Object.entries(this.detectors.find(({ name }) => name === this.detector.value)?.params || {});
  }

  async look() {
    const detector = this.detector.value;
    const params = this.params.trim();
    this.sending.value = true;
    this.failed.value = '';
    try {
      await api(`${this.path}/detect`, { detector: params ? `${detector}:${params}` : detector });
      await this.follow();
    } catch (error) {
      this.failed.value = error.message;
    } finally {
      this.sending.value = false;
    }
  }

  /** Until the detection is over, or nobody looks any more. */
  async follow() {
    for (;;) {
      /** @type {CutWorkNow} */
      const { detection } = await api(`${this.path}/work`);
      if (this.closed) return;
      this.work.value = detection;
      if (!detection || !UNDER_WAY.includes(detection.state)) {
        if (detection?.state !== 'done') this.failed.value = detection?.why || 'stopped';
        else if (detection.list) this.found(detection.list);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  stop() {
    api(`${this.path}/halt`, {}).catch(report);
  }
}

/**
 * Ask which detector to compare with, and wait for it. `compare(id)` is called with what it found.
 * @param {string} path
 * @param {DetectionFacts[]} known
 * @param {(id: string) => Promise<void>} compare
 */
export async function chooseDetection(path, known, compare) {
  /** @type {[DetectorFacts[], CutWorkNow]} */
  const [detectors, work] = await Promise.all([api('/api/cuts/detectors'), api(`${path}/work`)]);
  const open = (/** @type {string} */ id) => {
    dialog.close();
    compare(id).catch(report);
  };
  const detection = new Detection(path, detectors, open);
  const dialog = openDialog(
    'Detect cuts again',
    h(Content, { detection, known, open }),
    can('run') ? h(Look, { detection }) : [],
  );
  dialog.node.addEventListener('close', () => {
    detection.closed = true;
  });
  const first = /** @type {'button'} */ (can('run') ? 'select' : 'button');
  dialog.node.querySelector(first).focus();
  if (UNDER_WAY.includes(work.detection?.state)) detection.follow().catch(report);
}

/** @param {{detection: Detection}} props */
const Look = ({ detection }) =>
  button('Look for cuts', () => detection.look(), {
    kind: 'main',
    name: 'detect-cuts',
    disabled: detection.sending.value,
  });

/** @param {{detection: Detection, known: DetectionFacts[], open: (id: string) => void}} props */
const Content = ({ detection, known, open }) => [
  h('p', null, 'Nothing is replaced: you see first what would be added, removed and moved.'),
  can('run')
    ? h(Form, { detection })
    : h(
        'p',
        { class: 'dl-hint' },
        'A researcher can run a detector; you can compare with what was found before.',
      ),
  known.length ? h('h3', null, 'Found before') : null,
  known.length
    ? h(
        'ul',
        { class: 'dl-cutearlier' },
        known.map((one) =>
          h(
            'li',
            { key: one.id },
            button(`${one.detector}${changed(one, detection.detectors)}`, () => open(one.id), {
              kind: 'quiet',
              name: 'earlier-detection',
            }),
          ),
        ),
      )
    : null,
];

/** @param {{detection: Detection}} props */
function Form({ detection }) {
  const all = detection.usual.map(([name, value]) => `${name}=${value}`);
  return [
    h(
      'div',
      { class: 'dl-cutform' },
      choice(
        'Detector',
        detection.detectors.map(({ name }) => [name, name]),
        detection.detector.value,
        (name) => {
          detection.detector.value = name;
        },
      ),
      h('input', {
        class: 'dl-input',
        'aria-label': 'Parameters',
        spellcheck: false,
        autocomplete: 'off',
        placeholder: all[0] || '',
        onInput: (event) => {
          detection.params = event.currentTarget.value;
        },
      }),
    ),
    h('p', { class: 'dl-hint' }, `As they are: ${all.join(', ')}. Name only those to change.`),
    h(HowFar, { detection }),
  ];
}

/** @param {{detection: Detection}} props */
function HowFar({ detection }) {
  const work = detection.work.value;
  const going = work && UNDER_WAY.includes(work.state);
  const share = work?.total ? Math.round((100 * work.done) / work.total) : 0;
  return h(
    'div',
    { class: 'dl-cutstate', role: 'status' },
    going
      ? [
          h(
            'span',
            {
              class: 'dl-progress',
              role: 'progressbar',
              'aria-label': 'Looking for cuts',
              'aria-valuemin': 0,
              'aria-valuemax': 100,
              'aria-valuenow': share,
            },
            h('i', { style: { width: `${share}%` } }),
          ),
          h('span', null, work.state === 'waiting' ? 'waiting' : `${share} %`),
          button('Stop', () => detection.stop(), { name: 'stop-detection' }),
        ]
      : detection.failed.value
        ? h('span', { class: 'dl-is-failed' }, detection.failed.value)
        : null,
  );
}

/**
 * Parameters that are not as they come, in brackets.
 * @param {DetectionFacts} detection
 * @param {DetectorFacts[]} detectors
 */
function changed(detection, detectors) {
  const usual = detectors.find((d) => d.name === detection.detector)?.params || {};
  const other = Object.entries(detection.params).filter(
    ([name, value]) => typeof value !== 'object' && usual[name] !== value,
  );
  return other.length ? ` (${other.map(([name, value]) => `${name}=${value}`).join(', ')})` : '';
}
