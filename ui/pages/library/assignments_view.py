"""Queues as data: assignments, their state, and the next piece of work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from annotation.editing.assignments import (
    TASKS,
    UNFINISHED,
    Place,
    all_work,
    following,
    place_of,
    resume,
    unfinished,
    work_of,
)
from annotation.editing.share_work import Shared
from annotation.people.hidden_texts import AspectSight, aspect_sight_of
from annotation.people.permissions import may
from annotation.records.decisions import Assignment, Person
from annotation.records.errors import NeedsConsent
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.systems.carebench.open_points import open_points
from ui.lib.view_parts import people_by_id
from ui.pages.library.wire_types import NextWork, Queue, QueueBar, QueueCounts, TaskShare, Work, WorkLink


def work_json(row: Assignment, people: dict[str, Person], sight: AspectSight | None = None) -> Work:
    """One piece of work with its current state; a comment that may quote hidden texts is left out."""
    hidden = sight is not None and sight.hides_work_of(row.video_id, row.person_id, row.task)
    return {
        "video": row.video_id,
        "person_id": row.person_id,
        "person": people[row.person_id].name,
        "task": row.task,
        "state": row.state,
        "note": "" if hidden else row.note,
        "at": row.created_at,
        "unfinished": row.state in UNFINISHED,
    }


def work_by_video(
    store: Store, videos: Sequence[str], sight: AspectSight | None = None
) -> dict[str, list[Work]]:
    """All work on these videos; `sight` is what the person may see."""
    people = people_by_id(store)
    found: dict[str, list[Work]] = defaultdict(list)
    for row in all_work(store, videos).values():
        found[row.video_id].append(work_json(row, people, sight))
    return found


def queue_json(store: Store, me: Person, givers: bool) -> Queue:
    """The person's queue for the Library; `people` are those to whom they may assign work."""
    rows = work_of(store, me.id)
    takers = store.find(Person, order_by=["created_at"]) if givers else [me]
    return {
        **_counts(rows),
        "resume": _link(store, resume(rows)),
        "tasks": list(TASKS),
        "people": [{"id": p.id, "name": p.name, "merges": may(p, "assign")} for p in takers],
    }


def bar_json(store: Store, me: Person, video_id: str) -> QueueBar:
    """The person's work on a video, that of others, and how much is left; each page shows its own tasks."""
    people, sight = people_by_id(store), aspect_sight_of(store, me, video_id)
    here = list(all_work(store, [video_id]).values())
    mine = [row for row in here if row.person_id == me.id]
    rows = work_of(store, me.id)
    others = [row for row in here if row.person_id != me.id]
    return {
        "mine": [{**work_json(r, people), "next": _link(store, following(rows, place_of(r)))} for r in mine],
        "others": [work_json(row, people, sight) for row in others],
        **_counts(rows),
    }


def next_json(store: Store, me: Person, here: Place) -> NextWork:
    """The next piece of work after this one; `next` is None at the end of the queue."""
    rows = work_of(store, me.id)
    to = following(rows, here) if here.person_id == me.id else None
    return {"next": _link(store, to), **_counts(rows)}


def _counts(rows: Sequence[Assignment]) -> QueueCounts:
    return {
        "left": len({row.video_id for row in unfinished(rows)}),
        "of": len({row.video_id for row in rows}),
    }


def shares_json(store: Store, found: Sequence[Shared]) -> list[TaskShare]:
    """The result of sharing work out, by task and person."""
    people = people_by_id(store)
    return [
        {
            "task": one.task,
            "people": [
                {"id": who, "name": people[who].name, "videos": len(mine), "given": one.new[who]}
                for who, mine in one.videos.items()
            ],
            "everyone": one.everyone,
            "left": one.left,
        }
        for one in found
    ]


def _link(store: Store, row: Assignment | None) -> WorkLink | None:
    if row is None:
        return None
    title = store.get(Video, row.video_id).title
    return {"video": row.video_id, "title": title, "task": row.task}


def require_approval_kept(store: Store, place: Place, state: str) -> None:
    """Raises NeedsConsent if approved work is reopened."""
    now = all_work(store, [place.video_id]).get(place)
    if now and now.state == "approved" and state == "open":
        why = "this work is approved; reopening it withdraws the approval"
        raise NeedsConsent(why, points=[why])


def require_no_open_points(store: Store, me: Person, place: Place, state: str) -> None:
    """Raises NeedsConsent with the open points of work that is to be called done or approved, NotFound.

    Does nothing for people who may not set this work's state: their request is refused for that reason.
    """
    if place.person_id != me.id and not may(me, "assign"):
        return
    sight = aspect_sight_of(store, me, place.video_id)
    if points := open_points(store, place, state, sight):
        raise NeedsConsent(f"not {state} yet: {'; '.join(points)}", points=points)
