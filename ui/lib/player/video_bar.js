// Which video is open, and the way to the one before and the one after it. Several pages use it.
import { address } from '../page/address.js';
import { pageSignal, whileOpen } from '../page/open_page.js';
import { h as element } from '../parts/elements.js';
import { h, mount, signal } from '../components/component.js';
import { empty, held, icon, toLibrary } from '../components/small_components.js';
import { notice, report } from '../parts/notices.js';
import { plural } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { keyText, onTheWay } from '../keys/keymap.js';
import { QueueBar } from '../shell/assignment_bar.js';
import { requireSaved } from '../editor/save_before_leaving.js';
import { read } from '../store/server_records.js';

export class VideoBar {
  /** `open(id)` draws a video, `flush()` saves what is typed; `page` is its name in the address and in the title. */
  constructor(frame, page, open, flush = () => null) {
    this.frame = frame;
    this.page = page;
    this.open = open;
    /** @type {import('../components/component.js').Signal<string[]>} ids, in the Library's order */
    this.listed = signal([]);
    this.at = signal(''); // the id of the video that is open, or on its way
    this.title = signal('');
    this.extra = element('div', { class: 'dl-bar-extra' });
    this.queue = new QueueBar(frame, {
      flush,
      open: (id) => this.go(id, { keepFrame: true }),
    });
    this.node = element('div', { class: 'dl-videobar' });
    mount(this.node, h(Bar, { bar: this }), pageSignal());
    frame.search.placeholder = 'Search videos';
    frame.search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#find(frame.search.value).catch(report);
    });
  }

  /** Opens the video of the address, without waiting for the list of all; else the first one of the Library. */
  async start() {
    const path = `/api/videos?${new URLSearchParams({ evaluation: address.get('evaluation') })}`;
    const listed = read(path, '').then((all) => this.#list(all));
    const wanted = address.get('video');
    if (wanted) {
      await Promise.all([this.go(wanted, { keepFrame: true }), listed]);
      return;
    }
    await listed;
    const [first] = this.videos;
    if (first) await this.go(first, { keepFrame: true });
    else this.#noVideos();
  }

  /** @param {{videos: string[], evaluation: string}} all in the order of the Library */
  #list({ videos, evaluation }) {
    this.frame.evaluation.show(evaluation);
    this.listed.value = videos;
  }

  #noVideos() {
    const { main } = this.frame;
    main.className = 'dl-main'; // not laid out as the page any more
    main.replaceChildren();
    mount(
      main,
      empty(
        'There are no videos yet. Drop a file in the Library, or import a data set there.',
        toLibrary('Add videos'),
      ),
      pageSignal(),
    );
  }

  /** Where the other video does not come, what is on the page is open as before. */
  async go(id, { keepFrame = false } = {}) {
    this.at.value = id;
    address.set(keepFrame ? { video: id } : { video: id, frame: '' });
    try {
      await onTheWay(this.open(id));
    } catch (error) {
      if (this.id === id && this.shown) {
        this.at.value = this.shown;
        address.set({ video: this.shown });
      }
      throw error;
    }
    await this.queue.show(id);
  }

  /** The video that is open, or on its way. */
  get id() {
    return this.at.value;
  }

  get videos() {
    return this.listed.value;
  }

  /** A video is on the page: `shown`. What is written there is about that one, while `id` may be on its way. */
  named(title) {
    this.shown = this.id;
    this.title.value = title;
    document.title = `${title} · ${this.page} · Dailies`;
  }

  step(by) {
    const to = this.videos[this.videos.indexOf(this.id) + by];
    if (to) this.#leaveFor(to);
    else notice(by > 0 ? 'This is the last video.' : 'This is the first video.');
  }

  #leaveFor(id) {
    onTheWay(whileOpen(requireSaved()).then(() => this.go(id))).catch(report);
  }

  async #find(words) {
    const query = new URLSearchParams({ q: words, evaluation: address.get('evaluation'), limit: '1' });
    const [found] = (await api(`/api/library?${query}`)).videos;
    if (found) this.#leaveFor(found.id);
    else notice(`No video fits “${words}”.`);
  }

  /** For `bindKeys('videos', ...)`. */
  runs() {
    return { next: () => this.step(1), previous: () => this.step(-1) };
  }
}

/** @param {{bar: VideoBar}} props */
function Bar({ bar }) {
  const { videos, id } = bar;
  const at = videos.indexOf(id);
  return [
    h(Step, { bar, by: -1, disabled: at <= 0 }),
    h('span', { class: 'dl-place' }, at < 0 ? '' : `${at + 1} of ${plural(videos.length, 'video')}`),
    h(Step, { bar, by: 1, disabled: at < 0 || at >= videos.length - 1 }),
    h('h1', { class: 'dl-title' }, bar.title.value),
    held(bar.queue.node, true),
    held(bar.extra, true),
  ];
}

/** @param {{bar: VideoBar, by: 1 | -1, disabled: boolean}} props */
function Step({ bar, by, disabled }) {
  const name = by < 0 ? 'previous' : 'next';
  const words = `${by < 0 ? 'Previous' : 'Next'} video`;
  return h(
    'button',
    {
      type: 'button',
      class: 'dl-button dl-button-quiet',
      disabled,
      title: `${words} (${keyText(`videos.${name}`)})`,
      'data-name': `${name}-video`,
      'aria-label': words,
      onClick: () => bar.step(by),
    },
    icon(by < 0 ? 'back' : 'next'),
  );
}
