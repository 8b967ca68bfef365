"""Joins two records of the same video for a person, and finds records that may be the same video."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Text, cast, or_, select, update

from annotation.editing.decision_log import Change
from annotation.editing.move_rows_of_joined_videos import join_rows, separate_rows
from annotation.editing.undo_and_redo import record_in
from annotation.intake.waiting_videos import names_of_waiting
from annotation.people.permissions import require
from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.records.ids import new_id
from annotation.records.videos import Video
from annotation.store import tables as t
from annotation.store.bulk_rows import among
from annotation.store.rows import from_row
from annotation.store.store import Store

SAME_BYTES, SAME_NAME = "the same bytes", "the same name"


@dataclass(frozen=True, slots=True)
class Joined:
    """Two joined records."""

    id: str
    """Id of the decision."""
    kept: Video
    gone: Video


def join(store: Store, person: Person, first_id: str, second_id: str) -> Joined:
    """Join both records under one: the first, or the second if only that has its file on this machine.

    This is one decision, which can be undone. Raises NotAllowed, NotFound, and UsageError if a result of one
    record would no longer count.
    """
    require(person, "add")
    with store.writing() as conn:
        kept, gone = store.get(Video, first_id), store.get(Video, second_id)
        if _rank(gone) > _rank(kept):
            kept, gone = gone, kept
        made = Joined(new_id("join"), kept, gone)
        join_rows(store, conn, made.id, kept.id, gone.id)
        change = Change("join", (made.id, kept.id, gone.id), False, True)
        record_in(conn, person.id, kept.id, f"joined {gone.title} with {kept.title}", [change])
    return made


def _rank(video: Video) -> tuple[bool, bool]:
    return bool(video.path) and Path(str(video.path)).is_file(), bool(video.path)


def undo_join(store: Store, join_id: str) -> None:
    """Undo a join by its id. Any person may have made it. Raises NotFound, StaleEdit."""
    with store.writing() as conn:
        like = cast(t.action.c.changes, Text).contains(f'"{join_id}"')
        for row in conn.execute(select(t.action).where(like)).mappings():
            for change in row["changes"]:
                if change["kind"] == "join" and change["subject"][0] == join_id:
                    separate_rows(store, conn, *change["subject"])
                    conn.execute(update(t.action).where(t.action.c.id == row["id"]).values(state="dropped"))
                    return
        raise NotFound(f"join {join_id!r} not found; join --json lists the ids")


# --- possible duplicates --------------------------------------------------------------


def same_bytes(store: Store, videos: Sequence[Video]) -> dict[str, list[Video]]:
    """Return other videos with equal files, by video id."""
    contents = {video.sha256 for video in videos if video.sha256}
    found = store.find(Video, sha256=sorted(contents), order_by=["title", "id"]) if contents else []
    others = {v.id: [o for o in found if o.sha256 == v.sha256 and o.id != v.id] for v in videos if v.sha256}
    return {video_id: some for video_id, some in others.items() if some}


def candidates(store: Store, video: Video) -> list[tuple[Video, str]]:
    """Return other records that may be the same video, each with the reason."""
    found = [(other, SAME_BYTES) for other in same_bytes(store, [video]).get(video.id, ())]
    known = {video.id, *(other.id for other, _ in found)}
    names = set(names_of_waiting(store, [video]))
    if video.path and not video.clips:
        names |= {Path(video.path).name, Path(video.path).stem}
    with store.reading() as conn:
        called = _called(conn, names)
    # Two different files are two videos, even if their names match.
    called = [o for o in called if o.id not in known and not (o.path and video.path)]
    return found + [(other, SAME_NAME) for other in called]


def _called(conn: Connection, names: Iterable[str]) -> list[Video]:
    """Return videos that one of the names matches: title, file name, or name in a dataset."""
    v, a = t.video.c, t.alias.c
    wanted = sorted(names)
    by_alias = select(a.video_id).where(among(a.alias, wanted))
    files = [v.path.endswith(f"/{name}", autoescape=True) for name in wanted]
    stems = [v.path.contains(f"/{name}.", autoescape=True) for name in wanted]
    query = select(t.video).where(or_(among(v.title, wanted), v.id.in_(by_alias), *files, *stems))
    rows = conn.execute(query.order_by(v.title, v.id)).mappings().all()
    return [from_row(Video, dict(row)) for row in rows]
