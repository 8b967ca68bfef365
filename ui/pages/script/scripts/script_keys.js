// What the keys of the Script page do.
import { bindKeys, keyText, onTheWay, wanted } from '../../../lib/keys/keymap.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';
import { notice, Refused } from '../../../lib/parts/notices.js';
import { ASPECTS } from '../../../lib/parts/words.js';
import { playerRuns } from '../../../lib/player/player_keys.js';
import { CaptionState } from './caption_state.js';
import { cutRuns } from './cut_state.js';
import { TABS } from './script_view.js';
import { SpeechState } from './speech_state.js';

export class ScriptKeys {
  /** @param {import('./page_script.js').ScriptPage} page */
  constructor(page) {
    this.page = page;
  }

  /** The caret goes into the text; where cuts are being changed, into that of the scene that is here then. */
  async #edit(kind = undefined, only = '') {
    if (only && this.page.tab.value !== only)
      throw new Refused(`Open the scene script first (${keyText(`script.tab_${only}`)}).`);
    if (!this.page.frame.can('edit')) throw new Refused('Only people who may edit can write here.');
    this.page.player?.catchUp();
    const still = wanted();
    if (this.page.cuts.changing) {
      await this.page.cuts.changing;
      await this.page.renewing;
    }
    if (still()) this.page.part.value.focus(kind);
  }

  async #saveAndNext() {
    this.page.player?.catchUp();
    if (this.page.cuts.changing) await this.page.cuts.changing;
    if (this.#atLast()) await this.#nextVideo();
    else if (this.page.scenes) await this.page.scenes.next();
    else if (this.page.speech) await this.page.speech.next();
    else {
      await requireSaved();
      this.page.choose(TABS[TABS.indexOf(this.page.tab.value) + 1]);
      this.page.part.value.focus();
    }
  }

  /** In the last field of the last scene, or the last line of speech; where captions are the work, the last of them. */
  #atLast() {
    const part = this.page.scenes || this.page.speech;
    return part
      ? part.atLast
      : this.page.queue.work?.task === 'captions' && this.page.tab.value === ASPECTS.at(-1);
  }

  /** After the last scene: the work here is done, and the next of my queue opens; without one, the next video. */
  async #nextVideo() {
    const { id } = this.page.data.value.video;
    await onTheWay(requireSaved());
    if (!(await this.page.queue.done())) await this.page.step(1);
    const { video } = this.page.data.value;
    if (video.id === id) throw new Refused('This was the end, and no other video comes after it.');
    throw new Refused(
      `The video before is through. This is “${video.title}”: ${keyText('script.edit')} writes.`,
    );
  }

  /** @param {number} by */
  #scene(by) {
    if (this.page.speech) this.page.speech.step(by);
    else if (this.page.data.value.player.file) this.page.player.stepScene(by);
    else if (this.page.scenes) this.page.scenes.show(this.page.scenes.open.value + by);
    else
      throw new Refused(
        `There are no pictures to go through here; ${keyText('script.tab_script')} shows the scenes.`,
      );
  }

  #sentence() {
    return this.page.part.value instanceof CaptionState ? this.page.part.value.sentence() : '';
  }

  #nextFinding() {
    if (!this.page.scenes) this.page.choose('script');
    if (!this.page.scenes.nextFinding()) notice('No open finding in this script.');
  }

  bind() {
    bindKeys(
      'script',
      {
        next_scene: () => this.#scene(1),
        previous_scene: () => this.#scene(-1),
        edit: () => this.#edit(),
        edit_camera: () => this.#edit('script:camera_movement', 'script'),
        next_finding: () => this.#nextFinding(),
        where_next: () => this.page.where(1, this.#sentence()),
        where_previous: () => this.page.where(-1, this.#sentence()),
        ...Object.fromEntries(TABS.map((name) => [`tab_${name}`, () => this.page.choose(name)])),
        save_next: () => this.#saveAndNext(),
        ...SpeechState.runs(() => {
          if (!this.page.speech)
            throw new Refused(`Open the speech first (${keyText('script.tab_speech')}).`);
          return this.page.speech;
        }),
      },
      () => Boolean(this.page.data.value),
    );
    bindKeys(
      'script',
      cutRuns(() => this.page.cuts),
      () => Boolean(this.page.data.value),
    );
    bindKeys('videos', { next: () => this.page.step(1), previous: () => this.page.step(-1) });
    bindKeys(
      'player',
      playerRuns(
        () => this.page.player,
        () => this.page.scenes?.scene,
      ),
    );
    bindKeys('queue', this.page.queue.runs());
  }
}
