"""Frames that people pin to questions. A person's latest row counts; an empty one unpins all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import select

from annotation.editing import undo_and_redo
from annotation.editing.decision_kinds import KINDS
from annotation.editing.decision_log import Change
from annotation.editing.display_names import quote
from annotation.editing.edits import require_frames
from annotation.editing.newest_row import PINNED_FRAMES
from annotation.people.permissions import require
from annotation.records.captions_to_verdicts import Question
from annotation.records.decisions import Person, PinnedFrames
from annotation.records.videos import Video
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.rows import from_row
from annotation.store.store import Store


def pinned_frames(store: Store, question_ids: Iterable[str]) -> dict[str, list[PinnedFrames]]:
    """Return the pinned frames of each person by question; questions without any are left out."""
    c = t.pinned_frames.c
    newest: dict[tuple[str, str], PinnedFrames] = {}
    with store.reading() as conn:
        for group in chunks(question_ids):
            query = select(t.pinned_frames).where(among(c.question_id, group))
            for row in conn.execute(query.order_by(c.created_at, c.id)).mappings():
                newest[row["question_id"], row["person_id"]] = from_row(PinnedFrames, dict(row))
    found: dict[str, list[PinnedFrames]] = defaultdict(list)
    for (question_id, _person), one in newest.items():
        if one.frames:
            found[question_id].append(one)
    return dict(found)


def pin_frame(
    store: Store, person: Person | None, question_id: str, frame: int, pinned: bool
) -> PinnedFrames:
    """Pin or unpin a frame that shows what the question asks about.

    Raises NotAllowed, NotFound, UsageError.
    """
    editor = require(person, "edit")
    question = store.get(Question, question_id)
    require_frames(store.get(Video, question.video_id), [frame])
    subject = (question.id, editor.id)
    done = f"{'pinned' if pinned else 'unpinned'} frame {frame:,} for the question “{quote(question.text)}”"
    with store.writing() as conn:
        before = KINDS["pinned_frames"].now(store, conn, subject)
        row = PINNED_FRAMES.append(
            store, conn, subject, sorted({*before, frame} if pinned else {*before} - {frame})
        )
        change = Change("pinned_frames", subject, before, list(row.frames))
        undo_and_redo.record_in(conn, editor.id, question.video_id, done, [change])
    return row
