// Everything about one verdict: question, reference, extracted answer in the caption, verdict, raw
// reply, blame, history - and the corrections of each.
import { address, api, aspectName, badge, baselineBadge, button, clear, dayAndTime, h, mark, notice, plural, report, scoreText, verdictWord } from './core.js';
import { diffView } from './diff.js';
import { TextEditor } from './editor.js';
import { keyHint } from './keymap.js';
import { BlindForm } from './blindness.js';
import { spanned, verdictColumns } from './verdict_columns.js';
import { Doubts } from './verdict_doubts.js';
import { beside } from './verdict_filters.js';
import { Waiting } from './waiting.js';

const BLAMES = [['caption_omits', 'caption omits it'], ['caption_wrong', 'caption is wrong'], ['extraction', 'extraction'], ['judge', 'judge'], ['question', 'question']];

export class VerdictPanel {
  static blames = BLAMES;

  constructor(detail, page) {
    this.detail = detail;
    this.page = page;
    this.node = h('article', { class: 'dl-verdict', 'aria-label': 'This question' });
    this.editors = [];
    this.turn = Promise.resolve();
    this.draw();
  }

  draw() {
    const d = this.detail;
    this.verdictBox = h('div', { class: 'dl-verdictbox' });
    this.captionBox = h('div', { class: 'dl-captionbox' });
    this.answerBox = h('div', {});
    this.raw = h('details', { class: 'dl-raw' }, h('summary', {}, 'raw reply'), h('pre', {}, d.raw || '(no reply)'), this.#run());
    this.doubts = new Doubts(d.question_id, { can: this.page.can, open: this.page.open, changed: (e) => this.page.changed({ judgement: d.id, row: { doubt: e ? 'excluded' : '' } }).catch(report) });
    this.blindForm = d.hidden && this.page.can('edit') ? new BlindForm((value) => this.#saveVerdict(() => ({ value, reason: 'labelled blind' }))) : null;
    clear(this.node,
      d.superseded ? h('p', { class: 'dl-hint' }, mark('stale', 'a newer verdict on this question exists')) : null,
      this.#question(), this.#reference(), d.hidden ? this.#blind() : this.#seen());
    this.#drawAnswer();
    if (!d.hidden) this.#drawVerdict();
    this.#drawCaption();
  }

  /** Before one's own label: what a judge has, and nothing of what the judge said. */
  #blind() {
    return [this.#part(this.#said(), this.answerBox),
      this.#part([mark('blind', 'your verdict, blind')], this.blindForm?.node || h('p', { class: 'dl-hint' }, 'Only people who may edit label.')),
      this.#captionPart(), this.#history()];
  }

  #seen() {
    return [this.#columns(), this.#part(this.#said(), this.answerBox, this.#answerTools()), this.#part('verdict', this.verdictBox, this.#verdictTools()),
      this.#captionPart(this.#captionTools()),
      this.#blame(), this.raw, this.#others(), this.#history()];
  }

  /** Whether the question was put to the video itself, with no caption in between. */
  #direct() {
    return this.detail.kind === 'mmlu:reasoning';
  }

  #said() {
    return this.#direct() ? 'answered from the video' : 'extracted';
  }

  #captionPart(tools = null) {
    return this.#direct() ? null : this.#part(`caption · ${aspectName(this.detail.kind || '')}`, this.captionBox, tools);
  }

  /** The other evaluations that were chosen, beside this one. */
  #columns() {
    const d = this.detail;
    if (!d.beside?.length) return null;
    const name = this.page.frame.evaluation.all.find((e) => e.id === this.page.evaluation)?.name || 'this evaluation';
    const here = { id: d.id, name, baseline: d.baseline, model: d.run?.model, state: d.verdict.state, label: d.verdict.value.label, score: d.verdict.value.score, corrected: d.verdict.corrected, stale: d.verdict.stale, answer: d.answer || { value: '' }, caption: d.caption?.value ?? null, span: d.span };
    return this.#part('side by side', verdictColumns(here, d.beside, (other) => this.page.open(other.id)));
  }

  #part(name, content, tools = null) {
    return h('section', { class: 'dl-part' }, h('h2', {}, name, h('span', { class: 'dl-grow' }), tools), content);
  }

  #question() {
    const d = this.detail;
    this.questionBox = h('div', {}, h('p', { class: 'dl-q' }, d.question?.value ?? `${aspectName(d.kind || '')}: the log keeps one ${d.mean?.about ? 'verdict' : 'mean'} for all questions`));
    return h('header', { class: 'dl-question' }, this.questionBox,
      h('p', { class: 'dl-hint' }, badge(aspectName(d.kind || '')), d.category ? badge(d.category) : null,
        d.mean ? meanWords(d.mean) : null, !d.question_source || d.question_source === 'dataset' ? null : badge(`from ${d.question_source}`), d.question?.corrected ? mark('corrected') : null,
        h('span', { class: 'dl-grow' }), d.question && this.page.can('edit') ? button(['edit', keyHint('verdicts.edit_question')], () => this.editQuestion(), { kind: 'quiet', name: 'edit-question' }) : null),
      this.doubts.node);
  }

  #reference() {
    const { reference } = this.detail;
    if (!reference) return null;
    return this.#part('reference', h('p', { class: 'dl-value' }, reference.value), this.page.can('edit') ? button('edit', () => this.#edit(reference, 'reference answer', null, () => this.#reloaded()), { kind: 'quiet' }) : null);
  }

  #drawAnswer() {
    const { answer, answers } = this.detail;
    if (!answer) { clear(this.answerBox, givenAnswers(answers || [])); return; }
    clear(this.answerBox, answer.state === 'done' || answer.corrected ? h('p', { class: 'dl-value dl-extracted' }, answer.value) : h('p', { class: 'dl-hint' }, mark(answer.state), ' ', answer.reason),
      h('p', { class: 'dl-hint' }, answer.corrected ? [mark('corrected'), h('s', {}, answer.machine)] : null, answer.stale ? mark('stale', 'the caption has changed since') : null));
  }

  // --- verdict ----------------------------------------------------------------------

  #drawVerdict() {
    const { verdict, machine_state: machineState, reason } = this.detail;
    const now = verdict.value;
    const machine = { state: machineState, label: verdict.machine?.label };
    clear(this.verdictBox,
      h('p', { class: 'dl-verdictline' }, mark(verdict.corrected ? now.label : verdictWord({ state: machineState, label: now.label })),
        now.score === null ? null : h('span', {}, `${scoreText(now.score)} of 5`),
        verdict.corrected ? [mark('corrected'), h('s', {}, verdictWord(machine), verdict.machine?.score === null ? '' : ` · ${scoreText(verdict.machine.score)}`)] : null,
        verdict.stale ? mark('stale', 'made before a change') : null, this.detail.baseline ? baselineBadge() : null),
      reason ? h('p', { class: 'dl-hint' }, reason) : null);
  }

  #verdictTools() {
    const { page } = this;
    return [
      page.can('run') && this.detail.question_id ? button('again', () => this.rerun('question').catch(report), { kind: 'quiet', title: 'Extract and judge this question again (Shift R); both results stay', name: 'rerun' }) : null,
      page.can('run') && this.detail.question_id ? button('whole video', () => this.rerun('video').catch(report), { kind: 'quiet', title: 'Extract and judge every question of this video again; both results stay', name: 'rerun-video' }) : null,
      this.detail.verdict.corrected && page.can('edit') ? button('clear', () => this.#saveVerdict(() => ({ cleared: true, value: null, reason: '' })).catch(report), { kind: 'quiet', title: 'Take the correction away' }) : null,
      page.can('edit') ? button(['correct', keyHint('verdicts.edit')], () => this.editVerdict(), { kind: 'quiet', name: 'correct' }) : null];
  }

  #answerTools() {
    return this.detail.answer && this.page.can('edit') ? button(['edit', keyHint('verdicts.edit_answer')], () => this.editAnswer(), { kind: 'quiet', name: 'edit-answer' }) : null;
  }

  editVerdict() {
    if (this.detail.hidden) return;
    if (this.verdictForm || !this.page.can('edit')) { this.verdictForm?.querySelector('input')?.focus(); return; }
    const { value } = this.detail.verdict;
    const start = value.label || 'no';
    const pick = (name, options, chosen, label) => h('fieldset', { class: 'dl-pick' }, h('legend', {}, label), options.map((o) => h('label', {}, h('input', { type: 'radio', name, value: o, checked: o === chosen }), h('span', {}, name === 'label' ? mark(o) : o))));
    const score = value.score === null ? (start === 'yes' ? '5' : '0') : String(Math.round(value.score));
    const reason = h('input', { type: 'text', class: 'dl-input', placeholder: 'reason: what do the frames show?', 'aria-label': 'reason', maxlength: '2000' });
    this.verdictForm = h('form', { class: 'dl-verdictform', onsubmit: (e) => { e.preventDefault(); this.save().catch(report); } },
      pick('label', ['yes', 'no'], start, 'verdict'), pick('score', ['0', '1', '2', '3', '4', '5'], score, 'score'), reason,
      h('div', { class: 'dl-row' }, h('button', { type: 'submit', class: 'dl-button dl-button-main', 'data-name': 'save-verdict' }, 'Save'), button('Cancel', () => this.#closeForm(), { kind: 'quiet' }), h('span', { class: 'dl-hint' }, keyHint('verdicts.save_next'), 'save, and on')));
    this.verdictBox.append(this.verdictForm);
    this.verdictForm.querySelector('input:checked')?.focus();
  }

  #closeForm() {
    this.verdictForm?.remove();
    this.verdictForm = null;
  }

  /** Saves what is open: the verdict form, and texts that are being typed. */
  async save() {
    await this.flush();
    await this.#saveVerdict(() => {
      const form = this.verdictForm;
      if (!form) return null;
      const data = new FormData(form);
      return { value: { label: data.get('label'), score: Number(data.get('score')) }, reason: form.querySelector('.dl-input').value };
    });
  }

  /** `make()` gives the change, or nothing. One after the other: each is made over what the one before has left. */
  #saveVerdict(make) { return this.#inTurn(() => { const change = make(); return change ? this.#sendVerdict(change) : null; }); }

  #inTurn(act) {
    const done = this.turn.then(act);
    this.turn = done.catch(() => null);
    return done;
  }

  async #sendVerdict(change) {
    const { verdict } = this.detail;
    try {
      const saved = await api('/api/edit', { subject: verdict.subject, base_revision: verdict.revision, ...change });
      this.#closeForm();
      notice(change.cleared ? 'Correction cleared' : this.detail.hidden ? 'Labelled' : 'Verdict corrected');
      this.detail.verdict = saved;
      await this.#reloaded({ state: saved.state, label: saved.value.label, score: saved.value.score, corrected: saved.corrected, hidden: false });
    } catch (error) {
      if (error.status !== 409) throw error;
      const theirs = error.body.current;
      notice(theirs ? `Somebody else just set this to ${theirs.label || 'unreadable'} · ${scoreText(theirs.score)}. Look, then save again.` : 'Somebody else labelled this meanwhile. Save yours again.', 'error');
      this.detail.verdict = { ...verdict, value: theirs, revision: error.body.revision };
    }
  }

  async #reloaded(row = null) {
    this.detail = await api(`/api/verdicts/${encodeURIComponent(this.detail.id)}?${new URLSearchParams(beside().map((other) => ['with', other]))}`);
    this.verdictForm = null;
    this.draw();
    const { verdict } = this.detail;
    await this.page.changed({ judgement: this.detail.id, row: row || { stale: verdict.stale, corrected: verdict.corrected, blame: this.detail.blame } });
  }

  /** `what` is 'question' or 'video'. Both results stay; what is under way is said with its time. */
  async rerun(what) {
    if (!this.page.can('run') || !this.detail.question_id || this.rerunning) return;
    const wait = new Waiting('dl-rerunning');
    this.verdictBox.append(wait.node);
    const kinds = what === 'video' ? await this.#kinds() : [''];
    const done = { judgements: [], failed: 0 };
    this.rerunning = true;
    try {
      for (const [n, kind] of kinds.entries()) {
        const about = what === 'video' ? `${aspectName(kind)}, ${n + 1} of ${kinds.length}` : 'this question';
        wait.say(`extracting and judging again: ${about}`);
        const body = { evaluation: this.page.evaluation, ...(kind ? { video: this.detail.video.id, kind } : { question: this.detail.question_id }) };
        const part = await api('/api/rerun', body);
        done.judgements.push(...part.judgements);
        done.failed += part.failed;
        done.evaluation = part.evaluation;
      }
    } finally { this.rerunning = false; wait.end(); }
    if (done.failed) notice(`${done.failed} requests failed; try again`, 'error');
    else notice(`Judged again: ${plural(done.judgements.length, 'verdict')}; the earlier ones stay`);
    await this.#afterRerun(done.evaluation);
  }

  /** The aspects on which this video has verdicts here. */
  async #kinds() {
    const scores = await api(`/api/verdicts?${new URLSearchParams({ evaluation: this.page.evaluation, video: this.detail.video.id, sort: 'order', limit: 500 })}`);
    return [...new Set(scores.rows.map((row) => row.kind))];
  }

  /** The new verdict beside the old: in columns when other engines made another evaluation, else among the others. */
  async #afterRerun(evaluation) {
    if (evaluation !== this.page.evaluation) {
      this.page.frame.evaluation.update((await api('/api/me')).evaluations);
      address.set({ with: evaluation });
      await this.page.changed({ judgement: this.detail.id, reload: true });
      return;
    }
    const now = await api(`/api/verdicts/${encodeURIComponent(this.detail.id)}`);
    const newer = now.superseded ? now.others.find((o) => o.run === now.run?.id && !o.superseded) : null;
    await this.page.changed({ judgement: this.detail.id, reload: newer?.id || true });
    document.querySelector('.dl-others')?.setAttribute('open', '');
  }

  // --- blame ------------------------------------------------------------------------

  #blame() {
    this.blameRow = h('div', { class: 'dl-blame', role: 'group', 'aria-label': 'Whose fault is it?' });
    this.#drawBlame();
    return this.#part('blame', this.blameRow);
  }

  #drawBlame() {
    clear(this.blameRow, BLAMES.map(([kind, words], n) => h('button', { type: 'button', class: 'dl-choice', 'aria-pressed': String(this.detail.blame === kind), disabled: !this.page.can('edit'), onclick: () => this.blame(n) }, keyHint(`verdicts.blame_${n + 1}`), words)));
  }

  blame(n) { return this.#inTurn(() => this.#blameNow(n)); }

  async #blameNow(n) {
    const kind = this.detail.blame === BLAMES[n][0] ? '' : BLAMES[n][0];
    try {
      await api('/api/blame', { judgement_id: this.detail.id, kind });
      this.detail.blame = kind;
      this.#drawBlame();
      await this.page.changed({ judgement: this.detail.id, row: { blame: kind } });
    } catch (error) { report(error); }
  }

  // --- caption ----------------------------------------------------------------------

  #captionTools() {
    return this.detail.caption && this.page.can('edit') ? button(['edit', keyHint('verdicts.edit_caption')], () => this.editCaption(), { kind: 'quiet', name: 'edit-caption' }) : null;
  }

  #drawCaption() {
    const { caption, span } = this.detail;
    if (!caption) { clear(this.captionBox, h('p', { class: 'dl-hint' }, mark('missing', 'no caption in the log'))); return; }
    const text = caption.value;
    clear(this.captionBox, h('p', { class: 'dl-caption' }, spanned(text, span)),
      h('p', { class: 'dl-hint' }, caption.baseline ? baselineBadge() : badge(caption.author), caption.corrected ? mark('corrected') : null, span ? null : 'nothing in the caption supports the answer'),
      caption.corrected ? h('details', {}, h('summary', {}, 'difference to the machine’s caption'), diffView(caption.machine, text)) : null);
  }

  editQuestion() {
    if (this.detail.question) this.#edit(this.detail.question, 'question', this.questionBox, () => this.#reloaded());
  }

  exclude() { this.doubts.exclude().catch(report); }

  /** 1 to 5 blame; for somebody who labels blind they are scores. */
  numberKey(n) {
    if (this.blindForm) this.blindForm.score(n);
    else if (!this.detail.hidden) this.blame(n - 1);
  }

  editCaption() {
    if (this.detail.caption) this.#edit(this.detail.caption, 'caption', this.captionBox, () => this.#reloaded());
  }

  editAnswer() {
    if (this.detail.answer) this.#edit(this.detail.answer, 'extracted answer', this.answerBox, () => this.#reloaded());
  }

  #edit(value, label, host, after) {
    if (!this.page.can('edit')) return;
    const place = host || this.node.querySelectorAll('.dl-part')[0];
    if (place.querySelector('textarea')) { place.querySelector('textarea').focus(); return; }
    const editor = new TextEditor(value, { label });
    this.editors.push(editor);
    const done = button('Done', async () => {
      await editor.save();
      this.editors = this.editors.filter((e) => e !== editor);
      await after();
    }, { kind: 'main', name: 'done' });
    const shown = host ? clear(host, editor.node, h('div', { class: 'dl-row' }, done)) : place.append(editor.node, h('div', { class: 'dl-row' }, done));
    editor.area.focus();
    return shown;
  }

  async flush() {
    await Promise.all(this.editors.map((editor) => editor.save()));
    if (this.editors.length) {
      this.editors = [];
      await this.#reloaded();
    }
  }

  toggleRaw() { this.raw.open = !this.raw.open; }

  // --- evidence ---------------------------------------------------------------------

  #run() {
    const { run, answer_run: answers } = this.detail;
    const line = (name, r) => r && h('p', { class: 'dl-hint' }, `${name}: ${r.model}`, r.endpoint ? ` at ${r.endpoint}` : '', r.prompt_hash ? ` · prompt ${r.prompt_hash}` : ' · prompt not recorded', ` · ${dayAndTime(r.created_at)}`);
    return [line('judge', run), line('extractor', answers)];
  }

  #others() {
    const { others } = this.detail;
    if (!others?.length) return null;
    return h('details', { class: 'dl-others' }, h('summary', {}, `other verdicts on this question · ${others.length}`), others.map((o) => h('button', { type: 'button', class: 'dl-other', onclick: () => this.page.open(o.id) },
      mark(verdictWord(o)), h('span', {}, o.state === 'done' ? scoreText(o.score) : ''), h('span', { class: 'dl-other-text' }, o.answer || '–'), o.baseline ? baselineBadge() : badge(o.model), o.superseded || o.stale ? mark('stale', '') : null)));
  }

  #history() {
    const { history } = this.detail;
    if (!history?.length) return null;
    const value = (e) => (e.cleared ? 'cleared' : typeof e.value === 'object' ? `${e.value.label} · ${scoreText(e.value.score)}` : e.value);
    return h('details', { class: 'dl-historybox' }, h('summary', {}, `history · ${history.length}`), h('ol', { class: 'dl-history' }, history.map((e) => h('li', {}, h('span', {}, `${dayAndTime(e.at)} · ${e.by} · ${e.what}`), h('p', {}, value(e)), e.reason ? h('q', {}, e.reason) : null))));
  }
}

/** What a log says of a mean: how many questions stand behind it, and the share of yes. */
function meanWords({ questions, accuracy, about, answer }) {
  return [questions ? badge(`${questions} questions`) : null, typeof accuracy === 'number' ? badge(`${accuracy.toFixed(3)} yes`) : null, about ? h('span', {}, about) : null, answer ? h('span', {}, 'answer: ', h('q', {}, answer)) : null];
}

function givenAnswers(answers) {
  if (!answers.length) return h('p', { class: 'dl-hint' }, mark('missing', 'none in the log'));
  return h('ol', { class: 'dl-givenanswers' }, answers.map((a) => h('li', {}, h('span', {}, a.question), h('span', {}, h('q', {}, a.answer || 'nothing'), ' · reference ', h('q', {}, a.reference)))));
}
