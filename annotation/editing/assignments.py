"""Assignments: videos given to people, their state, and the next one to work on.

Only people change assignments. No stage of the pipeline does, so a model's draft never counts as done. Rows
are appended: the newest row of a video, person and task counts.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from sqlalchemy import Connection, insert, select

from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Change
from annotation.editing.newest_record import TICK_S, later_than, newest
from annotation.people import hidden_texts
from annotation.people.permissions import may, require
from annotation.records.allowed_values import AssignmentState
from annotation.records.decisions import Assignment, Person
from annotation.records.errors import NotAllowed, StaleEdit
from annotation.records.ids import Json, new_id
from annotation.records.videos import Video
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks, known_ids
from annotation.store.rows import to_row
from annotation.store.store import Store
from backends.errors import UsageError

TASKS = ("script", "captions", "verdicts", "aspects", "merge", "split", "keyframes")
"""`aspects`: write the four parts of a CaReBench caption; `merge`: an expert combines them."""
UNFINISHED: tuple[AssignmentState, ...] = ("returned", "working", "open")
"""States shown in a queue; `flagged` waits for another person."""
OWN: tuple[AssignmentState, ...] = ("open", "working", "done", "skipped", "flagged")
"""States that a person may set on their own work."""
REVIEW: tuple[AssignmentState, ...] = ("approved", "returned", "open", "withdrawn")
"""States that a person who assigns work may set on the work of others."""
NEEDS_NOTE: tuple[AssignmentState, ...] = ("flagged", "returned")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Identifies an assignment."""

    video_id: str
    person_id: str
    task: str


def place_of(row: Assignment) -> Place:
    return Place(row.video_id, row.person_id, row.task)


# --- reading -------------------------------------------------------------------------


def current(rows: Iterable[Assignment]) -> dict[Place, Assignment]:
    """Return the newest row of each assignment, in the order in which they were given.

    Withdrawn assignments are left out. If one is given again, it moves to the end.
    """
    found: dict[Place, Assignment] = {}
    for row in sorted(rows, key=lambda r: (r.created_at, r.id)):
        if row.state == "withdrawn":
            found.pop(place_of(row), None)
        else:
            found[place_of(row)] = row
    return found


def all_work(store: Store, videos: Sequence[str] | None = None) -> dict[Place, Assignment]:
    """Return all assignments, on these videos or on all."""
    if videos is None:
        return current(store.find(Assignment))
    return current(store.find(Assignment, video_id=list(videos)))


def videos_with_work(store: Store, person_id: str = "", states: Collection[str] | None = None) -> set[str]:
    """Return videos with assignments, optionally of one person or in one of these states."""
    c = t.assignment.c
    query = select(c.video_id, c.person_id, c.task, c.state).order_by(c.created_at, c.id)
    if person_id:
        query = query.where(c.person_id == person_id)
    with store.reading() as conn:
        newest = {row[:3]: row[3] for row in conn.execute(query)}
    return {
        place[0]
        for place, state in newest.items()
        if state != "withdrawn" and (states is None or state in states)
    }


def work_of(store: Store, person_id: str) -> list[Assignment]:
    """Return a person's queue."""
    return list(current(store.find(Assignment, person_id=person_id)).values())


def unfinished(rows: Sequence[Assignment]) -> list[Assignment]:
    return [row for row in rows if row.state in UNFINISHED]


def resume(rows: Sequence[Assignment]) -> Assignment | None:
    """Return where a person continues: the work opened last, else returned work, else the first open one."""
    left = unfinished(rows)
    working = [row for row in left if row.state == "working"]
    if working:
        return max(working, key=lambda row: row.created_at)
    return next((row for row in left if row.state == "returned"), left[0] if left else None)


def following(rows: Sequence[Assignment], here: Place) -> Assignment | None:
    """Return the next unfinished work after `here`, wrapping around: of the same task, else of any task."""
    places = [place_of(row) for row in rows]
    at = places.index(here) + 1 if here in places else 0
    left = [row for row in unfinished([*rows[at:], *rows[:at]]) if place_of(row) != here]
    same = [row for row in left if row.task == here.task and row.video_id != here.video_id]
    return next(iter(same or left), None)


# --- writing -------------------------------------------------------------------------


def assign(
    store: Store, person: Person | None, video_ids: Sequence[str], to: str, task: str
) -> list[Assignment]:
    """Assign videos to a person for a task, in this order. Existing assignments are unchanged.

    Raises as `give` does.
    """
    return give(store, person, [Place(video_id, to, task) for video_id in video_ids])


def give(
    store: Store, person: Person | None, places: Sequence[Place], *, write: bool = True
) -> list[Assignment]:
    """Make these assignments in this order, as one decision, and return those that did not exist.

    People may assign work to themselves; assigning it to others needs the right to do so. `write` False: only
    check, and return what would be made. Raises NotAllowed, NotFound, UsageError.
    """
    if not places:
        raise UsageError("choose at least one video")
    wanted: dict[tuple[str, str], list[str]] = defaultdict(list)
    for place in places:
        wanted[place.person_id, place.task].append(place.video_id)
    for (to, task), video_ids in wanted.items():
        giver, taker = _require_may_give(store, person, video_ids, to, task)
    takers = len({to for to, _ in wanted})
    whom = taker.name if takers == 1 else f"{takers} people"
    with store.writing() if write else store.reading() as conn:
        _require_videos(store, conn, places)
        held, now = _held(conn, places), time.time()
        free = [place for place in dict.fromkeys(places) if place not in held]
        new = [_row(place, "open", "", now + n * TICK_S) for n, place in enumerate(free)]
        if write:
            _write(conn, new)
            one = new[0].video_id if len(new) == 1 else None
            changes = [_change(None, row) for row in new]
            undo_and_redo.record_in(conn, giver.id, one, _what_was_given(new, whom), changes)
    return new


def _require_may_give(
    store: Store, person: Person | None, video_ids: Sequence[str], to: str, task: str
) -> tuple[Person, Person]:
    """Return the person who gives and the one who takes. Raises NotAllowed, NotFound, UsageError."""
    giver = require(person, "edit" if person and person.id == to else "assign")
    if task not in TASKS:
        raise UsageError(f"task {task!r} not found; choose from {', '.join(TASKS)}")
    taker = store.get(Person, to)
    if task == "merge" and not may(taker, "assign"):
        raise UsageError(f"only experts can merge; {taker.name} is {taker.role}")
    if task == hidden_texts.WRITE and not may(giver, "assign"):
        hidden_texts.refuse_readers(store, giver, video_ids)
    return giver, taker


def _require_videos(store: Store, conn: Connection, places: Sequence[Place]) -> None:
    """Check that the videos exist. Raises NotFound."""
    video_ids = dict.fromkeys(place.video_id for place in places)
    known = known_ids(conn, t.video, video_ids)
    for missing in (video_id for video_id in video_ids if video_id not in known):
        store.get(Video, missing)


def _held(conn: Connection, places: Sequence[Place]) -> set[Place]:
    """Return all assignments on the videos of `places`, of these and other people."""
    c = t.assignment.c
    states: dict[Place, str] = {}
    for group in chunks(place.video_id for place in places):
        query = select(c.video_id, c.person_id, c.task, c.state).where(among(c.video_id, group))
        for row in conn.execute(query.order_by(c.created_at, c.id)):
            states[Place(*row[:3])] = row.state
    return {place for place, state in states.items() if state != "withdrawn"}


def _what_was_given(new: Sequence[Assignment], whom: str) -> str:
    videos = len({row.video_id for row in new})
    tasks = ", ".join(dict.fromkeys(row.task for row in new))
    return f"gave {'a video' if videos == 1 else f'{videos} videos'} to {whom} ({tasks})"


def withdraw(
    store: Store, person: Person | None, video_ids: Sequence[str], to: str, task: str
) -> list[Assignment]:
    """Remove these videos from a person's queue, finished or not. Raises NotAllowed."""
    taker = require(person, "assign")
    with store.writing() as conn:
        places = [Place(video_id, to, task) for video_id in dict.fromkeys(video_ids)]
        before = [row for row in (_now(conn, place) for place in places) if row]
        new = [_row(place_of(row), "withdrawn", "", later_than(row)) for row in before]
        _write(conn, new)
        what = f"took {'a video' if len(new) == 1 else f'{len(new)} videos'} out of a queue ({task})"
        changes = [_change(old, row) for old, row in zip(before, new, strict=True)]
        undo_and_redo.record_in(conn, taker.id, None, what, changes)
    return new


def set_state(
    store: Store, person: Person | None, place: Place, state: str, note: str = "", base: str = ""
) -> Assignment:
    """Set the state of an assignment. `base` is the state that the person saw; "" skips the check.

    Raises NotAllowed, UsageError; StaleEdit if another person has changed the state meanwhile.
    """
    editor = _require_state(person, place, state)
    own = editor.id == place.person_id
    if state in NEEDS_NOTE and not note.strip():
        raise UsageError(f"add a short note why it is {state}")
    with store.writing() as conn:
        now = _now(conn, place)
        if now is None:
            raise UsageError("this work is no longer assigned to that person; reload the page")
        if own and (why := hidden_texts.reopening(conn, place.video_id, place.person_id, place.task, state)):
            raise NotAllowed(why)
        if base and _as_open(base) != _as_open(now.state):
            raise StaleEdit(f"this work is {now.state} now; check it again", current=now.state, revision=0)
        row = _row(place, cast(AssignmentState, state), note.strip(), later_than(now))
        _write(conn, [row])
        what = f"set the work on the {place.task} to {state}"
        undo_and_redo.record_in(conn, editor.id, place.video_id, what, [_change(now, row)])
    return row


def set_states(
    store: Store,
    person: Person | None,
    places: Mapping[Place, Mapping[str, int]],
    state: AssignmentState,
    what: str,
) -> list[Assignment]:
    """Set the same state on several assignments of one video, the person's included, as one decision.

    `places`: with the revisions of the reviewed texts, by text id.

    Raises NotAllowed; UsageError if one of the assignments was withdrawn.
    """
    editor = require(person, "assign")
    with store.writing() as conn:
        found = [(place, _now(conn, place)) for place in places]
        before = [row for _, row in found if row]
        if len(before) < len(found):
            raise UsageError("part of this work is no longer assigned; reload the page")
        new = [_row(place_of(row), state, "", later_than(row), places[place_of(row)]) for row in before]
        _write(conn, new)
        changes = [_change(old, row) for old, row in zip(before, new, strict=True)]
        undo_and_redo.record_in(conn, editor.id, new[0].video_id, what, changes, whole=True)
    return new


def begin(store: Store, person: Person, place: Place) -> Assignment | None:
    """Mark the work as opened by the person. Returns None if nothing changes."""
    with store.writing() as conn:
        now = _now(conn, place)
        if now is None or person.id != place.person_id or now.state not in UNFINISHED:
            return None
        row = _row(place, "working", now.note, later_than(now))
        _write(conn, [row])
    return row


def _as_open(state: str) -> str:
    """Treat opened work as open, because it may be open in another window only."""
    return "open" if state == "working" else state


def _change(before: Assignment | None, after: Assignment) -> Change:
    def state_of(row: Assignment | None) -> dict[str, Json] | None:
        return {"state": row.state, "note": row.note, "versions": dict(row.versions)} if row else None

    subject = (after.video_id, after.person_id, after.task)
    return Change("assignment", subject, state_of(before), state_of(after))


def _require_state(person: Person | None, place: Place, state: str) -> Person:
    if state not in get_args(AssignmentState):
        raise UsageError(f"state {state!r} not found; choose from {', '.join(get_args(AssignmentState))}")
    own = person is not None and person.id == place.person_id
    if own and state in OWN:
        return require(person, "edit")
    if own and not may(person, "assign"):
        raise NotAllowed(f"you cannot set your own work to {state}; ask an expert")
    merged = place.task == hidden_texts.MERGE
    if own and state == "approved" and not merged:
        raise NotAllowed("you cannot approve your own work; ask another expert")
    if state in REVIEW:
        editor = require(person, "assign")
        if state == "approved" and merged:
            raise UsageError(
                "approve a merged caption on its Merge tab, which shows the versions it was made from"
            )
        return editor
    raise NotAllowed(f"only the person assigned to the work can set it to {state}")


def _now(conn: Connection, place: Place) -> Assignment | None:
    """Return the newest row; None if the work was withdrawn."""
    row = newest(conn, Assignment, video_id=place.video_id, person_id=place.person_id, task=place.task)
    return None if row is None or row.state == "withdrawn" else row


def _row(
    place: Place, state: AssignmentState, note: str, at: float, versions: Mapping[str, int] | None = None
) -> Assignment:
    return Assignment(
        id=new_id("asg"),
        video_id=place.video_id,
        person_id=place.person_id,
        task=place.task,
        state=state,
        created_at=at,
        note=note,
        versions=versions or {},
    )


def _write(conn: Connection, rows: Sequence[Assignment]) -> None:
    if rows:
        conn.execute(insert(t.assignment), [to_row(row) for row in rows])
        changed_videos.touch(conn, [row.video_id for row in rows])
