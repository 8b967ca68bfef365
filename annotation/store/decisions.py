"""How each kind of decision stands, and how an earlier state is laid over the present one.

For undo and redo (`annotation.journal`). Nothing is deleted: each `lay` appends a row that
brings the earlier state back. Everything here runs inside a write transaction of the store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from sqlalchemy import Connection, select, update

from annotation import aspect_sight
from annotation.errors import NotFound, StaleEdit
from annotation.records import (
    Assignment,
    Blame,
    Exclusion,
    Json,
    Scene,
    SceneList,
    Selection,
    SubjectType,
    Waiver,
    new_id,
)
from annotation.store import changes, frame_rows
from annotation.store import tables as t
from annotation.store.rows import R, from_row
from annotation.store.store import Store, counting

Subject = tuple[str, ...]
AGAIN = "undo or redo"
"""Reason of a correction, and note of a version, that brings back what was there before."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of decision."""

    now: Callable[[Store, Connection, Subject], Json]
    """How the subject stands."""
    lay: Callable[[Store, Connection, Subject, Json, str], object]
    """Make it stand so again, in the name of the person with this id."""
    same: Callable[[Store, Connection, Json, Json], bool] = lambda _store, _conn, one, other: one == other


def newest(conn: Connection, kind: type[R], **equals: Any) -> R | None:
    """The record that was made last, of those whose columns equal the given values."""
    table = t.TABLE_OF[kind]
    query = select(table).order_by(table.c.created_at.desc(), table.c.id.desc()).limit(1)
    for name, value in equals.items():
        query = query.where(table.c[name] == value)
    row = conn.execute(query).mappings().one_or_none()
    return from_row(kind, row) if row else None


class _Dated(Protocol):
    @property
    def created_at(self) -> float: ...


def later_than(before: _Dated | None) -> float:
    """Now, or just after `before` was made where its clock was ahead: the newest row counts.

    Asked inside the write transaction: who was there first has the earlier time.
    """
    return max(time.time(), before.created_at + 1e-6 if before else 0.0)


# --- corrections: subject is type, id, field ------------------------------------------


def _value_now(store: Store, conn: Connection, subject: Subject) -> Json:
    now = store.current_in(conn, *subject)
    return {"cleared": not now.corrected, "value": now.value if now.corrected else None}


def _lay_value(store: Store, conn: Connection, subject: Subject, state: Json, person_id: str) -> None:
    subject_type, subject_id, field = subject
    if subject_type == "text" and (why := aspect_sight.closed_for(conn, person_id, [subject_id])):
        raise StaleEdit(why, current=None, revision=0)
    revision = store.current_in(conn, *subject).revision
    store.correct_in(
        conn, (cast(SubjectType, subject_type), subject_id, field), state["value"], person_id=person_id,
        reason=AGAIN, base_revision=revision, cleared=state["cleared"],
    )  # fmt: skip


def _same_value(_store: Store, _conn: Connection, one: Json, other: Json) -> bool:
    return all(one[name] == other[name] for name in ("cleared", "value"))


# --- texts of a person's own: subject is video, author, kind, what it is about; state the text's id


def _text_slot(conn: Connection, subject: Subject) -> list[str]:
    video_id, person_id, kind, about = subject
    c = t.text.c
    where = (c.video_id == video_id, c.person_id == person_id, c.kind == kind, c.subject_id == about)
    return list(conn.scalars(select(c.id).where(*where)))


def _text_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    c = t.current.c
    where = (
        c.subject_type == "text", c.subject_id.in_(_text_slot(conn, subject)), c.superseded.is_(False)
    )  # fmt: skip
    return conn.scalar(select(c.subject_id).where(*where).limit(1))


def _lay_text(_store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str) -> None:
    c = t.current.c
    for text_id in _text_slot(conn, subject):
        where = (c.subject_type == "text", c.subject_id == text_id)
        conn.execute(update(t.current).where(*where).values(superseded=text_id != state))
    changes.touch(conn, [subject[0]])


# --- blame: subject is the verdict ----------------------------------------------------


def _blame_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    row = newest(conn, Blame, judgement_id=subject[0])
    return {"kind": row.kind, "note": row.note} if row else {"kind": "", "note": ""}


def lay_blame(store: Store, conn: Connection, subject: Subject, state: Json, person_id: str) -> Blame:
    """Another row, which counts from now on."""
    video_id = conn.scalar(select(t.judgement.c.video_id).where(t.judgement.c.id == subject[0]))
    if video_id is None:
        raise NotFound(f"there is no verdict {subject[0]!r}; it may have been removed")
    row = Blame(
        id=new_id("blm"), video_id=video_id, judgement_id=subject[0], person_id=person_id,
        created_at=later_than(newest(conn, Blame, judgement_id=subject[0])), **state,
    )  # fmt: skip
    store.blame_in(conn, row)
    return row


# --- exclusions: subject is the question; state the reason, empty where it counts ------


def _exclusion_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    row = newest(conn, Exclusion, question_id=subject[0])
    return row.reason if row else ""


def _lay_exclusion(store: Store, conn: Connection, subject: Subject, state: Json, person_id: str) -> None:
    video_id = conn.scalar(select(t.question.c.video_id).where(t.question.c.id == subject[0]))
    if video_id is None:
        raise NotFound(f"there is no question {subject[0]!r}; it may have been removed")
    row = Exclusion(
        id=new_id("exc"), question_id=subject[0], video_id=video_id, person_id=person_id, reason=state,
        created_at=later_than(newest(conn, Exclusion, question_id=subject[0])),
    )  # fmt: skip
    store.add_in(conn, [row])


# --- keyframes: subject is video and person; state the frames -------------------------


def _picked(conn: Connection, subject: Subject) -> Selection | None:
    return newest(conn, Selection, video_id=subject[0], person_id=subject[1], method="person")


def _frames_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    row = _picked(conn, subject)
    return list(row.frames) if row else []


def lay_frames(
    store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str = ""
) -> Selection:
    """Another row, which counts from now on."""
    row = Selection(
        id=new_id("sel"), video_id=subject[0], method="person", frames=tuple(state), reasons={},
        created_at=later_than(_picked(conn, subject)), person_id=subject[1],
    )  # fmt: skip
    store.add_in(conn, [row])
    return row


# --- action label: subject is the video; state the words -------------------------------


def _action_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    return conn.scalar(select(t.video.c.action).where(t.video.c.id == subject[0])) or ""


def _lay_action(_store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str) -> None:
    conn.execute(update(t.video).where(t.video.c.id == subject[0]).values(action=state))
    changes.touch(conn, subject)


# --- cuts: subject is the video; state a scene list -----------------------------------


def scene_list_in(conn: Connection, video_id: str) -> SceneList | None:
    """As `Store.scene_list`, inside a transaction."""
    table = t.scene_list
    query = select(table).where(table.c.video_id == video_id).order_by(table.c.created_at, table.c.id)
    return counting([from_row(SceneList, row) for row in conn.execute(query).mappings()])


def scenes_in(conn: Connection, scene_list_id: Json) -> list[Scene]:
    """The scenes of one version of the cuts, in order."""
    query = select(t.scene).where(t.scene.c.scene_list_id == scene_list_id).order_by(t.scene.c.index)
    return [from_row(Scene, row) for row in conn.execute(query).mappings()]


def _cuts_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    found = scene_list_in(conn, subject[0])
    return found.id if found else None


def _lay_cuts(store: Store, conn: Connection, subject: Subject, state: Json, person_id: str) -> None:
    """A new version with the scenes of an old one: a version that was made is never taken away.

    It comes from that old one, so whose cuts they are can still be told.
    """
    now = scene_list_in(conn, subject[0])
    row = SceneList(
        id=new_id("scl"), video_id=subject[0], created_at=later_than(now), person_id=person_id,
        parent_id=state, note=AGAIN,
    )  # fmt: skip
    scenes = [replace(scene, id=new_id("scn"), scene_list_id=row.id) for scene in scenes_in(conn, state)]
    store.add_in(conn, [row, *scenes])


def _same_cuts(_store: Store, conn: Connection, one: Json, other: Json) -> bool:
    """Whether two versions have the same scenes: what undo has laid is a copy with another id."""
    left, right = (
        [(scene.key, scene.start_frame, scene.end_frame) for scene in scenes_in(conn, version)]
        for version in (one, other)
    )
    return left == right


# --- assignments: subject is video, person, task; findings: subject is finding and person -------------


def _assignment_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    video_id, person_id, task = subject
    row = newest(conn, Assignment, video_id=video_id, person_id=person_id, task=task)
    return {"state": row.state, "note": row.note} if row else None


def _lay_assignment(store: Store, conn: Connection, subject: Subject, state: Json, who: str) -> None:
    video_id, person_id, task = subject
    to = state["state"] if state else "withdrawn"
    if who == person_id and (why := aspect_sight.reopening(conn, video_id, person_id, task, to)):
        raise StaleEdit(why, current=None, revision=0)
    before = newest(conn, Assignment, video_id=video_id, person_id=person_id, task=task)
    row = Assignment(
        id=new_id("asg"), video_id=video_id, person_id=person_id, task=task, created_at=later_than(before),
        **(state or {"state": "withdrawn", "note": ""}),
    )  # fmt: skip
    store.add_in(conn, [row])


def _same_assignment(_store: Store, _conn: Connection, one: Json, other: Json) -> bool:
    gone = (None, {"state": "withdrawn", "note": ""})
    return one == other or (one in gone and other in gone)


def _waiver_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    row = newest(conn, Waiver, finding_id=subject[0], person_id=subject[1])
    return row.reason if row else None


def _lay_waiver(store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str) -> None:
    """A waiver is the one thing that is there or not there; taking the word back removes the row."""
    finding_id, person_id = subject
    if state is None:
        mine = (t.waiver.c.finding_id == finding_id, t.waiver.c.person_id == person_id)
        conn.execute(t.waiver.delete().where(*mine))
    else:
        row = Waiver(
            id=new_id("wai"), finding_id=finding_id, person_id=person_id, reason=state,
            created_at=time.time(),
        )  # fmt: skip
        store.add_in(conn, [row])
    changes.touch(conn, conn.scalars(select(t.finding.c.video_id).where(t.finding.c.id == finding_id)))


KINDS: Mapping[str, Kind] = {
    "value": Kind(_value_now, _lay_value, _same_value),
    "text": Kind(_text_now, _lay_text),
    "blame": Kind(_blame_now, lay_blame),
    "exclusion": Kind(_exclusion_now, _lay_exclusion),
    "keyframes": Kind(_frames_now, lay_frames),
    "action": Kind(_action_now, _lay_action),
    "cuts": Kind(_cuts_now, _lay_cuts, _same_cuts),
    "assignment": Kind(_assignment_now, _lay_assignment, _same_assignment),
    "waiver": Kind(_waiver_now, _lay_waiver),
    "frame_label": Kind(frame_rows.label_now, frame_rows.lay_label),
    "study_choice": Kind(frame_rows.choice_now, frame_rows.lay_choice),
}
"""By the name that stands in a `Change`."""
