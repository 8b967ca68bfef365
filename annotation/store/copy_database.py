"""Copy a whole database into another one: from SQLite to PostgreSQL, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlalchemy import JSON, Connection, Engine, MetaData, Table, delete, func, insert, select
from sqlalchemy.exc import DataError, IntegrityError

from annotation.store import tables as t
from annotation.store.database import (
    newest_schema,
    open_engine,
    open_to_read,
    open_with_tables,
    schema_of,
)
from backends.errors import UsageError

BATCH = 1_000
"""Rows that are held in memory at a time."""

KNOWN = frozenset((*t.metadata.tables, "judgement", "blame", "waiver", "alembic_version"))
"""The tables of this version and of 0.1.0, and Alembic's table with the revision of the schema."""

Progress = Callable[[int, int], None]
Change = Callable[[str, dict[str, Any]], dict[str, Any]]
"""Called with the name of a table and a row; returns the row to write."""


def copy_as_it_is(
    source: str, target: str, progress: Progress | None = None, change: Change | None = None
) -> dict[str, int]:
    """Copy the database at one URL into the empty one at another, with the same schema, even an old one.

    Returns the number of rows per table. The source is not changed. Source and copy are upgraded when they
    are next opened. Raises the errors of `copy_database`, `open_to_read` and `open_engine`.
    """
    reading = open_to_read(source)
    try:
        newest = schema_of(reading) == newest_schema()
        tables = t.metadata if newest else _tables_of(reading)
        writing = open_engine(target) if newest else open_with_tables(target, tables)
        try:
            return copy_database(reading, writing, progress, change, tables)
        finally:
            writing.dispose()  # SQLite merges its log into the file when the last connection closes
    finally:
        reading.dispose()


def _tables_of(engine: Engine) -> MetaData:
    """Return the tables of an old schema, including Alembic's, with types that any database has.

    Tables of other programs in the same database are left out.
    """
    found = MetaData()
    with engine.connect() as reading:
        found.reflect(reading, only=lambda name, _: name in KNOWN)
    for table in found.tables.values():
        for column in table.columns:
            generic = column.type.as_generic()
            column.type = JSON(none_as_null=True) if isinstance(generic, JSON) else generic
            column.server_default = None
    return found


def copy_database(
    source: Engine,
    target: Engine,
    progress: Progress | None = None,
    change: Change | None = None,
    tables: MetaData = t.metadata,
) -> dict[str, int]:
    """Copy every row of every table unchanged, in one transaction. Returns the number of rows per table.

    Both databases have these tables. The source is read as one snapshot and is not changed. Raises
    UsageError if the target is not empty or rejects a row.
    """
    with source.connect() as reading, target.connect().execution_options(writes=True) as writing:
        _require_empty(writing, target, tables)
        if (own := tables.tables.get(t.workspace.name)) is not None:
            writing.execute(delete(own))  # the copy is the same workspace as its source
        counts = _counts(reading, tables)
        total, done = sum(counts.values()), 0
        for table in tables.sorted_tables:
            for rows in _batches(reading, table):
                _write(writing, table, [change(table.name, row) for row in rows] if change else rows)
                done += len(rows)
                if progress:
                    progress(done, total)
        writing.commit()
    return {name: n for name, n in counts.items() if n}


def _counts(conn: Connection, tables: MetaData) -> dict[str, int]:
    return {
        table.name: int(conn.execute(select(func.count()).select_from(table)).scalar_one())
        for table in tables.sorted_tables
    }


def _require_empty(conn: Connection, target: Engine, tables: MetaData) -> None:
    for name, rows in _counts(conn, tables).items():
        if rows and name != t.workspace.name:  # its row is created with the schema
            where = target.url.render_as_string(hide_password=True)
            raise UsageError(f"{where} already has {rows:,} rows in {name}; use an empty database")


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
            f"the other database rejects a row of {table.name} at or after {keys}: {why}"
        ) from error
