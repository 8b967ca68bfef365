// Find and replace: every text that would change is shown with its word difference before anything does.
import { address } from '../page/address.js';
import { debounce } from '../page/open_page.js';
import { button, clear, h } from '../parts/elements.js';
import { notice, report } from '../parts/notices.js';
import { plural } from '../parts/words.js';
import { api } from '../requests/requests.js';
import { choice } from '../parts/choice.js';
import { openDialog } from '../parts/dialog.js';
import { wordDiff } from '../parts/diff_and_merge.js';
import { settle } from './save_before_leaving.js';

const AROUND = 60; // characters of unchanged text that are shown beside a change
const LOOK_MS = 250;

/** Words around the changes; what lies further away is left out. */
function changesOnly(before, after) {
  const parts = wordDiff(before, after);
  const drawn = parts.map(([kind, text], n) => {
    if (kind !== 'same') return h(kind === 'gone' ? 'del' : 'ins', {}, text);
    if (text.length <= 2 * AROUND) return text;
    const head = n > 0 ? text.slice(0, AROUND) : '';
    const tail = n < parts.length - 1 ? text.slice(-AROUND) : '';
    return `${head} … ${tail}`;
  });
  return h('div', { class: 'dl-diff' }, drawn);
}

export class ReplaceDialog {
  constructor() {
    this.video = address.get('video');
    this.turn = 0;
    this.hits = [];
    const chosen = document.activeElement;
    const picked =
      chosen instanceof HTMLTextAreaElement
        ? chosen.value.slice(chosen.selectionStart, chosen.selectionEnd)
        : '';
    this.#form(picked.includes('\n') ? '' : picked);
    this.dialog = openDialog(
      'Find and replace',
      [
        this.form,
        h('div', { class: 'dl-row dl-replacehead' }, this.summary, h('span', { class: 'dl-grow' }), this.all),
        this.list,
      ],
      [this.apply],
      { cancel: 'Close' },
    );
    this.dialog.node.classList.add('dl-replace');
    this.find.focus();
    this.find.select();
    this.#look().catch(report);
  }

  #form(words) {
    const later = debounce(() => this.#look().catch(report), LOOK_MS);
    const input = (value) =>
      h('input', {
        type: 'text',
        class: 'dl-input',
        value,
        maxlength: '1000',
        oninput: later,
        autocomplete: 'off',
      });
    const check = (words_) => {
      const box = h('input', { type: 'checkbox', onchange: later });
      return [box, h('label', { class: 'dl-check' }, box, words_)];
    };
    this.find = input(words);
    this.with = input('');
    const [whole, wholeLabel] = check('whole words');
    const [matchCase, caseLabel] = check('match case');
    this.whole = /** @type {HTMLInputElement} */ (whole);
    this.matchCase = /** @type {HTMLInputElement} */ (matchCase);
    const everywhere = ['', 'in all videos'];
    this.scope = choice(
      'where',
      this.video ? [[this.video, 'in this video'], everywhere] : [everywhere],
      this.video,
      later,
    );
    this.form = h(
      'form',
      {
        class: 'dl-replaceform',
        onsubmit: (event) => {
          event.preventDefault();
          this.#enter().catch(report);
        },
      },
      h('label', {}, 'find', this.find),
      h('label', {}, 'replace by', this.with),
      h('div', { class: 'dl-row' }, wholeLabel, caseLabel, this.scope),
      h('button', { type: 'submit', hidden: true }),
    );
    this.summary = h('p', { class: 'dl-hint', role: 'status' });
    this.list = h('ul', { class: 'dl-replacelist', 'aria-label': 'Texts that would change' });
    const every = (on) => () => {
      for (const { box } of this.hits) box.checked = on && !box.disabled;
      this.#count();
    };
    this.all = h(
      'span',
      { class: 'dl-row' },
      button('choose all', every(true), { kind: 'quiet' }),
      button('choose none', every(false), { kind: 'quiet' }),
    );
    this.apply = button('Replace', () => this.#replace().catch(report), {
      kind: 'main',
      name: 'replace-all',
    });
  }

  #search() {
    return {
      find: this.find.value,
      replace: this.with.value,
      whole_word: this.whole.checked,
      match_case: this.matchCase.checked,
      video: this.scope.value,
    };
  }

  /** Enter: from “find” on to “replace by”; there the texts that are shown are replaced, or shown where they are not yet. */
  async #enter() {
    const isShown = JSON.stringify(this.search) === JSON.stringify(this.#search());
    if (document.activeElement === this.find) this.with.focus();
    else if (isShown && !this.apply.disabled) {
      await this.#replace();
      return;
    }
    if (!isShown) await this.#look();
  }

  async #look() {
    this.turn += 1;
    const { turn } = this;
    const search = this.#search();
    if (!search.find) {
      this.#draw({ hits: [], texts: 0 }, search);
      return;
    }
    await settle(); // what is being typed on the page is a part of what is searched
    const found = await api('/api/replace/preview', search);
    if (turn === this.turn) this.#draw(found, search);
  }

  #draw({ hits, texts }, search) {
    this.search = search;
    this.hits = hits.map((hit) => ({
      ...hit,
      box: h('input', {
        type: 'checkbox',
        checked: hit.allowed,
        disabled: !hit.allowed,
        'aria-label': `change ${hit.where}`,
        onchange: () => this.#count(),
      }),
    }));
    clear(
      this.list,
      this.hits.map((hit) =>
        h(
          'li',
          {},
          h(
            'label',
            {},
            hit.box,
            h('b', {}, hit.where),
            search.video ? null : h('span', { class: 'dl-hint' }, hit.video_title),
            h('span', { class: 'dl-grow' }),
            hit.allowed
              ? h('small', {}, plural(hit.count, 'place'))
              : h('small', {}, 'somebody else’s own text'),
          ),
          changesOnly(hit.before, hit.after),
        ),
      ),
    );
    this.left = texts - hits.length;
    this.#count();
  }

  #chosen() {
    return this.hits.filter((hit) => hit.box.checked);
  }

  #count() {
    const chosen = this.#chosen();
    const places = chosen.reduce((n, hit) => n + hit.count, 0);
    this.summary.textContent = !this.search?.find
      ? 'Type what to find. Nothing changes before you have seen it.'
      : this.hits.length
        ? `${plural(this.hits.length, 'text')} found, ${chosen.length} chosen: ${plural(places, 'place')}.${this.left ? ` ${plural(this.left, 'more text')} shown after these are done.` : ''}`
        : 'No text holds this.';
    clear(this.apply, chosen.length ? `Replace in ${plural(chosen.length, 'text')}` : 'Replace');
    this.apply.disabled = !chosen.length;
    this.all.hidden = this.hits.length < 2;
  }

  async #replace() {
    const chosen = this.#chosen();
    this.apply.disabled = true;
    try {
      const done = await api('/api/replace', {
        ...this.search,
        texts: chosen.map(({ subject, revision }) => ({ subject, revision })),
      });
      const changes = chosen.map(({ subject }) => ({ kind: 'value', subject }));
      document.dispatchEvent(
        new CustomEvent('dl-changed', { detail: { video: this.search.video, changes } }),
      );
      this.#told(done, chosen);
    } finally {
      this.#count();
    }
  }

  #told(done, chosen) {
    const words = `Replaced in ${plural(done.texts, 'text')}; one undo takes all of it back.`;
    if (!done.stale.length && !this.left) {
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
    this.#look().catch(report);
  }
}

export function showReplace() {
  if (!document.querySelector('dialog.dl-replace')) new ReplaceDialog();
}
