// Find and replace: every text that would change is shown with its word difference before anything does.
import { address } from '../page/address.js';
import { debounce } from '../page/open_page.js';
import { batch, computed, h, signal } from '../components/component.js';
import { button, choice } from '../components/small_components.js';
import { notice, report } from '../parts/notices.js';
import { plural } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { openDialog } from '../parts/dialog.js';
import { wordDiff } from '../parts/diff_and_merge.js';
import { settle } from './save_before_leaving.js';

/** @typedef {Object<string, any>} Hit a text that would change */

const AROUND = 60; // characters of unchanged text that are shown beside a change
const LOOK_MS = 250;

class Replacing {
  /** @type {import('../components/component.js').Signal<{search: Object<string, any>, hits: Hit[], left: number}>} */
  found = signal({ search: {}, hits: [], left: 0 });
  /** @type {import('../components/component.js').Signal<Set<Hit>>} */
  chosen = signal(new Set());
  busy = signal(false);
  may = computed(() => this.chosen.value.size > 0 && !this.busy.value);
  #turn = 0;

  /** @param {string} find */
  constructor(find) {
    this.video = address.get('video');
    this.wanted = signal({ find, replace: '', whole_word: false, match_case: false, video: this.video });
    this.later = debounce(() => this.look().catch(report), LOOK_MS);
    this.dialog = openDialog('Find and replace', h(FormAndTexts, { of: this }), h(Replace, { of: this }), {
      cancel: 'Close',
      name: 'dl-replace',
    });
    this.fields[0].focus();
    this.fields[0].select();
    this.look().catch(report);
  }

  /** Of “find” and “replace by”. */
  get fields() {
    return /** @type {NodeListOf<HTMLInputElement>} */ (this.dialog.node.querySelectorAll('[type=text]'));
  }

  /** @param {Partial<typeof this.wanted.value>} what */
  change(what) {
    this.wanted.value = { ...this.wanted.value, ...what };
    this.later();
  }

  /**
   * Enter: from “find” on to “replace by”; there the texts that are shown are replaced, or shown where they are not yet.
   * @param {SubmitEvent} event
   */
  async enter(event) {
    event.preventDefault();
    const isShown = JSON.stringify(this.found.value.search) === JSON.stringify(this.wanted.value);
    if (this.fields[0].matches(':focus')) this.fields[1].focus();
    else if (isShown && this.may.value) {
      await this.replace();
      return;
    }
    if (!isShown) await this.look();
  }

  async look() {
    this.#turn += 1;
    const turn = this.#turn;
    const search = this.wanted.value;
    if (search.find) await settle(); // what is being typed on the page is a part of what is searched
    const { hits, texts } = search.find ? await api('/api/replace/preview', search) : { hits: [], texts: 0 };
    if (turn !== this.#turn) return;
    batch(() => {
      this.found.value = { search, hits, left: texts - hits.length };
      this.choose(hits);
    });
  }

  /** @param {Hit[]} hits those that may be changed are */
  choose(hits) {
    this.chosen.value = new Set(hits.filter((hit) => hit.allowed));
  }

  /** @param {Hit} hit */
  turn(hit) {
    const chosen = new Set(this.chosen.value);
    if (!chosen.delete(hit)) chosen.add(hit);
    this.chosen.value = chosen;
  }

  async replace() {
    const { search } = this.found.value;
    const chosen = [...this.chosen.value];
    this.busy.value = true;
    try {
      const done = await api('/api/replace', {
        ...search,
        texts: chosen.map(({ subject, revision }) => ({ subject, revision })),
      });
      const changes = chosen.map(({ subject }) => ({ kind: 'value', subject }));
      document.dispatchEvent(new CustomEvent('dl-changed', { detail: { video: search.video, changes } }));
      this.#told(done, chosen);
    } finally {
      this.busy.value = false;
    }
  }

  /** @param {{texts: number, stale: string[][]}} done @param {Hit[]} chosen */
  #told(done, chosen) {
    const words = `Replaced in ${plural(done.texts, 'text')}; one undo takes all of it back.`;
    if (!done.stale.length && !this.found.value.left) {
      this.dialog.close();
      notice(words);
      return;
    }
    const stale = done.stale
      .map((subject) => chosen.find((hit) => hit.subject.join() === subject.join())?.where)
      .join(', ');
    notice(
      stale
        ? `${words} Left alone, since somebody changed them meanwhile: ${stale}. They are shown again.`
        : words,
      stale ? 'error' : 'info',
    );
    this.look().catch(report);
  }
}

export function showReplace() {
  if (document.querySelector('dialog.dl-replace')) return;
  const field = document.activeElement; // in which words may be selected
  const picked =
    field instanceof HTMLTextAreaElement ? field.value.slice(field.selectionStart, field.selectionEnd) : '';
  new Replacing(picked.includes('\n') ? '' : picked);
}

// --- drawing --------------------------------------------------------------------------

/** @param {{of: Replacing}} props */
function FormAndTexts({ of }) {
  const wanted = of.wanted.value;
  const { hits, search } = of.found.value;
  /** @type {(words: string, name: 'find' | 'replace') => import('../components/component.js').Drawn} */
  const text = (words, name) =>
    h(
      'label',
      null,
      words,
      h('input', {
        type: 'text',
        class: 'dl-input',
        value: wanted[name],
        maxLength: 1000,
        autocomplete: 'off',
        onInput: (event) => of.change({ [name]: event.currentTarget.value }),
      }),
    );
  /** @type {(words: string, name: 'whole_word' | 'match_case') => import('../components/component.js').Drawn} */
  const check = (words, name) =>
    h(
      'label',
      { class: 'dl-check' },
      h('input', {
        type: 'checkbox',
        checked: wanted[name],
        onChange: (event) => of.change({ [name]: event.currentTarget.checked }),
      }),
      words,
    );
  /** @type {[string, string][]} */
  const places = [
    [of.video, 'in this video'],
    ['', 'in all videos'],
  ];
  return [
    h(
      'form',
      { class: 'dl-replaceform', onSubmit: (event) => of.enter(event).catch(report) },
      text('find', 'find'),
      text('replace by', 'replace'),
      h(
        'div',
        { class: 'dl-row' },
        check('whole words', 'whole_word'),
        check('match case', 'match_case'),
        choice('where', of.video ? places : places.slice(1), wanted.video, (video) => of.change({ video })),
      ),
      h('button', { type: 'submit', hidden: true }),
    ),
    h(
      'div',
      { class: 'dl-row dl-replacehead' },
      h('p', { class: 'dl-hint', role: 'status' }, summary(of)),
      h('span', { class: 'dl-grow' }),
      hits.length < 2
        ? null
        : h(
            'span',
            { class: 'dl-row' },
            button('choose all', () => of.choose(hits), { kind: 'quiet' }),
            button('choose none', () => of.choose([]), { kind: 'quiet' }),
          ),
    ),
    h(
      'ul',
      { class: 'dl-replacelist', 'aria-label': 'Texts that would change' },
      hits.map((hit) => h(Text, { key: hit.subject.join(), of, hit, inOne: Boolean(search.video) })),
    ),
  ];
}

/** @param {Replacing} of */
function summary({ found, chosen }) {
  const { search, hits, left } = found.value;
  if (!search.find) return 'Type what to find. Nothing changes before you have seen it.';
  if (!hits.length) return 'No text holds this.';
  const places = [...chosen.value].reduce((n, hit) => n + hit.count, 0);
  const more = left ? ` ${plural(left, 'more text')} shown after these are done.` : '';
  return `${plural(hits.length, 'text')} found, ${chosen.value.size} chosen: ${plural(places, 'place')}.${more}`;
}

/** @param {{of: Replacing, hit: Hit, inOne: boolean}} props */
const Text = ({ of, hit, inOne }) =>
  h(
    'li',
    null,
    h(
      'label',
      null,
      h('input', {
        type: 'checkbox',
        checked: of.chosen.value.has(hit),
        disabled: !hit.allowed,
        'aria-label': `change ${hit.where}`,
        onChange: () => of.turn(hit),
      }),
      h('b', null, hit.where),
      inOne ? null : h('span', { class: 'dl-hint' }, hit.video_title),
      h('span', { class: 'dl-grow' }),
      h('small', null, hit.allowed ? plural(hit.count, 'place') : 'somebody else’s own text'),
    ),
    h(Changes, { before: hit.before, after: hit.after }),
  );

/** Words around the changes; what lies further away is left out. @param {{before: string, after: string}} props */
function Changes({ before, after }) {
  const parts = wordDiff(before, after);
  const drawn = parts.map(([kind, text], n) => {
    if (kind !== 'same') return h(kind === 'gone' ? 'del' : 'ins', null, text);
    if (text.length <= 2 * AROUND) return text;
    const head = n > 0 ? text.slice(0, AROUND) : '';
    const tail = n < parts.length - 1 ? text.slice(-AROUND) : '';
    return `${head} … ${tail}`;
  });
  return h('div', { class: 'dl-diff' }, drawn);
}

/** @param {{of: Replacing}} props */
function Replace({ of }) {
  const { size } = of.chosen.value;
  return h(
    'button',
    {
      type: 'button',
      class: 'dl-button dl-button-main',
      'data-name': 'replace-all',
      disabled: !of.may.value,
      onClick: () => of.replace().catch(report),
    },
    size ? `Replace in ${plural(size, 'text')}` : 'Replace',
  );
}
