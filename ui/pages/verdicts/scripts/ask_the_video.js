// The question, put to a vision model on the frames that matter for it. Its answer stands beside the reference and
// the extracted answer, and counts in no score.
import { h, signal } from '../../../lib/components/component.js';
import { button, held, hint, mark } from '../../../lib/components/small_components.js';
import { Refused, report } from '../../../lib/parts/notices.js';
import { dayAndTime, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { Waiting } from '../../../lib/shell/request_progress.js';
import { FrameRow } from '../../../lib/components/frame_row.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SecondOpinion']} Opinion */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SecondOpinions']} Opinions */
/** @typedef {import('../../../lib/player/player.js').Player} Player */

export class SecondOpinion {
  /** @type {import('../../../lib/components/component.js').Signal<Waiting | null>} while the model is asked */
  waiting = signal(null);

  /** @param {import('./verdict_state.js').VerdictState} panel */
  constructor(panel) {
    this.panel = panel;
  }

  async ask() {
    const { page, detail } = this.panel;
    const { id, hidden, question_id: question } = detail.value;
    if (hidden) throw new Refused('You label blind: say yes or no and a score, then ask the video.');
    if (this.waiting.value) return;
    if (!page.can('run')) throw new Refused('Only researchers and admins can ask a model.');
    if (!question) throw new Refused('There is no single question here that could be put to the video.');
    const wait = new Waiting();
    wait.say('asking the vision model');
    this.waiting.value = wait;
    try {
      /** @type {Opinions} */
      const { second_opinions } = await api(`/api/verdicts/${encodeURIComponent(id)}/second-opinion`, {});
      detail.value = { ...detail.value, second_opinions };
    } finally {
      this.waiting.value = null;
      wait.end();
    }
  }
}

/** @param {{opinion: SecondOpinion}} props */
export function SecondOpinions({ opinion }) {
  const { page, detail } = opinion.panel;
  const [newest, ...earlier] = detail.value.second_opinions || [];
  const canRun = page.can('run');
  const wait = opinion.waiting.value;
  if (!detail.value.question_id || (!newest && !canRun)) return null;
  return h(
    'section',
    { class: 'dl-part', 'aria-label': 'second opinion' },
    h(
      'h2',
      null,
      'second opinion',
      h('span', { class: 'dl-grow' }),
      canRun &&
        button('ask the video', () => opinion.ask().catch(report), {
          kind: 'quiet',
          title: 'Ask a vision model on the frames below the player; it counts in no score',
          name: 'ask-video',
          hint: 'verdicts.ask_video',
        }),
    ),
    h(
      'div',
      { class: 'dl-secondopinion' },
      wait && held(wait.node),
      newest && h(Answer, { key: newest.at, one: newest, player: page.player }),
      earlier.length
        ? h(
            'details',
            null,
            h('summary', null, `earlier · ${earlier.length}`),
            earlier.map((one) => h(Answer, { key: one.at, one, player: page.player })),
          )
        : null,
    ),
  );
}

/** @param {{one: Opinion, player: Player}} props */
const Answer = ({ one, player }) => [
  one.state === 'done' ? h('p', { class: 'dl-value' }, one.value) : hint(mark(one.state), ' ', one.reason),
  hint(`${one.model} on ${plural(one.frames.length, 'frame')} · ${dayAndTime(one.at)} · counts in no score`),
  h(FrameRow, { player, indices: one.frames, label: 'Frames that it was given' }),
];
