"""Labels of frame pairs and choices in studies, inside transactions: the newest row of a person counts."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from annotation.editing.newest_record import later_than, newest
from annotation.records.decisions import FrameLabel, StudyChoice
from annotation.records.errors import NotFound
from annotation.records.ids import Json, new_id
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.store import Store

WITHDRAWN = "-"
"""`best` of a choice that was undone: no run has such an id."""
Subject = tuple[str, ...]


def label_now(_store: Store, conn: Connection, subject: Subject) -> str:
    """What the person says of a pair; `subject` is video, first and second frame, person."""
    row = newest(conn, FrameLabel, **_pair(subject))
    return row.label if row else ""


def lay_label(
    store: Store, conn: Connection, subject: Subject, label: Any, _person_id: str = ""
) -> FrameLabel:
    """Another row, which counts from now on; an empty label takes the word back."""
    where = _pair(subject)
    row = FrameLabel(
        id=new_id("flb"), label=label, created_at=later_than(newest(conn, FrameLabel, **where)), **where
    )
    store.add_in(conn, [row])
    changed_videos.touch(conn, [row.video_id])
    return row


def choice_now(_store: Store, conn: Connection, subject: Subject) -> dict[str, str | None] | None:
    """What the person has chosen; `subject` is study, sequence, frame, person."""
    row = newest(conn, StudyChoice, **_place(subject))
    return {"best": row.best, "second": row.second} if row and row.best != WITHDRAWN else None


def lay_choice(
    store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str = ""
) -> StudyChoice:
    """Another row, which counts from now on; None takes the choice back. Raises NotFound."""
    where = _place(subject)
    sequences = conn.scalar(select(t.study.c.sequences).where(t.study.c.id == where["study_id"]))
    if not sequences:
        raise NotFound(f"there is no study {where['study_id']!r}; it may have been removed")
    row = StudyChoice(
        id=new_id("chc"),
        video_id=sequences[where["sequence"]]["video_id"],
        created_at=later_than(newest(conn, StudyChoice, **where)),
        **where,
        **(state or {"best": WITHDRAWN, "second": None}),
    )
    store.add_in(conn, [row])
    return row


def _pair(subject: Subject) -> dict[str, Any]:
    video_id, first, second, person_id = subject
    return {"video_id": video_id, "first": int(first), "second": int(second), "person_id": person_id}


def _place(subject: Subject) -> dict[str, Any]:
    study_id, sequence, frame, person_id = subject
    return {"study_id": study_id, "sequence": int(sequence), "frame": int(frame), "person_id": person_id}
