"""What is done with records from a file, beyond adding them. Runs inside a transaction of the store.

What videos lack is filled in, and what an import wrote is kept, so that the whole of it can be taken back.
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
"""Words about a video that a file may supply where the video here has none."""


def fill_videos(conn: Connection, videos: Sequence[Mapping[str, Any]]) -> None:
    """Give videos that were here already what they lack; what they have stays as it is."""
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
    """What a video that is here is given by another record of it."""
    values: dict[str, Any] = {
        name: getattr(given, name) for name in FILLED if getattr(given, name) and not getattr(here, name)
    }
    new = {key: value for key, value in given.extra.items() if key not in here.extra}
    if new:
        values["extra"] = {**here.extra, **new}
    return values


# --- what an import wrote -------------------------------------------------------------

CHANGEABLE = (t.video, t.current, t.scene_list, t.scene)
"""What an import changes in videos that are here: what they lack, what counts of them, nominal scenes."""
BY_FILE = (t.video, t.scene_list, t.scene)
"""What a file that is found changes in a video that waited for it."""
Change = Mapping[str, Json]
"""`{"key": values of the primary key, "before": {column: value}, "after": {column: value}}`."""


class ImportLog:
    """The record of one import, written as it goes on."""

    def __init__(self, import_id: str) -> None:
        self.id = import_id

    def added(self, conn: Connection, table: Table, ids: Sequence[str]) -> None:
        """Rows with these ids are new."""
        self._keep(conn, [(table, list(part), []) for part in chunks(ids)])

    def changed(self, conn: Connection, table: Table, changes: Sequence[Change]) -> None:
        """Rows that were there have other values now."""
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
        """Notes what changes in the rows of videos that are here while the block runs."""
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
        """As `watching`, for one video that is given its file: reading that takes long, so nobody waits."""
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
    """The rows of these videos, in a table that only this transaction sees."""
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
    # JSON has no equality on PostgreSQL; its words have.
    other = [cast(c, Text).is_distinct_from(cast(copy.c[c.name], Text)) for c in table.columns]
    rows = select(*(c.label(f"before_{c.name}") for c in copy.columns), *table.columns)
    found = conn.execute(rows.where(*same, or_(*other))).mappings()
    return [
        _change(table, {c.name: row[f"before_{c.name}"] for c in table.columns}, dict(row)) for row in found
    ]


def watched(
    conn: Connection, spool: Spool, corrections: Sequence[Correction], log: ImportLog | None
) -> AbstractContextManager[None]:
    """Keeps in the log what the import changes in videos that are here already."""
    if log is None:
        return nullcontext()
    ids = {row["id"] for rows in spool.blocks(Video) for row in rows}
    for kind in (ErrorSource, Exclusion):
        ids |= {row["video_id"] for rows in spool.blocks(kind) for row in rows}
    c = t.current.c
    for subjects in chunks(one.subject_id for one in corrections):
        ids.update(conn.scalars(select(c.video_id).where(among(c.subject_id, subjects))))
    return log.watching(conn, known_ids(conn, t.video, sorted(ids)))
