"""A whole database into another one: from SQLite to PostgreSQL, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Engine, Table, delete, func, insert, select
from sqlalchemy.exc import DataError, IntegrityError

from annotation.store import tables as t
from backends.errors import UsageError

BATCH = 1_000
"""Rows that are held in memory at a time."""

Progress = Callable[[int, int], None]
Change = Callable[[str, dict[str, Any]], dict[str, Any]]
"""From a table's name and a row to the row that is written."""


def copy_database(
    source: Engine, target: Engine, progress: Progress | None = None, change: Change | None = None
) -> dict[str, int]:
    """Every row of every table, as it is, in one transaction. Returns the rows per table.

    Both schemas are the newest (`open_engine` sees to that). The source is read in one state and is
    not changed. Raises UsageError when the target is not empty, or does not take a row.
    """
    with source.connect() as reading, target.connect().execution_options(writes=True) as writing:
        _require_empty(writing, target)
        writing.execute(delete(t.workspace))  # the copy is the same workspace as its source
        counts = _counts(reading)
        total, done = sum(counts.values()), 0
        for table in t.metadata.sorted_tables:
            for rows in _batches(reading, table):
                _write(writing, table, [change(table.name, row) for row in rows] if change else rows)
                done += len(rows)
                if progress:
                    progress(done, total)
        writing.commit()
    return {name: n for name, n in counts.items() if n}


def _counts(conn: Connection) -> dict[str, int]:
    return {
        table.name: int(conn.execute(select(func.count()).select_from(table)).scalar_one())
        for table in t.metadata.sorted_tables
    }


def _require_empty(conn: Connection, target: Engine) -> None:
    for name, rows in _counts(conn).items():
        if rows and name != t.workspace.name:  # its row is as old as the schema
            where = target.url.render_as_string(hide_password=True)
            raise UsageError(f"{where} holds {rows:,} rows of {name} already; name a database that is empty")


def _batches(conn: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    found = conn.execution_options(yield_per=BATCH).execute(select(table).order_by(*table.primary_key))
    for rows in found.mappings().partitions(BATCH):
        yield [dict(row) for row in rows]


def _write(conn: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    try:
        conn.execute(insert(table), rows)
    except (DataError, IntegrityError, ValueError) as error:
        first: Mapping[str, Any] = rows[0]
        keys = ", ".join(str(first[column.name]) for column in table.primary_key)
        why = " ".join(str(getattr(error, "orig", None) or error).split())
        raise UsageError(
            f"a row of {table.name} at or after {keys} does not fit into the other database: {why}"
        ) from error
