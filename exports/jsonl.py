"""`dailies-jsonl`: everything that a workspace holds, one record per line.

The first line is the header `{"format": "dailies", "version": 1, "records": {kind: count}}`;
the counts tell a file that was cut off from one that is whole. Every other line is
`{"record": "Text", ...fields}` with the fields of `annotation.records` (`kind` is a field of some).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from sqlalchemy import Connection, func, select

from annotation.errors import FormatError, UsageError
from annotation.records import Alias, Correction, Evaluation, Frame, Person, Record, Study, Video, digest
from annotation.store import tables as t
from annotation.store.rows import KINDS, from_row, to_row
from annotation.store.store import Store, check_value
from exports.batch import Batch, Output, Problem, Source, Wanted
from exports.reading import Head, Item, json_lines
from exports.writing import json_line

NAME = "dailies-jsonl"
VERSION = 1
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:~-]{0,63}")
"""Ids become names of files in the media folder, so nothing that leads out of it is one."""
_OVERLAID = {"Text": "text", "Segment": "segment", "Question": "question", "Answer": "answer",
             "Judgement": "judgement"}  # fmt: skip


# --- writing --------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """All records, machine values and corrections both, whatever `values` says."""
    yield "", _lines(wanted.store)


def _lines(store: Store) -> Iterator[str]:
    with store.reading() as conn:  # one state of the database, whatever others write meanwhile
        counts = {name: _count(conn, kind) for name, kind in KINDS.items()}
        there = {name: count for name, count in counts.items() if count}
        yield json_line({"format": "dailies", "version": VERSION, "records": there})
        for name in there:
            for record in _in_order(conn, name):
                yield json_line({"record": name, **_without_path(to_row(record))})


def _count(conn: Connection, kind: type[Record]) -> int:
    return int(conn.scalar(select(func.count()).select_from(t.TABLE_OF[kind])) or 0)


def _without_path(row: dict[str, Any]) -> dict[str, Any]:
    # Where a file lies is private, and means nothing on another machine.
    return row | {"path": None} if "path" in row else row


def _in_order(conn: Connection, name: str) -> list[Any]:
    """Oldest first; results that were replaced stand before those that replaced them."""
    kind: type[Record] = KINDS[name]
    table = t.TABLE_OF[kind]
    order = [table.c[column] for column in ("created_at", "revision", "id") if column in table.c]
    rows = conn.execute(select(table).order_by(*order)).mappings()
    records = [from_row(kind, dict(row)) for row in rows]
    if name not in _OVERLAID:
        return records
    c = t.current.c
    query = select(c.subject_id).where(c.subject_type == _OVERLAID[name], c.superseded.is_(True))
    replaced = set(conn.scalars(query))
    return sorted(records, key=lambda record: record.id not in replaced)


# --- reading --------------------------------------------------------------------------


def recognise(head: Head) -> bool:
    return isinstance(head.first, dict) and head.first.get("format") == "dailies"


def read(source: Source) -> Batch:
    """Records that are here already (by id) are left alone when the batch is committed.

    A person, video or frame that is here under another id is recognised (by name, by content
    or alias, by number) and the file's records are hung on it. Raises FormatError.
    """
    items = json_lines(source.path)
    header = next(items, Item(source.path.name, None))
    expected = _check_header(header)
    problems: list[Problem] = []
    records = _read_records(items, problems)
    found = Counter(type(record).__name__ for record in records)
    if expected is not None and any(found[k] != expected.get(k, 0) for k in expected.keys() | found.keys()):
        off = min(k for k in expected.keys() | found.keys() if found[k] != expected.get(k, 0))
        raise FormatError(
            f"{source.path.name}: not whole: the header promises {expected.get(off, 0)} of {off}, the file "
            f"holds {found[off]}; copy it again"
        )
    if source.store is not None:
        records = _at_home(source.store, records, problems)
    corrections = tuple(r for r in records if isinstance(r, Correction))
    others = tuple(r for r in records if not isinstance(r, Correction))
    return Batch(NAME, str(VERSION), others, corrections, tuple(problems))


def _check_header(header: Item) -> dict[str, int] | None:
    value = header.value
    if not isinstance(value, dict) or value.get("format") != "dailies":
        raise FormatError(f"{header.where}: the first line is not the header of a Dailies file")
    version = value.get("version")
    if version != VERSION:
        raise FormatError(
            f"{header.where}: version {version!r} of the format; this Dailies reads {VERSION}: update it"
        )
    counts = value.get("records")
    if counts is not None and not isinstance(counts, dict):
        raise FormatError(f"{header.where}: records is not {{kind: count}}")
    return counts


def _read_records(items: Iterable[Item], problems: list[Problem]) -> list[Record]:
    found: dict[tuple[str, str], tuple[str, Record]] = {}
    extra: Counter[str] = Counter()
    for item in items:
        record = _record(item, extra)
        key = (type(record).__name__, record.id)
        if key in found:
            raise FormatError(f"{item.where}: {key[0]} {key[1]!r} stands at {found[key][0]} already")
        found[key] = (item.where, record)
    problems += [Problem("the file", f"the field {name} of {n} lines is not known; it was left out")
                 for name, n in sorted(extra.items())]  # fmt: skip
    return [record for _, record in found.values()]


def _record(item: Item, extra: Counter[str]) -> Record:
    """One line. Raises FormatError."""
    row = item.value
    name = row.get("record") if isinstance(row, dict) else None
    if not isinstance(name, str) or name not in KINDS:
        raise FormatError(f"{item.where}: not a record that this Dailies knows; update it")
    kind = KINDS[name]
    for key in ("id", "key"):
        if key in row and not (isinstance(row[key], str) and _ID.fullmatch(row[key])):
            raise FormatError(f"{item.where}: {key} {str(row[key])[:80]!r} is no id")
    known = {f.name for f in fields(kind)}
    extra.update(f"{name}.{key}" for key in row.keys() - known - {"record"})
    try:
        record = from_row(kind, {key: row[key] for key in row.keys() & known})
        if isinstance(record, Correction) and not record.cleared:
            record = replace(record, value=check_value(record.subject_type, record.field, record.value))
    except (FormatError, UsageError) as error:
        raise FormatError(f"{item.where}: {error}") from error
    # A path from elsewhere would have this machine's files shown.
    return replace(record, path=None) if isinstance(record, Video) else record


# --- the same things under other ids --------------------------------------------------


def _at_home(store: Store, records: list[Record], problems: list[Problem]) -> list[Record]:
    """Hang the file's records on the people, videos and frames that are here already."""
    ids = _same_people(store, records, problems) | _same_videos(store, records)
    ids |= _same_frames(store, records, ids)
    taken = {e.name: e.id for e in store.find(Evaluation)}
    return [_free_name(_rehung(record, ids), taken, problems) for record in records if record.id not in ids]


def _same_people(store: Store, records: Iterable[Record], problems: list[Problem]) -> dict[str, str]:
    here = {person.name: person.id for person in store.find(Person)}
    ids = set(here.values())
    people = [record for record in records if isinstance(record, Person)]
    for person in people:
        if here and person.role == "admin" and person.name not in here and person.id not in ids:
            problems.append(Problem("the file", f"brings an admin, {person.name!r}; look at the people here"))
    return {p.id: here[p.name] for p in people if here.get(p.name, p.id) != p.id and p.id not in ids}


def _same_videos(store: Store, records: Iterable[Record]) -> dict[str, str]:
    here = store.find(Video)
    ids = {video.id for video in here}
    contents = {video.sha256: video.id for video in here if video.sha256}
    aliases = {(a.dataset_id, a.alias): a.video_id for a in store.find(Alias)}
    same: dict[str, str] = {}
    for record in records:
        if isinstance(record, Alias) and (record.dataset_id, record.alias) in aliases:
            same.setdefault(record.video_id, aliases[record.dataset_id, record.alias])
        elif isinstance(record, Video) and record.sha256 in contents:
            same[record.id] = contents[record.sha256]
    return {old: new for old, new in same.items() if old not in ids}


def _same_frames(store: Store, records: Iterable[Record], ids: Mapping[str, str]) -> dict[str, str]:
    """Frames of the videos that were recognised, by their number."""
    moved = [r for r in records if isinstance(r, Frame) and r.video_id in ids]
    here: dict[tuple[str, int], str] = {}
    for video_id in {ids[frame.video_id] for frame in moved}:
        here |= {(f.video_id, f.index): f.id for f in store.find(Frame, video_id=video_id)}
    found = {frame.id: here.get((ids[frame.video_id], frame.index)) for frame in moved}
    return {old: new for old, new in found.items() if new is not None}


def _rehung(record: Record, ids: Mapping[str, str]) -> Record:
    changed: dict[str, Any] = {
        f.name: ids[value]
        for f in fields(record)
        if f.name.endswith("_id") and (value := getattr(record, f.name)) in ids
    }
    if isinstance(record, Study):
        moved = tuple(
            {**s, "video_id": ids.get(str(s.get("video_id")), s.get("video_id"))} for s in record.sequences
        )
        changed["sequences"] = moved
    return replace(record, **changed) if changed else record


def _free_name(record: Record, taken: dict[str, str], problems: list[Problem]) -> Record:
    """Names of evaluations are unique; another one of the same name gets a mark."""
    if not isinstance(record, Evaluation) or taken.get(record.name, record.id) == record.id:
        return record
    name = f"{record.name} ({digest(record.id)[:4]})"
    problems.append(Problem("the file", f"an evaluation {record.name!r} is here; this one is {name!r}"))
    return replace(record, name=name)
