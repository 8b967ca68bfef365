"""Changes cuts for people: split, merge, move by frames, or adopt the cuts of a detector.

Every change creates a new version of the scene list, in one transaction with the entry for undo. It names the
version it starts from, and is refused if another person has changed the cuts since. Texts refer to scenes by
keys, which `annotation.records.scene_ranges_and_keys` keeps; `annotation.editing.texts_to_review` lists the
texts that a person should check again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from sqlalchemy import Connection

from annotation.editing import undo_and_redo
from annotation.editing.decision_kinds import scene_list_in, scenes_in
from annotation.editing.decision_log import Change
from annotation.editing.newest_record import later_than
from annotation.people.permissions import require
from annotation.records import scene_ranges_and_keys
from annotation.records.decisions import Person
from annotation.records.errors import NotFound, StaleEdit
from annotation.records.ids import new_id
from annotation.records.scene_ranges_and_keys import Span, Spans
from annotation.records.videos import Scene, SceneList, Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.probe_scenes_speech import scenes_from_starts
from annotation.store.cut_versions import spans_of
from annotation.store.store import Store
from backends.errors import UsageError
from backends.protocols import PtsTable

FARTHEST = 10_000
"""Maximum number of frames that one nudge moves a cut."""


@dataclass(frozen=True, slots=True)
class CutEdit:
    """One change of the cuts."""

    kind: Literal["split", "merge", "nudge"]
    frame: int
    """`split`: the first frame after the new cut. `merge`: a frame of the scene that is joined with the next.
    `nudge`: the first frame after the cut that is moved.
    """
    by: int = 0
    """`nudge`: number of frames; positive values move forward."""


def change_cuts(
    store: Store, media: MediaLibrary, person: Person | None, video_id: str, base: str, edit: CutEdit
) -> SceneList:
    """Create and return a new version. `base` is the id of the version the person saw; empty if none.

    Raises NotAllowed, NotFound, StaleEdit, UsageError, MediaError.
    """
    editor = require(person, "edit")
    video = store.get(Video, video_id)
    table = media.table(video)
    with store.writing() as conn:
        before = _based_on(conn, video, base)
        if before is None and (edit.kind != "split" or edit.frame == 0):
            raise UsageError("this video has no scenes yet; find them with d, or split at a later frame")
        spans = _spans(conn, before, table)
        after, what = _changed(spans, edit)
        return _publish(store, conn, editor, video, before, after, what, table)


def adopt(
    store: Store, media: MediaLibrary, person: Person | None, video_id: str, base: str, scene_list_id: str
) -> SceneList:
    """Replace the current cuts with the cuts of a detector.

    Scenes keep their keys if they share most of their frames. Raises as `change_cuts`.
    """
    editor = require(person, "edit")
    video, found = store.get(Video, video_id), store.get(SceneList, scene_list_id)
    if found.video_id != video.id or found.run_id is None:
        raise NotFound(f"{video.title} does not have this detection; run the detector again")
    starts = [scene.start_frame for scene in store.find(Scene, scene_list_id=found.id, order_by=["index"])]
    table = media.table(video)
    with store.writing() as conn:
        before = _based_on(conn, video, base)
        after = scene_ranges_and_keys.carry(_spans(conn, before, table), starts, _new_key)
        what = f"adopted the cuts found by {found.detector.get('name', 'a detector')}"
        return _publish(store, conn, editor, video, before, after, what, table, found)


def _based_on(conn: Connection, video: Video, base: str) -> SceneList | None:
    now = scene_list_in(conn, video.id)
    if (now.id if now else "") != base:
        raise StaleEdit(
            "the cuts have changed since; check the current ones and try again",
            current=now.id if now else "",
            revision=0,
        )
    return now


def _spans(conn: Connection, version: SceneList | None, table: PtsTable) -> Spans:
    """Return the scenes of a version. A video without cuts is one scene."""
    found = spans_of(scenes_in(conn, version.id)) if version else ()
    return found or (Span(_new_key(), 0, len(table.pts)),)


def _new_key() -> str:
    return new_id("sck")


def _changed(spans: Spans, edit: CutEdit) -> tuple[Spans, str]:
    """Return the scenes after the change, and a description of the change."""
    if edit.kind == "nudge" and not 0 < abs(edit.by) <= FARTHEST:
        raise UsageError(f"a cut can be moved by 1 to {FARTHEST:,} frames at once, not by {edit.by:,}")
    change: dict[str, Callable[[], Spans]] = {
        "split": partial(scene_ranges_and_keys.split, spans, edit.frame, _new_key),
        "merge": partial(scene_ranges_and_keys.merge, spans, edit.frame),
        "nudge": partial(scene_ranges_and_keys.nudge, spans, edit.frame, edit.by),
    }
    after = change[edit.kind]()
    number = next(n for n, span in enumerate(spans, 1) if span.start <= edit.frame < span.end)
    frames = (
        f"{abs(edit.by):,} frame{'s' if abs(edit.by) > 1 else ''} {'later' if edit.by > 0 else 'earlier'}"
    )
    words = {
        "split": f"split scene {number} at frame {edit.frame:,}",
        "merge": f"merged scenes {number} and {number + 1}",
        "nudge": f"moved the cut before scene {number} {frames}",
    }
    return after, words[edit.kind]


def _publish(
    store: Store,
    conn: Connection,
    editor: Person,
    video: Video,
    before: SceneList | None,
    after: Spans,
    what: str,
    table: PtsTable,
    found: SceneList | None = None,
) -> SceneList:
    """Store a version made by this person. `found`: the detection that it adopts."""
    row = SceneList(
        id=new_id("scl"),
        video_id=video.id,
        created_at=later_than(before),
        person_id=editor.id,
        parent_id=before.id if before else None,
        note=what,
        run_id=found.run_id if found else None,
        detector=dict(found.detector) if found else {},
    )
    starts, keys = [span.start for span in after], [span.key for span in after]
    store.add_in(conn, [row, *scenes_from_starts(row.id, video, starts, table, keys)])
    change = Change("cuts", (video.id,), before.id if before else None, row.id)
    undo_and_redo.record_in(conn, editor.id, video.id, what, [change])
    return row
