// What the checks say about a split: listed under the texts, one key to fix or to dismiss each.
import { computed, h, signal, useLayoutEffect, useRef } from '../../../lib/components/component.js';
import { debounce } from '../../../lib/page/open_page.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { api } from '../../../lib/requests/requests.js';
import { button, mark } from '../../../lib/components/small_components.js';
import { keyText, openField } from '../../../lib/keys/keymap.js';

/** @typedef {import('./split_state.js').SplitState} SplitState */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SplitFinding']} Finding */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SplitChecked']} SplitChecked */

/** @typedef {{before: string, typed: string}} Asked the reason that stands, and what its field begins with */

const CHECK_AFTER_MS = 250; // after the last key

export class Findings {
  /** The id of the finding that keys are about. */
  at = signal('');
  /** @type {import('../../../lib/components/component.js').Signal<Map<string, Asked>>} by the finding that asks for a reason */
  asking = signal(new Map());
  /** @type {Map<string, HTMLInputElement>} the fields of `asking` that are on the page */
  fields = new Map();

  /** @param {SplitState} split holds the findings, and writes what a fix changes */
  constructor(split) {
    this.split = split;
    this.open = computed(() => this.all.filter((one) => !one.dismissal));
    this.rows = computed(() => [...this.open.value, ...this.all.filter((one) => one.dismissal)]);
    this.typed = debounce(() => this.check().catch(report), CHECK_AFTER_MS);
  }

  /** @returns {Finding[]} */
  get all() {
    return this.split.data.value?.findings || [];
  }
  get chosen() {
    return this.all.find((one) => one.id === this.at.value);
  }

  /** Another video: reasons that were not sent are left like any form. */
  clear() {
    this.at.value = '';
    this.asking.value = new Map();
  }

  /** Findings of the texts as they are typed: nothing is stored. */
  async check() {
    const { split } = this;
    const { id } = split.bar;
    const values = split.values;
    /** @type {SplitChecked} */
    const found = await api(`/api/split/${encodeURIComponent(id)}/check`, values);
    const same =
      split.bar.id === id && Object.entries(split.values).every(([name, value]) => value === values[name]);
    if (same) split.data.value = { ...split.data.value, ...found };
  }

  /** @param {string} id */
  choose(id) {
    this.at.value = id;
    const one = this.chosen;
    if (one) this.split.reveal(one);
  }

  /** @param {number} by */
  go(by) {
    const rows = this.rows.value;
    if (!rows.length) {
      notice('The checks find nothing here.');
      return;
    }
    const now = rows.findIndex((one) => one.id === this.at.value);
    this.choose(rows[now < 0 ? (by > 0 ? 0 : rows.length - 1) : (now + by + rows.length) % rows.length].id);
  }

  /** What was typed or saved a moment ago may still be on its way here: the fix is made from what stands then. */
  async fix() {
    if (!this.chosen) {
      this.go(1);
      if (this.chosen)
        notice(
          `This is the first finding: ${keyText('split.fix')} fixes it, ${keyText('split.dismiss')} dismisses it.`,
        );
      return;
    }
    const { id } = this.chosen;
    await this.split.upToDate();
    const one = this.all.find((other) => other.id === id);
    if (!one) throw new Refused('The finding is settled already.');
    if (!one.fix || one.dismissal)
      throw new Refused('There is no plain fix for this one: edit the text, or dismiss it.');
    const next = this.#after(one);
    if (await this.split.put(one.fix.texts)) this.choose(next);
  }

  /** Asks for the reason in the line of the finding, and puts the caret there. */
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
    if (this.asking.value.has(one.id)) this.fields.get(one.id)?.focus();
    else this.#ask(one, one.dismissal?.reason ?? '');
  }

  /**
   * @param {Finding} one
   * @param {string} typed
   */
  #ask(one, typed) {
    this.asking.value = new Map(this.asking.value).set(one.id, {
      before: one.dismissal?.reason ?? '',
      typed,
    });
  }

  /** @param {string} id */
  #stopAsking(id) {
    const asking = new Map(this.asking.value);
    asking.delete(id);
    this.asking.value = asking;
  }

  /**
   * A finding that is gone, or was settled by somebody else meanwhile, takes no reason: what was typed is given back.
   */
  forgetSettled() {
    for (const [id, { before }] of this.asking.value) {
      if (this.all.some((one) => one.id === id && (one.dismissal?.reason ?? '') === before)) continue;
      const typed = this.fields.get(id)?.value.trim();
      this.#stopAsking(id);
      if (typed) notice(`The finding is settled already. Not written: “${typed}”`);
    }
  }

  /**
   * Dismisses a finding; one without a reason is open again. Keys are about the next one from now on.
   * @param {Finding} one
   * @param {string} reason
   */
  async settle(one, reason) {
    const next = reason && !one.dismissal ? this.#after(one) : one.id;
    this.#stopAsking(one.id);
    this.choose(next);
    try {
      await api('/api/dismiss', { finding: one.finding, reason });
    } catch (error) {
      this.choose(one.id);
      if (reason) this.#ask(one, reason);
      throw error;
    }
    await this.split.refresh();
    document.dispatchEvent(new CustomEvent('dl-decided'));
  }

  /**
   * Of the field of a reason: Enter dismisses, Escape leaves it.
   * @param {Finding} one
   * @param {KeyboardEvent & {currentTarget: HTMLInputElement}} event
   */
  reasonKey(one, event) {
    if (!['Enter', 'Escape'].includes(event.key) || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    const { value } = event.currentTarget;
    if (event.key === 'Escape') this.#stopAsking(one.id);
    else if (value.trim() || one.dismissal) this.settle(one, value).catch(report);
    else notice('Say in a few words why it is in order.');
  }

  /**
   * The one that comes when this is settled.
   * @param {Finding} one
   */
  #after(one) {
    const open = this.open.value;
    const now = open.findIndex((other) => other.id === one.id);
    return (open[now + 1] || open[now - 1])?.id || '';
  }
}

// --- drawing --------------------------------------------------------------------------

/** @param {{findings: Findings}} props */
export function FindingList({ findings }) {
  const open = findings.open.value;
  const rows = findings.rows.value;
  const { asking } = findings;
  useLayoutEffect(() => findings.forgetSettled(), [rows, asking.value]);
  const dismissed = rows.length - open.length;
  return h(
    'section',
    { class: 'dl-sf', 'aria-label': 'Findings' },
    h(
      'div',
      { class: 'dl-sf-head' },
      h(
        'h2',
        null,
        h(
          'span',
          { role: 'status' },
          open.length ? mark('failed', `${open.length} to settle`) : mark('done', 'nothing to settle'),
        ),
      ),
      dismissed ? h('span', { class: 'dl-sf-count' }, `${dismissed} dismissed`) : null,
      h('span', { class: 'dl-sf-counts' }, counts(open)),
      h('span', { class: 'dl-grow' }),
      rows.length
        ? button('next', () => findings.go(1), {
            kind: 'quiet',
            title: 'Next finding',
            hint: 'split.finding',
          })
        : null,
    ),
    h(
      'ol',
      { class: 'dl-sf-list' },
      rows.map((one) => h(FindingRow, { key: one.id, findings, one, here: one.id === findings.at.value })),
    ),
  );
}

/** @param {{findings: Findings, one: Finding, here: boolean}} props */
function FindingRow({ findings, one, here }) {
  const node = useRef(/** @type {HTMLLIElement | null} */ (null));
  useLayoutEffect(() => {
    if (here) node.current.scrollIntoView({ block: 'nearest' });
  }, [here]);
  return h(
    'li',
    {
      ref: node,
      class: `dl-sf-row ${one.dismissal ? 'dl-sf-dismissed' : ''}`,
      'data-finding': one.id,
      'data-check': one.check,
      'aria-current': here ? 'true' : undefined,
      tabIndex: -1,
      onClick: () => findings.choose(one.id),
    },
    h('span', { class: `dl-sf-side dl-sf-${one.side}` }, one.side),
    h('b', null, one.name),
    h('span', { class: 'dl-sf-why' }, why(one)),
    findings.asking.value.has(one.id)
      ? h(Reason, { findings, one })
      : findings.split.canEdit
        ? h(FindingTools, { findings, one, here })
        : null,
    one.dismissal
      ? h(
          'span',
          { class: 'dl-sf-word' },
          mark('approved', 'dismissed'),
          ` by ${one.dismissal.by}: ${one.dismissal.reason}`,
        )
      : null,
  );
}

/** @param {{findings: Findings, one: Finding, here: boolean}} props */
function FindingTools({ findings, one, here }) {
  /** @type {(action: () => unknown) => (event: MouseEvent) => void} */
  const act = (action) => (event) => {
    event.stopPropagation();
    findings.at.value = one.id;
    action();
  };
  /** @param {string} id */
  const hint = (id) => (here ? id : undefined);
  return h(
    'span',
    { class: 'dl-sf-tools' },
    one.fix && !one.dismissal
      ? button(
          one.fix.what,
          act(() => findings.fix().catch(report)),
          { kind: 'quiet', name: 'fix', hint: hint('split.fix') },
        )
      : null,
    one.dismissal
      ? button(
          'open again',
          act(() => findings.settle(one, '').catch(report)),
          { kind: 'quiet' },
        )
      : null,
    button(
      one.dismissal ? 'another reason' : 'dismiss',
      act(() => openField('dismiss', () => findings.dismiss())),
      { kind: 'quiet', name: 'dismiss', hint: hint('split.dismiss') },
    ),
  );
}

/** @param {{findings: Findings, one: Finding}} props */
function Reason({ findings, one }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useLayoutEffect(() => {
    const node = field.current;
    findings.fields.set(one.id, node);
    node.value = findings.asking.value.get(one.id).typed;
    node.focus();
    node.setSelectionRange(node.value.length, node.value.length);
    return () => findings.fields.delete(one.id);
  }, []);
  return h(
    'span',
    { class: 'dl-sf-tools dl-sf-ask' },
    h('input', {
      ref: field,
      class: 'dl-input',
      type: 'text',
      maxLength: 2000,
      placeholder: 'why it is in order',
      'aria-label': 'Why the finding is in order',
      onClick: (event) => event.stopPropagation(),
      onKeyDown: (event) => findings.reasonKey(one, event),
    }),
    h(
      'span',
      { class: 'dl-hint' },
      `Enter dismisses${one.dismissal ? '; without a reason it is open again' : ''}, Esc leaves it`,
    ),
  );
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
  return [...found].sort((a, b) => b[1] - a[1]).map(([name, n]) => h('span', { key: name }, `${name} ${n}`));
}
