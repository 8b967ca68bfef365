"""Queues: assign work to people, set its state, and find the next piece."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.editing import assignments, share_work
from annotation.editing.assignments import Place
from annotation.people.permissions import may
from annotation.records.errors import NotAllowed
from annotation.records.videos import Video
from backends.errors import UsageError
from ui.lib.view_parts import people_by_id
from ui.pages.library.assignments_view import (
    bar_json,
    next_json,
    queue_json,
    require_approval_kept,
    require_no_open_points,
    shares_json,
    work_json,
)
from ui.pages.library.wire_types import (
    Queue,
    QueueBar,
    WorkGiven,
    WorkSaid,
    WorkShared,
    WorkState,
    WorkWithdrawn,
)
from ui.requests.dependencies import PartsOf, Who

router = APIRouter(prefix="/api/queue")


class AssignBody(BaseModel):
    videos: list[str] = Field(max_length=100_000)
    person: str
    task: str


class SharedTask(BaseModel):
    task: str
    people: list[str] = Field(max_length=200)
    """Ids of the people who share it."""
    copies: int = Field(1, ge=1, le=10)
    """Number of people for each video outside the overlap."""


class ShareBody(BaseModel):
    videos: list[str] = Field(max_length=100_000)
    parts: list[SharedTask] = Field(min_length=1, max_length=len(assignments.TASKS))
    """The tasks. Those after the first share its videos evenly."""
    each: int | None = Field(None, ge=1, le=100_000)
    """Videos of one person for the first task, the overlap included; None: all are shared evenly."""
    overlap: float = Field(0, ge=0, le=100_000)
    """Videos of the first task that everyone gets, for agreement."""
    percent: bool = False
    """Whether `overlap` is a percentage of the videos, rounded up."""
    preview: bool = False
    """Whether to return the numbers without giving anything."""


class StateBody(BaseModel):
    video: str
    task: str
    state: str
    person: str = ""
    """The person whose work it is; empty: the current person."""
    note: str = Field("", max_length=2000)
    base: str = ""
    """The state that the page showed."""
    sure: bool = False
    """Whether to set the state with open points too."""


class BeginBody(BaseModel):
    video: str
    task: str


@router.get("")
def queue(parts: PartsOf, who: Who) -> Queue:
    """How much work is left for the current person, where to resume, and to whom they may assign work."""
    return queue_json(parts.store, who, may(who, "assign"))


@router.post("")
def assign(body: AssignBody, parts: PartsOf, who: Who) -> WorkGiven:
    """Assign videos to a person, in this order."""
    new = assignments.assign(parts.store, who, body.videos, body.person, body.task)
    return {"given": len(new), "already": len(set(body.videos)) - len(new)}


@router.post("/share")
def share(body: ShareBody, parts: PartsOf, who: Who) -> WorkShared:
    """Share videos out among people for one or more tasks: all of it, or nothing if a part is refused."""
    asked = [share_work.Part(one.task, one.people, one.copies) for one in body.parts]
    amount = share_work.Amount(body.each, body.overlap, body.percent)
    try:
        found = share_work.share(parts.store, who, body.videos, asked, amount, write=not body.preview)
    except (NotAllowed, UsageError) as error:
        if not body.preview:
            raise
        return {"parts": [], "refused": str(error)}
    return {"parts": shares_json(parts.store, found), "refused": ""}


@router.post("/withdraw")
def withdraw(body: AssignBody, parts: PartsOf, who: Who) -> WorkWithdrawn:
    """Remove videos from a person's queue."""
    return {"withdrawn": len(assignments.withdraw(parts.store, who, body.videos, body.person, body.task))}


@router.get("/{video_id}")
def bar(video_id: str, parts: PartsOf, who: Who) -> QueueBar:
    return bar_json(parts.store, who, parts.store.get(Video, video_id).id)


@router.post("/begin")
def begin(body: BeginBody, parts: PartsOf, who: Who) -> WorkState:
    """Record that the current person has opened this work."""
    row = assignments.begin(parts.store, who, Place(body.video, who.id, body.task))
    return {"state": row.state if row else ""}


@router.post("/state")
def state(body: StateBody, parts: PartsOf, who: Who) -> WorkSaid:
    """Set the state of a piece of work.

    Answers 409 if another person has changed it meanwhile, or with `points` to confirm, unless `sure`.
    """
    place = Place(body.video, body.person or who.id, body.task)
    if not body.sure:
        require_approval_kept(parts.store, place, body.state)
        require_no_open_points(parts.store, who, place, body.state)
    row = assignments.set_state(parts.store, who, place, body.state, body.note, body.base)
    return {"work": work_json(row, people_by_id(parts.store)), **next_json(parts.store, who, place)}
