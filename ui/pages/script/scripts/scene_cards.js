// The script: one card per scene. The scene that the player is in stands open, the others are one line.
import { badge, button, clear, h, icon, mark } from '../../../lib/parts/elements.js';
import { notice, Refused, report } from '../../../lib/parts/notices.js';
import { clock, frameName, plural } from '../../../lib/parts/words.js';
import { empty, toLibrary } from '../../../lib/parts/empty.js';
import { authorMarks } from '../../../lib/editor/author_marks.js';
import { newText, TextEditor } from '../../../lib/editor/editor.js';
import { keyHint } from '../../../lib/keys/keymap.js';
import { motionWords } from '../../../lib/parts/time_lanes.js';
import { findingList, nameOf, openOnes, refocus } from './script_findings.js';
import { frameRow } from '../../../lib/player/player.js';
import { requireSaved } from '../../../lib/editor/save_before_leaving.js';

/** @typedef {import('./page_script.js').ScriptData} ScriptData */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SceneRow']} SceneRow */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SpeechLine']} SpeechLine */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['FieldText']} FieldText */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['EditableText']} EditableText */
/** @typedef {import('../../../lib/wire.d.ts').components['schemas']['SceneFinding']} SceneFinding */

const FIELDS = [
  ['script:scene_title', 'title'],
  ['script:shot_type', 'shot type'],
  ['script:camera_movement', 'camera movement'],
  ['script:content', 'content'],
];

/**
 * What of a line is said before, in and after a scene. A word belongs to the scene that holds its middle, as in the
 * model's request; a line without times of words is said wherever it overlaps.
 * @param {SpeechLine} line
 * @param {{start_s: number, end_s: number}} scene
 * @returns {[before: string, inside: string, after: string]}
 */
function saidIn(line, { start_s: from, end_s: to }) {
  const { words } = line;
  if (!words.length)
    return ['', line.start_s < to && line.end_s > from ? String(line.text.value).trim() : '', ''];
  const joined = (/** @type {(middle: number) => boolean} */ fits) =>
    words
      .filter(([, start, end]) => fits((start + end) / 2))
      .map(([word]) => word.trim())
      .join(' ');
  return [joined((t) => t < from), joined((t) => t >= from && t < to), joined((t) => t >= to)];
}

/** The line with what is said of it in other scenes set back. */
function saidWords(line, scene) {
  const [before, inside, after] = saidIn(line, scene);
  if (!before && !after) return h('span', {}, String(line.text.value));
  /** @type {(words: string, where: string) => HTMLElement | null} */
  const elsewhere = (words, where) =>
    words && h('span', { class: 'dl-hint', title: `said in the scene ${where}` }, words);
  return h('span', {}, elsewhere(before, 'before'), ' ', inside, ' ', elsewhere(after, 'after'));
}

/** A scene of a video that came as clips, where this one's file is missing: it has words and no picture. */
const noClip = () => mark('missing', 'no clip');

export class SceneCards {
  /** @type {WeakMap<Element, string>} by place, as JSON */
  #drawnFindings = new WeakMap();

  /**
   * `page`: {can, player, claims() -> Promise, findings() -> Promise, opened(index), looksRight(key)}.
   * @param {ScriptData} data
   * @param {any} page
   */
  constructor(data, page) {
    this.data = data;
    this.page = page;
    this.scenes = data.player.scenes || [];
    this.node = h('div', { class: 'dl-scenes', role: 'list', 'aria-label': 'Scenes' });
    this.cards = this.scenes.map((scene) =>
      h('article', { class: 'dl-scenecard', role: 'listitem', 'data-scene': String(scene.index + 1) }),
    );
    this.editors = [];
    this.leaving = new Set();
    this.open = -1;
    this.checks = 0;
    clear(this.node, this.scenes.length ? this.cards : this.#none());
    this.data.findings ||= {};
    this.scenes.forEach((_, n) => this.#fold(n));
    // The cards do not wait for the checks.
    if (this.scenes.length) this.#recheck();
  }

  #none() {
    const why = this.data.player.file
      ? 'No scenes yet: run the pipeline on this video in the Library.'
      : 'Its file is not here, and no dataset has told of its scenes.';
    return empty(why, toLibrary());
  }

  /**
   * @param {SceneRow} scene
   * @returns {Object<string, FieldText>} by kind of text
   */
  texts(scene) {
    return this.data.script[scene.key] || {};
  }

  /**
   * @param {SceneRow} scene
   * @param {string} kind
   */
  value(scene, kind) {
    return this.texts(scene)[kind]?.value || '';
  }

  /** Where the player is. While somebody types in a card, that card stays open. */
  follow(index) {
    const at = this.scenes.findIndex((s) => index >= s.start && index < s.end);
    const typing =
      this.cards[this.open]?.contains(document.activeElement) && document.activeElement.matches('textarea');
    if (at >= 0 && !typing) this.show(at);
  }

  show(at, still = false) {
    if (at === this.open || !this.cards[at]) return;
    const before = this.open;
    this.#leave(before);
    this.editors = [];
    this.open = at;
    if (before >= 0) this.#fold(before);
    this.#unfold(at);
    const onTop = before < 0 && at === 0; // as the page opens, which in a low window begins with the picture
    if (!still && !onTop) requestAnimationFrame(() => this.cards[at].scrollIntoView({ block: 'start' }));
    this.page.opened(at);
  }

  /** What could not be saved is kept as a draft; whoever typed it must know that it is not settled. */
  #leave(n) {
    const { editors } = this;
    const left = Promise.all(editors.map((editor) => editor.save()))
      .then(() => Promise.all(editors.map((e) => e.saving)))
      .then(() => {
        const failed = editors.filter((editor) => editor.why);
        if (failed.length)
          notice(
            `Scene ${n + 1}: ${failed[0].said.value.words}. Open it again to settle this; what you typed is kept.`,
            'error',
          );
      })
      .catch(report)
      .finally(() => this.leaving.delete(left));
    this.leaving.add(left);
  }

  /** The scene whose card is open. */
  get scene() {
    return this.scenes[this.open];
  }

  /** Also what was typed in scenes that were left a moment ago. */
  flush() {
    return Promise.all([...this.editors.map((editor) => editor.save()), ...this.leaving]);
  }

  /** Somebody typed what is not on its way yet: cards must not be replaced under their hands. */
  get busy() {
    return this.editors.some((e) => e.unsaved && !isRefused(e));
  }

  /** Where somebody is, so that other cards can be put in place of these: see `restore`. */
  place() {
    const card = this.cards[this.open];
    if (!card) return null;
    const focused = document.activeElement;
    const area = focused instanceof HTMLTextAreaElement && card.contains(focused) ? focused : null;
    return {
      scene: this.scenes[this.open],
      top: card.getBoundingClientRect().top,
      label: area?.getAttribute('aria-label'),
      selection: area && [area.selectionStart, area.selectionEnd],
    };
  }

  /** Open the scene that was open, or the part of it that holds frame `index`, at the same height in `panel`. */
  restore({ scene, top, label, selection }, index, panel) {
    const now = this.#at(index >= scene.start && index < scene.end ? index : scene.start);
    if (!now) return;
    this.show(now.index, true);
    panel.scrollTop += this.cards[now.index].getBoundingClientRect().top - top;
    const areas = /** @type {NodeListOf<HTMLTextAreaElement>} */ (
      this.cards[now.index].querySelectorAll('textarea')
    );
    const area = label && [...areas].find((a) => a.getAttribute('aria-label') === label);
    if (!area) return;
    area.focus({ preventScroll: true });
    area.setSelectionRange(selection[0], selection[1]);
  }

  #at(frame) {
    return this.scenes.find((s) => frame >= s.start && frame < s.end);
  }

  /** The field after the one that has the caret, within the open scene. */
  get #following() {
    const fields = this.editors.filter(({ area }) => !area.readOnly);
    const at = fields.findIndex(({ node }) => node.contains(document.activeElement));
    return at < 0 ? undefined : fields[at + 1];
  }

  /** Whether no field and no scene comes after the one that has the caret. */
  get atLast() {
    return !this.#following && this.open >= this.scenes.length - 1;
  }

  /** Saved, and on to the next field: of this scene, else the first of the next. */
  async next() {
    const following = this.#following;
    const at = this.open + 1;
    await requireSaved();
    if (following) following.area.focus();
    else {
      this.show(at);
      this.#seek(this.scenes[at].start);
      this.focus();
    }
  }

  /** The caret goes into this field of the open scene, whether something is written there or not. */
  focus(kind = FIELDS[0][0]) {
    const card = this.cards[this.open];
    if (!card)
      throw new Refused(
        this.scenes.length
          ? 'Open a scene first.'
          : 'There are no scenes to write about yet: run the pipeline in the Library.',
      );
    card.querySelector(`.dl-field-${kind.slice(7)} textarea`)?.focus({ preventScroll: false });
  }

  filter(words) {
    const wanted = words.toLowerCase();
    if (!wanted) {
      for (const card of this.cards) card.hidden = false;
      return;
    }
    this.scenes.forEach((scene, n) => {
      const held = [
        ...FIELDS.map(([kind]) => this.value(scene, kind)),
        ...this.said(scene).map((s) => s.text.value),
        ...this.written(scene).map((line) => line.text),
      ]
        .join(' ')
        .toLowerCase();
      this.cards[n].hidden = !held.includes(wanted);
    });
  }

  /** The lines of which something is said in the scene: one that runs across a cut stands in both. */
  said(scene) {
    return this.data.player.speech.segments.filter((line) => saidIn(line, scene)[1]);
  }

  /** Text on screen in a scene: what is seen at some time of it. */
  written(scene) {
    const { screen_texts = [] } = this.data.player;
    return screen_texts.filter((line) => line.first < scene.end && scene.start <= line.last);
  }

  // --- folded -----------------------------------------------------------------------

  #fold(n) {
    const scene = this.scenes[n];
    const state = this.#trouble(scene);
    const line = h(
      'button',
      { type: 'button', class: 'dl-scenefold', 'aria-expanded': 'false', onclick: () => this.#to(n) },
      h('span', { class: 'dl-scenenumber' }, String(n + 1)),
      this.#thumb(scene),
      h(
        'span',
        { class: 'dl-scenename' },
        this.value(scene, 'script:scene_title') ||
          this.value(scene, 'script:content') ||
          'nothing written yet',
        h(
          'small',
          {},
          [this.#when(scene.start_s), this.value(scene, 'script:shot_type')].filter(Boolean).join(' · '),
        ),
      ),
      scene.missing ? noClip() : null,
      this.#openFindings(scene),
      state ? mark(state) : null,
      this.data.claims[scene.key] === 'contradict' ? mark('contradiction', 'camera') : null,
      this.#moved(scene).length ? mark('moved', 'look again') : null,
    );
    this.cards[n].classList.remove('dl-open');
    clear(this.cards[n], line);
  }

  #openFindings(scene) {
    const open = openOnes(this.findings(scene));
    return open.length ? mark('flagged', String(open.length)) : null;
  }

  findings(scene) {
    return this.data.findings[scene.key] || [];
  }

  /** The next scene with an open finding, from the open one on and round again; false where there is none. */
  nextFinding() {
    const { length } = this.scenes;
    const at = this.scenes
      .map((_, n) => (this.open + 1 + n) % length)
      .find((n) => openOnes(this.findings(this.scenes[n])).length);
    if (at === undefined) return false;
    this.show(at);
    this.#seek(this.scenes[at].start);
    this.cards[at].querySelector('.dl-dismissfinding')?.focus({ preventScroll: true });
    return true;
  }

  /** The findings of an aspect, drawn anew in place where they have changed; a button that has the focus keeps it. */
  #drawFindings(scene) {
    const card = this.cards[this.scenes.indexOf(scene)];
    for (const place of card.querySelectorAll('[data-findings]')) {
      const found = this.findings(scene).filter((f) => f.aspect === place.dataset.findings);
      const now = JSON.stringify(found);
      if (this.#drawnFindings.get(place) === now) continue;
      this.#drawnFindings.set(place, now);
      const held = place.contains(document.activeElement) && document.activeElement.closest('li');
      this.#steady(() =>
        clear(
          place,
          findingList(found, { can: this.page.can, changed: (...what) => this.#dismissed(scene, ...what) }),
        ),
      );
      if (held) refocus(place, held);
    }
  }

  /** What is drawn above the text that has the caret does not move it. */
  #steady(draw) {
    const field = document.activeElement;
    const panel = this.node.parentElement;
    const top = field.getBoundingClientRect().top;
    draw();
    if (panel && field.matches('textarea') && this.node.contains(field))
      panel.scrollTop += field.getBoundingClientRect().top - top;
  }

  /** It shows at once; the answer to a check that was asked for before does not take it away. */
  #dismissed(scene, id, dismissal) {
    for (const finding of this.findings(scene)) if (nameOf(finding) === id) finding.dismissal = dismissal;
    this.#drawFindings(scene);
    this.#recheck();
  }

  /** What is written has changed, or what was measured: the server checks again. Its last answer counts. */
  #recheck() {
    this.checks += 1;
    const { checks } = this;
    this.page
      .findings()
      .then((findings) => {
        if (checks !== this.checks) return;
        const before = this.scenes.map((scene) => openOnes(this.findings(scene)).length);
        this.data.findings = findings;
        this.scenes.forEach((scene, n) => {
          if (n === this.open) this.#drawFindings(scene);
          else if (openOnes(this.findings(scene)).length !== before[n]) this.#fold(n);
        });
      })
      .catch(report);
  }

  /** Without a file there is nothing to seek in. */
  #seek(frame) {
    if (this.data.player.file) this.page.player.seek(frame);
  }

  #to(n) {
    this.show(n);
    this.#seek(this.scenes[n].start);
    this.cards[n].querySelector('.dl-scenehead')?.focus({ preventScroll: true });
  }

  /** Scenes of a dataset may have times without frames, or only an order. */
  #when(seconds) {
    return this.data.player.untimed ? '' : clock(seconds);
  }

  #span(scene) {
    if (this.data.player.untimed) return 'no times known';
    const length = `${clock(scene.start_s)} to ${clock(scene.end_s)} · ${(scene.end_s - scene.start_s).toFixed(1)} s`;
    const frames =
      scene.end - scene.start === 1
        ? `frame ${frameName(scene.start)}`
        : `frames ${frameName(scene.start)} to ${frameName(scene.end - 1)}`;
    return this.data.player.file ? `${length} · ${frames}` : `${length} · times as the dataset tells them`;
  }

  #thumb(scene) {
    const { id, file } = this.data.player;
    return file
      ? h('img', {
          class: 'dl-scenethumb',
          alt: '',
          loading: 'lazy',
          fetchpriority: 'low',
          src: `/media/${id}/strip/${Math.floor((scene.start + scene.end) / 2)}.jpg`,
        })
      : h('span', { class: 'dl-scenethumb' });
  }

  /** `failed` or `unparsed` when a field is so and nobody has mended it. */
  #trouble(scene) {
    const texts = Object.values(this.texts(scene)).filter((t) => !t.corrected);
    return ['failed', 'unparsed'].find((state) => texts.some((t) => t.state === state)) || '';
  }

  // --- open -------------------------------------------------------------------------

  #unfold(n) {
    const scene = this.scenes[n];
    const texts = this.texts(scene);
    this.cards[n].classList.add('dl-open');
    this.compare = h('div', { class: 'dl-measured' });
    this.look = h('div', { class: 'dl-lookagain' });
    const field = ([kind, label]) =>
      h(
        'div',
        { class: `dl-scenefield dl-field-${kind.slice(7)}` },
        this.#field(scene, kind, label, texts[kind]),
        kind === 'script:camera_movement' ? this.compare : null,
        kind === 'script:shot_type' ? this.#scale(scene) : null,
        h('div', { 'data-findings': kind.slice(7) }),
      );
    const given = [...new Set(Object.values(texts).flatMap((t) => t.frames))].sort((a, b) => a - b);
    clear(
      this.cards[n],
      h(
        'button',
        {
          type: 'button',
          class: 'dl-scenehead',
          'aria-expanded': 'true',
          title: 'to the first frame of this scene',
          onclick: () => this.#seek(scene.start),
        },
        h('b', {}, `scene ${n + 1}/${this.scenes.length}`),
        h('span', {}, this.#span(scene)),
        h('span', { class: 'dl-grow' }),
        scene.missing ? noClip() : null,
        this.data.edits.by[scene.key] === 'person' ? badge('person’s cut', 'cut') : null,
        h('span', { class: 'dl-sceneauthor' }),
      ),
      this.look,
      this.#why(texts),
      h('div', { class: 'dl-scenefields', 'data-fields-first': '' }, FIELDS.map(field)),
      this.#merged(scene),
      this.#voice(scene),
      this.#onScreen(scene),
      this.#palette(scene),
      h(
        'section',
        { class: 'dl-part' },
        h(
          'h2',
          {},
          given.length ? `frames given to the model · ${given.length}` : 'frames given to the model',
        ),
        given.length
          ? frameRow(this.page.player, given, 'frames given to the model')
          : h('p', { class: 'dl-hint' }, 'Not recorded by the source of this script.'),
      ),
    );
    this.#drawAuthors(scene);
    this.#compare(scene);
    this.#lookAgain(scene);
    this.#drawFindings(scene);
  }

  /** Why nothing could be read, once and not in every field. */
  #why(texts) {
    const reasons = new Map();
    for (const t of Object.values(texts))
      if (['failed', 'unparsed'].includes(t.state) && !t.corrected) reasons.set(`${t.state}: ${t.reason}`, t);
    const notes = new Set(
      Object.values(texts)
        .filter((t) => t.state === 'done' && t.reason)
        .map((t) => t.reason),
    );
    return [
      ...[...reasons.values()].map((t) =>
        h('p', { class: 'dl-whynot' }, mark(t.state), t.reason || 'no reason recorded'),
      ),
      ...[...notes].map((note) => h('p', { class: 'dl-hint' }, note)),
    ];
  }

  #field(scene, kind, label, text) {
    const can = this.page.can('edit');
    if (!text && !can)
      return h(
        'div',
        { class: 'dl-editor-head' },
        h('span', { class: 'dl-label' }, label),
        mark('missing', 'not written'),
      );
    const editor = new TextEditor(
      text || newText({ video_id: this.page.player.data.id, kind, scene: scene.key }),
      {
        label,
        limit: this.data.limits[kind],
        rows: kind === 'script:content' && text ? 4 : 1,
        readonly: !can,
        placeholder: text ? null : `no ${label} yet`,
        onsaved: (value) => this.#saved(scene, kind, value),
      },
    );
    Object.assign(editor, { kind });
    if (kind !== 'script:content')
      editor.area.addEventListener('keydown', (event) => this.#enterInLine(event));
    this.editors.push(editor);
    return [editor.node, text?.others.length ? this.#others(text.others) : null];
  }

  /** A text of one line: Enter goes on to the field after it. */
  #enterInLine(event) {
    if (event.key !== 'Enter' || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.#following?.area.focus();
  }

  #saved(scene, kind, value) {
    this.data.script[scene.key] ||= {};
    const texts = this.data.script[scene.key];
    texts[kind] = Object.assign(texts[kind] || { others: [], model: '' }, value);
    delete this.data.edits.marks[value.id];
    this.#drawAuthors(scene);
    this.#steady(() => this.#lookAgain(scene));
    this.#recheck();
    if (kind === 'script:camera_movement') this.#newClaims(scene);
  }

  /** Whose words all of a scene's texts are stands in its head, where it is one. */
  #drawAuthors(scene) {
    const card = this.cards[this.scenes.indexOf(scene)];
    const authors = new Map(
      Object.values(this.texts(scene)).map((text) => [
        JSON.stringify([text.author, text.model, text.corrected && text.corrected_by]),
        text,
      ]),
    );
    const [by] = authors.values();
    card.classList.toggle('dl-oneauthor', authors.size === 1);
    clear(card.querySelector('.dl-sceneauthor') || h('span'), authors.size === 1 ? authorMarks(by) : null);
  }

  #others(others) {
    return h(
      'details',
      { class: 'dl-otherauthors' },
      h('summary', {}, plural(others.length, 'other author')),
      others.map((t) =>
        h(
          'div',
          { class: 'dl-otherauthor' },
          authorMarks(t),
          t.state === 'done' || t.corrected
            ? h('p', {}, t.value)
            : h('p', { class: 'dl-hint' }, mark(t.state), t.reason),
        ),
      ),
    );
  }

  // --- cuts that moved --------------------------------------------------------------

  /** Marks on the texts of a scene: [[text id, mark]]. */
  #moved(scene) {
    return Object.entries(this.data.edits.marks).filter(([, found]) => found.scene === scene.key);
  }

  #unmeasured(scene) {
    if (scene.missing) return 'no clip to measure';
    return this.data.edits.recut.includes(scene.key) ? 'not measured for the new cut' : 'not measured yet';
  }

  #lookAgain(scene) {
    const moved = this.#moved(scene);
    this.look.hidden = !moved.length;
    if (!moved.length || this.scenes[this.open] !== scene) return;
    const ids = new Set(moved.map(([id]) => id));
    const fields = FIELDS.filter(([kind]) =>
      [this.texts(scene)[kind], ...(this.texts(scene)[kind]?.others || [])].some((t) => t && ids.has(t.id)),
    ).map(([, label]) => label);
    clear(
      this.look,
      mark('moved', 'cut moved: look again'),
      h('span', {}, `${fields.join(', ')}: ${moved[0][1].why}`),
      this.page.can('edit')
        ? button(['Looks right', keyHint('script.looks_right')], () => this.page.looksRight(scene.key), {
            name: 'looks-right',
            title: 'The texts fit the new cut',
          })
        : null,
    );
  }

  /** The server was asked again which texts to look at. */
  remark() {
    this.scenes.forEach((scene, n) => {
      if (
        n !== this.open &&
        Boolean(this.cards[n].querySelector('.dl-is-moved')) !== Boolean(this.#moved(scene).length)
      )
        this.#fold(n);
    });
    if (this.scenes[this.open]) this.#lookAgain(this.scenes[this.open]);
  }

  /** Scenes that were cut anew are measured now. */
  remeasured() {
    const scene = this.scenes[this.open];
    if (!scene) return;
    this.#compare(scene);
    this.cards[this.open].querySelector('.dl-scale')?.replaceWith(this.#scale(scene));
    this.#recheck();
    this.cards[this.open].querySelector('.dl-palettepart')?.replaceWith(this.#palette(scene));
  }

  /** What was written on a scene that is part of this one now. */
  #merged(scene) {
    return (this.data.edits.lost[scene.key] || []).map((lost) => {
      const texts = this.data.script[lost.key] || {};
      const rows = FIELDS.filter(([kind]) => texts[kind]?.value).map(([kind, label]) => [
        h('dt', {}, label),
        h('dd', {}, texts[kind].value),
      ]);
      return h(
        'section',
        { class: 'dl-part dl-fromscene' },
        h(
          'h2',
          {},
          `from ${lost.merged ? 'the merged scene' : 'a scene of an earlier cut'} · ${clock(lost.start_s)} to ${clock(lost.end_s)}`,
        ),
        h('dl', {}, rows),
      );
    });
  }

  #newClaims(scene) {
    this.page
      .claims()
      .then((claims) => {
        this.data.claims = claims;
        if (this.scenes[this.open] === scene) this.#steady(() => this.#compare(scene));
      })
      .catch(report);
  }

  #compare(scene) {
    const motion = scene.measurements.camera_motion;
    const claim = this.data.claims[scene.key];
    if (!motion) {
      clear(this.compare, h('span', {}, this.#unmeasured(scene)));
      return;
    }
    const [sign, words] = motionWords(motion.label);
    clear(
      this.compare,
      h(
        'span',
        {
          title: `horizontal ${motion.dx_per_s}, vertical ${motion.dy_per_s}, zoom ${motion.zoom_per_s} per second; shake ${motion.shake}`,
        },
        'measured ',
        h('b', {}, `${sign} ${words}`),
        ` · confidence ${motion.confidence.toFixed(2)}`,
      ),
      claim === 'contradict'
        ? mark('contradiction', 'contradicts the text')
        : claim === 'agree'
          ? mark('entailment', 'fits the text')
          : h(
              'span',
              { title: 'the text names no plain movement, or the measurement is not sure enough' },
              'cannot tell whether it fits',
            ),
    );
  }

  #scale(scene) {
    const scale = scene.measurements.shot_scale;
    if (!scale || scale.label === 'unknown')
      return h(
        'div',
        { class: 'dl-measured dl-scale' },
        h('span', {}, scale ? 'measured: shot scale unknown' : this.#unmeasured(scene)),
      );
    return h(
      'div',
      { class: 'dl-measured dl-scale' },
      h('span', {}, 'measured ', h('b', {}, scale.label), ` · confidence ${scale.confidence.toFixed(2)}`),
    );
  }

  #voice(scene) {
    const said = this.said(scene);
    const { speech } = this.data.player;
    return h(
      'section',
      { class: 'dl-part' },
      h('h2', {}, 'voice-over'),
      said.length
        ? h(
            'p',
            { class: 'dl-voice' },
            said.map((s) =>
              h(
                'button',
                {
                  type: 'button',
                  class: 'dl-saidline',
                  disabled: !this.data.player.file,
                  title: `${clock(s.start_s)} to ${clock(s.end_s)}`,
                  onclick: () => this.#seek(this.page.player.frameAt(Math.max(s.start_s, scene.start_s))),
                },
                icon('play'),
                saidWords(s, scene),
              ),
            ),
          )
        : h('p', { class: 'dl-hint' }, speech.heard ? 'no speech in this scene' : 'no transcription yet'),
      h('div', { 'data-findings': 'speech' }),
    );
  }

  #onScreen(scene) {
    const lines = this.written(scene);
    return h(
      'section',
      { class: 'dl-part', hidden: !lines.length },
      h('h2', {}, 'text on screen'),
      h(
        'p',
        { class: 'dl-voice' },
        lines.map((line) => {
          const frame = Math.min(Math.max(line.frame, scene.start), scene.end - 1);
          return h(
            'button',
            {
              type: 'button',
              class: 'dl-saidline',
              title: `${clock(line.start_s)} to ${clock(line.end_s)}, score ${line.score.toFixed(2)}`,
              onclick: () => this.#seek(frame),
            },
            icon('play'),
            h('span', {}, line.text),
          );
        }),
      ),
    );
  }

  #palette(scene) {
    const colours = scene.measurements.palette?.colours || [];
    return h(
      'section',
      { class: 'dl-part dl-palettepart', hidden: !colours.length },
      h('h2', {}, 'colours, measured'),
      h(
        'ul',
        { class: 'dl-palette' },
        colours.map((c) =>
          h(
            'li',
            { title: c.hex },
            h('span', {
              class: 'dl-swatch',
              style: { background: /^#[0-9a-f]{6}$/i.test(c.hex) ? c.hex : 'none' },
            }),
            c.name,
            h('small', {}, `${Math.round(c.share * 100)} %`),
          ),
        ),
      ),
    );
  }
}

const isRefused = (editor) => editor.isRefused;
