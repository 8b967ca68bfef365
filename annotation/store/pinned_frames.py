"""Which frames people have pinned to questions: the latest row of each person counts, an empty one withdraws."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import select

from annotation.records.decisions import PinnedFrames
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.rows import from_row
from annotation.store.store import Store


def pinned_frames(store: Store, question_ids: Iterable[str]) -> dict[str, list[PinnedFrames]]:
    """By question what each person has pinned now; questions without pins are left out."""
    c = t.pinned_frames.c
    newest: dict[tuple[str, str], PinnedFrames] = {}
    with store.reading() as conn:
        for group in chunks(question_ids):
            query = select(t.pinned_frames).where(among(c.question_id, group))
            for row in conn.execute(query.order_by(c.created_at, c.id)).mappings():
                newest[row["question_id"], row["person_id"]] = from_row(PinnedFrames, dict(row))
    found: dict[str, list[PinnedFrames]] = defaultdict(list)
    for (question_id, _person), row in newest.items():
        if row.frames:
            found[question_id].append(row)
    return dict(found)
