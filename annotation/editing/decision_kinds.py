"""Reads and restores the state of each kind of decision.

Used by undo and redo (`annotation.editing.undo_and_redo`). Rows are not deleted: `restore` appends a row with
the earlier state. Everything here runs inside a write transaction of the store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from sqlalchemy import ColumnElement, Connection, select, update

from annotation.editing.move_rows_of_joined_videos import join_now, restore_join
from annotation.editing.newest_record import later_than, newest
from annotation.editing.newest_row import (
    ERROR_SOURCE,
    EXCLUSION,
    FRAME_LABEL,
    KEYFRAMES,
    PINNED_FRAMES,
    PROMPT_USE,
    STUDY_CHOICE,
    Subject,
)
from annotation.editing.take_back_import import import_now, restore_import
from annotation.people import hidden_texts
from annotation.records.allowed_values import SubjectType
from annotation.records.current_cuts import counting
from annotation.records.decisions import (
    AGAIN,
    Assignment,
    Correction,
    Dismissal,
    reason_of_turn,
)
from annotation.records.errors import StaleEdit
from annotation.records.ids import Json, new_id
from annotation.records.videos import Scene, SceneList
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.opinion_rules import verdicts_of_people
from annotation.store.rows import from_row
from annotation.store.store import Store
from annotation.texts.writers import words_now


@dataclass(frozen=True, slots=True)
class Kind:
    """Functions for one kind of decision."""

    now: Callable[[Store, Connection, Subject], Json]
    """Returns the state of the subject."""
    restore: Callable[[Store, Connection, Subject, Json, str], object]
    """Restores a state, in the name of the person with this id."""
    same: Callable[[Store, Connection, Json, Json], bool] = lambda _store, _conn, one, other: one == other
    by: Callable[[Connection, Subject], str | None] = lambda _conn, _subject: None
    """Returns the id of the person who set the state; None if the store does not record it."""


# --- corrections: subject is type, id, field ------------------------------------------


def _value_now(store: Store, conn: Connection, subject: Subject) -> Json:
    now = store.current_in(conn, *subject)
    return {"cleared": not now.corrected, "value": now.value if now.corrected else None}


def _restore_value(
    store: Store, conn: Connection, subject: Subject, state: Json, person_id: str, reason: str | None = None
) -> None:
    subject_type, subject_id, field = subject
    if subject_type == "text" and (why := hidden_texts.closed_for(conn, person_id, [subject_id])):
        raise StaleEdit(why, current=None, revision=0)
    revision = store.current_in(conn, *subject).revision
    store.correct_in(
        conn,
        (cast(SubjectType, subject_type), subject_id, field),
        state["value"],
        person_id=person_id,
        reason=reason_of_turn(state.get("revision", 0)) if reason is None else reason,
        base_revision=revision,
        cleared=state["cleared"],
    )


def _of(subject: Subject) -> tuple[ColumnElement[bool], ...]:
    c = t.correction.c
    return c.subject_type == subject[0], c.subject_id == subject[1], c.field == subject[2]


def _same_value(_store: Store, _conn: Connection, one: Json, other: Json) -> bool:
    return all(one[name] == other[name] for name in ("cleared", "value"))


def _value_by(conn: Connection, subject: Subject) -> str | None:
    c = t.correction.c
    return conn.scalar(select(c.person_id).where(*_of(subject)).order_by(c.revision.desc()).limit(1))


# --- opinions: subject is verdict and person ------------------------------------------


def _opinion_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    verdict_id, person_id = subject
    given = verdicts_of_people(conn, [verdict_id]).get(verdict_id, [])
    mine = next((one for one in given if one.person_id == person_id), None)
    return opinion_of(mine)


def opinion_of(mine: Correction | None) -> Json:
    """Return a person's opinion on a verdict in the format of a change; None if there is none.

    It includes the revision: repeating an opinion after another person's makes it the newest again.
    """
    if mine is None:
        return {"cleared": True, "value": None, "reason": "", "revision": 0}
    return {"cleared": False, "value": mine.value, "reason": mine.reason, "revision": mine.revision}


def _restore_opinion(store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str) -> None:
    verdict = ("verdict", subject[0], "verdict")
    reason = AGAIN if state["cleared"] else state.get("reason", AGAIN)  # not stored by version 0.1.0
    _restore_value(store, conn, verdict, state, subject[1], reason)


# --- a person's texts: subject is video, author, kind, what it is about; state is the text's id


def _text_slot(conn: Connection, subject: Subject) -> list[str]:
    video_id, person_id, kind, about = subject
    c = t.text.c
    where = (c.video_id == video_id, c.person_id == person_id, c.kind == kind, c.subject_id == about)
    return list(conn.scalars(select(c.id).where(*where)))


def _text_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    c = t.current.c
    where = (c.subject_type == "text", c.subject_id.in_(_text_slot(conn, subject)), c.superseded.is_(False))
    return conn.scalar(select(c.subject_id).where(*where).limit(1))


def _restore_text(store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str) -> None:
    here = _text_now(store, conn, subject)
    if here and here != state and (by := _words_of_another(conn, here, subject[1])):
        raise StaleEdit(f"changed since by {by}", current=None, revision=0)
    c = t.current.c
    for text_id in _text_slot(conn, subject):
        where = (c.subject_type == "text", c.subject_id == text_id)
        conn.execute(update(t.current).where(*where).values(superseded=text_id != state))
    changed_videos.touch(conn, [subject[0]])


def _words_of_another(conn: Connection, text_id: str, person_id: str) -> str | None:
    """Return who else wrote the words that a person's text has now; None if they are the person's."""
    query = select(t.correction).where(*_of(("text", text_id, "value"))).order_by(t.correction.c.revision)
    words = words_now([from_row(Correction, row) for row in conn.execute(query).mappings()])
    if words is None or words.person_id == person_id:
        return None
    return conn.scalar(select(t.person.c.name).where(t.person.c.id == words.person_id))


def _same_error_source(_store: Store, _conn: Connection, one: Json, other: Json) -> bool:
    """Compare without the proposal, which version 0.1.0 did not store."""
    return all(one[name] == other[name] for name in ("kind", "note"))


# --- action label: subject is the video; state is the label ----------------------------


def _action_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    return conn.scalar(select(t.video.c.action).where(t.video.c.id == subject[0])) or ""


def _restore_action(_store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str) -> None:
    conn.execute(update(t.video).where(t.video.c.id == subject[0]).values(action=state))
    changed_videos.touch(conn, subject)


# --- cuts: subject is the video; state is a scene list --------------------------------


def scene_list_in(conn: Connection, video_id: str) -> SceneList | None:
    """Same as `Store.scene_list`, inside a transaction."""
    table = t.scene_list
    query = select(table).where(table.c.video_id == video_id).order_by(table.c.created_at, table.c.id)
    return counting([from_row(SceneList, row) for row in conn.execute(query).mappings()])


def scenes_in(conn: Connection, scene_list_id: Json) -> list[Scene]:
    """Return the scenes of one version of the cuts, in order."""
    query = select(t.scene).where(t.scene.c.scene_list_id == scene_list_id).order_by(t.scene.c.index)
    return [from_row(Scene, row) for row in conn.execute(query).mappings()]


def _cuts_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    found = scene_list_in(conn, subject[0])
    return found.id if found else None


def _cuts_by(conn: Connection, subject: Subject) -> str | None:
    found = scene_list_in(conn, subject[0])
    return found.person_id if found else None


def _restore_cuts(store: Store, conn: Connection, subject: Subject, state: Json, person_id: str) -> None:
    """Create a new version with the scenes of an old one. Versions are never deleted.

    The new version names the old one as its origin, which shows who made the cuts.
    """
    now = scene_list_in(conn, subject[0])
    row = SceneList(
        id=new_id("scl"),
        video_id=subject[0],
        created_at=later_than(now),
        person_id=person_id,
        parent_id=state,
        note=AGAIN,
    )
    scenes = [replace(scene, id=new_id("scn"), scene_list_id=row.id) for scene in scenes_in(conn, state)]
    store.add_in(conn, [row, *scenes])


def _same_cuts(_store: Store, conn: Connection, one: Json, other: Json) -> bool:
    """Return whether two versions have the same scenes: undo creates a copy with another id."""
    left, right = (
        [(scene.key, scene.start_frame, scene.end_frame) for scene in scenes_in(conn, version)]
        for version in (one, other)
    )
    return left == right


# --- assignments: subject is video, person, task; findings: subject is finding and person -------------


def _assignment_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    video_id, person_id, task = subject
    row = newest(conn, Assignment, video_id=video_id, person_id=person_id, task=task)
    return {"state": row.state, "note": row.note, "versions": dict(row.versions)} if row else None


def _assignment_by(conn: Connection, subject: Subject) -> str | None:
    """Return the person if only they can have set the state; else None."""
    video_id, person_id, task = subject
    row = newest(conn, Assignment, video_id=video_id, person_id=person_id, task=task)
    return person_id if row and row.state in ("working", "done", "skipped", "flagged") else None


def _restore_assignment(store: Store, conn: Connection, subject: Subject, state: Json, who: str) -> None:
    video_id, person_id, task = subject
    to = state["state"] if state else "withdrawn"
    if who == person_id and (why := hidden_texts.reopening(conn, video_id, person_id, task, to)):
        raise StaleEdit(why, current=None, revision=0)
    versions = (state or {}).get("versions") or {}
    if any(store.current_in(conn, "text", key, "value").revision != seen for key, seen in versions.items()):
        raise StaleEdit("the texts that were approved have changed since", current=None, revision=0)
    before = newest(conn, Assignment, video_id=video_id, person_id=person_id, task=task)
    row = Assignment(
        id=new_id("asg"),
        video_id=video_id,
        person_id=person_id,
        task=task,
        created_at=later_than(before),
        **(state or {"state": "withdrawn"}),
    )
    store.add_in(conn, [row])


def _same_assignment(_store: Store, _conn: Connection, one: Json, other: Json) -> bool:
    def compared(state: Json) -> tuple[str, str]:
        return (state["state"], state["note"]) if state else ("withdrawn", "")

    return compared(one) == compared(other)


def _dismissal_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    row = newest(conn, Dismissal, finding_id=subject[0], person_id=subject[1])
    return row.reason if row else None


def _restore_dismissal(
    store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str
) -> None:
    """Restore a dismissal. Unlike other decisions, withdrawing it deletes the row."""
    finding_id, person_id = subject
    if state is None:
        mine = (t.dismissal.c.finding_id == finding_id, t.dismissal.c.person_id == person_id)
        conn.execute(t.dismissal.delete().where(*mine))
    else:
        row = Dismissal(
            id=new_id("wai"), finding_id=finding_id, person_id=person_id, reason=state, created_at=time.time()
        )
        store.add_in(conn, [row])
    changed_videos.touch(conn, conn.scalars(select(t.finding.c.video_id).where(t.finding.c.id == finding_id)))


KINDS: Mapping[str, Kind] = {
    "value": Kind(_value_now, _restore_value, _same_value, _value_by),
    "text": Kind(_text_now, _restore_text),
    "opinion": Kind(_opinion_now, _restore_opinion, _same_value),
    "error_source": Kind(ERROR_SOURCE.now, ERROR_SOURCE.append, _same_error_source),
    "exclusion": Kind(EXCLUSION.now, EXCLUSION.append, by=EXCLUSION.by),
    "keyframes": Kind(KEYFRAMES.now, KEYFRAMES.append),
    "pinned_frames": Kind(PINNED_FRAMES.now, PINNED_FRAMES.append),
    "action": Kind(_action_now, _restore_action),
    "cuts": Kind(_cuts_now, _restore_cuts, _same_cuts, _cuts_by),
    "assignment": Kind(_assignment_now, _restore_assignment, _same_assignment, _assignment_by),
    "dismissal": Kind(_dismissal_now, _restore_dismissal),
    "frame_label": Kind(FRAME_LABEL.now, FRAME_LABEL.append),
    "study_choice": Kind(STUDY_CHOICE.now, STUDY_CHOICE.append),
    "import": Kind(import_now, restore_import),
    "join": Kind(join_now, restore_join),
    "prompt": Kind(PROMPT_USE.now, PROMPT_USE.append, by=PROMPT_USE.by),
}
"""Keyed by the kind stored in a `Change`."""
