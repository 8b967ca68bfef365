"""`dailies-jsonl`: everything in a workspace, one record per line.

The first line is the header `{"format": "dailies", "version": 1, "records": {kind: count}}`; the counts
detect a truncated file. Every other line is `{"record": "Text", ...fields}` with the fields of
`annotation.records.record_union` (some records have a field `kind`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from sqlalchemy import Connection, func, select

from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Correction, Person, Study
from annotation.records.errors import FormatError
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation
from annotation.records.videos import Alias, Frame, Video
from annotation.store import tables as t
from annotation.store.check_corrected_value import check_value
from annotation.store.import_spool import Row, Spool
from annotation.store.rows import KINDS, from_row, to_row
from annotation.store.store import Store
from backends.digest import digest
from backends.errors import UsageError
from exports.files.format_types import Batch, Output, Problem, Source, Wanted
from exports.files.read_text_and_json import Head, Item, json_lines
from exports.files.write_files import json_line
from exports.generic import dailies_jsonl_version_1 as version_1

NAME = "dailies-jsonl"
VERSION = 2
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:~-]{0,63}")
"""Ids become file names in the media folder, so they cannot contain path parts."""
_FIELDS = {kind: {f.name for f in fields(kind)} for kind in KINDS.values()}
_REFERENCES = {kind: sorted(n for n in names if n.endswith("_id")) for kind, names in _FIELDS.items()}
TAKEN_BACK = "taken_back"
"""Mark of a text that does not count although no other text replaced it."""
_OVERLAID = {
    "Text": "text",
    "Segment": "segment",
    "Question": "question",
    "Answer": "answer",
    "Verdict": "verdict",
}


# --- writing --------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """Write all records, machine values and corrections alike, whatever `values` is."""
    yield "", _lines(wanted.store)


def _lines(store: Store) -> Iterator[str]:
    with store.reading() as conn:  # one snapshot of the database, unaffected by concurrent writes
        counts = {name: _count(conn, kind) for name, kind in KINDS.items()}
        there = {name: count for name, count in counts.items() if count}
        yield json_line({"format": "dailies", "version": VERSION, "records": there})
        for name in there:
            withdrawn = _taken_back(conn) if name == "Text" else set()
            for record in _in_order(conn, name):
                mark = {TAKEN_BACK: True} if record.id in withdrawn else {}
                yield json_line({"record": name, **_without_path(to_row(record)), **mark})


def _count(conn: Connection, kind: type[Record]) -> int:
    return int(conn.scalar(select(func.count()).select_from(t.TABLE_OF[kind])) or 0)


def _without_path(row: dict[str, Any]) -> dict[str, Any]:
    # Paths are private, and meaningless on another machine.
    return row | {name: empty for name, empty in (("path", None), ("clips", [])) if name in row}


def _in_order(conn: Connection, name: str) -> list[Any]:
    """Return the records from oldest to newest, with superseded results before their replacements."""
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


def _taken_back(conn: Connection) -> set[str]:
    """Return ids of texts that do not count and have no replacement: withdrawn or emptied by their author."""
    c, other = t.current.c, t.current.alias().c
    replacement = select(other.subject_id).where(other.slot == c.slot, other.superseded.is_(False))
    unreplaced = (c.subject_type == "text", c.superseded.is_(True), ~replacement.exists())
    query = select(c.subject_id).where(*unreplaced)
    return set(conn.scalars(query))


# --- reading --------------------------------------------------------------------------


def recognise(head: Head) -> bool:
    return isinstance(head.first, dict) and head.first.get("format") == "dailies"


def read(source: Source) -> Batch:
    """Read a file. Committing the batch leaves records with known ids unchanged.

    A known person (by name), video (by content or alias) or frame (by number) with another id is
    recognised, and the file's records refer to it. Raises FormatError.
    """
    items = json_lines(source.path)
    header = next(items, Item(source.path.name, None))
    expected = _check_header(header)
    if header.value["version"] == 1:
        items = map(version_1.with_names_of_today, items)
    problems: list[Problem] = []
    spool, corrections, withdrawn = _read_records(source, items, problems)
    found = spool.counts() | ({"Correction": len(corrections)} if corrections else {})
    if expected is not None and any(
        found.get(k, 0) != expected.get(k, 0) for k in expected.keys() | found.keys()
    ):
        off = min(k for k in expected.keys() | found.keys() if found.get(k, 0) != expected.get(k, 0))
        raise FormatError(
            f"{source.path.name}: incomplete: the header lists {expected.get(off, 0)} of {off}, the file "
            f"contains {found.get(off, 0)}; copy it again"
        )
    if header.value["version"] == 1:
        version_1.take_back_for_all(spool, corrections)
    if source.store is not None:
        ids = _match_known_records(source.store, spool, problems)
        corrections = {
            i: _with_known_ids(Correction, row, ids) for i, row in corrections.items() if i not in ids
        }
    corrected = tuple(from_row(Correction, row) for row in corrections.values())
    return Batch(NAME, str(VERSION), spool, corrected, tuple(problems), tuple(withdrawn))


def _check_header(header: Item) -> dict[str, int] | None:
    value = header.value
    if not isinstance(value, dict) or value.get("format") != "dailies":
        raise FormatError(f"{header.where}: the first line is not the header of a Dailies file")
    version = value.get("version")
    if version not in (1, VERSION):
        raise FormatError(
            f"{header.where}: unknown format version {version!r}, not 1 or {VERSION}; update Dailies"
        )
    counts = value.get("records")
    if counts is not None and not isinstance(counts, dict):
        raise FormatError(f"{header.where}: records must be {{kind: count}}")
    return counts and {version_1.NAMES_OF_TODAY.get(name, name): count for name, count in counts.items()}


def _read_records(
    source: Source, items: Iterable[Item], problems: list[Problem]
) -> tuple[Spool, dict[str, Row], list[str]]:
    """Return all records except corrections, the corrections by id, and the ids of withdrawn texts."""
    spool, corrections, withdrawn = Spool(), dict[str, Row](), list[str]()
    extra: Counter[str] = Counter()
    for item in items:
        taken_back = isinstance(item.value, dict) and item.value.pop(TAKEN_BACK, False) is True
        kind, row = _record(item, extra)
        if taken_back and kind is Text:
            withdrawn.append(row["id"])
        new = corrections.setdefault(row["id"], row) is row if kind is Correction else spool.put(kind, row)
        if not new:
            first = _first_line(source, kind.__name__, row["id"])
            raise FormatError(f"{item.where}: {kind.__name__} {row['id']!r} already appears at {first}")
    problems += [
        Problem("the file", f"unknown field {name} on {n} lines; left out")
        for name, n in sorted(extra.items())
    ]
    return spool, corrections, withdrawn


def _first_line(source: Source, name: str, record_id: str) -> str:
    found = (
        i.where
        for i in json_lines(source.path)
        if (i.value.get("record"), i.value.get("id")) == (name, record_id)
    )
    return next(found)


def _record(item: Item, extra: Counter[str]) -> tuple[type[Record], Row]:
    """Return the kind and the row of one line. Raises FormatError."""
    row = item.value
    name = row.pop("record", None) if isinstance(row, dict) else None
    if not isinstance(name, str) or name not in KINDS:
        raise FormatError(f"{item.where}: unknown kind of record; update Dailies")
    kind = KINDS[name]
    for key in ("id", "key"):
        if key in row and not (isinstance(row[key], str) and _ID.fullmatch(row[key])):
            raise FormatError(f"{item.where}: {key} {str(row[key])[:80]!r} is not a valid id")
    for key in row.keys() - _FIELDS[kind]:
        extra[f"{name}.{key}"] += 1
        del row[key]
    try:
        record = from_row(kind, row)
        if isinstance(record, Correction) and not record.cleared:
            record = replace(record, value=check_value(record.subject_type, record.field, record.value))
    except (FormatError, UsageError) as error:
        raise FormatError(f"{item.where}: {error}") from error
    # A path from another machine could expose files of this one.
    return kind, to_row(record) | ({"path": None, "clips": []} if kind is Video else {})


# --- the same things under other ids --------------------------------------------------


def _match_known_records(store: Store, spool: Spool, problems: list[Problem]) -> dict[str, str]:
    """Map the file's people, videos and frames to known ones, and return the known ids by the file's ids."""
    ids = _same_people(store, spool, problems) | _same_videos(store, spool)
    ids |= _same_frames(store, spool, ids)
    names = _free_names(store, spool, problems)

    def change(kind: type[Record], row: Row) -> Row | None:
        if row["id"] in ids:
            return None
        if kind is Evaluation:
            row = row | {"name": names[row["id"]]}
        return _with_known_ids(kind, row, ids)

    if ids or names:
        spool.change = change
    return ids


def _same_people(store: Store, spool: Spool, problems: list[Problem]) -> dict[str, str]:
    here = {person.name: person.id for person in store.find(Person)}
    ids = set(here.values())
    people = list(spool.of_kind(Person))
    for person in people:
        if here and person.role == "admin" and person.name not in here and person.id not in ids:
            problems.append(Problem("the file", f"adds an admin, {person.name!r}; check the list of people"))
    return {p.id: here[p.name] for p in people if here.get(p.name, p.id) != p.id and p.id not in ids}


def _same_videos(store: Store, spool: Spool) -> dict[str, str]:
    here = store.find(Video)
    ids = {video.id for video in here}
    contents = {video.sha256: video.id for video in here if video.sha256}
    aliases = {(a.dataset_id, a.alias): a.video_id for a in store.find(Alias)}
    same: dict[str, str] = {}
    if contents:
        same |= {v.id: contents[v.sha256] for v in spool.of_kind(Video) if v.sha256 in contents}
    for record in spool.of_kind(Alias) if aliases else ():
        if (record.dataset_id, record.alias) in aliases:
            same.setdefault(record.video_id, aliases[record.dataset_id, record.alias])
    return {old: new for old, new in same.items() if old not in ids}


def _same_frames(store: Store, spool: Spool, ids: Mapping[str, str]) -> dict[str, str]:
    """Return the known ids of frames of recognised videos, matched by number."""
    moved = [frame for frame in spool.of_kind(Frame) if frame.video_id in ids] if ids else []
    here: dict[tuple[str, int], str] = {}
    for video_id in {ids[frame.video_id] for frame in moved}:
        here |= {(f.video_id, f.index): f.id for f in store.find(Frame, video_id=video_id)}
    found = {frame.id: here.get((ids[frame.video_id], frame.index)) for frame in moved}
    return {old: new for old, new in found.items() if new is not None}


def _with_known_ids(kind: type[Record], row: Row, ids: Mapping[str, str]) -> Row:
    changed: Row = {name: ids[row[name]] for name in _REFERENCES[kind] if row[name] in ids}
    if kind is Study:
        changed["sequences"] = [
            s | {"video_id": ids.get(str(s.get("video_id")), s.get("video_id"))} for s in row["sequences"]
        ]
    return row | changed if changed else row


def _free_names(store: Store, spool: Spool, problems: list[Problem]) -> dict[str, str]:
    """Return unique names for the file's evaluations, by id. A name that is already used gets a suffix."""
    taken = {e.name: e.id for e in store.find(Evaluation)}
    names = {}
    for one in spool.of_kind(Evaluation):
        names[one.id] = one.name
        if taken.get(one.name, one.id) != one.id:
            names[one.id] = f"{one.name} ({digest(one.id)[:4]})"
            what = f"an evaluation {one.name!r} already exists; this one is named {names[one.id]!r}"
            problems.append(Problem("the file", what))
    return names
