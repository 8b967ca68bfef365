// Everything about one verdict: question, reference, extracted answer in the caption, verdict, raw
// reply, error source, history - and the corrections of each.
import { badge, baselineBadge, button, clear, h, mark } from '../../../lib/parts/elements.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { aspectName, scoreText, verdictWord } from '../../../lib/parts/words.js';
import { api, posted } from '../../../lib/requests/requests.js';
import { writesIn } from '../../../lib/shell/server_events.js';
import { finishing } from '../../../lib/editor/type_ahead_to_next_item.js';
import { diffView } from '../../../lib/parts/diff_and_merge.js';
import { authorMarks } from '../../../lib/editor/author_marks.js';
import { TextEditor } from '../../../lib/editor/editor.js';
import { keyHint, openField } from '../../../lib/keys/keymap.js';
import { BlindForm } from '../../../lib/shell/blind_labelling.js';
import { spanned, verdictColumns } from './question_in_evaluations.js';
import { FlaggedQuestions } from './flagged_question.js';
import { SecondOpinion } from './ask_the_video.js';
import { beside, ERROR_SOURCES } from './verdict_filters.js';
import { historyOf, otherVerdicts, rawReply } from './replies_and_history.js';
import { BLIND, VerdictForm } from './verdict_form.js';

/** @typedef {import('../../../lib/parts/elements.js').Content} Content */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['VerdictDetail']} Verdict */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['Opinion']} Opinion */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EditableWords']} EditableWords */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['ErrorSourceNow']} ErrorSourceNow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EditableVerdict']} EditableVerdict */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SavedValue']} SavedValue */

/**
 * @typedef {Object} VerdictChange
 * @property {string} [verdict] the id of the one that was changed
 * @property {Object<string, any>} [row] what is new in its line of the list
 * @property {string | boolean} [reload] the list comes anew, with the verdict of this id open, or with the same
 */

/**
 * @typedef {Object} VerdictPage what the panel needs of the page
 * @property {(action: string) => boolean} can
 * @property {import('../../../lib/player/player.js').Player} player
 * @property {string} evaluation the id of the one that is open
 * @property {import('../../../lib/shell/top_bar.js').Frame} frame
 * @property {(change: VerdictChange) => Promise<void>} changed
 * @property {(id: string) => unknown} open
 */

/** @typedef {import('./verdict_form.js').Correction} Correction */

export class VerdictPanel {
  static errorSources = ERROR_SOURCES;

  /**
   * @param {Verdict} detail
   * @param {VerdictPage} page
   */
  constructor(detail, page) {
    this.detail = detail;
    this.page = page;
    this.node = h('article', { class: 'dl-verdict', 'aria-label': 'This question' });
    /** @type {TextEditor[]} */
    this.editors = [];
    /** @type {VerdictForm | null} */
    this.form = null;
    /** @type {Promise<unknown>} */
    this.turn = Promise.resolve();
    this.draw();
  }

  draw() {
    const d = this.detail;
    this.verdictBox = h('div', { class: 'dl-verdictbox' });
    this.captionBox = h('div', { class: 'dl-captionbox' });
    this.answerBox = h('div', {});
    this.raw = rawReply(d);
    this.flagged = new FlaggedQuestions(d.question_id, {
      can: this.page.can,
      open: this.page.open,
      changed: (e) => this.page.changed({ verdict: d.id, row: { flag: e ? 'excluded' : '' } }).catch(report),
    });
    this.opinion = d.hidden ? null : new SecondOpinion(d, this.page);
    this.blindForm =
      d.hidden && !d.no_verdict && this.page.can('edit')
        ? new BlindForm((value) => this.#saveVerdict(() => ({ value, reason: BLIND })))
        : null;
    clear(
      this.node,
      d.superseded
        ? h('p', { class: 'dl-hint' }, mark('stale', 'a newer verdict on this question exists'))
        : null,
      this.#question(),
      this.#reference(),
      d.hidden ? this.#blind() : this.#seen(),
    );
    this.#drawAnswer();
    if (!d.hidden) this.#drawVerdict();
    this.#drawCaption();
  }

  /** Before one's own label: what a judge has, and nothing of what the judge said. */
  #blind() {
    return [
      this.#part(this.#said(), this.answerBox),
      this.#part(
        [mark('blind', 'your verdict, blind')],
        this.blindForm?.node ||
          h('p', { class: 'dl-hint' }, this.detail.no_verdict || 'Only people who may edit label.'),
      ),
      this.#captionPart(),
      historyOf(this.detail),
    ];
  }

  #seen() {
    return [
      this.#columns(),
      this.#part(this.#said(), this.answerBox, this.#answerTools()),
      this.opinion.node,
      this.#part('verdict', this.verdictBox, this.#verdictTools()),
      this.#errorSource(),
      this.#captionPart(this.#captionTools()),
      this.raw,
      otherVerdicts(this.detail, (id) => this.page.open(id)),
      historyOf(this.detail),
    ];
  }

  #said() {
    return this.detail.from_video ? 'answered from the video' : 'extracted';
  }

  /** @param {Content} [tools] */
  #captionPart(tools = null) {
    return this.detail.from_video
      ? null
      : this.#part(`caption · ${aspectName(this.detail.kind || '')}`, this.captionBox, tools);
  }

  /** The other evaluations that were chosen, beside this one. */
  #columns() {
    const d = this.detail;
    if (!d.beside?.length) return null;
    const name =
      this.page.frame.evaluation.all.find((e) => e.id === this.page.evaluation)?.name || 'this evaluation';
    const here = {
      id: d.id,
      evaluation: this.page.evaluation,
      name,
      baseline: d.baseline,
      model: d.run?.model,
      state: d.verdict.state,
      label: d.verdict.value.label,
      score: d.verdict.value.score,
      corrected: d.verdict.corrected,
      stale: d.verdict.stale,
      answer: d.answer || { value: '', state: '', corrected: false },
      caption: d.caption?.value ?? null,
      span: d.span,
    };
    return this.#part(
      'side by side',
      verdictColumns(here, d.beside, (other) => this.page.open(other.id)),
    );
  }

  /**
   * @param {Content} name
   * @param {Content} content
   * @param {Content} [tools]
   */
  #part(name, content, tools = null) {
    return h(
      'section',
      { class: 'dl-part' },
      h('h2', {}, name, h('span', { class: 'dl-grow' }), tools),
      content,
    );
  }

  #question() {
    const d = this.detail;
    this.questionBox = h(
      'div',
      {},
      h(
        'p',
        { class: 'dl-q' },
        d.question?.value ??
          `${aspectName(d.kind || '')}: the log keeps one ${d.no_verdict ? 'mean' : 'verdict'} for all questions`,
      ),
    );
    return h(
      'header',
      { class: 'dl-question' },
      this.questionBox,
      h(
        'p',
        { class: 'dl-hint' },
        badge(aspectName(d.kind || '')),
        d.category ? badge(d.category) : null,
        d.mean ? meanWords(d.mean) : null,
        !d.question_source || d.question_source === 'dataset' ? null : badge(`from ${d.question_source}`),
        d.question?.corrected ? mark('corrected') : null,
        h('span', { class: 'dl-grow' }),
        d.question && this.page.can('edit')
          ? button(
              ['edit', keyHint('verdicts.edit_question')],
              () => openField('edit', () => this.editQuestion()),
              { kind: 'quiet', name: 'edit-question' },
            )
          : null,
      ),
      this.flagged.node,
    );
  }

  #reference() {
    const { reference } = this.detail;
    if (!reference) return null;
    return this.#part(
      'reference',
      h('p', { class: 'dl-value' }, reference.value),
      this.page.can('edit')
        ? button('edit', () => this.#edit(reference, 'reference answer', null, () => this.#reloaded()), {
            kind: 'quiet',
          })
        : null,
    );
  }

  #drawAnswer() {
    const { answer, answers } = this.detail;
    if (!answer) {
      clear(this.answerBox, givenAnswers(answers || []));
      return;
    }
    clear(
      this.answerBox,
      answer.state === 'done' || answer.corrected
        ? h('p', { class: 'dl-value dl-extracted' }, answer.value)
        : h('p', { class: 'dl-hint' }, mark(answer.state), ' ', answer.reason),
      h(
        'p',
        { class: 'dl-hint' },
        answer.corrected ? [mark('corrected'), h('s', {}, answer.machine)] : null,
        answer.stale ? mark('stale', 'the caption has changed since') : null,
      ),
    );
  }

  // --- verdict ----------------------------------------------------------------------

  #drawVerdict() {
    const { verdict, machine_state: machineState, reason } = this.detail;
    const now = verdict.value;
    const machine = { state: machineState, label: verdict.machine?.label };
    clear(
      this.verdictBox,
      h(
        'p',
        { class: 'dl-verdictline' },
        mark(verdict.corrected ? now.label : verdictWord({ state: machineState, label: now.label })),
        now.score === null ? null : h('span', {}, `${scoreText(now.score)} of 5`),
        verdict.corrected
          ? [
              mark('corrected'),
              h(
                's',
                {},
                verdictWord(machine),
                verdict.machine?.score === null ? '' : ` · ${scoreText(verdict.machine.score)}`,
              ),
            ]
          : null,
        verdict.confirmed
          ? mark(
              'confirmed',
              `confirmed by ${this.detail.opinions.find((one) => one.counts)?.by || 'a person'}`,
            )
          : null,
        verdict.stale ? mark('stale', 'made before a change') : null,
        this.detail.baseline ? baselineBadge() : null,
      ),
      this.detail.contradicts
        ? h(
            'p',
            { class: 'dl-hint' },
            '≠ contradicts itself: its word and its score say different things; both count as they stand',
          )
        : null,
      reason ? h('p', { class: 'dl-hint' }, reason) : null,
      this.#opinions(),
    );
  }

  /** The person's own verdict; undefined where they gave none. */
  #mine() {
    return this.detail.opinions.find((one) => one.person === this.page.frame.me.person?.id);
  }

  /** What the person named as the error source; undefined where they named none. */
  #mySource() {
    return this.detail.error_sources.find((one) => one.person === this.page.frame.me.person?.id);
  }

  /** Who says what, where more than one person does, or where one's own does not count; else the reason alone. */
  #opinions() {
    const { opinions, opinion_rule: rule } = this.detail;
    /** @param {Opinion} one */
    const changed = (one) => Boolean(one.given_blind) && one.given_blind !== one.value.label;
    if (opinions.length < 2 && opinions.every((one) => one.counts && !changed(one)))
      return opinions[0]?.reason ? h('p', { class: 'dl-hint' }, h('q', {}, opinions[0].reason)) : null;
    /** @param {Opinion} one */
    const score = (one) => (one.value.score === null ? '' : ` · ${scoreText(one.value.score)}`);
    return h(
      'div',
      { class: 'dl-opinions' },
      h(
        'ul',
        { 'aria-label': 'What people say' },
        opinions.map((one) =>
          h(
            'li',
            {},
            h('b', {}, one.by),
            ' ',
            mark(one.value.label, `${one.value.label}${score(one)}`),
            one.counts ? badge('counts') : null,
            changed(one)
              ? h(
                  'span',
                  {
                    class: 'dl-hint',
                    title: 'Figures on judge against people use the label that was given blind',
                  },
                  ` given blind: ${one.given_blind}`,
                )
              : null,
            one.reason ? h('q', {}, one.reason) : null,
          ),
        ),
      ),
      h('p', { class: 'dl-hint', title: rule.what }, `rule: ${rule.name}; ${rule.what}`),
    );
  }

  #verdictTools() {
    const { page } = this;
    return [
      page.can('run') && this.detail.question_id
        ? button('again', () => this.rerun('question').catch(report), {
            kind: 'quiet',
            title: 'Extract and judge this question again (Shift R); both results stay',
            name: 'rerun',
          })
        : null,
      page.can('run') && this.detail.question_id
        ? button('whole video', () => this.rerun('video').catch(report), {
            kind: 'quiet',
            title: 'Extract and judge every question of this video again; both results stay',
            name: 'rerun-video',
          })
        : null,
      this.#mine() && page.can('edit')
        ? button(
            'clear',
            () => this.#saveVerdict(() => ({ cleared: true, value: null, reason: '' })).catch(report),
            { kind: 'quiet', title: 'Take your own correction or confirmation back' },
          )
        : null,
      page.can('edit') && !this.detail.no_verdict
        ? button(
            ['correct', keyHint('verdicts.edit')],
            () => openField('edit the verdict', () => this.editVerdict()),
            { kind: 'quiet', name: 'correct' },
          )
        : null,
    ];
  }

  #answerTools() {
    return this.detail.answer && this.page.can('edit')
      ? button(['edit', keyHint('verdicts.edit_answer')], () => openField('edit', () => this.editAnswer()), {
          kind: 'quiet',
          name: 'edit-answer',
        })
      : null;
  }

  editVerdict() {
    if (!this.page.can('edit')) throw new Refused('Only people who may edit can correct a verdict.');
    if (this.detail.no_verdict) throw new Refused(this.detail.no_verdict);
    if (this.detail.hidden)
      throw new Refused('You label blind: say yes or no and a score, the verdict shows then.');
    if (this.form) {
      this.form.focus();
      return;
    }
    const { value, reason } = this.#counting();
    this.form = new VerdictForm(value, reason, {
      panel: this.node,
      save: () => this.save(),
      close: () => this.#closeForm(),
    });
    this.verdictBox.append(this.form.node);
    this.form.node.scrollIntoView({ block: 'nearest' });
    this.form.focus();
  }

  /** What a form begins with: one's own verdict and reason, or the verdict that counts. */
  #counting() {
    const mine = this.#mine();
    return { value: mine?.value || this.detail.verdict.value, reason: mine?.reason || '' };
  }

  #closeForm() {
    this.form?.node.remove();
    this.form = null;
  }

  /** Saves what is open: the verdict form, and texts that are being typed. */
  async save() {
    await this.flush();
    await this.#saveVerdict(() => this.form?.correction());
  }

  /** Going on: what was chosen or typed is saved, and a form in which nothing was is closed. */
  async leave() {
    if (this.form?.typed()) await this.save();
    else await this.flush();
    if (this.form?.typed()) throw new Refused('Your verdict is not saved yet; settle it first.');
    this.#closeForm();
  }

  /** Why this verdict is not saved; empty when it is. */
  get why() {
    return this.form?.typed() ? 'Your verdict is not saved yet.' : '';
  }

  /** The page is left: a verdict that was chosen goes out without anybody who waits for the answer. */
  sendAndForget() {
    if (!this.form?.typed()) return;
    try {
      const { verdict } = this.detail;
      const body = { subject: verdict.subject, base_revision: verdict.revision, ...this.form.correction() };
      fetch('/api/edit', posted(body, { keepalive: true })).catch(() => {});
    } catch {
      /* half a verdict is none */
    }
  }

  /**
   * `make()` gives the change, or nothing. One after the other: each is made over what the one before has left.
   * @param {() => Correction | undefined} make
   */
  #saveVerdict(make) {
    return this.#inTurn(() => {
      const change = make();
      return change ? this.#sendVerdict(change) : null;
    });
  }

  /**
   * @template Result
   * @param {() => Result | Promise<Result>} act
   * @returns {Promise<Result>}
   */
  #inTurn(act) {
    const done = this.turn.then(act);
    this.turn = done.catch(() => null);
    return done;
  }

  /** @param {Correction} change */
  async #sendVerdict(change) {
    const { verdict } = this.detail;
    try {
      /** @type {SavedValue & EditableVerdict} */
      const saved = await api('/api/edit', {
        subject: verdict.subject,
        base_revision: verdict.revision,
        ...change,
      });
      this.#closeForm();
      notice(
        change.cleared
          ? 'Correction cleared'
          : this.detail.hidden
            ? 'Labelled'
            : saved.given === 'confirmed'
              ? 'Verdict confirmed'
              : 'Verdict corrected',
      );
      this.detail.verdict = saved;
      await this.#reloaded({
        state: saved.state,
        label: saved.value.label,
        score: saved.value.score,
        corrected: saved.corrected,
        confirmed: saved.confirmed,
        hidden: false,
      });
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
      this.form?.beginAnew(value, reason);
    }
  }

  /**
   * Others have changed something: it is shown, unless one has a hand in what is open.
   * @returns {Promise<boolean>} whether it shows
   */
  renew() {
    return this.#inTurn(async () => {
      const { detail } = this;
      if (this.#inUse()) return false;
      /** @type {Verdict} */
      const now = await api(this.#path());
      if (this.#inUse() || detail !== this.detail || JSON.stringify(now) === JSON.stringify(detail))
        return false;
      this.detail = now;
      this.draw();
      return true;
    });
  }

  #inUse() {
    return Boolean(
      !this.node.isConnected || this.form || this.editors.length || this.rerunning || writesIn(this.node),
    );
  }

  #path() {
    const others = new URLSearchParams(beside().map((other) => ['with', other]));
    return `/api/verdicts/${encodeURIComponent(this.detail.id)}?${others}`;
  }

  /** Drawn anew around the form that is open: what is chosen and typed in it stays. */
  #drawAround() {
    const form = this.form?.node;
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const holds = form?.contains(focused);
    this.draw();
    if (!form) return;
    this.verdictBox.append(form);
    if (holds) focused.focus({ preventScroll: true });
  }

  /** @param {VerdictChange['row'] | null} [row] */
  async #reloaded(row = null) {
    this.detail = await api(this.#path());
    this.#drawAround();
    const { verdict, opinions } = this.detail;
    const disputed = new Set(opinions.map((one) => one.value.label)).size > 1;
    await this.page.changed({
      verdict: this.detail.id,
      row: {
        disputed,
        ...(row || {
          state: verdict.state,
          label: verdict.value.label,
          score: verdict.value.score,
          stale: verdict.stale,
          corrected: verdict.corrected,
          confirmed: verdict.confirmed,
          error_source: this.detail.error_source,
        }),
      },
    });
  }

  /** @param {'question' | 'video'} what */
  async rerun(what) {
    if (!this.page.can('run') || !this.detail.question_id || this.rerunning) return;
    this.rerunning = true;
    try {
      const { judgeAgain } = await import('./judge_again.js');
      await judgeAgain(this.detail, this.page, what, this.verdictBox);
    } finally {
      this.rerunning = false;
    }
  }

  // --- error source ------------------------------------------------------------------------

  #errorSource() {
    this.errorSourceRow = h('div', {
      class: 'dl-errorsource',
      role: 'group',
      'aria-label': 'Whose fault is it?',
    });
    this.#drawErrorSource();
    return this.#part('error source', this.errorSourceRow);
  }

  #drawErrorSource() {
    const proposed = this.#proposed();
    clear(
      this.errorSourceRow,
      this.detail.proposed_source ? this.#proposal(this.detail.proposed_source) : null,
      ERROR_SOURCES.map(([kind, words], n) =>
        h(
          'button',
          {
            type: 'button',
            class: proposed === kind ? 'dl-choice dl-proposed' : 'dl-choice',
            'aria-pressed': String((this.#mySource()?.kind || this.detail.error_source) === kind),
            title: this.#namedBy(kind),
            disabled: !this.page.can('edit'),
            onclick: () => this.setErrorSource(n),
          },
          keyHint(`verdicts.error_source_${n + 1}`),
          words,
        ),
      ),
    );
  }

  /** The kind that is proposed and not decided yet. */
  #proposed() {
    return this.#mySource() || this.detail.error_source ? '' : this.detail.proposed_source?.kind || '';
  }

  /** @param {{kind: string, reason: string}} proposal */
  #proposal({ kind, reason }) {
    const words = ERROR_SOURCES.find(([name]) => name === kind)?.[1] || kind;
    return h(
      'p',
      { class: 'dl-proposal' },
      this.#proposed()
        ? button(['confirm', keyHint('verdicts.confirm_source')], () => this.confirmSource(), {
            kind: 'quiet',
            name: 'confirm-source',
          })
        : null,
      h('span', {}, 'proposed: ', h('b', {}, words), ` – ${reason}`),
    );
  }

  /** What is proposed is what the person says too. */
  confirmSource() {
    const kind = this.detail.proposed_source?.kind;
    if (!kind) throw new Refused('Nothing is proposed for this question.');
    if (!this.page.can('edit')) throw new Refused('Only people who may edit name error sources.');
    if (this.#mySource()?.kind === kind) return null;
    return this.setErrorSource(ERROR_SOURCES.findIndex(([name]) => name === kind));
  }

  /**
   * Who names it, beside the person at this browser.
   * @param {string} kind
   */
  #namedBy(kind) {
    const names = this.detail.error_sources
      .filter((one) => one.kind === kind && one.person !== this.page.frame.me.person?.id)
      .map((one) => one.by);
    return names.length ? `named by ${names.join(', ')}` : null;
  }

  /** @param {number} n */
  setErrorSource(n) {
    return this.#inTurn(() => this.#errorSourceNow(n));
  }

  /** @param {number} n */
  async #errorSourceNow(n) {
    const kind = this.#mySource()?.kind === ERROR_SOURCES[n][0] ? '' : ERROR_SOURCES[n][0];
    try {
      /** @type {ErrorSourceNow} */
      const { error_source: counts, named } = await api('/api/error-source', {
        verdict_id: this.detail.id,
        kind,
        proposed: this.detail.proposed_source?.kind || '',
      });
      Object.assign(this.detail, { error_source: counts, error_sources: named });
      this.#drawErrorSource();
      await this.page.changed({ verdict: this.detail.id, row: { error_source: counts } });
    } catch (error) {
      report(error);
    }
  }

  // --- caption ----------------------------------------------------------------------

  #captionTools() {
    return this.detail.caption && this.page.can('edit')
      ? button(
          ['edit', keyHint('verdicts.edit_caption')],
          () => openField('edit', () => this.editCaption()),
          { kind: 'quiet', name: 'edit-caption' },
        )
      : null;
  }

  #drawCaption() {
    const { caption, span } = this.detail;
    if (!caption) {
      clear(this.captionBox, h('p', { class: 'dl-hint' }, mark('missing', 'no caption in the log')));
      return;
    }
    const text = caption.value;
    clear(
      this.captionBox,
      h('p', { class: 'dl-caption' }, spanned(text, span)),
      h(
        'p',
        { class: 'dl-hint' },
        authorMarks(caption),
        span ? null : 'nothing in the caption supports the answer',
      ),
      caption.corrected
        ? h(
            'details',
            {},
            h('summary', {}, 'difference to the machine’s caption'),
            diffView(caption.machine, text),
          )
        : null,
    );
  }

  editQuestion() {
    if (!this.detail.question) throw new Refused('The log names no question here.');
    this.#edit(this.detail.question, 'question', this.questionBox, () => this.#reloaded());
  }

  exclude() {
    return this.flagged.exclude();
  }

  /**
   * 1 to 5 name the error source; for somebody who labels blind they are scores.
   * @param {number} n
   */
  numberKey(n) {
    if (this.blindForm) this.blindForm.score(n);
    else if (!this.detail.hidden) void this.setErrorSource(n - 1);
  }

  editCaption() {
    if (!this.detail.caption) throw new Refused('There is no caption in the log.');
    this.#edit(this.detail.caption, 'caption', this.captionBox, () => this.#reloaded());
  }

  editAnswer() {
    if (!this.detail.answer) throw new Refused('There is no answer in the log.');
    this.#edit(this.detail.answer, 'extracted answer', this.answerBox, () => this.#reloaded());
  }

  /**
   * @param {EditableWords} value
   * @param {string} label
   * @param {HTMLElement | null} host null: below the first part
   * @param {() => Promise<void>} after
   */
  #edit(value, label, host, after) {
    if (!this.page.can('edit')) throw new Refused('Only people who may edit can write here.');
    const place = host || this.node.querySelectorAll('.dl-part')[0];
    if (place.querySelector('textarea')) {
      place.querySelector('textarea').focus();
      return;
    }
    const editor = new TextEditor(value, { label });
    this.editors.push(editor);
    const end = async () => {
      await editor.save();
      if (editor.why) {
        notice(editor.why, 'error');
        return;
      }
      this.editors = this.editors.filter((e) => e !== editor);
      await after();
    };
    const done = button('Done', () => finishing(this.node, end).catch(report), {
      kind: 'main',
      name: 'done',
    });
    const shown = host
      ? clear(host, editor.node, h('div', { class: 'dl-row' }, done))
      : place.append(editor.node, h('div', { class: 'dl-row' }, done));
    editor.area.focus();
    return shown;
  }

  async flush() {
    await Promise.all(this.editors.map((editor) => editor.save()));
    if (!this.editors.length || this.editors.some((editor) => editor.why)) return;
    this.editors = [];
    await this.#reloaded();
  }

  async askVideo() {
    if (!this.opinion) throw new Refused('You label blind: say yes or no and a score, then ask the video.');
    await this.opinion.ask();
  }

  toggleRaw() {
    this.raw.open = !this.raw.open;
  }
}

/**
 * What a log says of a mean: how many questions stand behind it, and the share of yes.
 * @param {{questions?: number, accuracy?: number, about?: string, answer?: string}} mean
 */
function meanWords({ questions, accuracy, about, answer }) {
  return [
    questions ? badge(`${questions} questions`) : null,
    typeof accuracy === 'number' ? badge(`${accuracy.toFixed(3)} yes`) : null,
    about ? h('span', {}, about) : null,
    answer ? h('span', {}, 'answer: ', h('q', {}, answer)) : null,
  ];
}

/** @param {{question: string, answer: string, reference: string}[]} answers */
function givenAnswers(answers) {
  if (!answers.length) return h('p', { class: 'dl-hint' }, mark('missing', 'none in the log'));
  return h(
    'ol',
    { class: 'dl-givenanswers' },
    answers.map((a) =>
      h(
        'li',
        {},
        h('span', {}, a.question),
        h('span', {}, h('q', {}, a.answer || 'nothing'), ' · reference ', h('q', {}, a.reference)),
      ),
    ),
  );
}
