"""Finds why two video records cannot be joined: the videos differ, or a result would no longer count.

Everything here runs inside a transaction of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, select

from annotation.editing.dependent_rows import Ids
from annotation.records.videos import BY_SECOND, Video
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from backends.errors import UsageError


def require_joinable(conn: Connection, kept: Video, gone: Video, doubles: Ids) -> None:
    """Raise UsageError with every reason. `doubles` are rows of `gone` that `kept` also has."""
    found = list(dict.fromkeys((*_others(conn, kept, gone), *_work(conn, kept, gone, doubles))))
    if found:
        raise UsageError(f"{gone.title!r} and {kept.title!r} cannot be joined: {'; '.join(found)}")


def _others(conn: Connection, kept: Video, gone: Video) -> Iterator[str]:
    """Yield reasons why the videos differ."""
    if kept.id == gone.id:
        yield "they are the same video; choose another one"
    if kept.sha256 and gone.sha256 and kept.sha256 != gone.sha256:
        yield "their files differ"
    if kept.extra.get(BY_SECOND) or gone.extra.get(BY_SECOND):
        yield "frames of one are counted by second; attach its files with: python app.py import --videos"
    a, d = t.alias.c, t.dataset.c
    names = select(d.name).join(t.alias, a.dataset_id == d.id)
    both = names.where(a.video_id == kept.id).intersect(names.where(a.video_id == gone.id))
    for name in conn.scalars(both):
        yield f"{name} lists both as two videos"


def _work(conn: Connection, kept: Video, gone: Video, doubles: Ids) -> Iterator[str]:
    """Yield reasons for results that would no longer count."""
    if kept.action and gone.action and kept.action != gone.action:
        yield "they have two action labels; clear one of them on Keyframes"
    for kind, name in _both(conn, kept, gone, _own_texts):
        yield f"{name} has written the {kind} of both; clear one of them"
    for task, name in _both(conn, kept, gone, _assignments):
        yield f"the {task} task of both is assigned to {name}; withdraw one of them"
    if _any(conn, kept, t.scene_list.c.person_id) and _any(conn, gone, t.scene_list.c.person_id):
        yield "people have set the cuts of both; undo those of one"
    for _, name in _both(conn, kept, gone, _keyframes):
        yield f"{name} has picked keyframes of both; clear those of one"
    for _, name in _both(conn, kept, gone, _labels):
        yield f"{name} has labelled the same frames of both; clear one of them"
    yield from _on_doubles(conn, kept, gone, doubles)


def _any(conn: Connection, video: Video, column: ColumnElement[str]) -> bool:
    table = t.scene_list
    found = select(table.c.id).where(table.c.video_id == video.id, column.is_not(None)).limit(1)
    return conn.scalar(found) is not None


def _both(
    conn: Connection, kept: Video, gone: Video, work: Callable[[], Select[Any]]
) -> list[tuple[str, str]]:
    """Return `(what, whose)` for work that both videos have."""
    query = work()
    video = query.selected_columns[2]
    mine, others = (
        {(str(row[0]), str(row[1])) for row in conn.execute(query.where(video == one.id))}
        for one in (kept, gone)
    )
    return sorted(mine & others)


def _own_texts() -> Select[tuple[str, str, str]]:
    x, c, p = t.text.c, t.current.c, t.person.c
    now = and_(c.subject_type == "text", c.subject_id == x.id, c.superseded.is_(False))
    query = select(x.kind, p.name, x.video_id).join(t.current, now).join(t.person, p.id == x.person_id)
    return query.where(x.subject_type == "video")


def _assignments() -> Select[tuple[str, str, str]]:
    a, p = t.assignment.c, t.person.c
    newer = t.assignment.alias()
    same = (getattr(newer.c, name) == a[name] for name in ("video_id", "person_id", "task"))
    later = select(newer.c.id).where(*same, newer.c.created_at > a.created_at).exists()
    query = select(a.task, p.name, a.video_id).join(t.person, p.id == a.person_id)
    return query.where(~later, a.state != "withdrawn")


def _keyframes() -> Select[tuple[str, str, str]]:
    s, p = t.selection.c, t.person.c
    return select(s.method, p.name, s.video_id).join(t.person, p.id == s.person_id)


def _labels() -> Select[tuple[str, str, str]]:
    f, p = t.frame_label.c, t.person.c
    pair = f.first.concat("-").concat(f.second)
    return select(pair, p.name, f.video_id).join(t.person, p.id == f.person_id)


def _on_doubles(conn: Connection, kept: Video, gone: Video, doubles: Ids) -> Iterator[str]:
    """Yield reasons if work of people, or results of other runs, depend on duplicate rows."""
    r = t.run_video.c
    runs = set(conn.scalars(select(r.run_id).where(r.video_id == kept.id)))
    advice = f"keep {gone.title!r} instead"
    for name, ids in doubles.items():
        table = t.metadata.tables[name]
        for some in chunks(ids):
            if "person_id" in table.c and conn.scalar(
                select(table.c.id).where(among(table.c.id, some), table.c.person_id.is_not(None)).limit(1)
            ):
                words = name.replace("_", " ")
                yield f"people worked on results of {gone.title!r} that both have ({words}); {advice}"
            if "run_id" in table.c and set(
                conn.scalars(select(table.c.run_id).where(among(table.c.id, some)).distinct())
            ) - runs - {None}:
                yield f"other runs used results of {gone.title!r} that both have; {advice}"
    yield from _texts_of_scenes(conn, gone, doubles, advice)


def _texts_of_scenes(conn: Connection, gone: Video, doubles: Ids, advice: str) -> Iterator[str]:
    """Yield a reason if people wrote texts on duplicate scenes, because texts refer to scene keys."""
    x = t.text.c
    for some in chunks(doubles.get(t.scene.name, ())):
        keys = select(t.scene.c.key).where(among(t.scene.c.id, some))
        mine = select(x.id).where(x.video_id == gone.id, x.person_id.is_not(None), x.subject_id.in_(keys))
        if conn.scalar(mine.limit(1)):
            yield f"people wrote texts of scenes of {gone.title!r} that both have; {advice}"
