"""Which text counts where several were written, and by whom: for pages, checks, scores and exports alike.

Runs, datasets and people may all have written a text of one kind about one subject (a video, scene or
frame). A text that a newer one of the same author replaced never counts. The others are ordered by these
rules, and the first one counts:

1. A text with words comes before one without (a reply that failed, a field that is still empty). A person
   who empties another's text has decided so: that counts as words.
2. Approved work comes first, then what a person wrote, then a dataset's reference, then a person's
   correction of a model's prediction (a caption of an evaluation), then a person's work that still waits
   for approval (CareBench's captions and splits alone), then a machine's. A person who corrects a text has
   written it, also if a machine began it. What was written after the approval is not approved.
3. A model's text comes before the baseline's.
4. The latest comes first.

A part of a split counts beside the caption that it was made from, or from which that caption was kept. A part
of another caption does not count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sqlalchemy import select

from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import EvaluationRun
from annotation.store import tables as t
from annotation.store.store import Current, Store
from annotation.texts.writers import Writer, author, histories, words_by, written_by
from backends.errors import UsageError

Values = Literal["machine", "current"]
"""What machines and datasets wrote, or the same with people's corrections."""
Standing = Literal["machine", "waiting", "prediction", "reference", "own", "approved"]
"""Rule 2, in ascending order."""
ORDER: Sequence[Standing] = ("machine", "waiting", "prediction", "reference", "own", "approved")
_VDC = ("vdc:camera", "vdc:short", "vdc:background", "vdc:main_object", "vdc:detailed")
_SCRIPT = ("script:shot_type", "script:camera_movement", "script:content", "script:scene_title")
_MERGED = ("carebench:overview", "carebench:object", "carebench:action", "carebench:misc", "carebench:full")
_SPLIT = ("carebench:spatial", "carebench:temporal")
TASK_OF: Mapping[str, str] = {
    **dict.fromkeys(_VDC, "captions"),
    **dict.fromkeys(_SCRIPT, "script"),
    **dict.fromkeys(_MERGED, "merge"),
    **dict.fromkeys(_SPLIT, "split"),
}
"""By kind, the task with which its texts are approved."""
WAITS = ("merge", "split")
"""Tasks whose texts wait for approval."""
CAPTIONS_TO_SPLIT = ("carebench:full", "vdc:detailed")
"""A split is made from the first of these kinds that a video has."""
MADE_FROM: Mapping[str, Sequence[str]] = dict.fromkeys(_SPLIT, CAPTIONS_TO_SPLIT)
"""By kind, the kinds of text that it is made from."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose texts are wanted."""

    choice: Literal["counting", "references", "evaluation", "person"]
    """`counting`: the first by the rules, of all; `references`: of datasets and people, without texts that
    a machine began; `evaluation`: those of one evaluation's captioner; `person`: the last words of one
    person, also where others have changed them since."""
    id: str = ""
    """Of the evaluation or the person."""


COUNTING, REFERENCES = Whose("counting"), Whose("references")


Seen = Callable[[Sequence[Text]], Sequence[Text]]
"""Leaves out what a person may not see."""


class Subject(NamedTuple):
    """What a text is about."""

    video_id: str
    kind: str
    subject_id: str
    """The video's id, a scene's key, a frame's id."""


@dataclass(frozen=True, slots=True)
class CountingText:
    """A text with the words that are wanted of it."""

    text: Text
    now: Current
    value: str
    writer: Writer
    """Of these words."""
    standing: Standing
    at: float
    """When the words were written, in seconds since 1970."""

    def of(self, values: Values) -> str:
        """The machine's value or the current one, whichever of them was wanted."""
        return str(self.now.value if values == "current" else self.now.machine)

    @property
    def has_words(self) -> bool:
        """Rule 1."""
        emptied = self.writer.kind == "person" and self.text.person_id is None
        return bool(self.value.strip()) or emptied

    @property
    def by_baseline(self) -> bool:
        """Whether the embedded baseline wrote these words."""
        return self.text.baseline and self.writer.kind != "person"

    @property
    def key(self) -> tuple[bool, int, bool, float, str]:
        """The first by the rules has the highest."""
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
    """All texts of these kinds (None: of every kind), of some videos or of all. The first of a list counts.

    `seen` leaves out texts that the person who asks may not see. `beside` is the id of the caption that
    parts of a split belong to; empty: of the caption that counts. Raises UsageError for the machine's
    values of a person.
    """
    if whose.choice == "person" and values == "machine":
        raise UsageError("a person's texts have no machine values; leave out --values machine")
    wanted = None if kinds is None else set(kinds)
    read = wanted and wanted | {source for kind in wanted for source in MADE_FROM.get(kind, ())}
    found: defaultdict[Subject, list[CountingText]] = defaultdict(list)
    texts = _candidates(store, read, whose, video_ids)
    for one in _with_words(store, seen(texts) if seen else texts, whose, values, video_ids):
        found[Subject(one.text.video_id, one.text.kind, one.text.subject_id)].append(one)
    ordered = {s: sorted(group, key=lambda one: one.key, reverse=True) for s, group in found.items()}
    requested = {s: group for s, group in ordered.items() if wanted is None or s.kind in wanted}
    captions = {s: beside or _caption_of(s, ordered) for s in requested if s.kind in MADE_FROM}
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
    """`{video id: {kind: the text that counts}}` of texts about whole videos that have words."""
    found: defaultdict[str, dict[str, CountingText]] = defaultdict(dict)
    for subject, group in texts_by_subject(store, kinds, whose, values, video_ids).items():
        if subject.subject_id == subject.video_id and group[0].has_words:
            found[subject.video_id][subject.kind] = group[0]
    return dict(found)


def caption_to_split(found: Mapping[str, CountingText]) -> CountingText | None:
    """Of a video's texts by kind, the full caption that a split is made from."""
    return next((found[kind] for kind in CAPTIONS_TO_SPLIT if kind in found), None)


def dataset_of(texts: Iterable[CountingText]) -> str | None:
    """The first dataset that any of these texts came with."""
    return next((one.text.dataset_id for one in texts if one.text.dataset_id), None)


def _caption_of(subject: Subject, ordered: Mapping[Subject, Sequence[CountingText]]) -> str:
    """Id of the text that one of this kind is made from; empty if there is none."""
    sources = (ordered.get(subject._replace(kind=kind)) for kind in MADE_FROM.get(subject.kind, ()))
    return next((found[0].text.id for found in sources if found and found[0].has_words), "")


def _origins(store: Store, captions: Iterable[str]) -> dict[str, set[str]]:
    """`{caption: itself and the texts that it was kept from}`: a split of one is a split of it."""
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
    """Without texts that were made from another caption; all of them if there is no caption."""
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
    return [_as_it_is(text, now, *by[text.id], known) for text, now in pairs]


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
    """What its captioner wrote, and the splits that a machine made of that."""
    runs = [link.run_id for link in store.find(EvaluationRun, evaluation_id=evaluation_id, role="captions")]
    captions = store.find(Text, run_id=runs, order_by=["created_at", "id"], **where)
    ids = {text.id for text in captions}
    of_splits = dict(where) | {"kind": [kind for kind in MADE_FROM if kind in where.get("kind", MADE_FROM)]}
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
    """What the standing of texts depends on, beside the texts."""

    work: Mapping[tuple[str, str, str], tuple[str, float]]
    """`{(video id, task, person id): (state, since when)}` of work that was not withdrawn."""
    captioners: Collection[str]
    """Runs whose captions are scored in an evaluation."""


def _known(store: Store, video_ids: Collection[str] | None) -> _Known:
    c, link = t.assignment.c, t.evaluation_run.c
    query = select(c.video_id, c.task, c.person_id, c.state, c.created_at)
    query = query.where(c.task.in_(sorted(set(TASK_OF.values()))))
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
    task = TASK_OF.get(text.kind, "")
    state, since = known.work.get((text.video_id, task, writer.id), ("", 0.0))
    if state == "approved" and at <= since:
        return "approved"
    if state and task in WAITS:
        return "waiting"
    return "prediction" if text.run_id in known.captioners else "own"


def _as_it_is(text: Text, now: Current, writer: Writer, at: float, known: _Known) -> CountingText:
    value = str(now.value or "") if text.state == "done" or now.corrected else ""
    return CountingText(text, now, value, writer, _standing(text, writer, at, known), at)


def _as_written(text: Text, now: Current) -> CountingText:
    value, writer = str(now.machine or "") if text.state == "done" else "", author(text)
    standing: Standing = "reference" if text.dataset_id else "machine"
    return CountingText(text, now, value, writer, standing, text.created_at)


def _of_person(
    store: Store, pairs: Sequence[tuple[Text, Current]], person_id: str, known: _Known
) -> list[CountingText]:
    """A text without corrections holds the words that its record came with (an import)."""
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
