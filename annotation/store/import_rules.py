"""What is done with records from a file, beyond adding them. Runs inside a transaction of the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select, update

from annotation.records.videos import Video
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.rows import from_row

FILLED = ("category", "discipline", "action")
"""Words about a video that a file may supply where the video here has none."""


def fill_videos(conn: Connection, videos: Sequence[Mapping[str, Any]]) -> None:
    """Give videos that were here already what they lack; what they have stays as it is."""
    given = {row["id"]: from_row(Video, row) for row in videos}
    for ids in chunks(given):
        rows = conn.execute(select(t.video).where(among(t.video.c.id, ids))).mappings().all()
        for row in rows:
            here = from_row(Video, dict(row))
            values = _lacking(here, given[here.id])
            if values:
                conn.execute(update(t.video).where(t.video.c.id == here.id).values(**values))
                changed_videos.touch(conn, [here.id])


def _lacking(here: Video, given: Video) -> dict[str, Any]:
    values: dict[str, Any] = {
        name: getattr(given, name) for name in FILLED if getattr(given, name) and not getattr(here, name)
    }
    new = {key: value for key, value in given.extra.items() if key not in here.extra}
    if new:
        values["extra"] = {**here.extra, **new}
    return values
