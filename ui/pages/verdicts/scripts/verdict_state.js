// What is known of the open question and done with it: its verdict and error source, the form and the texts that are
// open, and how all of them are saved.
import { signal } from '../../../lib/components/component.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { scoreText } from '../../../lib/parts/words.js';
import { api, posted } from '../../../lib/requests/requests.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { BlindForm } from '../../../lib/shell/blind_labelling.js';
import { OpenPanel } from './open_panel.js';
import { FlaggedQuestion } from './flagged_question.js';
import { SecondOpinion } from './ask_the_video.js';
import { ERROR_SOURCES, verdictPath } from './verdict_filters.js';
import { BLIND, VerdictForm } from './verdict_form.js';

/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictDetail']} Verdict */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ErrorSourceNow']} ErrorSourceNow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EditableVerdict']} EditableVerdict */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SavedValue']} SavedValue */
/** @typedef {import('../../../lib/shell/request_progress.js').Waiting} Waiting */
/** @typedef {import('./verdict_form.js').Correction} Correction */

/**
 * @typedef {Object} VerdictChange
 * @property {string} [verdict] the id of the one that was changed
 * @property {Object<string, any>} [row] what is new in its line of the list
 * @property {string | boolean} [reload] the list comes anew, with the verdict of this id open, or with the same
 */

/**
 * @typedef {Object} OfQuestions what an open question needs of the page too
 * @property {import('../../../lib/player/player.js').Player} player
 * @property {string} evaluation the id of the one that is open
 * @property {import('../../../lib/shell/top_bar.js').Frame} frame
 * @property {(change: VerdictChange) => Promise<void>} changed
 * @property {(id: string) => unknown} open
 */
/** @typedef {import('./open_panel.js').PanelPage & OfQuestions} VerdictPage */

/** Texts of a question that can be corrected. @typedef {keyof typeof TEXTS} TextName */
const TEXTS = {
  question: { label: 'question', none: 'The log names no question here.' },
  reference: { label: 'reference answer', none: 'There is no reference answer in the log.' },
  answer: { label: 'extracted answer', none: 'There is no answer in the log.' },
  caption: { label: 'caption', none: 'There is no caption in the log.' },
};

/** @augments {OpenPanel<Verdict, VerdictPage>} */
export class VerdictState extends OpenPanel {
  /** In which the verdict is being corrected. */
  form = signal(/** @type {VerdictForm | null} */ (null));
  /** The texts that are being written. */
  editors = signal(/** @type {Partial<Record<TextName, TextEditor>>} */ ({}));
  /** While it is judged again. */
  waiting = signal(/** @type {Waiting | null} */ (null));
  rerunning = false;

  /**
   * @param {Verdict} detail
   * @param {VerdictPage} page
   */
  constructor(detail, page) {
    super(detail, page);
    this.opinion = new SecondOpinion(this);
    this.flagged = new FlaggedQuestion(this);
    this.blindForm =
      detail.hidden && !detail.no_verdict && this.canEdit
        ? new BlindForm((value) => this.#saveVerdict(() => ({ value, reason: BLIND })))
        : null;
  }

  // --- what the server knows ----------------------------------------------------------

  #ask() {
    return /** @type {Promise<Verdict>} */ (api(verdictPath(this.detail.value.id)));
  }

  /** @param {Verdict} detail */
  #take(detail) {
    this.detail.value = detail;
    if (!detail.hidden) this.blindForm = null;
    void this.flagged.load();
  }

  /**
   * Others have changed something: it is shown, unless one has a hand in what is open.
   * @returns {Promise<boolean>} whether it shows
   */
  renew() {
    return this.inTurn(async () => {
      const detail = this.detail.value;
      if (this.#inUse()) return false;
      const now = await this.#ask();
      if (this.#inUse() || detail !== this.detail.value || JSON.stringify(now) === JSON.stringify(detail))
        return false;
      this.#take(now);
      return true;
    });
  }

  #inUse() {
    return Boolean(this.form.value || Object.keys(this.editors.value).length || this.rerunning);
  }

  /** @param {VerdictChange['row'] | null} [row] */
  async #reloaded(row = null) {
    this.#take(await this.#ask());
    const { id, verdict, opinions, error_source } = this.detail.value;
    const { state, value, stale, corrected, confirmed } = verdict;
    const disputed = new Set(opinions.map((one) => one.value.label)).size > 1;
    await this.page.changed({
      verdict: id,
      row: {
        disputed,
        ...(row || { state, ...value, stale, corrected, confirmed, error_source }),
      },
    });
  }

  // --- going on -----------------------------------------------------------------------

  /** The verdict form, and texts that are being typed. */
  save = async () => {
    await this.flush();
    await this.#saveVerdict(() => this.form.value?.correction());
  };

  /** A form in which nothing was chosen or typed is closed. */
  leave = async () => {
    if (this.form.value?.typed) await this.save();
    else await this.flush();
    if (this.form.value?.typed) throw new Refused('Your verdict is not saved yet; settle it first.');
    this.form.value = null;
  };

  get why() {
    return this.form.value?.typed ? 'Your verdict is not saved yet.' : '';
  }

  sendAndForget = () => {
    const form = this.form.value;
    if (!form?.typed) return;
    try {
      const { verdict } = this.detail.value;
      const body = { subject: verdict.subject, base_revision: verdict.revision, ...form.correction() };
      fetch('/api/edit', posted(body, { keepalive: true })).catch(() => {});
    } catch {
      /* half a verdict is none */
    }
  };

  // --- verdict ------------------------------------------------------------------------

  /** The person's own verdict; undefined where they gave none. */
  get mine() {
    return this.detail.value.opinions.find((one) => one.person === this.#me);
  }

  get #me() {
    return this.page.frame.me.person?.id;
  }

  /** What a form begins with: one's own verdict and reason, or the verdict that counts. */
  #counting() {
    const { mine } = this;
    return { value: mine?.value || this.detail.value.verdict.value, reason: mine?.reason || '' };
  }

  editVerdict() {
    const { no_verdict: none, hidden } = this.detail.value;
    if (!this.canEdit) throw new Refused('Only people who may edit can correct a verdict.');
    if (none) throw new Refused(none);
    if (hidden) throw new Refused('You label blind: say yes or no and a score, the verdict shows then.');
    if (this.form.value) this.form.value.caret.value += 1;
    else {
      const { value, reason } = this.#counting();
      this.form.value = new VerdictForm(value, reason);
    }
  }

  takeBack() {
    return this.#saveVerdict(() => ({ cleared: true, value: null, reason: '' }));
  }

  /**
   * `make()` gives the change, or nothing. One after the other: each is made over what the one before has left.
   * @param {() => Correction | undefined} make
   */
  #saveVerdict(make) {
    return this.inTurn(() => {
      const change = make();
      return change ? this.#sendVerdict(change) : null;
    });
  }

  /** @param {Correction} change */
  async #sendVerdict(change) {
    const { verdict, hidden } = this.detail.value;
    try {
      /** @type {SavedValue & EditableVerdict} */
      const saved = await api('/api/edit', {
        subject: verdict.subject,
        base_revision: verdict.revision,
        ...change,
      });
      this.form.value = null;
      notice(
        change.cleared
          ? 'Correction cleared'
          : hidden
            ? 'Labelled'
            : saved.given === 'confirmed'
              ? 'Verdict confirmed'
              : 'Verdict corrected',
      );
      this.detail.value = { ...this.detail.value, verdict: saved };
      const { state, value, corrected, confirmed } = saved;
      await this.#reloaded({ state, ...value, corrected, confirmed, hidden: false });
    } catch (error) {
      if (error.status !== 409) throw error;
      const theirs = error.body.current;
      notice(
        theirs
          ? `You changed your verdict in another window; what counts now: ${theirs.label || 'unreadable'} · ${scoreText(theirs.score)}. Look, then save again.`
          : 'You labelled this in another window meanwhile: that label counts.',
        'error',
      );
      await this.#reloaded();
      const { value, reason } = this.#counting();
      this.form.value?.beginAnew(value, reason);
    }
  }

  /** @param {'question' | 'video'} what */
  async rerun(what) {
    if (!this.page.can('run') || !this.detail.value.question_id || this.rerunning) return;
    this.rerunning = true;
    try {
      const { judgeAgain } = await import('./judge_again.js');
      await judgeAgain(this, what);
    } finally {
      this.rerunning = false;
    }
  }

  // --- error source -------------------------------------------------------------------

  /** What the person named as the error source; undefined where they named none. */
  get mySource() {
    return this.detail.value.error_sources.find((one) => one.person === this.#me);
  }

  /** The kind that is proposed and not decided yet. */
  get proposed() {
    const { error_source: counts, proposed_source: proposal } = this.detail.value;
    return this.mySource || counts ? '' : proposal?.kind || '';
  }

  /**
   * Who names it, beside the person at this browser.
   * @param {string} kind
   */
  namedBy(kind) {
    const names = this.detail.value.error_sources
      .filter((one) => one.kind === kind && one.person !== this.#me)
      .map((one) => one.by);
    return names.length ? `named by ${names.join(', ')}` : null;
  }

  /** What is proposed is what the person says too. */
  confirmSource() {
    const kind = this.detail.value.proposed_source?.kind;
    if (!kind) throw new Refused('Nothing is proposed for this question.');
    if (!this.canEdit) throw new Refused('Only people who may edit name error sources.');
    if (this.mySource?.kind === kind) return null;
    return this.setErrorSource(ERROR_SOURCES.findIndex(([name]) => name === kind));
  }

  /** @param {number} n */
  setErrorSource(n) {
    return this.inTurn(() => this.#errorSourceNow(n));
  }

  /** @param {number} n */
  async #errorSourceNow(n) {
    const { id, proposed_source: proposal } = this.detail.value;
    const kind = this.mySource?.kind === ERROR_SOURCES[n][0] ? '' : ERROR_SOURCES[n][0];
    try {
      /** @type {ErrorSourceNow} */
      const { error_source, named } = await api('/api/error-source', {
        verdict_id: id,
        kind,
        proposed: proposal?.kind || '',
      });
      this.detail.value = { ...this.detail.value, error_source, error_sources: named };
      await this.page.changed({ verdict: id, row: { error_source } });
    } catch (error) {
      report(error);
    }
  }

  // --- texts --------------------------------------------------------------------------

  /** @param {TextName} name */
  edit(name) {
    const value = this.detail.value[name];
    const { label, none } = TEXTS[name];
    if (!value) throw new Refused(none);
    if (!this.canEdit) throw new Refused('Only people who may edit can write here.');
    const open = this.editors.value[name];
    if (open) open.area.focus();
    else this.editors.value = { ...this.editors.value, [name]: new TextEditor(value, { label }) };
  }

  /** @param {TextName} name */
  done(name) {
    this.finish(async () => {
      const editor = this.editors.value[name];
      await editor.save();
      if (editor.why) {
        notice(editor.why, 'error');
        return;
      }
      const { [name]: _, ...others } = this.editors.value;
      this.editors.value = others;
      await this.#reloaded();
    });
  }

  async flush() {
    const open = Object.values(this.editors.value);
    await Promise.all(open.map((editor) => editor.save()));
    if (!open.length || open.some((editor) => editor.why)) return;
    this.editors.value = {};
    await this.#reloaded();
  }

  /**
   * 1 to 5 name the error source; for somebody who labels blind they are scores.
   * @param {number} n
   */
  numberKey(n) {
    if (this.blindForm) this.blindForm.score(n);
    else if (!this.detail.value.hidden) void this.setErrorSource(n - 1);
  }
}
