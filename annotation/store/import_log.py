"""What an import does besides adding records. Runs inside a transaction of the store.

It fills in missing facts of existing videos, and logs every change, so that the import can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from sqlalchemy import Column, Connection, MetaData, Table, Text, cast, insert, or_, select, update

from annotation.records.decisions import Correction, ErrorSource, Exclusion
from annotation.records.ids import Json, new_id
from annotation.records.videos import Video
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks, known_ids
from annotation.store.import_spool import Spool
from annotation.store.rows import from_row
from annotation.store.transactions import Transactions

FILLED = ("category", "discipline", "action")
"""Fields of a video that an import fills in if they are empty."""


def fill_videos(conn: Connection, videos: Sequence[Mapping[str, Any]]) -> None:
    """Fill in the missing fields of existing videos. Existing values are not changed."""
    given = {row["id"]: from_row(Video, row) for row in videos}
    for ids in chunks(given):
        rows = conn.execute(select(t.video).where(among(t.video.c.id, ids))).mappings().all()
        for row in rows:
            here = from_row(Video, dict(row))
            values = lacking(here, given[here.id])
            if values:
                conn.execute(update(t.video).where(t.video.c.id == here.id).values(**values))
                changed_videos.touch(conn, [here.id])


def lacking(here: Video, given: Video) -> dict[str, Any]:
    """Return the fields that are missing in `here` and present in `given`, a record of the same video."""
    values: dict[str, Any] = {
        name: getattr(given, name) for name in FILLED if getattr(given, name) and not getattr(here, name)
    }
    new = {key: value for key, value in given.extra.items() if key not in here.extra}
    if new:
        values["extra"] = {**here.extra, **new}
    return values


# --- what an import wrote -------------------------------------------------------------

CHANGEABLE = (t.video, t.current, t.scene_list, t.scene)
"""Tables in which an import may change existing rows: missing fields, current values, nominal scenes."""
BY_FILE = (t.video, t.scene_list, t.scene)
"""Tables whose rows change when the file of a video is found."""
Change = Mapping[str, Json]
"""`{"key": values of the primary key, "before": {column: value}, "after": {column: value}}`."""


class ImportLog:
    """The log of one import, written while it runs."""

    def __init__(self, import_id: str) -> None:
        self.id = import_id

    def added(self, conn: Connection, table: Table, ids: Sequence[str]) -> None:
        """Log that the rows with these ids are new."""
        self._keep(conn, [(table, list(part), []) for part in chunks(ids)])

    def changed(self, conn: Connection, table: Table, changes: Sequence[Change]) -> None:
        """Log the changed values of existing rows."""
        self._keep(conn, [(table, [], list(changes))] if changes else [])

    def _keep(self, conn: Connection, parts: Iterable[tuple[Table, list[str], list[Change]]]) -> None:
        rows = [
            {
                "id": new_id("imp"),
                "import_id": self.id,
                "table_name": table.name,
                "added": added,
                "changed": changed,
            }
            for table, added, changed in parts
        ]
        if rows:
            conn.execute(insert(t.import_part), rows)

    @contextmanager
    def watching(self, conn: Connection, video_ids: Iterable[str]) -> Iterator[None]:
        """Log the changes to rows of existing videos while the block runs."""
        ids = list(video_ids)
        copies = [(table, _copy(conn, table, ids)) for table in CHANGEABLE] if ids else []
        try:
            yield
            for table, copy in copies:
                self.changed(conn, table, _differences(conn, table, copy))
        finally:
            for _, copy in copies:
                copy.drop(conn)

    @contextmanager
    def watching_file(self, store: Transactions, video_id: str) -> Iterator[None]:
        """Same as `watching`, for one video that gets its file.

        Reading the file takes long, so the block runs outside a write transaction.
        """
        with store.reading() as conn:
            before = {table: _rows(conn, table, video_id) for table in BY_FILE}
        yield
        with store.writing() as conn:
            for table, rows in before.items():
                after = _rows(conn, table, video_id)
                pairs = [(key, row, after[key]) for key, row in rows.items() if after.get(key, row) != row]
                self.changed(conn, table, [_change(table, old, new) for _, old, new in pairs])
                self.added(conn, table, [str(key[0]) for key in after if key not in rows])


def _rows(conn: Connection, table: Table, video_id: str) -> dict[tuple[Any, ...], Mapping[str, Any]]:
    video = table.c.id if table is t.video else table.c.video_id
    found = conn.execute(select(table).where(video == video_id)).mappings()
    return {tuple(row[c.name] for c in table.primary_key): dict(row) for row in found}


def _change(table: Table, before: Mapping[str, Any], after: Mapping[str, Any]) -> Change:
    moved = [c.name for c in table.columns if before[c.name] != after[c.name]]
    return {
        "key": [after[c.name] for c in table.primary_key],
        "before": {name: before[name] for name in moved},
        "after": {name: after[name] for name in moved},
    }


def _copy(conn: Connection, table: Table, video_ids: Sequence[str]) -> Table:
    """Copy the rows of these videos into a temporary table."""
    columns = [Column(c.name, c.type, primary_key=c.primary_key) for c in table.columns]
    copy = Table(f"before_{table.name}", MetaData(), *columns, prefixes=["TEMPORARY"])
    copy.create(conn)
    video = table.c.id if table is t.video else table.c.video_id
    for group in chunks(video_ids):
        conn.execute(
            insert(copy).from_select([c.name for c in columns], select(table).where(among(video, group)))
        )
    return copy


def _differences(conn: Connection, table: Table, copy: Table) -> list[Change]:
    same = [a == b for a, b in zip(table.primary_key, copy.primary_key, strict=True)]
    # PostgreSQL cannot compare JSON columns, so they are compared as text.
    other = [cast(c, Text).is_distinct_from(cast(copy.c[c.name], Text)) for c in table.columns]
    rows = select(*(c.label(f"before_{c.name}") for c in copy.columns), *table.columns)
    found = conn.execute(rows.where(*same, or_(*other))).mappings()
    return [
        _change(table, {c.name: row[f"before_{c.name}"] for c in table.columns}, dict(row)) for row in found
    ]


def watched(
    conn: Connection, spool: Spool, corrections: Sequence[Correction], log: ImportLog | None
) -> AbstractContextManager[None]:
    """Return a context manager that logs what the import changes in existing videos."""
    if log is None:
        return nullcontext()
    ids = {row["id"] for rows in spool.blocks(Video) for row in rows}
    for kind in (ErrorSource, Exclusion):
        ids |= {row["video_id"] for rows in spool.blocks(kind) for row in rows}
    c = t.current.c
    for subjects in chunks(one.subject_id for one in corrections):
        ids.update(conn.scalars(select(c.video_id).where(among(c.subject_id, subjects))))
    return log.watching(conn, known_ids(conn, t.video, sorted(ids)))
