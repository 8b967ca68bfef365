"""A whole database into another one: from SQLite to PostgreSQL, and back."""

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
"""The tables of this version and of 0.1.0, and the one that names the schema."""

Progress = Callable[[int, int], None]
Change = Callable[[str, dict[str, Any]], dict[str, Any]]
"""From a table's name and a row to the row that is written."""


def copy_as_it_is(
    source: str, target: str, progress: Progress | None = None, change: Change | None = None
) -> dict[str, int]:
    """The database at one URL into the empty one at another, which gets the same schema, also an old one.

    The source is not changed: it is upgraded when it is opened the next time, and so is the copy. Raises as
    `copy_database`, `open_to_read` and `open_engine`.
    """
    reading = open_to_read(source)
    try:
        newest = schema_of(reading) == newest_schema()
        tables = t.metadata if newest else _tables_of(reading)
        writing = open_engine(target) if newest else open_with_tables(target, tables)
        try:
            return copy_database(reading, writing, progress, change, tables)
        finally:
            writing.dispose()  # of SQLite the last connection takes the log into the file
    finally:
        reading.dispose()


def _tables_of(engine: Engine) -> MetaData:
    """Those of an old schema, with the table that names it, as any database can make them.

    Other programs may keep tables of theirs in the same database.
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
    """Every row of every table, as it is, in one transaction. Returns the rows per table.

    Both databases have these tables. The source is read in one state and is not changed. Raises UsageError
    when the target is not empty, or does not take a row.
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
