"""Many rows at once: inserting them, and naming those that are meant, without a parameter for each."""

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
"""Ids per question to the database, rows per insert: a batch of any size takes little memory beside it."""
FEW = 1_000
"""Rows up to which an index is not what takes the time."""
MANY = 100
"""Values from which on they are one parameter."""
ROOM_KB = 512 << 10
"""Page cache of SQLite while a file is imported: ids are random, so every page is needed again and again."""
USUAL_KB = 2000
"""SQLite's own."""


def plain_rows(conn: Connection, query: Select[Any]) -> list[tuple[Any, ...]]:
    """All rows as the database's driver gives them: flags as 0 and 1, JSON as text. A third quicker."""
    cursor = conn.execute(query).cursor
    assert cursor is not None  # it is a query
    return list(cursor.fetchall())


def chunks(ids: Iterable[str]) -> Iterator[Sequence[str]]:
    """The distinct ids in order, in groups that one question takes."""
    distinct = sorted(set(ids))
    for start in range(0, len(distinct), CHUNK):
        yield distinct[start : start + CHUNK]


class _Among(BinaryExpression[bool]):
    """A column holds one of the items of a JSON array.

    A comparison: SQLite has no Boolean type, and what is not a comparison gets `= 1` in a condition, which
    keeps the database from using the column's index.
    """

    inherit_cache = True


@compiles(_Among, "sqlite")
def _sqlite_among(element: _Among, compiler: SQLCompiler, **kw: Any) -> str:
    column, listed = compiler.process(element.left, **kw), compiler.process(element.right, **kw)
    return f"{column} IN (SELECT value FROM json_each({listed}))"  # noqa: S608  # bound


@compiles(_Among, "postgresql")
def _postgresql_among(element: _Among, compiler: SQLCompiler, **kw: Any) -> str:
    """An array that is made once: PostgreSQL guesses the number of its items wrong and joins row by row."""
    column, listed = compiler.process(element.left, **kw), compiler.process(element.right, **kw)
    return f"{column} = ANY(ARRAY(SELECT json_array_elements_text(CAST({listed} AS JSON))))"


def among(column: ColumnElement[Any], ids: Iterable[str]) -> ColumnElement[bool]:
    """As `column.in_(ids)`, with one parameter and one statement text however many there are."""
    return _Among(column, literal(json.dumps(list(ids)), String), in_op, type_=Boolean())


def known_ids(conn: Connection, table: Table, ids: Iterable[str]) -> set[str]:
    """Those of the ids that are in the table."""
    known = set[str]()
    for group in chunks(ids):
        known.update(conn.scalars(select(table.c.id).where(among(table.c.id, group))).all())
    return known


def one_of(column: ColumnElement[Any], value: Any) -> ColumnElement[bool]:
    """The column holds this value, or one of them where several are given (many: only of texts)."""
    if isinstance(value, list | tuple | set | frozenset):
        return among(column, value) if len(value) > MANY else column.in_(list(value))
    equal: ColumnElement[bool] = column == value
    return equal


def insert_rows(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows that hold the same columns; many of them in the order of their key.

    The key's order keeps its index compact and its pages in the cache; few rows stay in their own
    order, in which SQLite then gives them back where nobody asks for another.
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
    """The rows with each column's values as the driver takes them."""
    columns = zip(ready, zip(*rows, strict=True), strict=True)
    return list(zip(*(map(make, column) if make else column for make, column in columns), strict=True))


def _statement(dialect: Dialect, table: Table, row: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """INSERT for the driver, and per column in its order what makes a value ready for it."""
    columns = [column for column in table.columns if column.name in row]
    statement = insert(table).compile(dialect=dialect, column_keys=[c.name for c in columns])
    ready = {c.name: _made_ready(dialect, c.type) for c in columns}
    return str(statement), ready


def _made_ready(dialect: Dialect, kind: TypeEngine[Any]) -> Callable[[Any], Any] | None:
    """What makes a value ready for the driver; both drivers take True and False as they are."""
    return None if isinstance(kind, Boolean) else kind.dialect_impl(dialect).bind_processor(dialect)


@contextmanager
def room(conn: Connection) -> Iterator[None]:
    """More cache for a large transaction on SQLite; it is given back at the end."""
    if conn.dialect.name != "sqlite":
        yield
        return
    conn.exec_driver_sql(f"PRAGMA cache_size=-{ROOM_KB}")
    try:
        yield
    finally:
        conn.exec_driver_sql(f"PRAGMA cache_size=-{USUAL_KB}")
        conn.exec_driver_sql("PRAGMA shrink_memory")
