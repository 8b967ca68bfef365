"""A numbered record of which videos have changed, so that caches recompute only those.

Every write of data that lists and figures show ends with `touch`, in the same transaction.
Only one writer runs at a time, so numbers are committed in order: a reader that has seen number n
gets every later change by reading the numbers above n.
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
"""Kinds of record that belong to a video but have no row in `current`. Writing them calls `touch`."""


def touch(conn: Connection, video_ids: Iterable[str]) -> None:
    """Record that these videos have changed. Requires a write transaction."""
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
    """Record a change for the videos of new rows, if lists or figures depend on `kind`.

    Rows of a stage that is still running are ignored. Requires a write transaction.
    """
    if kind is Video:
        touch(conn, (row["id"] for row in rows))
    elif kind in WITHOUT_CURRENT:
        touch(conn, (row["video_id"] for row in rows if row.get("state") != "running"))


def newest(conn: Connection) -> int:
    """Return the number of the last change, or 0 if there was none."""
    return int(conn.scalar(select(func.coalesce(func.max(V.number), 0))) or 0)


def since(conn: Connection, number: int) -> list[str]:
    """Return the ids of the videos that changed after `number`."""
    return list(conn.scalars(select(V.video_id).where(V.number > number)))


def count(conn: Connection) -> int:
    """Return how many videos have ever changed: all existing videos and the removed ones."""
    return int(conn.scalar(select(func.count()).select_from(t.video_change)) or 0)
