"""Which videos have changed, in order: what is computed from the store is renewed for those alone.

Every write of something that lists and figures show ends with `touch`, in its own transaction.
Writers come one after the other, so numbers are committed in their order, and a reader that has
seen number n misses nothing by asking for what is above n.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects import postgresql, sqlite

from annotation.records.runs import RunVideo
from annotation.records.videos import Alias, Measurement, SceneList, ScreenText, Video
from annotation.store import tables as t

V = t.video_change.c
WITHOUT_CURRENT = (SceneList, Measurement, ScreenText, Alias, RunVideo)
"""Kinds of a video without a row in `current`, whose writes end with `touch` by themselves."""


def touch(conn: Connection, video_ids: Iterable[str]) -> None:
    """These videos have changed. Inside a write transaction."""
    wanted = sorted(set(video_ids))
    if not wanted:
        return
    number = newest(conn) + 1
    dialect: Any = postgresql if conn.dialect.name == "postgresql" else sqlite
    statement = dialect.insert(t.video_change)
    statement = statement.on_conflict_do_update(
        index_elements=["video_id"], set_={"number": statement.excluded.number}
    )
    conn.execute(statement, [{"video_id": video_id, "number": number} for video_id in wanted])


def touch_by_rows(conn: Connection, kind: type[Any], rows: Sequence[Mapping[str, Any]]) -> None:
    """The videos of new rows of `kind`, where lists or figures go by it. Inside a write transaction.

    A stage that is under way changes nothing yet.
    """
    if kind is Video:
        touch(conn, (row["id"] for row in rows))
    elif kind in WITHOUT_CURRENT:
        touch(conn, (row["video_id"] for row in rows if row.get("state") != "running"))


def newest(conn: Connection) -> int:
    """The number of the last change; 0 when there was none yet."""
    return int(conn.scalar(select(func.coalesce(func.max(V.number), 0))) or 0)


def since(conn: Connection, number: int) -> list[str]:
    """The videos that changed after `number`."""
    return list(conn.scalars(select(V.video_id).where(V.number > number)))


def count(conn: Connection) -> int:
    """How many videos have ever changed: all of them, and those that were removed."""
    return int(conn.scalar(select(func.count()).select_from(t.video_change)) or 0)
