// What the checks say about a split: listed under the texts, one key to fix or to dismiss each.
import {
  api,
  button,
  clear,
  debounce,
  h,
  mark,
  notice,
  Refused,
  report,
} from '../../../lib/parts/elements_and_requests.js';
import { finishing } from '../../../lib/editor/type_ahead_to_next_item.js';
import { keyHint, keyText, openField } from '../../../lib/keys/keymap.js';

/** @typedef {import('./page_split.js').Page} Page */
/** @typedef {import('./split_text.js').Column} Column */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SplitFinding']} Finding */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SplitChecked']} SplitChecked */

const CHECK_AFTER_MS = 250; // after the last key

export class Findings {
  /**
   * The data of the page hold the findings, and it writes what a fix changes.
   * @param {Page} page
   */
  constructor(page) {
    this.page = page;
    this.at = '';
    /** @type {Map<string, HTMLInputElement>} reasons that are asked for, by finding; they stay when the list is drawn */
    this.reasons = new Map();
    this.list = h('ol', { class: 'dl-sf-list' });
    this.head = h('div', { class: 'dl-sf-head' });
    this.node = h('section', { class: 'dl-sf', 'aria-label': 'Findings' }, this.head, this.list);
    this.typed = debounce(() => this.check().catch(report), CHECK_AFTER_MS);
  }

  /** @returns {Finding[]} */
  get all() {
    return this.page.data?.findings || [];
  }
  get open() {
    return this.all.filter((one) => !one.dismissal);
  }
  get rows() {
    return [...this.open, ...this.all.filter((one) => one.dismissal)];
  }
  get chosen() {
    return this.all.find((one) => one.id === this.at);
  }

  /** Findings of the texts as they are typed: nothing is stored. */
  async check() {
    const { page } = this;
    const id = page.bar.id;
    const values = page.values;
    /** @type {SplitChecked} */
    const found = await api(`/api/split/${encodeURIComponent(id)}/check`, values);
    const same =
      page.bar.id === id && Object.entries(page.values).every(([name, value]) => value === values[name]);
    if (!same) return;
    Object.assign(page.data, found);
    page.redraw();
  }

  draw() {
    const { open, rows } = this;
    const dismissed = rows.length - open.length;
    if (!this.chosen) this.at = '';
    clear(
      this.head,
      h(
        'h2',
        { role: 'status' },
        open.length ? mark('failed', `${open.length} to settle`) : mark('done', 'nothing to settle'),
      ),
      dismissed ? h('span', { class: 'dl-sf-count' }, `${dismissed} dismissed`) : null,
      h('span', { class: 'dl-sf-counts' }, counts(open)),
      h('span', { class: 'dl-grow' }),
      rows.length
        ? button(['next', keyHint('split.finding')], () => this.go(1), {
            kind: 'quiet',
            title: 'Next finding',
          })
        : null,
    );
    this.#forgetSettled(rows);
    const held = [...this.reasons.values()].find((field) => field === document.activeElement);
    clear(
      this.list,
      rows.map((one) => this.#row(one)),
    );
    held?.focus();
  }

  /**
   * A finding that is gone, or was settled by somebody else meanwhile, takes no reason: what was typed is given back.
   * @param {Finding[]} rows
   */
  #forgetSettled(rows) {
    for (const [id, { value, defaultValue }] of this.reasons) {
      if (rows.some((one) => one.id === id && (one.dismissal?.reason ?? '') === defaultValue)) continue;
      this.reasons.delete(id);
      if (value.trim()) notice(`The finding is settled already. Not written: “${value}”`);
    }
  }

  /** Another video: reasons that were not sent are left like any form. */
  forget() {
    this.at = '';
    this.reasons.clear();
  }

  /** @param {Finding} one */
  #row(one) {
    const here = one.id === this.at;
    const can = this.page.frame.can('edit');
    const node = h(
      'li',
      {
        class: `dl-sf-row ${one.dismissal ? 'dl-sf-dismissed' : ''}`,
        'data-finding': one.id,
        'data-check': one.check,
        'aria-current': here ? 'true' : null,
        tabindex: '-1',
        onclick: () => this.choose(one.id),
      },
      h('span', { class: `dl-sf-side dl-sf-${one.side}` }, one.side),
      h('b', {}, one.name),
      h('span', { class: 'dl-sf-why' }, why(one)),
      this.reasons.has(one.id) ? this.#ask(one) : can ? this.#tools(one, here) : null,
      one.dismissal
        ? h(
            'span',
            { class: 'dl-sf-word' },
            mark('approved', 'dismissed'),
            ` by ${one.dismissal.by}: ${one.dismissal.reason}`,
          )
        : null,
    );
    return node;
  }

  /**
   * @param {Finding} one
   * @param {boolean} here
   */
  #tools(one, here) {
    /** @type {(action: () => unknown) => (event: MouseEvent) => void} */
    const act = (action) => (event) => {
      event.stopPropagation();
      this.at = one.id;
      action();
    };
    /** @param {string} id */
    const hint = (id) => (here ? keyHint(id) : null);
    return h(
      'span',
      { class: 'dl-sf-tools' },
      one.fix && !one.dismissal
        ? button(
            [one.fix.what, hint('split.fix')],
            act(() => this.fix().catch(report)),
            { kind: 'quiet', name: 'fix' },
          )
        : null,
      one.dismissal
        ? button(
            'open again',
            act(() => this.#dismiss(one, '').catch(report)),
            { kind: 'quiet' },
          )
        : null,
      button(
        [one.dismissal ? 'another reason' : 'dismiss', hint('split.dismiss')],
        act(() => openField('dismiss', () => this.dismiss())),
        { kind: 'quiet', name: 'dismiss' },
      ),
    );
  }

  /**
   * A reason in its place: Enter dismisses, or opens again what is left without one; Escape leaves it.
   * @param {Finding} one
   */
  #ask(one) {
    return h(
      'span',
      { class: 'dl-sf-tools dl-sf-ask' },
      this.reasons.get(one.id),
      h(
        'span',
        { class: 'dl-hint' },
        `Enter dismisses${one.dismissal ? '; without a reason it is open again' : ''}, Esc leaves it`,
      ),
    );
  }

  /**
   * @param {Finding} one
   * @returns {HTMLInputElement}
   */
  #reason(one) {
    return h('input', {
      class: 'dl-input',
      type: 'text',
      maxlength: '2000',
      placeholder: 'why it is in order',
      'aria-label': 'Why the finding is in order',
      value: one.dismissal?.reason ?? '',
      onclick: (event) => event.stopPropagation(),
      onkeydown: (event) => {
        if (!['Enter', 'Escape'].includes(event.key) || event.isComposing) return;
        event.preventDefault();
        event.stopPropagation();
        const { value } = event.target;
        if (event.key === 'Escape') {
          this.reasons.delete(one.id);
          this.draw();
        } else if (value.trim() || one.dismissal)
          finishing(this.list, () => this.#dismiss(one, value)).catch(report);
        else notice('Say in a few words why it is in order.');
      },
    });
  }

  // --- what keys do -------------------------------------------------------------------

  /** @param {string} id */
  choose(id) {
    this.at = id;
    this.draw();
    const one = this.chosen;
    if (one) this.page.reveal(one);
    this.list.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {number} by */
  go(by) {
    const { rows } = this;
    if (!rows.length) {
      notice('The checks find nothing here.');
      return;
    }
    const now = rows.findIndex((one) => one.id === this.at);
    this.choose(rows[now < 0 ? (by > 0 ? 0 : rows.length - 1) : (now + by + rows.length) % rows.length].id);
  }

  /** None is chosen: the first is, and what the keys would do is said. */
  #first() {
    this.go(1);
    if (this.chosen)
      notice(
        `This is the first finding: ${keyText('split.fix')} fixes it, ${keyText('split.dismiss')} dismisses it.`,
      );
  }

  /** What was typed or saved a moment ago may still be on its way here: the fix is made from what stands then. */
  async fix() {
    if (!this.chosen) {
      this.#first();
      return;
    }
    const { id } = this.chosen;
    await this.page.upToDate();
    const one = this.all.find((other) => other.id === id);
    if (!one) throw new Refused('The finding is settled already.');
    if (!one.fix || one.dismissal)
      throw new Refused('There is no plain fix for this one: edit the text, or dismiss it.');
    const next = this.#after(one);
    if (await this.page.put(one.fix.texts)) this.choose(next);
  }

  dismiss() {
    const one = this.chosen;
    if (!one) {
      this.go(1);
      throw new Refused(
        this.chosen
          ? `No finding was chosen. This is the first: ${keyText('split.dismiss')} dismisses it.`
          : 'There is no finding to dismiss.',
      );
    }
    if (!this.reasons.has(one.id)) this.reasons.set(one.id, this.#reason(one));
    this.draw();
    const field = this.reasons.get(one.id);
    if (field === document.activeElement) return;
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  /**
   * @param {Finding} one
   * @param {string} reason
   */
  async #dismiss(one, reason) {
    const next = reason && !one.dismissal ? this.#after(one) : one.id;
    await api('/api/dismiss', { finding: one.finding, reason });
    this.reasons.delete(one.id);
    await this.page.refresh();
    this.choose(next);
    document.dispatchEvent(new CustomEvent('dl-decided'));
  }

  /**
   * The one that comes when this is settled.
   * @param {Finding} one
   */
  #after(one) {
    const { open } = this;
    const now = open.findIndex((other) => other.id === one.id);
    return (open[now + 1] || open[now - 1])?.id || '';
  }
}

/**
 * The words and what is wrong with them; most reasons name the words already.
 * @param {Finding} one
 */
function why(one) {
  const short = one.text.length > 70 ? `${one.text.slice(0, 69)}…` : one.text;
  return !one.text || one.why.includes('“') ? one.why : `“${short}”: ${one.why}`;
}

/**
 * How many of each kind, the most first.
 * @param {Finding[]} open
 */
function counts(open) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const one of open) found.set(one.name, (found.get(one.name) || 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1]).map(([name, n]) => h('span', {}, `${name} ${n}`));
}

/**
 * Marks for `pieces`: [start, end, finding] of one text.
 * @type {(findings: Finding[], side: Column) => [number, number, Finding][]}
 */
export const flawsOf = (findings, side) =>
  findings.filter((one) => one.side === side && one.end > one.start).map((one) => [one.start, one.end, one]);

/**
 * A piece of text under findings: underlined, with what they say.
 * @param {string} text
 * @param {(Finding | string)[]} labels
 * @param {string} chosen the id of the one in focus
 */
export function flawed(text, labels, chosen) {
  const found = /** @type {Finding[]} */ (labels.filter((label) => /** @type {Finding} */ (label)?.check));
  if (!found.length) return text;
  const open = found.filter((one) => !one.dismissal);
  const here = found.some((one) => one.id === chosen);
  const title = found
    .map(
      (one) =>
        `${one.name}: ${one.dismissal ? `dismissed by ${one.dismissal.by}: ${one.dismissal.reason}` : one.why}`,
    )
    .join('\n');
  return h(
    'mark',
    {
      class: `dl-flaw ${open.length ? '' : 'dl-flaw-dismissed'} ${here ? 'dl-flaw-here' : ''}`,
      title,
      'data-finding': found[0].id,
    },
    text,
  );
}

/**
 * Quoted text in another script: seen in the picture, so it may stay.
 * @param {string} text
 */
export const seenMark = (text) =>
  h('span', { class: 'dl-seen-text', title: 'Quoted: text that is seen in the picture, it may stay' }, text);
