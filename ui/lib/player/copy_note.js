// What stands over the picture of a video that the browser does not play: why, and the way to a copy that it does.
import { lastTold, onServer } from '../shell/server_events.js';
import { can } from '../page/rights.js';
import { h, render, signal } from '../components/component.js';
import { button } from '../components/small_components.js';
import { api } from '../requests/requests.js';

/** @typedef {import('../shell/job_list.js').Job} Job */
/** @typedef {{job: string, said: string, share: number, halted: boolean}} Making of a copy: its job and how far it is, in words and percent */

export class CopyNote {
  /** @type {import('../components/component.js').Signal<Making | null>} */
  making = signal(null);
  /** Why the last try gave no copy. */
  trouble = signal('');
  seen = false; // whether the job is among those that the server tells of

  /**
   * `player` shows frames as pictures until its `playCopy` is called.
   * @param {import('./player.js').Player} player
   */
  constructor(player) {
    this.player = player;
    this.node = document.createElement('div');
    this.node.className = 'dl-screen-note dl-copynote';
    // Clicks on the note are not clicks on the picture, which plays.
    this.node.addEventListener('click', (event) => event.stopPropagation());
    render(h(Note, { note: this }), this.node);
    this.#told(lastTold('jobs')?.jobs || []);
    onServer('jobs', ({ jobs }) => this.#told(jobs), player.closed.signal);
  }

  get why() {
    const { playable, problems, why } = this.player.data;
    if (playable)
      return problems.length
        ? 'This browser stopped: the file is damaged'
        : 'This browser cannot play the file';
    return `${why[0].toUpperCase()}${why.slice(1)}`;
  }

  /**
   * What the server tells of its jobs. One may be at work on it already: after an upload, or started on another page.
   * @param {Job[]} jobs
   */
  #told(jobs) {
    const { id } = this.player.data;
    const mine = this.making.value?.job;
    const works = (/** @type {Job} */ job) =>
      !job.finished && job.stages.includes('probe') && job.video_ids.includes(id);
    const job = jobs.find((one) => (mine ? one.id === mine : works(one)));
    if (job) this.#follow(job);
    else if (this.seen) this.#end('its job is gone; the server was started anew');
  }

  /** @param {Job} job */
  #follow(job) {
    this.seen = true;
    const here = job.video_id === this.player.data.id;
    const share = here && job.stage === 'probe' && job.total ? Math.round((job.done / job.total) * 100) : 0;
    const said = job.state === 'queued' ? 'waiting for the job before it' : `${share} %`;
    this.making.value = { halted: false, ...this.making.value, job: job.id, said, share };
    // A longer job goes on with other stages: the copy is made in its first one.
    if (job.finished || (here && job.stage && job.stage !== 'probe'))
      this.#end(job.state === 'stopped' ? 'stopped' : job.problems.at(-1));
  }

  async make() {
    try {
      const job = await api('/api/jobs', { videos: [this.player.data.id], stages: ['probe'] });
      this.#follow(lastTold('jobs')?.jobs.find((/** @type {Job} */ one) => one.id === job.id) || job);
    } catch (error) {
      this.trouble.value = error.message;
    }
  }

  stop() {
    this.making.value = { ...this.making.value, halted: true };
    api(`/api/jobs/${encodeURIComponent(this.making.value.job)}/stop`, {}).catch(() => {});
  }

  /** @param {string} [trouble] why there may be no copy */
  #end(trouble) {
    this.seen = false;
    this.#finish(trouble).catch((error) => this.#noCopy(error.message));
  }

  /** @param {string} why */
  #noCopy(why) {
    this.making.value = null;
    this.trouble.value = why;
  }

  /** @param {string} [trouble] why there may be no copy */
  async #finish(trouble) {
    const data = await api(`/api/player/${encodeURIComponent(this.player.data.id)}`);
    if (!data.copy) {
      this.#noCopy(trouble || 'the job made none');
      return;
    }
    const focused = this.node.matches(':focus-within');
    this.node.remove();
    await this.player.playCopy(data);
    if (focused) this.player.toggle.focus();
  }
}

/** @param {{note: CopyNote}} props */
function Note({ note }) {
  const trouble = note.trouble.value;
  const making = note.making.value;
  const words = making
    ? 'Making a playable copy. Frames are shown as pictures until it is done.'
    : trouble
      ? `No copy: ${trouble}`
      : `${note.why}. Frames are shown as pictures.`;
  return [
    h('p', { role: 'status' }, words),
    h(
      'div',
      { class: 'dl-copytools' },
      making
        ? h(Progress, { note, making })
        : !note.player.data.needs_copy
          ? null
          : can('run')
            ? button(trouble ? 'Try again' : 'Make a playable copy', () => note.make(), { name: 'make-copy' })
            : h('span', null, 'A researcher can make a copy that plays.'),
    ),
  ];
}

/** @param {{note: CopyNote, making: Making}} props */
const Progress = ({ note, making }) => [
  h(
    'span',
    {
      class: 'dl-progress',
      role: 'progressbar',
      'aria-label': 'Making a playable copy',
      'aria-valuemin': 0,
      'aria-valuemax': 100,
      'aria-valuenow': making.share,
    },
    h('i', { style: { width: `${making.share}%` } }),
  ),
  h('span', { class: 'dl-copysaid' }, making.said),
  can('run') ? button('Stop', () => note.stop(), { name: 'stop-copy', disabled: making.halted }) : null,
];
