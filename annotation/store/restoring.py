"""What is done with records from a file, beyond adding them. Runs inside a transaction of the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, and_, insert, select, update

from annotation.records import Blame, Video
from annotation.store import changes
from annotation.store import tables as t
from annotation.store.bulk import among, chunks
from annotation.store.rows import from_row, to_row

FILLED = ("category", "discipline", "action")
"""Words about a video that a file may supply where the video here has none."""


def fill_videos(conn: Connection, videos: Sequence[Video]) -> None:
    """Give videos that were here already what they lack; what they have stays as it is."""
    given = {video.id: video for video in videos}
    for ids in chunks(given):
        rows = conn.execute(select(t.video).where(among(t.video.c.id, ids))).mappings().all()
        for row in rows:
            here = from_row(Video, dict(row))
            values = _lacking(here, given[here.id])
            if values:
                conn.execute(update(t.video).where(t.video.c.id == here.id).values(**values))
                changes.touch(conn, [here.id])


def _lacking(here: Video, given: Video) -> dict[str, Any]:
    values: dict[str, Any] = {
        name: getattr(given, name)
        for name in FILLED
        if getattr(given, name) and not getattr(here, name)
    }  # fmt: skip
    new = {key: value for key, value in given.extra.items() if key not in here.extra}
    if new:
        values["extra"] = {**here.extra, **new}
    return values


def add_blames(conn: Connection, blames: Iterable[Blame]) -> int:
    """Add blames that are not here yet; of all that a verdict has, the newest word counts."""
    given = {blame.id: blame for blame in blames}
    known: set[str] = set()
    for ids in chunks(given):
        known.update(conn.scalars(select(t.blame.c.id).where(among(t.blame.c.id, ids))))
    new = sorted((b for b in given.values() if b.id not in known), key=lambda b: b.created_at)
    if new:
        conn.execute(insert(t.blame), [to_row(blame) for blame in new])
    for judgement_id in dict.fromkeys(blame.judgement_id for blame in new):
        _settle(conn, judgement_id)
    changes.touch(conn, (blame.video_id for blame in new))
    return len(new)


def _settle(conn: Connection, judgement_id: str) -> None:
    b, c = t.blame.c, t.current.c
    newest = select(b.kind).where(b.judgement_id == judgement_id).order_by(b.created_at.desc(), b.id.desc())
    where = and_(c.subject_type == "judgement", c.subject_id == judgement_id)
    conn.execute(update(t.current).where(where).values(blame=conn.scalar(newest.limit(1))))
