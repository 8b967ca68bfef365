"""Decide which text counts if there are several, and who wrote it, for pages, checks, scores and exports.

Runs, datasets and people may all have written a text of the same kind about the same subject (a video, scene
or frame). A text that a newer one by the same author has replaced never counts. The others are sorted by
these rules, and the first one counts:

1. Texts with words come before texts without (a failed reply, a field that is still empty). If a person
   empties another author's text, this is a decision and treated like words.
2. Approved work comes first, then a person's text, then a dataset's reference, then a person's correction of
   a model's prediction (a caption of an evaluation), then a person's work that waits for approval (only
   CaReBench captions and splits), then a machine's text. A person who corrects a text becomes its writer,
   even if a machine started it. Changes after the approval are not approved.
3. A model's text comes before the baseline's.
4. The latest comes first.

A part of a split counts with the caption that it was made from, and with captions copied from that one. Parts
of other captions do not count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sqlalchemy import select

from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import EvaluationRun
from annotation.records.system_facts import TextFacts, kinds_with, text_facts
from annotation.store import tables as t
from annotation.store.store import Current, Store
from annotation.texts.writers import Writer, author, histories, words_by, written_by
from backends.errors import UsageError

Values = Literal["machine", "current"]
"""`machine`: the texts of machines and datasets. `current`: the same with people's corrections."""
Standing = Literal["machine", "waiting", "prediction", "reference", "own", "approved"]
"""The classes of rule 2, in ascending order."""
ORDER: Sequence[Standing] = ("machine", "waiting", "prediction", "reference", "own", "approved")
WAITS = ("merge", "split")
"""Tasks whose texts need approval."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Selects whose texts to use."""

    choice: Literal["counting", "references", "evaluation", "person"]
    """`counting`: the texts that count by the rules; `references`: texts of datasets and people, without
    texts that a machine started; `evaluation`: texts by the captioner of one evaluation; `person`: the last
    words of one person, even if others have changed them since."""
    id: str = ""
    """Id of the evaluation or the person."""


COUNTING, REFERENCES = Whose("counting"), Whose("references")


Seen = Callable[[Sequence[Text]], Sequence[Text]]
"""Returns the texts that a person may see."""


class Subject(NamedTuple):
    """The subject of a text."""

    video_id: str
    kind: str
    subject_id: str
    """The video's id, a scene's key, a frame's id."""


@dataclass(frozen=True, slots=True)
class CountingText:
    """A text with the requested version of its words."""

    text: Text
    now: Current
    value: str
    writer: Writer
    """The writer of `value`."""
    standing: Standing
    at: float
    """When `value` was written, in seconds since 1970."""

    def of(self, values: Values) -> str:
        """Return the machine's value or the current one."""
        return str(self.now.value if values == "current" else self.now.machine)

    @property
    def has_words(self) -> bool:
        """Whether the text has words as defined in rule 1."""
        emptied = self.writer.kind == "person" and self.text.person_id is None
        return bool(self.value.strip()) or emptied

    @property
    def by_baseline(self) -> bool:
        """Whether `value` is by the embedded baseline."""
        return self.text.baseline and self.writer.kind != "person"

    @property
    def key(self) -> tuple[bool, int, bool, float, str]:
        """Sort key; the text that counts has the highest."""
        place = ORDER.index(self.standing)
        return self.has_words, place, not self.by_baseline, self.at, self.text.id


def texts_by_subject(
    store: Store,
    kinds: Iterable[str] | None,
    whose: Whose = COUNTING,
    values: Values = "current",
    video_ids: Collection[str] | None = None,
    *,
    seen: Seen | None = None,
    beside: str = "",
) -> dict[Subject, list[CountingText]]:
    """Return all texts of these kinds (None: all kinds) of some videos or all. The first of each list counts.

    `seen` filters the texts that the person may see. `beside` is the id of the caption to which parts of a
    split belong; empty for the caption that counts. Raises UsageError if machine values of a person are
    requested.
    """
    if whose.choice == "person" and values == "machine":
        raise UsageError("a person's texts have no machine values; leave out --values machine")
    wanted = None if kinds is None else set(kinds)
    read = wanted and wanted | {source for kind in wanted for source in _sources(kind)}
    found: defaultdict[Subject, list[CountingText]] = defaultdict(list)
    texts = _candidates(store, read, whose, video_ids)
    for one in _with_words(store, seen(texts) if seen else texts, whose, values, video_ids):
        found[Subject(one.text.video_id, one.text.kind, one.text.subject_id)].append(one)
    ordered = {s: sorted(group, key=lambda one: one.key, reverse=True) for s, group in found.items()}
    requested = {s: group for s, group in ordered.items() if wanted is None or s.kind in wanted}
    captions = {s: beside or _caption_of(s, ordered) for s in requested if _sources(s.kind)}
    origins = _origins(store, captions.values())
    kept = {s: _made_from(group, origins[captions.get(s, "")]) for s, group in requested.items()}
    return {subject: group for subject, group in kept.items() if group}


def counting_texts(
    store: Store,
    kinds: Iterable[str],
    whose: Whose = COUNTING,
    values: Values = "current",
    video_ids: Collection[str] | None = None,
) -> dict[str, dict[str, CountingText]]:
    """Return `{video id: {kind: the text that counts}}` for texts about whole videos that have words."""
    found: defaultdict[str, dict[str, CountingText]] = defaultdict(dict)
    for subject, group in texts_by_subject(store, kinds, whose, values, video_ids).items():
        if subject.subject_id == subject.video_id and group[0].has_words:
            found[subject.video_id][subject.kind] = group[0]
    return dict(found)


def task_of(kind: str) -> str:
    """Return the task that approves texts of this kind, or an empty string."""
    return text_facts().get(kind, TextFacts()).task


def dataset_of(texts: Iterable[CountingText]) -> str | None:
    """Return the id of the first dataset among the authors of these texts, or None."""
    return next((one.text.dataset_id for one in texts if one.text.dataset_id), None)


def _sources(kind: str) -> tuple[str, ...]:
    return text_facts().get(kind, TextFacts()).made_from


def _caption_of(subject: Subject, ordered: Mapping[Subject, Sequence[CountingText]]) -> str:
    """Return the id of the text from which this kind is made, or an empty string."""
    sources = (ordered.get(subject._replace(kind=kind)) for kind in _sources(subject.kind))
    return next((found[0].text.id for found in sources if found and found[0].has_words), "")


def _origins(store: Store, captions: Iterable[str]) -> dict[str, set[str]]:
    """Return by caption id the ids of the caption and of the texts it was copied from.

    A split of any of these is a split of the caption.
    """
    source: dict[str, str | None] = {"": None}
    left = set(captions) - source.keys()
    while left:
        found = {text.id: text.source_text_id for text in store.find(Text, id=sorted(left))}
        source |= dict.fromkeys(left, None) | found
        left = {one for one in found.values() if one} - source.keys()

    def chain(one: str) -> set[str]:
        seen: set[str] = set()
        at: str | None = one
        while at and at not in seen:
            seen.add(at)
            at = source[at]
        return seen

    return {one: chain(one) for one in source}


def _made_from(group: list[CountingText], origins: Collection[str]) -> list[CountingText]:
    """Remove texts that were made from another caption. Without a caption all are kept."""
    return [one for one in group if not origins or one.text.source_text_id in (None, *origins)]


# --- reading ------------------------------------------------------------------------------


def _with_words(
    store: Store, texts: Sequence[Text], whose: Whose, values: Values, video_ids: Collection[str] | None
) -> Iterable[CountingText]:
    pairs = store.not_superseded(texts)
    known = _known(store, video_ids)
    if whose.choice == "person":
        return _of_person(store, pairs, whose.id, known)
    if values == "machine":
        return [_as_written(text, now) for text, now in pairs if not text.person_id]
    by = written_by(store, pairs)
    return [_as_current(text, now, *by[text.id], known) for text, now in pairs]


def _candidates(
    store: Store, kinds: Collection[str] | None, whose: Whose, video_ids: Collection[str] | None
) -> list[Text]:
    where: dict[str, Any] = {} if kinds is None else {"kind": sorted(kinds)}
    if video_ids is not None:
        where["video_id"] = sorted(video_ids)
    if whose.choice == "references":
        where["run_id"] = None
    elif whose.choice == "evaluation":
        return _of_evaluation(store, whose.id, where)
    elif whose.choice == "person":
        own = store.find(Text, person_id=whose.id, order_by=["created_at", "id"], **where)
        changed = store.find(Text, id=_corrected_by(store, whose.id), order_by=["created_at", "id"], **where)
        return list({text.id: text for text in (*own, *changed)}.values())
    return store.find(Text, order_by=["created_at", "id"], **where)


def _of_evaluation(store: Store, evaluation_id: str, where: Mapping[str, Any]) -> list[Text]:
    """Return the captions of an evaluation, and the splits that a machine made from them."""
    runs = [link.run_id for link in store.find(EvaluationRun, evaluation_id=evaluation_id, role="captions")]
    captions = store.find(Text, run_id=runs, order_by=["created_at", "id"], **where)
    ids = {text.id for text in captions}
    made = kinds_with("made_from")
    of_splits = dict(where) | {"kind": [kind for kind in made if kind in where.get("kind", made)]}
    splits = store.find(Text, order_by=["created_at", "id"], **of_splits)
    more = (one for one in splits if one.run_id and one.source_text_id in ids and one.id not in ids)
    return [*captions, *more]


def _corrected_by(store: Store, person_id: str) -> list[str]:
    c = t.correction.c
    query = select(c.subject_id).where(c.subject_type == "text", c.person_id == person_id).distinct()
    with store.reading() as conn:
        return list(conn.scalars(query))


@dataclass(frozen=True, slots=True)
class _Known:
    """Data other than the texts that determines their standing."""

    work: Mapping[tuple[str, str, str], tuple[str, float]]
    """`{(video id, task, person id): (state, time of the state)}`, without withdrawn work."""
    captioners: Collection[str]
    """Runs whose captions are scored in an evaluation."""


def _known(store: Store, video_ids: Collection[str] | None) -> _Known:
    c, link = t.assignment.c, t.evaluation_run.c
    query = select(c.video_id, c.task, c.person_id, c.state, c.created_at)
    tasks = {facts.task for facts in text_facts().values() if facts.task}
    query = query.where(c.task.in_(sorted(tasks)))
    if video_ids is not None and len(video_ids) == 1:
        query = query.where(c.video_id == next(iter(video_ids)))
    with store.reading() as conn:
        rows = conn.execute(query.order_by(c.created_at, c.id)).all()
        captioners = set(conn.scalars(select(link.run_id).where(link.role == "captions")))
    newest = {(row.video_id, row.task, row.person_id): (row.state, row.created_at) for row in rows}
    work = {place: state for place, state in newest.items() if state[0] != "withdrawn"}
    return _Known(work, captioners)


def _standing(text: Text, writer: Writer, at: float, known: _Known) -> Standing:
    if writer.kind != "person":
        return "reference" if text.dataset_id else "machine"
    task = task_of(text.kind)
    state, since = known.work.get((text.video_id, task, writer.id), ("", 0.0))
    if state == "approved" and at <= since:
        return "approved"
    if state and task in WAITS:
        return "waiting"
    return "prediction" if text.run_id in known.captioners else "own"


def _as_current(text: Text, now: Current, writer: Writer, at: float, known: _Known) -> CountingText:
    value = str(now.value or "") if text.state == "done" or now.corrected else ""
    return CountingText(text, now, value, writer, _standing(text, writer, at, known), at)


def _as_written(text: Text, now: Current) -> CountingText:
    value, writer = str(now.machine or "") if text.state == "done" else "", author(text)
    standing: Standing = "reference" if text.dataset_id else "machine"
    return CountingText(text, now, value, writer, standing, text.created_at)


def _of_person(
    store: Store, pairs: Sequence[tuple[Text, Current]], person_id: str, known: _Known
) -> list[CountingText]:
    """Return a person's last words in each text. Texts without corrections (imports) use the record."""
    made = histories(store, [text.id for text, _ in pairs])
    writer = Writer("person", person_id)
    found: list[CountingText] = []
    for text, now in pairs:
        last = words_by(made.get(text.id, ()), person_id)
        if last is None and (text.person_id != person_id or text.id in made):
            continue
        value, at = (str(last.value), last.created_at) if last else (text.value, text.created_at)
        found.append(CountingText(text, now, value, writer, _standing(text, writer, at, known), at))
    return found
