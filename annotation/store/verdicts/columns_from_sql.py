"""The verdicts of an evaluation as columns in memory, for filtering, sorting and counting.

A hundred thousand rows are read once, in one to two seconds. Later requests read only the videos that have
changed since (`annotation.store.changed_videos`). Sorting columns takes milliseconds; a database would have
to look up and sort every row for each request.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks, plain_rows

C = t.current.c
Q = t.question.c

CODED = (
    "video",
    "title",
    "source",
    "discipline",
    "category",
    "kind",
    "state",
    "label",
    "error_source",
    "run",
)
"""Columns with few distinct words. Each row holds the code of its word in `Words`."""
OBJECTS = ("verdict", "question", "text", "reference", "haystack")
NUMBERS: Mapping[str, str] = {
    "score": "<f8",
    "updated": "<f8",
    "index": "<i8",
    "corrected": "?",
    "confirmed": "?",
    "disputed": "?",
    "stale": "?",
    "baseline": "?",
}


class Words(dict[str, int]):
    """Codes of words, in order of first use. Looking up an unknown word assigns it a code."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __missing__(self, word: str) -> int:
        self[word] = code = len(self.names)
        self.names.append(word)
        return code

    def find(self, word: str) -> int:
        """Return the code of a word, or -1 if it is unknown."""
        return self.get(word, -1)

    def ranks(self) -> NDArray[np.int64]:
        """Return the rank of each code's word in case-insensitive order."""
        order = sorted(range(len(self.names)), key=lambda code: (self.names[code].lower(), self.names[code]))
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        return ranks


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its current texts."""

    video: str
    index: int
    kind: str
    category: str
    text: str
    reference: str
    haystack: str
    """Text and reference in lower case, for searching."""


@dataclass(frozen=True, slots=True)
class VideoWords:
    """Fields of a video that lists show."""

    title: str
    source: str
    discipline: str


NO_QUESTION = Asked("", 0, "", "", "", "", "")
NO_VIDEO = VideoWords("", "", "")


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows sorted by video, aspect, index of the question, id. `of` has one array per column."""

    of: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.of["verdict"])

    def at(self, rows: NDArray[Any]) -> Columns:
        """Return these rows. `rows`: row numbers in order, or a mask with one flag per row."""
        return Columns({name: column[rows] for name, column in self.of.items()})

    def with_more(self, more: Columns, words: Mapping[str, Words]) -> Columns:
        """Return both sets of rows in order. All rows of a video must be in the same set."""
        joined = {name: np.concatenate([column, more.of[name]]) for name, column in self.of.items()}
        order = np.argsort(_ranks(joined["video"], words["video"]), kind="stable")
        return Columns(joined).at(order)

    def with_values(self, rows: NDArray[np.int64], fresh: Columns) -> tuple[Columns, NDArray[np.int64]]:
        """Return the columns with the values of `fresh` in these rows, and the rows that differ.

        A column without differences keeps its array.
        """
        of = dict(self.of)
        changed = np.zeros(len(rows), bool)
        for name, now in fresh.of.items():
            differs = _differ(of[name][rows], now)
            if differs.any():
                of[name] = of[name].copy()
                of[name][rows] = now
                changed |= differs
        return Columns(of), rows[changed]


def _differ(was: NDArray[Any], now: NDArray[Any]) -> NDArray[np.bool_]:
    """Return per row whether the values differ. NaN equals NaN."""
    found: NDArray[np.bool_] = was != now
    return found & ~(np.isnan(was) & np.isnan(now)) if was.dtype.kind == "f" else found


def read_questions(conn: Connection, videos: Iterable[str] | None = None) -> dict[str, Asked]:
    """Return the questions of these videos (None: of all) by id, with their current texts."""
    columns = (Q.id, Q.video_id, Q.index, Q.kind, Q.category, Q.text, Q.reference)
    rows = _of_videos(conn, select(*columns), Q.video_id, videos)
    found = {
        row[0]: Asked(row[1], row[2], row[3], row[4], row[5], row[6], f"{row[5]}\n{row[6]}".lower())
        for row in rows
    }
    for question_id, field, value in _corrected(conn, found if videos is not None else None):
        asked = found.get(question_id)
        if asked:
            found[question_id] = _reworded(asked, field, str(value))
    return found


def _reworded(asked: Asked, field: str, value: str) -> Asked:
    text = value if field == "text" else asked.text
    reference = value if field == "reference" else asked.reference
    return replace(asked, text=text, reference=reference, haystack=f"{text}\n{reference}".lower())


def _corrected(conn: Connection, ids: Iterable[str] | None) -> list[tuple[str, str, Any]]:
    """Return corrected values of questions as (question id, field, value).

    Searching by correction is fast, because there are few corrections.
    """
    changed = select(t.correction.c.subject_id).where(t.correction.c.subject_type == "question").distinct()
    wanted = set(conn.scalars(changed))
    if ids is not None:
        wanted &= set(ids)
    rows: list[tuple[str, str, Any]] = []
    for group in chunks(wanted):
        query = select(C.subject_id, C.field, C.value).where(
            C.subject_type == "question", among(C.subject_id, group), C.corrected.is_(True)
        )
        rows += [(row[0], row[1], row[2]) for row in conn.execute(query)]
    return rows


def read_videos(conn: Connection, videos: Iterable[str] | None = None) -> dict[str, VideoWords]:
    v = t.video.c
    query = select(v.id, v.title, v.discipline, v.extra)
    rows = _of_videos(conn, query, v.id, videos) if videos is not None else conn.execute(query).all()
    return {row[0]: VideoWords(row[1], _source(row[3]), row[2] or "") for row in rows}


def _source(extra: Any) -> str:
    found = (extra or {}).get("video_source")
    return found if isinstance(found, str) else ""


_VERDICT = (
    C.subject_id,
    C.video_id,
    C.question_id,
    C.kind,
    C.run_id,
    C.state,
    C.label,
    C.score,
    C.corrected,
    C.stale,
    C.error_source,
    C.updated_at,
    C.baseline,
    C.confirmed,
    C.disputed,
)


def read_verdicts(conn: Connection, runs: Sequence[str]) -> list[Any]:
    """Return the rows of `current` for the verdicts of these runs, without superseded ones."""
    query = select(*_VERDICT).where(C.subject_type == "verdict", C.run_id.in_(runs), C.superseded.is_(False))
    return plain_rows(conn, query)


def read_verdicts_of_videos(conn: Connection, videos: Iterable[str]) -> dict[str, list[Any]]:
    """Return the same rows as `read_verdicts` for these videos, by run id."""
    # Filter by video only: with a condition on the run, the database would scan the whole run.
    query = select(*_VERDICT, C.subject_type, C.superseded)
    found: dict[str, list[Any]] = defaultdict(list)
    for row in _of_videos(conn, query, C.video_id, videos):
        if row[-2] == "verdict" and not row[-1]:
            found[row[4]].append(row[:-2])
    return found


def _of_videos(conn: Connection, query: Any, column: Any, videos: Iterable[str] | None) -> list[Any]:
    if videos is None:
        return plain_rows(conn, query)
    rows: list[Any] = []
    for group in chunks(videos):
        rows += conn.execute(query.where(among(column, group))).all()
    return rows


def make_columns(
    rows: Sequence[Any],
    questions: Mapping[str, Asked],
    videos: Mapping[str, VideoWords],
    words: Mapping[str, Words],
) -> Columns:
    """Return the columns of these rows, sorted as described in `Columns`."""
    # Transpose all rows at once: building each column row by row took half of the total time.
    of: list[Any] = list(zip(*sorted(rows, key=itemgetter(0)), strict=True)) or [()] * len(_VERDICT)
    asked = [questions.get(question, NO_QUESTION) for question in of[2]]
    about = [videos.get(video, NO_VIDEO) for video in of[1]]
    plain: dict[str, Sequence[Any]] = {
        "video": of[1],
        "title": [v.title for v in about],
        "source": [v.source for v in about],
        "discipline": [v.discipline for v in about],
        "category": [q.category for q in asked],
        "kind": [kind or "" for kind in of[3]],
        "run": of[4],
        "state": of[5],
        "label": of[6],
        "error_source": of[10],
        "verdict": of[0],
        "question": [question or "" for question in of[2]],
        "text": [q.text for q in asked],
        "reference": [q.reference for q in asked],
        "haystack": [q.haystack for q in asked],
        "score": [np.nan if score is None else score for score in of[7]],
        "updated": of[11],
        "index": [q.index for q in asked],
        "corrected": of[8],
        "stale": of[9],
        "baseline": of[12],
        "confirmed": of[13],
        "disputed": of[14],
    }
    found = {name: _array(name, values, words) for name, values in plain.items()}
    order = np.lexsort((found["index"], *(_ranks(found[name], words[name]) for name in ("kind", "video"))))
    return Columns({name: column[order] for name, column in found.items()})


def _ranks(codes: NDArray[Any], words: Words) -> NDArray[np.int64]:
    """Return the rank of each row's word among the words of all rows; upper case sorts before lower."""
    used, places = np.unique(codes, return_inverse=True)
    names = [words.names[code] for code in used.tolist()]
    ranks = np.empty(len(used), np.int64)
    ranks[sorted(range(len(used)), key=names.__getitem__)] = np.arange(len(used))
    return ranks[places]


def _array(name: str, values: Sequence[Any], words: Mapping[str, Words]) -> NDArray[Any]:
    if name in CODED:
        return np.fromiter(map(words[name].__getitem__, values), np.int32, len(values))
    if name in NUMBERS:
        return np.array(values, dtype=NUMBERS[name])
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found
