"""`vdc-qa-patch`: people's changes to a dataset's questions, one per line, for the dataset's authors.

A line contains the dataset's question (`question`, `answer`, at `index` of the video's list of the aspect)
and a person's action: `correct` (`new_question`, `new_answer`; null if unchanged) or `exclude`, with the
reason, the person and the time (UTC seconds). Importing it into a workspace with the same dataset makes the
same changes. If a question differs there, the line is reported and not applied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotation.intake.names_of_videos import VideoNames
from annotation.records.captions_to_verdicts import Question
from annotation.records.decisions import Correction, Exclusion
from annotation.records.ids import Json, record_id
from annotation.records.videos import Dataset
from annotation.store.exclusions import exclusions, newest_words
from annotation.store.store import Store
from exports.files.evaluations_and_corrections import last_corrections, people
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, Item, json_lines
from exports.files.write_files import json_line

NAME = "vdc-qa-patch"
ACTIONS = ("correct", "exclude")
_TEXTS = ("video_id", "aspect", "question", "answer", "action", "by")
_FIELDS = (("new_question", "text"), ("new_answer", "reference"))


# --- writing --------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the current changes, ordered by video, aspect and index."""
    found = list(_lines(wanted.store))
    if found:
        yield "", [json_line(line) for line in found]


def _lines(store: Store) -> Iterator[dict[str, Json]]:
    corrected, excluded = last_corrections(store, "question"), exclusions(store)
    ids = {subject for subject, _ in corrected} | excluded.keys()
    order = ["dataset_id", "video_id", "kind", "index", "id"]
    questions = [q for q in store.find(Question, order_by=order) if q.id in ids and q.dataset_id]
    names, who = VideoNames(store, "vdc"), people(store)
    datasets = {dataset.id: dataset.name for dataset in store.find(Dataset)}
    for q in questions:
        about: dict[str, Json] = {
            "dataset": datasets[q.dataset_id or ""],
            "video_id": names.name(q.video_id, q.dataset_id),
            "aspect": q.kind.removeprefix("vdc:"),
            "index": q.index,
            "category": q.category,
            "question": q.text,
            "answer": q.reference,
        }
        changes = {field: corrected.get((q.id, field)) for _, field in _FIELDS}
        for line in _corrections(changes, who):
            yield about | {"action": "correct"} | line
        if q.id in excluded:
            yield about | {"action": "exclude"} | _said(excluded[q.id], who)


def _corrections(changes: dict[str, Correction | None], who: dict[str, str]) -> Iterator[dict[str, Json]]:
    """Yield one line if one person changed both fields for one reason, else one line each."""
    made = {field: change for field, change in changes.items() if change}
    words = {(change.person_id, change.reason) for change in made.values()}
    for person, reason in sorted(words, key=lambda word: (who.get(word[0], ""), word[1])):
        mine = {f: c for f, c in made.items() if (c.person_id, c.reason) == (person, reason)}
        newest = max(mine.values(), key=lambda c: c.created_at)
        new = {key: mine[field].value if field in mine else None for key, field in _FIELDS}
        yield new | _said(newest, who)


def _said(change: Correction | Exclusion, who: dict[str, str]) -> dict[str, Json]:
    return {"reason": change.reason, "by": who.get(change.person_id, ""), "at": change.created_at}


# --- reading --------------------------------------------------------------------------


def recognise(head: Head) -> bool:
    first = head.first
    return (
        isinstance(first, dict)
        and {"video_id", "question", "answer"} <= first.keys()
        and (first.get("action") in ACTIONS)
    )


def read(source: Source) -> Batch:
    """Read corrections and exclusions of the named people, for questions that match the store's."""
    reader = _Reader(source)
    for item in json_lines(source.path):
        reader.line(item)
    return reader.intake.batch()


@dataclass(frozen=True, slots=True)
class _Line:
    """One change, checked."""

    where: str
    value: dict[str, Any]
    at: float

    def text(self, key: str) -> str:
        return str(self.value.get(key) or "")

    @property
    def by(self) -> str:
        return self.text("by").strip()


def _fault(value: Json) -> str:
    """Return what is wrong with a line, regardless of the workspace; empty if nothing is."""
    if not isinstance(value, dict) or any(not isinstance(value.get(key), str) for key in _TEXTS):
        return f"{', '.join(_TEXTS)} must be texts"
    at, action, new = value.get("at"), value["action"], [value.get(key) for key, _ in _FIELDS]
    if isinstance(at, bool) or not isinstance(at, int | float) or not value["by"].strip():
        return "by (person) or at (UTC seconds) is missing"
    if action not in ACTIONS:
        return f"unknown action {action!r}; use {' or '.join(ACTIONS)}"
    if action == "correct" and (new == [None, None] or any(not isinstance(x, str | None) for x in new)):
        return "new_question or new_answer is not a text"
    if action == "exclude" and not str(value.get("reason") or "").strip():
        return "an exclusion needs a reason"
    return ""


class _Reader:
    """Finds each line's question in the store."""

    def __init__(self, source: Source) -> None:
        self.intake = Intake(source, NAME, system="vdc")
        self._store = source.store
        self._words = newest_words(source.store) if source.store else {}
        self._now = self._current(source.store) if source.store else {}

    @staticmethod
    def _current(store: Store) -> dict[tuple[str, str], Any]:
        ids = [question.id for question in store.find(Question) if question.dataset_id]
        return {
            (key, field): now
            for _, field in _FIELDS
            for key, now in store.currents("question", ids, field).items()
        }

    def line(self, item: Item) -> None:
        fault = _fault(item.value)
        if fault:
            self.intake.problem(item.where, f"{fault}; left out")
            return
        line = _Line(item.where, item.value, float(item.value["at"]))
        found = self._question(line)
        if isinstance(found, str):
            self.intake.problem(item.where, f"{found}; not applied")
        elif line.value["action"] == "exclude":
            self._exclude(line, found)
        else:
            for key, field in _FIELDS:
                if line.value.get(key) is not None:
                    self._correct(line, found, field, line.value[key])

    def _question(self, line: _Line) -> Question | str:
        """Return the matching question, preferably at the same index, or why there is none."""
        name, aspect, index = line.text("video_id"), line.text("aspect"), line.value.get("index")
        here = self._list(line, aspect if ":" in aspect else f"vdc:{aspect}")
        same = [q for q in here if (q.text, q.reference) == (line.text("question"), line.text("answer"))]
        if same:
            return min(same, key=lambda q: (q.index != index, q.index))
        for q in here:
            if q.index == index:
                return f"question {index} of {name!r} ({aspect}) is now {q.text!r} -> {q.reference!r}"
        return f"the workspace has no such question of {name!r} ({aspect}); import its dataset first"

    def _list(self, line: _Line, kind: str) -> list[Question]:
        wanted = self.intake.source.dataset or line.text("dataset")
        matcher = self.intake.matcher
        ids = [d.id for d in matcher.datasets.values() if d.name == wanted or not wanted]
        found = [(key, matcher.find(key, (line.text("video_id"),))) for key in ids]
        videos = {video for _, some in found for video in some}
        if self._store is None or not videos:
            return []
        return self._store.find(
            Question, video_id=sorted(videos), kind=kind, dataset_id=ids, order_by=["index"]
        )

    def _correct(self, line: _Line, question: Question, field: str, value: str) -> None:
        now = self._now[question.id, field]
        if now.value == value:
            return
        if now.corrected:
            self.intake.problem(line.where, f"it is already corrected to {now.value!r}; not applied")
            return
        made = Correction(
            id=record_id("cor", question.id, field, value, line.text("by"), line.at),
            subject_type="question",
            subject_id=question.id,
            field=field,
            value=value,
            cleared=False,
            revision=now.revision + 1,
            person_id=self.intake.person(line.by, self.intake.now),
            reason=line.text("reason"),
            created_at=line.at,
        )
        self.intake.corrections[made.id] = made

    def _exclude(self, line: _Line, question: Question) -> None:
        reason, last = line.text("reason").strip(), self._words.get(question.id)
        if last and last.reason == reason:
            return
        if last and last.created_at >= line.at:
            word = f"excluded for another reason ({last.reason!r})" if last.reason else "included again"
            self.intake.problem(line.where, f"the question was later {word}; not applied")
            return
        made = Exclusion(
            id=record_id("exc", question.id, reason, line.text("by"), line.at),
            question_id=question.id,
            video_id=question.video_id,
            person_id=self.intake.person(line.by, self.intake.now),
            reason=reason,
            created_at=line.at,
        )
        self.intake.add(made)
