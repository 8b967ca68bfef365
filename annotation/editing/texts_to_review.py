"""Texts of scenes whose cuts have moved since they were written: marked until a person checks them.

Marks are computed, not stored: a text is marked while its scene's frames differ from those at the time of
writing. So undoing the move removes the mark. A person's "looks right" is a dismissed finding `cut_moved`
about these words at these frames; editing the text also removes the mark.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Change
from annotation.people.permissions import require
from annotation.records.decisions import Correction, Dismissal, Person, is_again
from annotation.records.elements import Finding
from annotation.records.errors import NotFound
from annotation.records.ids import new_id, record_id
from annotation.records.videos import Scene
from annotation.store import tables as t
from annotation.store.bulk_rows import chunks
from annotation.store.cut_versions import CutHistory
from annotation.store.store import Store

CHECK = "cut_moved"
LOOKS_RIGHT = "looks right for the new cut"


@dataclass(frozen=True, slots=True)
class Mark:
    """A text to check. Frames are [first, first after)."""

    text_id: str
    key: str
    """Key of its scene."""
    was: tuple[int, int]
    """Frames of the scene when the current words were written."""
    now: tuple[int, int]
    finding_id: str
    """Id of the finding that "looks right" dismisses."""

    @property
    def why(self) -> str:
        (a, b), (c, d) = self.was, self.now
        return f"written for frames {a:,} to {b - 1:,}; the scene is now frames {c:,} to {d - 1:,}"


def open_marks(history: CutHistory) -> dict[str, Mark]:
    """Return marks by text id, without those that a person has dismissed."""
    if history.now is None or len(history.lists) < 2:
        return {}
    found = list(_moved(history))
    settled = _dismissed(history.store, [mark.finding_id for mark in found])
    return {mark.text_id: mark for mark in found if mark.finding_id not in settled}


def _moved(history: CutHistory) -> Iterator[Mark]:
    spans = {scene.key: (scene.start_frame, scene.end_frame) for scene in history.scenes}
    texts = _texts(history)
    written = _written(history.store, texts)
    for row in texts:
        now, was = spans.get(row.key), frames_then(history, row.key, written[row.id])
        if now and was and now != was:
            yield Mark(row.id, row.key, was, now, record_id("fnd", CHECK, row.id, row.value, *now))


def frames_then(history: CutHistory, key: str, moment: float) -> tuple[int, int] | None:
    """Return the frames [first, first after) of a scene at `moment`; None if it did not exist."""
    version = history.at(moment)
    spans = history.spans(version.id) if version else ()
    return next(((span.start, span.end) for span in spans if span.key == key), None)


def _texts(history: CutHistory) -> Sequence[Any]:
    """Return id, key, created_at, value and revision of the current texts of scenes."""
    c, text = t.current.c, t.text.c
    query = (
        select(text.id, text.subject_id.label("key"), text.created_at, c.value, c.revision)
        .join(t.current, (c.subject_id == text.id) & (c.subject_type == "text"))
        .where(text.video_id == history.video_id, text.subject_type == "scene", c.superseded.is_(False))
    )
    with history.store.reading() as conn:
        return conn.execute(query).all()


def _written(store: Store, texts: Sequence[Any]) -> dict[str, float]:
    """Return when the current words of each text were first written, also if undo or redo restored them."""
    changes: dict[str, list[Correction]] = {row.id: [] for row in texts}
    for ids in chunks(row.id for row in texts if row.revision):
        found = store.find(
            Correction, subject_type="text", subject_id=ids, field="value", order_by=["revision"]
        )
        for correction in found:
            changes[correction.subject_id].append(correction)
    return {row.id: _first_set(changes[row.id]) or row.created_at for row in texts}


def _first_set(changes: Sequence[Correction]) -> float:
    """Return the time of the current words' correction; 0 if they are the original words."""
    latest = changes[-1] if changes else None
    for change in reversed(changes):
        same = latest and (change.cleared, change.value) == (latest.cleared, latest.value)
        if same and not is_again(change):
            return change.created_at
    return 0.0


def _dismissed(store: Store, findings: Sequence[str]) -> set[str]:
    found: set[str] = set()
    with store.reading() as conn:
        for group in chunks(findings):
            query = select(t.dismissal.c.finding_id).where(t.dismissal.c.finding_id.in_(group))
            found.update(conn.scalars(query))
    return found


def looks_right(store: Store, person: Person | None, video_id: str, scene_key: str) -> int:
    """Mark the texts of a scene as right for its new cuts; return their number.

    Raises NotAllowed, NotFound.
    """
    editor = require(person, "edit")
    with store.writing():
        history = CutHistory(store, video_id)
        scene = next((one for one in history.scenes if one.key == scene_key), None)
        if scene is None:
            raise NotFound("this scene no longer exists because the cuts changed; reload the page")
        marks = [mark for mark in open_marks(history).values() if mark.key == scene_key]
        _settle(store, editor, scene, marks)
    return len(marks)


def _settle(store: Store, editor: Person, scene: Scene, marks: Sequence[Mark]) -> None:
    now = time.time()
    findings = [
        Finding(
            id=mark.finding_id,
            video_id=scene.video_id,
            check=CHECK,
            subject_type="text",
            subject_id=mark.text_id,
            why=mark.why,
            created_at=now,
        )
        for mark in marks
    ]
    dismissals = [
        Dismissal(
            id=new_id("wai"),
            finding_id=mark.finding_id,
            person_id=editor.id,
            reason=LOOKS_RIGHT,
            created_at=now,
        )
        for mark in marks
    ]
    changes = [Change("dismissal", (mark.finding_id, editor.id), None, LOOKS_RIGHT) for mark in marks]
    what = f"marked the texts of scene {scene.index + 1} as right for its new cuts"
    with store.writing() as conn:
        store.add_in(conn, [*findings, *dismissals])
        undo_and_redo.record_in(conn, editor.id, scene.video_id, what, changes)
