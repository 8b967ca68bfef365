"""Kinds of decisions for which the newest row counts, declared as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic

from sqlalchemy import Connection, Table, select

from annotation.editing.newest_record import later_than, newest
from annotation.records.decisions import (
    ErrorSource,
    Exclusion,
    FrameLabel,
    PinnedFrames,
    Selection,
    StudyChoice,
)
from annotation.records.errors import NotFound
from annotation.records.ids import Json, new_id
from annotation.records.prompt_versions import PromptUse
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.rows import R
from annotation.store.store import Store

Subject = tuple[str, ...]
Columns = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewestRow(Generic[R]):
    """A kind of decision: each decision appends a row, and the newest row of a subject counts."""

    record: type[R]
    prefix: str
    """Prefix of the row ids."""
    subject: tuple[str, ...]
    """Columns that hold the parts of a subject."""
    fixed: Columns = field(default_factory=dict)
    """Columns with the same value in every row."""
    state: Callable[[R | None], Json]
    """Returns the state of a row; None stands for a missing row."""
    columns: Callable[[Json], Columns]
    """Returns the columns of a row with this state."""
    lookup: Callable[[Connection, Subject, Json], Columns] = lambda _conn, _subject, _state: {}
    """Returns columns from other tables. Raises NotFound if the subject was removed."""
    rivals: tuple[str, ...] = ()
    """Columns of the rows that a new row must be later than; default: those of the subject."""
    add: Callable[[Store, Connection, R], object] = lambda store, conn, row: store.add_in(conn, [row])

    def row(self, conn: Connection, subject: Subject) -> R | None:
        """Return the newest row."""
        return newest(conn, self.record, **self._where(subject))

    def now(self, _store: Store, conn: Connection, subject: Subject) -> Json:
        """Return the state of a subject."""
        return self.state(self.row(conn, subject))

    def by(self, conn: Connection, subject: Subject) -> str | None:
        """Return the id of the person of the newest row."""
        row: Any = self.row(conn, subject)
        return row.person_id if row else None

    def append(self, store: Store, conn: Connection, subject: Subject, state: Json, person_id: str = "") -> R:
        """Add a row with this state, which then counts. `person_id` is ignored if the subject includes it.

        Raises NotFound.
        """
        where = self._where(subject)
        before: Any = newest(conn, self.record, **{name: where[name] for name in self.rivals or where})
        values = {
            "id": new_id(self.prefix),
            "created_at": later_than(before),
            "person_id": person_id,
            **where,
            **self.lookup(conn, subject, state),
            **self.columns(state),
        }
        row = self.record(**values)
        self.add(store, conn, row)
        return row

    def _where(self, subject: Subject) -> dict[str, Any]:
        columns = t.TABLE_OF[self.record].c
        parts = zip(self.subject, subject, strict=True)
        return {**self.fixed, **{name: columns[name].type.python_type(part) for name, part in parts}}


def _video_of(table: Table) -> Callable[[Connection, Subject, Json], Columns]:
    """Look up `video_id` in the row that the first part of the subject refers to."""

    def lookup(conn: Connection, subject: Subject, _state: Json) -> Columns:
        video_id = conn.scalar(select(table.c.video_id).where(table.c.id == subject[0]))
        if video_id is None:
            raise NotFound(f"{table.name} {subject[0]!r} not found; it may have been removed")
        return {"video_id": video_id}

    return lookup


def _video_of_sequence(conn: Connection, subject: Subject, _state: Json) -> Columns:
    study_id, sequence, *_ = subject
    sequences = conn.scalar(select(t.study.c.sequences).where(t.study.c.id == study_id))
    if not sequences:
        raise NotFound(f"study {study_id!r} not found; it may have been removed")
    return {"video_id": sequences[int(sequence)]["video_id"]}


def _known_version(conn: Connection, subject: Subject, state: Json) -> Columns:
    c = t.prompt_version.c
    query = select(c.id).where(c.id == state, c.prompt == subject[0]).limit(1)
    if state is not None and not conn.scalar(query):
        raise NotFound(f"version {state!r} of {subject[0]} not found")
    return {}


def _error_source_state(row: ErrorSource | None) -> Json:
    """`since` changes if a person repeats their choice after another person's, which makes it the newest."""
    if row is None or not row.kind:
        return {"kind": "", "note": "", "proposed": "", "since": 0.0}
    return {"kind": row.kind, "note": row.note, "proposed": row.proposed, "since": row.created_at}


def _add_label(store: Store, conn: Connection, row: FrameLabel) -> None:
    store.add_in(conn, [row])
    changed_videos.touch(conn, [row.video_id])


ERROR_SOURCE = NewestRow(
    record=ErrorSource,
    prefix="blm",
    subject=("verdict_id", "person_id"),
    rivals=("verdict_id",),  # the newest of all people counts
    state=_error_source_state,
    columns=lambda state: {
        "kind": state["kind"],
        "note": state["note"],
        "proposed": state.get("proposed", ""),  # not stored by version 0.1.0
    },
    lookup=_video_of(t.verdict),
    add=lambda store, conn, row: store.set_error_source_in(conn, row),
)
EXCLUSION = NewestRow(
    record=Exclusion,
    prefix="exc",
    subject=("question_id",),
    state=lambda row: row.reason if row else "",
    columns=lambda reason: {"reason": reason},
    lookup=_video_of(t.question),
)
"""An empty reason: the question counts."""
KEYFRAMES = NewestRow(
    record=Selection,
    prefix="sel",
    subject=("video_id", "person_id"),
    fixed={"method": "person"},
    state=lambda row: list(row.frames) if row else [],
    columns=lambda frames: {"frames": tuple(frames), "reasons": {}},
)
PINNED_FRAMES = NewestRow(
    record=PinnedFrames,
    prefix="pin",
    subject=("question_id", "person_id"),
    state=lambda row: list(row.frames) if row else [],
    columns=lambda frames: {"frames": tuple(frames)},
    lookup=_video_of(t.question),
)
FRAME_LABEL = NewestRow(
    record=FrameLabel,
    prefix="flb",
    subject=("video_id", "first", "second", "person_id"),
    state=lambda row: row.label if row else "",
    columns=lambda label: {"label": label},
    add=_add_label,
)
"""An empty label: there is no label."""
WITHDRAWN = "-"
"""`best` of an undone choice. It is not the id of a run."""
STUDY_CHOICE = NewestRow(
    record=StudyChoice,
    prefix="chc",
    subject=("study_id", "sequence", "frame", "person_id"),
    state=lambda row: {"best": row.best, "second": row.second} if row and row.best != WITHDRAWN else None,
    columns=lambda state: state or {"best": WITHDRAWN, "second": None},
    lookup=_video_of_sequence,
)
PROMPT_USE = NewestRow(
    record=PromptUse,
    prefix="pru",
    subject=("prompt",),
    state=lambda row: row.version_id if row else None,
    columns=lambda version_id: {"version_id": version_id},
    lookup=_known_version,
)
"""None: the prompt of the files."""
