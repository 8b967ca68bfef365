"""Reads the workspace's questions in their current wording, with the reference captions, for the checks."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, select

from annotation.checks.question_checks import Asked
from annotation.store import tables as t
from annotation.store.bulk_rows import chunks, one_of
from annotation.store.find_ceiling_evaluations import refused_by_ceiling
from annotation.store.store import Store

References = dict[tuple[str, str], str]
"""Maps (video, aspect) to the reference caption."""


def aspect_of(kind: str) -> str:
    """Return `camera` for `vdc:camera`."""
    return kind.partition(":")[2] or kind


def from_store(store: Store, video_ids: Collection[str] = ()) -> tuple[list[Asked], References]:
    """Return questions in their current wording, and captions of datasets; of these videos, or of all.

    `video` is the video's id in the workspace.
    """
    q, x = t.question.c, t.text.c
    questions = select(q.id, q.video_id, q.kind, q.text, q.reference, q.category)
    texts = select(x.id, x.video_id, x.kind, x.value).where(x.dataset_id.is_not(None))
    if video_ids:
        mine = sorted(video_ids)
        questions, texts = questions.where(one_of(q.video_id, mine)), texts.where(one_of(x.video_id, mine))
    with store.reading() as conn:
        now = _corrected(conn)
        rows = conn.execute(questions.order_by(q.video_id, q.kind, q.index)).all()
        captions = conn.execute(texts).all()
    refused = refused_by_ceiling(store, [row.id for row in rows] if video_ids else None)
    references = {
        (row.video_id, aspect_of(row.kind)): now.get((row.id, "value"), row.value) for row in captions
    }
    asked = [
        Asked(
            video=row.video_id,
            aspect=aspect_of(row.kind),
            question=now.get((row.id, "text"), row.text),
            answer=now.get((row.id, "reference"), row.reference),
            category=row.category,
            id=row.id,
            ceiling=refused.get(row.id),
        )
        for row in rows
    ]
    return asked, references


def _corrected(conn: Connection) -> dict[tuple[str, str], str]:
    """Return the corrected values of questions and texts, found by reading the corrections only."""
    c, made = t.current.c, t.correction.c
    kinds = ("question", "text")
    ids = conn.scalars(select(made.subject_id).where(made.subject_type.in_(kinds)).distinct()).all()
    found: dict[tuple[str, str], str] = {}
    for group in chunks(ids):
        query = select(c.subject_id, c.field, c.value).where(
            c.subject_type.in_(kinds), c.subject_id.in_(group), c.corrected.is_(True)
        )
        found |= {(row[0], row[1]): str(row[2]) for row in conn.execute(query)}
    return found
