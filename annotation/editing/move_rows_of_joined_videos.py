"""Moves the rows of one video record to another, and back: a decision that can be undone.

Ids are kept. Moved rows, deleted duplicates of one run and other changes are recorded like those of an import
(`import_part`). Everything here runs inside a transaction of the store.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, Text, cast, delete, select, update

from annotation.editing.dependent_rows import BY_PLACE, Ids, everything_on, saw_file, tables
from annotation.editing.take_back_import import is_here, put_back
from annotation.editing.why_videos_cannot_join import require_joinable
from annotation.records import captions_to_verdicts as records
from annotation.records.errors import NotFound, StaleEdit
from annotation.records.ids import Json
from annotation.records.videos import SceneList, Video
from annotation.store import changed_videos, current_table
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks, insert_rows
from annotation.store.import_log import Change, ImportLog, lacking
from annotation.store.scenes_without_file import is_nominal, settle
from annotation.store.store import Store
from backends.errors import MediaError
from backends.video.probe import probe

Subject = tuple[str, ...]
"""Ids of the decision, of the video that stays, and of the one that goes."""
NAMES_VIDEOS = ((t.action, "changes"), (t.study, "sequences"))
"""JSON columns with ids of videos."""
NOT_RENAMED = ("join", "import")
"""Kinds of decisions that keep the original video ids."""
IN_SLOTS = {t.text: records.Text, t.verdict: records.Verdict}
"""Records that replace an older one of the same subject."""
A_PART = 500
"""Rows per `import_part`."""


def join_now(_store: Store, conn: Connection, subject: Subject) -> Json:
    """Return whether the records are joined."""
    return is_here(conn, subject[0])


def restore_join(store: Store, conn: Connection, subject: Subject, state: Json, _person_id: str) -> None:
    """Join or separate the records. Raises UsageError, NotFound, StaleEdit."""
    (join_rows if state else separate_rows)(store, conn, *subject)


def join_rows(store: Store, conn: Connection, join_id: str, kept_id: str, gone_id: str) -> None:
    """Move all rows of one video to the other. Raises NotFound, and UsageError if they cannot be joined."""
    kept, gone = store.get(Video, kept_id), store.get(Video, gone_id)
    doubles = _doubles(conn, kept_id, gone_id)
    require_joinable(conn, kept, gone, doubles)
    log = ImportLog(join_id)
    frames = _same_frames(conn, kept_id, gone_id)
    doubles[t.frame.name] |= frames.keys()
    doubles[t.run_video.name] |= _same_run_videos(conn, kept_id, gone_id)
    moving = {name: ids - doubles.get(name, set()) for name, ids in _of_video(conn, gone_id).items()}
    _take_out(conn, log, doubles)
    _move(conn, moving, kept_id, {gone_id: kept_id} | frames)
    for table, column in NAMES_VIDEOS:
        _rename(conn, log, table, column, gone_id, kept_id)
    with log.watching(conn, [kept_id]):
        if values := lacking(kept, gone):
            conn.execute(update(t.video).where(t.video.c.id == kept_id).values(**values))
        _settle(store, kept)
    _take_out(conn, log, {t.video.name: {gone_id}})
    for name, ids in moving.items():
        log.added(conn, t.metadata.tables[name], sorted(ids))
    changed_videos.touch(conn, [kept_id, gone_id])


def separate_rows(store: Store, conn: Connection, join_id: str, kept_id: str, gone_id: str) -> None:
    """Separate the records again. Rows created since from rows that move back move with them.

    Raises NotFound, and StaleEdit if a video with that id exists again.
    """
    kept = store.get(Video, kept_id)
    p = t.import_part.c
    parts = conn.execute(select(p.table_name, p.added, p.changed).where(p.import_id == join_id)).all()
    if not parts:
        raise NotFound(f"{kept.title!r} is no longer joined with it")
    if store.find(Video, id=gone_id):
        raise StaleEdit(f"a video with the id {gone_id} exists again", current=None, revision=0)
    conn.execute(delete(t.import_part).where(p.import_id == join_id))
    moved: Ids = defaultdict(set)
    taken_out: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for name, added, changed in parts:
        moved[name] |= set(added)
        taken_out[name] += [change["before"] for change in changed if not change["after"]]
        put_back(conn, t.metadata.tables[name], [change for change in changed if change["after"]])
    insert_rows(conn, t.video, [_with_file(row, kept) for row in taken_out.pop(t.video.name)])
    frames = _frames_again(conn, kept_id, taken_out[t.frame.name])
    since = everything_on(conn, {n: ids for n, ids in moved.items() if n != t.action.name}, moved)
    for name, ids in since.items():
        moved[name] |= ids if "video_id" in t.metadata.tables[name].c else set()
    _move(conn, moved, gone_id, {kept_id: gone_id} | frames)
    for table in (*t.TABLE_OF.values(), t.current):
        insert_rows(conn, table, taken_out[table.name])
    changed_videos.touch(conn, [kept_id, gone_id])


def _with_file(row: Mapping[str, Any], kept: Video) -> Mapping[str, Any]:
    """Return the row with the other video's path if its copy of the same file was deleted meanwhile."""
    lost = row["path"] and row["sha256"] == kept.sha256 and not Path(row["path"]).is_file()
    return {**row, "path": kept.path} if lost else row


# --- duplicate rows -------------------------------------------------------------------


def _of_video(conn: Connection, video_id: str) -> Ids:
    """Return ids of all rows of the video, by table."""
    return {
        table.name: set(conn.scalars(select(table.c.id).where(table.c.video_id == video_id)))
        for table in tables()
        if "video_id" in table.c
    }


def _doubles(conn: Connection, kept_id: str, gone_id: str) -> Ids:
    """Return rows of the second video that pipeline runs also made for the first, and rows that depend on
    them.
    """
    r = t.run_video.c
    runs = select(r.run_id).join(t.run, t.run.c.id == r.run_id)
    ours = runs.where(saw_file())
    shared = ours.where(r.video_id == kept_id).intersect(ours.where(r.video_id == gone_id))
    again = list(conn.scalars(shared))
    found: Ids = defaultdict(set)
    for table in tables():
        if again and "run_id" in table.c and "video_id" in table.c and table is not t.run_video:
            c = table.c
            there = select(c.run_id).where(c.video_id == kept_id, c.run_id.in_(again)).distinct()
            mine = select(c.id).where(c.video_id == gone_id, c.run_id.in_(list(conn.scalars(there))))
            found[table.name] |= set(conn.scalars(mine))
    found[t.question.name] |= _same_questions(conn, kept_id, gone_id)
    for name, ids in everything_on(conn, found, dict(found)).items():
        found[name] |= ids
    found.pop(t.action.name, None)
    return found


def _same_questions(conn: Connection, kept_id: str, gone_id: str) -> set[str]:
    """Return questions that one run asked about both files; questions on captions are left out."""
    q, there = t.question.c, t.question.alias().c
    same = (there[name] == q[name] for name in ("run_id", "kind", "text", "source_hash"))
    other = select(there.id).where(there.video_id == kept_id, there.source_text_id.is_(None), *same)
    mine = select(q.id).where(q.video_id == gone_id, q.source_text_id.is_(None), other.exists())
    return set(conn.scalars(mine))


def _same_frames(conn: Connection, kept_id: str, gone_id: str) -> dict[str, str]:
    """Return `{frame id: id of the same frame of the video that stays}`."""
    f = t.frame.c
    here = {index: key for key, index in conn.execute(select(f.id, f.index).where(f.video_id == kept_id))}
    rows = conn.execute(select(f.id, f.index).where(f.video_id == gone_id))
    return {key: here[index] for key, index in rows if index in here}


def _frames_again(conn: Connection, kept_id: str, rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the opposite mapping, for rows that move back."""
    f = t.frame.c
    here = {index: key for key, index in conn.execute(select(f.id, f.index).where(f.video_id == kept_id))}
    return {here[row["index"]]: row["id"] for row in rows if row["index"] in here}


def _same_run_videos(conn: Connection, kept_id: str, gone_id: str) -> set[str]:
    """Return progress rows of the second video for runs that the first video has too."""
    r = t.run_video.c
    both = conn.execute(select(r.run_id, r.stage, r.id, r.video_id).where(r.video_id.in_((kept_id, gone_id))))
    rows = both.all()
    here = {(row.run_id, row.stage) for row in rows if row.video_id == kept_id}
    return {row.id for row in rows if row.video_id == gone_id and (row.run_id, row.stage) in here}


# --- moving ---------------------------------------------------------------------------


def _move(conn: Connection, ids: Ids, to: str, subjects: Mapping[str, str]) -> None:
    """Change the video of rows, and the ids in `subjects` that they refer to."""
    for name, moving in ids.items():
        table = t.metadata.tables[name]
        for some in chunks(moving):
            conn.execute(update(table).where(among(table.c.id, some)).values(video_id=to))
            if name in current_table.FIELDS:
                c = t.current.c
                where = (c.subject_type == name, among(c.subject_id, some))
                conn.execute(update(t.current).where(*where).values(video_id=to))
            if table in BY_PLACE:
                _name_subjects(conn, table, some, subjects)


def _name_subjects(conn: Connection, table: Table, ids: Iterable[str], subjects: Mapping[str, str]) -> None:
    where = (among(table.c.id, ids), among(table.c.subject_id, subjects))
    for row in conn.execute(select(table).where(*where)).mappings().all():
        now = {**row, "subject_id": subjects[row["subject_id"]]}
        same = table.c.id == row["id"]
        conn.execute(update(table).where(same).values(subject_id=now["subject_id"]))
        for made in current_table.machine_rows(IN_SLOTS[table], now) if table in IN_SLOTS else ():
            mine = (t.current.c.subject_type == made["subject_type"], t.current.c.subject_id == row["id"])
            conn.execute(update(t.current).where(*mine).values(slot=made["slot"]))


def _rename(conn: Connection, log: ImportLog, table: Table, column: str, old: str, new: str) -> None:
    """Rename the video in decisions, so that undo still works, and in the sequences of studies."""
    c = table.c[column]
    changes: list[Change] = []
    for key, value in conn.execute(select(table.c.id, c).where(cast(c, Text).contains(f'"{old}"'))).all():
        now = [_renamed(one, old, new) for one in value]
        if now != value:
            conn.execute(update(table).where(table.c.id == key).values({column: now}))
            changes.append({"key": [key], "before": {column: value}, "after": {column: now}})
    log.changed(conn, table, changes)


def _renamed(part: Json, old: str, new: str) -> Json:
    if part.get("kind") in NOT_RENAMED:
        return part
    return json.loads(json.dumps(part).replace(f'"{old}"', f'"{new}"'))


def _settle(store: Store, video: Video) -> None:
    """Set the frames of scenes that were imported with times only, if the file can be read."""
    lists = store.find(SceneList, video_id=video.id)
    if video.path and any(map(is_nominal, lists)):
        with suppress(MediaError):
            clips = [clip.start_frame for clip in video.clips]
            settle(store, video.id, probe(Path(video.path))[1], clips)


# --- deleting and restoring -------------------------------------------------------------


def _take_out(conn: Connection, log: ImportLog, ids: Ids) -> None:
    """Delete rows and their current values."""
    for table in reversed(t.TABLE_OF.values()):
        for some in chunks(ids.get(table.name, ())):
            if table.name in current_table.FIELDS:
                c = t.current.c
                where = (c.subject_type == table.name, among(c.subject_id, some))
                _keep(conn, log, t.current, *where)
                conn.execute(delete(t.current).where(*where))
            _keep(conn, log, table, among(table.c.id, some))
            conn.execute(delete(table).where(among(table.c.id, some)))


def _keep(conn: Connection, log: ImportLog, table: Table, *where: Any) -> None:
    rows = conn.execute(select(table).where(*where)).mappings().all()
    keys = [c.name for c in table.primary_key]
    changes: list[Change] = [
        {"key": [row[key] for key in keys], "before": dict(row), "after": {}} for row in rows
    ]
    for start in range(0, len(changes), A_PART):
        log.changed(conn, table, changes[start : start + A_PART])
