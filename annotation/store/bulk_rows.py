"""Insert and select many rows at once, without one SQL parameter per row."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    BinaryExpression,
    Boolean,
    ColumnElement,
    Connection,
    Dialect,
    Select,
    String,
    Table,
    insert,
    literal,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.operators import in_op
from sqlalchemy.types import TypeEngine

CHUNK = 10_000
"""Ids per query and rows per insert. The limit bounds the memory that a large batch needs."""
FEW = 1_000
"""Up to this many rows, updating the index is not the slow part."""
MANY = 100
"""More values than this are passed as one parameter."""
BULK_CACHE_KB = 512 << 10
"""SQLite's page cache during an import. Ids are random, so every page is needed again and again."""
USUAL_KB = 2000
"""SQLite's default page cache."""


def plain_rows(conn: Connection, query: Select[Any]) -> list[tuple[Any, ...]]:
    """Return all rows as the driver returns them: flags as 0 and 1, JSON as text. This is a third faster."""
    cursor = conn.execute(query).cursor
    assert cursor is not None  # it is a query
    return list(cursor.fetchall())


def chunks(ids: Iterable[str]) -> Iterator[Sequence[str]]:
    """Yield the distinct ids in order, in groups that are small enough for one query."""
    distinct = sorted(set(ids))
    for start in range(0, len(distinct), CHUNK):
        yield distinct[start : start + CHUNK]


class _Among(BinaryExpression[bool]):
    """True if a column holds one of the items of a JSON array.

    This is a comparison, because SQLite has no Boolean type: SQLAlchemy appends `= 1` to any other
    expression in a condition, and the database then does not use the column's index.
    """

    inherit_cache = True


@compiles(_Among, "sqlite")
def _sqlite_among(element: _Among, compiler: SQLCompiler, **kw: Any) -> str:
    column, listed = compiler.process(element.left, **kw), compiler.process(element.right, **kw)
    return f"{column} IN (SELECT value FROM json_each({listed}))"  # noqa: S608  # bound


@compiles(_Among, "postgresql")
def _postgresql_among(element: _Among, compiler: SQLCompiler, **kw: Any) -> str:
    """Build the array once. Otherwise PostgreSQL misjudges the number of items and joins row by row."""
    column, listed = compiler.process(element.left, **kw), compiler.process(element.right, **kw)
    return f"{column} = ANY(ARRAY(SELECT json_array_elements_text(CAST({listed} AS JSON))))"


def among(column: ColumnElement[Any], ids: Iterable[str]) -> ColumnElement[bool]:
    """Return the condition `column.in_(ids)` with one parameter, so that the statement text is constant."""
    return _Among(column, literal(json.dumps(list(ids)), String), in_op, type_=Boolean())


def known_ids(conn: Connection, table: Table, ids: Iterable[str]) -> set[str]:
    """Return the ids that exist in the table."""
    known = set[str]()
    for group in chunks(ids):
        known.update(conn.scalars(select(table.c.id).where(among(table.c.id, group))).all())
    return known


def one_of(column: ColumnElement[Any], value: Any) -> ColumnElement[bool]:
    """Return the condition that the column equals the value, or one of several values.

    More than `MANY` values must be texts.
    """
    if isinstance(value, list | tuple | set | frozenset):
        return among(column, value) if len(value) > MANY else column.in_(list(value))
    equal: ColumnElement[bool] = column == value
    return equal


def insert_rows(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows with the same columns. More than `FEW` rows are sorted by primary key first.

    Key order keeps the index compact and its pages in the cache. Fewer rows keep their order, and SQLite
    returns them in that order if a query has no ORDER BY.
    """
    if not rows:
        return
    statement, columns = _statement(conn.dialect, table, rows[0])
    cells = itemgetter(*columns)
    keys = itemgetter(*(column.name for column in table.primary_key))
    ordered = sorted(rows, key=keys) if len(rows) > FEW else rows
    for start in range(0, len(ordered), CHUNK):
        values = _ready(list(map(cells, ordered[start : start + CHUNK])), list(columns.values()))
        if not conn.dialect.positional:
            conn.exec_driver_sql(statement, [dict(zip(columns, row, strict=True)) for row in values])
        else:
            conn.exec_driver_sql(statement, values)


def _ready(rows: Sequence[Any], ready: Sequence[Any]) -> list[Any]:
    """Convert the values of each column for the driver."""
    columns = zip(ready, zip(*rows, strict=True), strict=True)
    return list(zip(*(map(make, column) if make else column for make, column in columns), strict=True))


def _statement(dialect: Dialect, table: Table, row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the INSERT statement and, for each column in its order, the function that converts a value."""
    columns = [column for column in table.columns if column.name in row]
    statement = insert(table).compile(dialect=dialect, column_keys=[c.name for c in columns])
    ready = {c.name: _made_ready(dialect, c.type) for c in columns}
    return str(statement), ready


def _made_ready(dialect: Dialect, kind: TypeEngine[Any]) -> Callable[[Any], Any] | None:
    """Return the function that converts a value for the driver; both drivers accept True and False."""
    return None if isinstance(kind, Boolean) else kind.dialect_impl(dialect).bind_processor(dialect)


@contextmanager
def bulk_cache(conn: Connection) -> Iterator[None]:
    """Enlarge SQLite's page cache for a large transaction, and reset it at the end."""
    if conn.dialect.name != "sqlite":
        yield
        return
    conn.exec_driver_sql(f"PRAGMA cache_size=-{BULK_CACHE_KB}")
    try:
        yield
    finally:
        conn.exec_driver_sql(f"PRAGMA cache_size=-{USUAL_KB}")
        conn.exec_driver_sql("PRAGMA shrink_memory")
