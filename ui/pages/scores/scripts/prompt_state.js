// The workshop of prompts: the versions that there are, the words that are written, the trial that runs.
import { batch, signal } from '../../../lib/components/component.js';
import { debounce } from '../../../lib/page/open_page.js';
import { confirmed } from '../../../lib/parts/dialog.js';
import { notice, report } from '../../../lib/parts/notices.js';
import { plural } from '../../../lib/parts/words.js';
import { api } from '../../../lib/requests/requests.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']} Schemas */
/** @typedef {import('../../../lib/shell/job_list.js').JobPanel} JobPanel */
/** @typedef {{system: string, user: string}} Words of a prompt */
/** @typedef {Words & {id: string, label: string, hash: string, figures: Schemas['PromptFigures'][], by?: string, at?: number}} Row */
/**
 * @template Value
 * @typedef {import('../../../lib/components/component.js').Signal<Value>} Signal
 */

export class PromptState {
  /** @type {Signal<Schemas['PromptWorkshop']>} */
  data = signal(null);
  /** What was done, or how far it is. */
  said = signal('');
  /** @type {Signal<string>} the job of the trial that runs */
  job = signal('');
  label = signal('');
  /** @type {Signal<Words>} of the version that is written */
  typed = signal({ system: '', user: '' });
  /** @type {Signal<Words>} the same, a moment later: their difference is shown */
  compared = signal({ system: '', user: '' });
  keeping = signal(false);
  /** @type {Signal<string>} the version whose first button has the focus next */
  kept = signal('');
  /** How often the words of a version were taken over, to go on from them. */
  starts = signal(0);

  /**
   * @param {string} evaluation
   * @param {string[][]} whose prompts there are: [value, words]
   * @param {JobPanel} jobs
   * @param {() => unknown} used
   */
  constructor(evaluation, whose, jobs, used) {
    this.evaluation = evaluation;
    this.whose = whose;
    this.jobs = jobs;
    this.used = used;
    /** @type {Signal<string>} */
    this.prompt = signal(whose[0][0]);
    this.compareLater = debounce(() => {
      this.compared.value = this.typed.value;
    }, 150);
  }

  async load() {
    const before = this.data.value?.prompt;
    const query = new URLSearchParams({ evaluation: this.evaluation, prompt: this.prompt.value });
    /** @type {Schemas['PromptWorkshop']} */
    const data = await api(`/api/scoring/prompts?${query}`);
    batch(() => {
      this.data.value = data;
      if (before !== data.prompt) this.#from(data.usual);
    });
  }

  /** @param {string} prompt */
  choose(prompt) {
    this.prompt.value = prompt;
    this.load().catch(report);
  }

  get usualName() {
    return this.data.value.usual.protocol ? 'the protocol’s prompt' : 'the prompt of the workspace’s file';
  }

  /** @param {Words} words to start from */
  #from({ system, user }) {
    this.typed.value = { system, user };
    this.compared.value = this.typed.value;
  }

  /** @param {Row} row */
  start(row) {
    batch(() => {
      this.#from(row);
      this.starts.value += 1;
    });
  }

  /** @param {Partial<Words>} words */
  type(words) {
    this.typed.value = { ...this.typed.value, ...words };
    this.compareLater();
  }

  /** @param {() => Promise<unknown>} action whose failure the dialog tells */
  act(action) {
    void action().catch((error) => {
      this.said.value = error.message;
    });
  }

  async keep() {
    this.keeping.value = true;
    try {
      const words = { label: this.label.value, ...this.typed.value };
      await api('/api/scoring/prompts', { prompt: this.prompt.value, ...words });
      await this.load();
    } finally {
      this.keeping.value = false;
    }
    batch(() => {
      this.said.value = `Kept as “${this.label.value.trim()}”.`;
      this.label.value = '';
      this.kept.value = this.data.value.versions.at(-1).id;
    });
  }

  /**
   * @param {Row} row
   * @param {boolean} heldBack
   */
  async try(row, heldBack) {
    this.said.value = `asking with ${row.label} …`;
    /** @type {Schemas['JobFacts']} */
    const job = await api('/api/scoring/prompts/trial', {
      evaluation: this.evaluation,
      prompt: this.prompt.value,
      version: row.id,
      held_back: heldBack,
    });
    this.job.value = job.id;
    await this.jobs.poll();
    await this.moved();
  }

  /** @param {Row} row */
  async open(row) {
    const { labels, looks } = this.data.value;
    const again = looks.some((look) => look.version === row.id);
    const words = [
      `${plural(labels.held_back, 'labelled verdict')} were held back while versions were worked on. What “${row.label}” reaches there is recorded with your name.`,
      looks.length
        ? `It was opened before, for “${looks[0].label}”: this is marked as look ${looks.length + 1}.`
        : 'It opens once: a look for another version later is marked as a second look.',
    ];
    if (again || (await confirmed('Open the held back half', words, 'Open it'))) await this.try(row, true);
  }

  /** @param {Row} row */
  async use(row) {
    await api('/api/scoring/prompts/use', { prompt: this.prompt.value, version: row.id });
    await this.load();
    notice(`In use from the next run on: ${row.label}. Ctrl+Z takes it back.`);
    this.used();
  }

  /** How far the trial is; its figures are asked for when it is over. */
  async moved() {
    const job = this.jobs.jobs.find((one) => one.id === this.job.value);
    if (!job) return;
    if (!job.finished) {
      this.said.value = `${job.plan}: ${job.stage || 'waiting'} ${job.total ? `${job.done} of ${job.total}` : ''}`;
      return;
    }
    this.job.value = '';
    this.said.value = job.problems.length ? job.problems.join('; ') : `${job.plan}: ${job.state}`;
    await this.load();
  }
}
