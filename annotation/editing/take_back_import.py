"""Undoes an import: deletes what it added and restores what it changed.

Shared rows stay: a video, a dataset or a question to which another import or a person has added data since.
Statements about deleted results, and results computed from them, are deleted too. Everything here runs inside
a transaction of the store.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Table, and_, delete, select, update

from annotation.editing.dependent_rows import OPINIONS, Ids, everything_on, hanging, saw_file, tables
from annotation.records.ids import Json
from annotation.store import changed_videos, opinion_rules
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.store import Store

SHARED = (t.dataset, t.video, t.alias, t.person, t.question, t.study)
"""Tables whose rows others may use."""
OF_FILE = ("path", "sha256", "facts", "clips")
"""Columns of a video that depend on its file. They are restored together, or not at all."""


@dataclass(slots=True)
class Taking:
    """Rows to delete, and rows of the import that stay."""

    own: Ids = field(default_factory=lambda: defaultdict(set))
    lost: Ids = field(default_factory=lambda: defaultdict(set))
    """Dependent rows of others: corrections, results of later runs."""
    kept: Ids = field(default_factory=lambda: defaultdict(set))

    def goes(self, table: str) -> set[str]:
        return (self.own[table] - self.kept[table]) | self.lost[table]


def is_here(conn: Connection, import_id: str) -> bool:
    """Return whether the import exists and was not undone."""
    p = t.import_part.c
    return conn.scalar(select(p.id).where(p.import_id == import_id).limit(1)) is not None


def taking(conn: Connection, import_id: str) -> Taking:
    """Return what would be deleted, without changing anything."""
    found = Taking()
    p = t.import_part.c
    parts = conn.execute(select(p.table_name, p.added).where(p.import_id == import_id))
    for name, added in parts:
        found.own[name] |= set(added)
    _lose(conn, found, {n: ids for n, ids in found.own.items() if n not in _names(SHARED)})
    _keep(conn, found)
    _lose(conn, found, {table.name: found.own[table.name] - found.kept[table.name] for table in SHARED})
    _lose_seen(conn, found, import_id)
    return found


def _given_a_file(conn: Connection, import_id: str) -> list[str]:
    """Return videos that had no file before the import."""
    p = t.import_part.c
    rows = conn.scalars(select(p.changed).where(p.import_id == import_id, p.table_name == t.video.name))
    return [
        change["key"][0]
        for changes in rows
        for change in changes
        if "path" in change["after"] and not change["before"]["path"]
    ]


def _lose_seen(conn: Connection, found: Taking, import_id: str) -> None:
    """Include results of pipeline runs on files that the import gave to videos."""
    videos = _given_a_file(conn, import_id)
    ours = select(t.run.c.id).where(saw_file())
    new: Ids = defaultdict(set)
    for table in tables():
        if "video_id" in table.c and "run_id" in table.c:
            for some in chunks(videos):
                where = and_(among(table.c.video_id, some), table.c.run_id.in_(ours))
                new[table.name] |= set(conn.scalars(select(table.c.id).where(where))) - found.goes(table.name)
    for name, ids in new.items():
        found.lost[name] |= ids
    _lose(conn, found, new)


def lost_of(conn: Connection, import_id: str) -> dict[str, int]:
    """Return how many rows of others would be deleted with the import, by table."""
    found = Counter({name: len(ids) for name, ids in taking(conn, import_id).lost.items()})
    del found[t.action.name], found[t.run_video.name]
    return {name: n for name, n in found.items() if n}


def take_back(conn: Connection, import_id: str) -> None:
    """Undo the import and delete its record."""
    going = taking(conn, import_id)
    touched = set(_videos_of(conn, going))
    subjects = _judged_by_others(conn, going)
    p = t.import_part.c
    changes = conn.execute(select(p.table_name, p.changed).where(p.import_id == import_id)).all()
    conn.execute(delete(t.import_part).where(p.import_id == import_id))
    gone = {name: going.goes(name) for name in {*going.own, *going.lost}}
    for table in (t.action, *reversed(t.TABLE_OF.values())):
        for ids in chunks(gone.get(table.name, ())):
            conn.execute(delete(t.current).where(among(t.current.c.subject_id, ids)))
            if table is t.video:
                conn.execute(delete(t.current).where(among(t.current.c.video_id, ids)))
            conn.execute(delete(table).where(among(table.c.id, ids)))
    for name, changed in changes:
        touched |= set(put_back(conn, t.metadata.tables[name], changed))
    opinion_rules.lay_verdicts(conn, subjects)
    changed_videos.touch(conn, touched)


# --- as a decision: subject is the import; state is whether it exists -----------------


def import_now(_store: Store, conn: Connection, subject: tuple[str, ...]) -> Json:
    """Return whether the import exists."""
    return is_here(conn, subject[0])


def restore_import(
    _store: Store, conn: Connection, subject: tuple[str, ...], state: Json, _person_id: str
) -> None:
    """Undo the import. It cannot be redone, because its files are not kept."""
    if not state:
        take_back(conn, subject[0])


# --- deleted and kept rows --------------------------------------------------------------


def _names(tables: Iterable[Table]) -> set[str]:
    return {table.name for table in tables}


def _lose(conn: Connection, found: Taking, start: Mapping[str, set[str]]) -> None:
    """Include everything of others that depends on these rows."""
    known = {table.name: found.own[table.name] | found.lost[table.name] for table in tables()}
    for name, ids in everything_on(conn, start, known).items():
        found.lost[name] |= ids


def _keep(conn: Connection, found: Taking) -> None:
    """Keep shared rows that others need, and the rows that these need."""
    shared = {table.name: set(found.own[table.name]) for table in SHARED}
    needed: Ids = defaultdict(set)
    for table in tables():
        if table in OPINIONS:
            continue
        users = hanging(conn, table, shared)
        gone = found.own[table.name] | found.lost[table.name]
        needed[table.name] |= {key for key, outside in users.items() if outside and key not in gone}
    while any(needed.values()):
        needed = _parents(conn, found, needed)
    kept_videos = found.kept[t.video.name]
    for ids in chunks(kept_videos):
        c = t.alias.c
        rows = conn.execute(select(c.id, c.dataset_id).where(among(c.video_id, ids))).all()
        found.kept[t.alias.name] |= {row.id for row in rows} & found.own[t.alias.name]
        found.kept[t.dataset.name] |= {row.dataset_id for row in rows} & found.own[t.dataset.name]


def _parents(conn: Connection, found: Taking, rows: Ids) -> Ids:
    """Keep and return the import's rows that these rows refer to."""
    more: Ids = defaultdict(set)
    for name, ids in rows.items():
        table = t.metadata.tables[name]
        for key in table.foreign_keys:
            parent = key.column.table.name
            for group in chunks(ids):
                wanted = set(conn.scalars(select(key.parent).where(among(table.c.id, group)).distinct()))
                new = (wanted & found.own[parent]) - found.kept[parent]
                found.kept[parent] |= new
                more[parent] |= new
    return more


# --- restoring ------------------------------------------------------------------------


def put_back(conn: Connection, table: Table, changes: Sequence[Any]) -> list[str]:
    """Restore earlier values unless they were changed since; return ids of the videos."""
    videos = []
    for change in changes:
        where = and_(*(c == value for c, value in zip(table.primary_key, change["key"], strict=True)))
        row = conn.execute(select(table).where(where)).mappings().one_or_none()
        if row is None:
            continue
        after = change["after"]
        values = {n: v for n, v in change["before"].items() if row[n] == after[n]}
        if table is t.video and any(row[n] != after[n] for n in OF_FILE if n in after):
            values = {n: v for n, v in values.items() if n not in OF_FILE}
        if values:
            conn.execute(update(table).where(where).values(**values))
        videos.append(row["id"] if table is t.video else row.get("video_id"))
    return [video for video in videos if video]


def _videos_of(conn: Connection, going: Taking) -> Iterator[str]:
    """Yield the videos of deleted rows."""
    yield from going.goes(t.video.name)
    for table in t.TABLE_OF.values():
        if "video_id" in table.c:
            for ids in chunks(going.goes(table.name)):
                yield from conn.scalars(select(table.c.video_id).where(among(table.c.id, ids)).distinct())


def _judged_by_others(conn: Connection, going: Taking) -> list[str]:
    """Return remaining verdicts for which the import added an opinion."""
    c = t.correction.c
    found: set[str] = set()
    for ids in chunks(going.goes(t.correction.name)):
        query = select(c.subject_id).where(c.subject_type == "verdict", among(c.id, ids))
        found |= set(conn.scalars(query.distinct()))
    return sorted(found - going.goes(t.verdict.name))
