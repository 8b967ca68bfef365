// The question, put to a vision model on the frames that matter for it. Its answer stands beside the reference and
// the extracted answer, and counts in no score.
import { button, clear, h, mark } from '../../../lib/parts/elements.js';
import { Refused, report } from '../../../lib/parts/notices.js';
import { dayAndTime, plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';
import { keyHint } from '../../../lib/keys/keymap.js';
import { Waiting } from '../../../lib/shell/request_progress.js';
import { frameRow } from '../../../lib/player/player.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SecondOpinion']} Opinion */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SecondOpinions']} Opinions */

export class SecondOpinion {
  asking = false;

  /**
   * @param {import('./verdict_panel.js').Verdict} detail
   * @param {import('./verdict_panel.js').VerdictPage} page
   */
  constructor(detail, page) {
    this.detail = detail;
    this.page = page;
    this.answers = h('div', { class: 'dl-secondopinion' });
    this.node = h(
      'section',
      { class: 'dl-part', 'aria-label': 'second opinion' },
      h(
        'h2',
        {},
        'second opinion',
        h('span', { class: 'dl-grow' }),
        page.can('run')
          ? button(['ask the video', keyHint('verdicts.ask_video')], () => this.ask().catch(report), {
              kind: 'quiet',
              title: 'Ask a vision model on the frames below the player; it counts in no score',
              name: 'ask-video',
            })
          : null,
      ),
      this.answers,
    );
    this.#draw(detail.second_opinions || []);
  }

  /** @param {Opinion[]} found the newest first */
  #draw([newest, ...earlier]) {
    this.node.hidden = !this.detail.question_id || (!newest && !this.page.can('run'));
    clear(
      this.answers,
      newest ? this.#answer(newest) : null,
      earlier.length
        ? h(
            'details',
            {},
            h('summary', {}, `earlier · ${earlier.length}`),
            earlier.map((one) => this.#answer(one)),
          )
        : null,
    );
  }

  /** @param {Opinion} one */
  #answer(one) {
    return [
      one.state === 'done'
        ? h('p', { class: 'dl-value' }, one.value)
        : h('p', { class: 'dl-hint' }, mark(one.state), ' ', one.reason),
      h(
        'p',
        { class: 'dl-hint' },
        `${one.model} on ${plural(one.frames.length, 'frame')} · ${dayAndTime(one.at)} · counts in no score`,
      ),
      frameRow(this.page.player, one.frames, 'Frames that it was given'),
    ];
  }

  async ask() {
    if (this.asking) return;
    if (!this.page.can('run')) throw new Refused('Only researchers and admins can ask a model.');
    if (!this.detail.question_id)
      throw new Refused('There is no single question here that could be put to the video.');
    this.asking = true;
    const wait = new Waiting();
    this.answers.prepend(wait.node);
    wait.say('asking the vision model');
    try {
      /** @type {Opinions} */
      const now = await api(`/api/verdicts/${encodeURIComponent(this.detail.id)}/second-opinion`, {});
      this.#draw(now.second_opinions);
    } finally {
      this.asking = false;
      wait.end();
    }
  }
}
