"""Which of several people's CaReBench texts of a video counts: what is approved first, work in hand last."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select

from annotation.records.captions_to_verdicts import Text
from annotation.store import tables as t
from annotation.store.store import Store

KINDS_OF = {
    "merge": (
        "carebench:overview",
        "carebench:object",
        "carebench:action",
        "carebench:misc",
        "carebench:full",
    ),
    "split": ("carebench:spatial", "carebench:temporal"),
}
"""What is approved with a task."""
Standing = Mapping[tuple[str, str, str | None], bool]
"""By video, kind and author: whether the text is approved; authors without the task are not in it."""


def standing(store: Store, video_id: str = "") -> Standing:
    """Of one video or of all."""
    c = t.assignment.c
    query = select(c.video_id, c.task, c.person_id, c.state).where(c.task.in_(tuple(KINDS_OF)))
    query = query.order_by(c.created_at, c.id)
    with store.reading() as conn:
        rows = conn.execute(query.where(c.video_id == video_id) if video_id else query).all()
    newest = {(row.video_id, row.task, row.person_id): row.state for row in rows}
    return {
        (video, kind, person): state == "approved"
        for (video, task, person), state in newest.items()
        if state != "withdrawn"
        for kind in KINDS_OF[task]
    }


def rank(text: Text, now: Standing) -> int:
    """Higher counts first: approved, a person's own, a dataset's, what waits for approval, a machine's."""
    if text.person_id is None:
        return 2 if text.dataset_id else 0
    approved = now.get((text.video_id, text.kind, text.person_id))
    return 3 if approved is None else 4 if approved else 1
