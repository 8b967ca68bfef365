"""Finds the rows that depend on other rows, and are deleted or moved with them.

Everything here runs inside a transaction of the store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from sqlalchemy import ColumnElement, Connection, Table, and_, or_, select

from annotation.records.system_facts import stages_of_texts
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks

OPINIONS = (
    t.correction,
    t.finding,
    t.dismissal,
    t.error_source,
    t.exclusion,
    t.assignment,
    t.frame_label,
    t.study_choice,
    t.action,
)
"""Tables of statements about rows. They do not prevent the deletion of these rows."""
BY_PLACE = (t.correction, t.finding, t.measurement, t.text, t.verdict)
"""Tables whose `subject_id` refers to a row of another table."""
BY_WORD = ((t.text, "source_text_id"), (t.question, "source_text_id"), (t.element, "list_id"))
"""References without a foreign key."""
Ids = dict[str, set[str]]
"""Ids by table."""


def saw_file() -> ColumnElement[bool]:
    """Return a condition on runs: pipeline runs whose results depend on the video's file alone."""
    return and_(t.run.c.stage.not_in(stages_of_texts()), ~t.run.c.backend.startswith("import:"))


def references(table: Table) -> Iterator[tuple[str, str]]:
    """Yield (column, table that it refers to); an empty table stands for any of them."""
    for key in table.foreign_keys:
        yield key.parent.name, key.column.table.name
    if table in BY_PLACE:
        yield "subject_id", ""
    yield from (
        (column, t.text.name if "text" in column else t.element_list.name)
        for one, column in BY_WORD
        if one is table
    )


def tables() -> Iterator[Table]:
    yield from t.TABLE_OF.values()
    yield t.action


def hanging(conn: Connection, table: Table, on: Mapping[str, set[str]]) -> dict[str, bool]:
    """Return ids of rows that refer to these; the value is False if a pipeline run created the row."""
    found: dict[str, bool] = {}
    for column, parent in references(table):
        names = [parent] if parent else [n for n in on if n != t.video.name]
        for name in names:
            for ids in chunks(on.get(name, ())):
                found |= _others(conn, table, among(table.c[column], ids))
    return found


def _others(conn: Connection, table: Table, where: ColumnElement[bool]) -> dict[str, bool]:
    if "run_id" not in table.c:
        return dict.fromkeys(
            conn.scalars(select(table.c.id).where(where)), table in (t.alias, t.benchmark_item)
        )
    run = t.run.c
    outside = or_(run.id.is_(None), run.backend.startswith("import:"))
    query = select(table.c.id, outside).outerjoin(t.run, run.id == table.c.run_id).where(where)
    return {row[0]: bool(row[1]) for row in conn.execute(query)}


def everything_on(conn: Connection, start: Mapping[str, set[str]], known: Mapping[str, set[str]]) -> Ids:
    """Return all rows that depend on these, directly or indirectly, except `known` ones."""
    found: Ids = defaultdict(set)
    new: Mapping[str, set[str]] = start
    while any(new.values()):
        more: Ids = defaultdict(set)
        for table in tables():
            more[table.name] = (
                hanging(conn, table, new).keys() - known.get(table.name, set()) - found[table.name]
            )
            found[table.name] |= more[table.name]
        new = more
    return found
