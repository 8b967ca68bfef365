// My work on the video that is open, that of others on it, and the way on through my queue.
import { address } from '../page/address.js';
import { pageSignal } from '../page/open_page.js';
import { h, mount, signal } from '../components/component.js';
import { askedFirst, openDialog } from '../parts/dialog.js';
import { button } from '../components/small_components.js';
import { OnThisVideo } from './work_on_video.js';
import { h as element } from '../parts/elements.js';
import { notice, Refused, report } from '../parts/notices.js';
import { plural } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { onChange } from './server_events.js';
import { onTheWay } from '../keys/keymap.js';
import { shelf } from '../page/browser_storage.js';
import { go, replacing, requireSaved } from '../editor/save_before_leaving.js';
import { pageOfTask } from '../parts/pages.js';
import { sendDraftsOf } from '../editor/send_old_drafts.js';

/** @typedef {import('../wire.d.ts').components['schemas']['WorkLink']} WorkLink to a piece of work in my queue */
/** @typedef {import('../wire.d.ts').components['schemas']['QueueBar']} Bar */
/** @typedef {import('../wire.d.ts').components['schemas']['Work']} AnyWork */
/** @typedef {import('../wire.d.ts').components['schemas']['MyWork']} MyWork */
/** @typedef {AnyWork & Partial<MyWork>} Work on a video; `next` of my own: where to go on */

const PLACE = ['scene', 'frame'];
/**
 * @param {string} page
 * @param {string} video
 */
const placeKey = (page, video) => `dailies-place:${page}:${video}`;

/**
 * The address of a piece of work, at the place where this browser left it.
 * @param {WorkLink} to
 */
export function workLink(to, evaluation = '') {
  const { name, tasks } = pageOfTask(to.task);
  const place = JSON.parse(shelf.getItem(placeKey(name, to.video)) || '{}');
  return address.to(name, {
    video: to.video,
    task: to.task,
    evaluation,
    tab: tasks[to.task],
    ...place,
  });
}

/**
 * Asks for a comment in a dialog; Ctrl+Enter or Enter sends it.
 * @param {string} title
 * @param {string} label
 * @param {(words: string) => Promise<unknown>} send
 * @param {string} words on the button
 * @param {{value?: string, other?: [string, () => Promise<unknown>]}} more what stands there, and another way to end
 */
export function askWords(title, label, send, words, { value = '', other } = {}) {
  const say = () => {
    if (!field.value.trim()) {
      notice('Write a few words first.');
      field.focus();
      return;
    }
    dialog.close();
    const said = field.value.trim();
    send(said).catch((error) => report(error, `${error.message} Not written: “${said}”`));
  };
  const instead = () => {
    dialog.close();
    other[1]().catch(report);
  };
  const dialog = openDialog(
    title,
    h(
      'label',
      { class: 'dl-asked' },
      h('span', null, label),
      h('textarea', { class: 'dl-text', rows: 3, 'aria-label': label, maxLength: 2000, defaultValue: value }),
    ),
    [
      other ? button(other[0], instead, { key: 'other' }) : null,
      button([words, h('kbd', null, 'Enter')], say, { key: 'say', kind: 'main' }),
    ],
  );
  const field = /** @type {HTMLTextAreaElement} */ (dialog.node.querySelector('textarea'));
  field.focus();
  field.setSelectionRange(value.length, value.length);
}

/** @typedef {{work: Work | null, others: Work[], left: number, of: number}} Shown my work on the video, that of others, and how many videos of my work are left */

export class QueueBar {
  /** @type {import('../components/component.js').Signal<Shown>} */
  shown = signal({ work: null, others: [], left: 0, of: 0 });
  /** @type {string[]} those that are shown */
  tasks;
  showOthers = true;
  /** @type {string} */
  video;
  /** @type {Promise<void>} that the work on the video is loaded and begun */
  ready;
  /** @type {Bar} */
  data;
  saying = false; // one thing at a time
  /** @type {string} what was typed and not saved, as it was told last */
  leftOut;

  /**
   * `flush()` saves what is typed there, `open(video)` draws another video.
   * @param {import('./top_bar.js').Frame} frame
   * @param {{flush: () => unknown, open: (video: string) => unknown}} does
   */
  constructor(frame, { flush, open }) {
    this.frame = frame;
    this.page = frame.page;
    this.tasks = Object.keys(this.page.tasks);
    this.flush = flush;
    this.open = open;
    this.node = element('section', { class: 'dl-queue', 'aria-label': 'Work on this video', hidden: true });
    const until = pageSignal();
    mount(this.node, h(OnThisVideo, { queue: this }), until);
    const reload = () => {
      if (this.video) this.#load().catch(report);
    };
    document.addEventListener('dl-address', () => this.#keepPlace(), { signal: until });
    document.addEventListener('dl-changed', reload, { signal: until });
    onChange(
      () => this.video,
      () => this.#load(),
    );
  }

  /** Mine on this video. */
  get work() {
    return this.shown.value.work;
  }

  /**
   * A video was opened: work on it that is mine is begun.
   * @param {string} video
   */
  async show(video) {
    if (video !== this.video) {
      this.video = video;
      this.ready = this.#load().then(() => this.#begin());
    }
    await this.ready;
  }

  /**
   * Of a page with tabs: only work that is done on the one that is shown; `others`: also that of others.
   * @param {string[]} tasks
   */
  async narrow(tasks, others = true) {
    this.tasks = tasks;
    this.showOthers = others;
    if (!this.data || this.video !== address.get('video')) return;
    this.#take();
    await this.#begin();
  }

  async #begin() {
    const { video, work } = this;
    if (!work?.unfinished || work.state === 'working') return;
    await api('/api/queue/begin', { video, task: work.task });
    if (video === this.video) await this.#load();
  }

  async #load() {
    const { video } = this;
    /** @type {Bar} */
    const data = await api(`/api/queue/${encodeURIComponent(video)}`);
    if (video !== this.video) return;
    this.data = data;
    this.#take();
  }

  #take() {
    const { left, of } = this.data;
    /** @param {Work[]} rows */
    const here = (rows) => rows.filter((w) => this.tasks.includes(w.task));
    const mine = here(this.data.mine);
    const wanted = mine.filter((w) => w.task === address.get('task'));
    const work = [...wanted, ...mine.filter((w) => w.unfinished), ...mine][0] || null;
    const others = this.showOthers ? here(this.data.others) : [];
    this.node.hidden = !work && !others.length;
    this.shown.value = { work, others, left, of };
  }

  // --- saying ---------------------------------------------------------------------------

  /**
   * Throws with `body.points` where these are open, unless the person is sure.
   * @param {string} state
   */
  async #say(state, note = '', work = this.work, sure = false) {
    const body = {
      video: work.video,
      task: work.task,
      person: work.person_id,
      state,
      note,
      base: work.state,
      sure,
    };
    try {
      return await api('/api/queue/state', body);
    } finally {
      await this.#load();
      document.dispatchEvent(new CustomEvent('dl-work', { detail: { video: work.video } }));
    }
  }

  reopen() {
    return askedFirst(
      async (sure) => this.#say('open', '', this.work, sure),
      'Take the approval back?',
      'Reopen',
    );
  }

  /** @param {Work} work of another */
  approve(work) {
    return askedFirst(
      async (sure) => this.#say('approved', '', work, sure),
      `Approve the ${work.task} of ${work.person}?`,
      'Approve all the same',
    );
  }

  /**
   * Saves, says that my work here is done, and goes on; asks first where something is open. False when there is no
   * work of mine.
   */
  async done() {
    const { video } = this;
    const said = await askedFirst(
      (sure) =>
        this.#once(async (work) => {
          if (!work || video !== this.video) return false;
          if (work.unfinished) await this.#leave('done', '', sure);
          else {
            await this.#settled();
            await this.#go(work.next);
          }
          return true;
        }),
      'Hand it in with open points?',
      'Done all the same',
    );
    return said ?? true; // the person goes on with what is open
  }

  skip() {
    return this.#once(async (work) => {
      if (work?.unfinished) await this.#leave('skipped');
    });
  }

  /**
   * Pressed twice, it is said once: the second press was not for the next video. `act` is given my work on this one.
   * @template Result
   * @param {(work: Work | null) => Promise<Result>} act
   */
  async #once(act) {
    if (this.saying) return true;
    this.saying = true;
    // It is over before the keys that waited for it are given to what is open then.
    const alone = async () => {
      try {
        await this.ready;
        return await act(this.work);
      } finally {
        this.saying = false;
      }
    };
    return await onTheWay(alone());
  }

  flag() {
    const { video, work } = this;
    if (!work?.unfinished)
      throw new Refused('This video is not unfinished work of yours: there is nothing to flag.');
    askWords(
      'Flag this video',
      'What should somebody else look at?',
      async (note) => {
        if (this.saying || this.video !== video)
          throw new Refused('The video that this is about is being handed in already.');
        await this.#once(() => this.#leave('flagged', note));
      },
      'Flag, next',
    );
  }

  /** Nothing is called done that the server has not confirmed. Throws a Refused with the reason. */
  async #settled() {
    await this.flush();
    await requireSaved();
    const left = await sendDraftsOf(this.video);
    const words = left.map((draft) => draft.value).join();
    const said = this.leftOut === words; // its text may be gone: then there is nothing to open
    this.leftOut = words;
    if (left.length && !said)
      throw new Refused(
        `You typed more for this video, which is not saved: ${left.map((draft) => draft.label).join(', ')}. Open it to save it, or do this again to go on without it.`,
      );
  }

  /**
   * Nothing is written in what is being handed in, however long the server takes: keys are for what comes next.
   * @param {string} state
   */
  async #leave(state, note = '', sure = false) {
    const title = document.querySelector('.dl-root h1')?.textContent;
    const left = pageSignal();
    const after = await replacing([this.frame.main], async () => {
      await this.#settled();
      return this.#say(state, note, this.work, sure);
    });
    notice(
      `${title || 'Video'}: ${state}. ${after.left ? `${plural(after.left, 'video')} left.` : 'Your queue is done.'}`,
    );
    if (!left.aborted) await this.#go(after.next);
  }

  /** @param {WorkLink | null} to */
  async #go(to) {
    if (!to) {
      notice('There is nothing after this in your queue.');
      return;
    }
    if (pageOfTask(to.task) !== this.page) {
      go(workLink(to, address.get('evaluation')));
      return;
    }
    const place = JSON.parse(shelf.getItem(placeKey(this.page.name, to.video)) || '{}');
    address.set({
      qa: '',
      scene: '',
      frame: '',
      video: to.video,
      task: to.task,
      tab: this.page.tasks[to.task],
      ...place,
    });
    await this.open(to.video);
  }

  #keepPlace() {
    if (!this.work?.unfinished || address.get('video') !== this.video) return;
    shelf.setItem(
      placeKey(this.page.name, this.video),
      JSON.stringify(
        Object.fromEntries(PLACE.map((name) => [name, address.get(name)]).filter(([, value]) => value)),
      ),
    );
  }

  /** @param {Work} work of another */
  giveBack(work) {
    askWords(
      `Give it back to ${work.person}`,
      'What is to be done',
      (note) => this.#say('returned', note, work),
      'Return',
    );
  }

  /** For `bindKeys('queue', ...)`. */
  runs() {
    return {
      done: () => this.done().catch(report),
      skip: () => this.skip().catch(report),
      flag: () => this.flag(),
    };
  }
}
