"""Queues: assign work to people, set its state, and find the next piece."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.editing import assignments
from annotation.editing.assignments import Place
from annotation.people.permissions import may
from annotation.records.videos import Video
from ui.lib.view_parts import people_by_id
from ui.pages.library.assignments_view import (
    bar_json,
    next_json,
    queue_json,
    require_approval_kept,
    require_no_open_points,
    work_json,
)
from ui.pages.library.wire_types import Queue, QueueBar, WorkGiven, WorkSaid, WorkState, WorkWithdrawn
from ui.requests.dependencies import PartsOf, Who

router = APIRouter(prefix="/api/queue")


class AssignBody(BaseModel):
    videos: list[str] = Field(max_length=100_000)
    person: str
    task: str


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
