"""CaReBench annotation: four parts written by two people, merged, then returned or approved by an expert."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from annotation.editing.assignments import Place
from annotation.people.hidden_texts import WRITE, aspect_sight_of
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.systems.carebench import write_merge_approve
from ui.pages.library.assignments_view import require_no_open_points
from ui.pages.split.aspects_view import PAGE, aspects_json, progress_json
from ui.pages.split.wire_types import AspectsPage, AspectsProgress
from ui.requests.dependencies import Parts, PartsOf, Revision, TextSightOf, Who

router = APIRouter(prefix="/api/aspects")


@router.get("/progress")
def progress(
    parts: PartsOf,
    texts: TextSightOf,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = PAGE,
) -> AspectsProgress:
    """Number of videos in each state, work per person, and agreement between the writers."""
    return progress_json(parts.store, texts, offset, limit)


@router.get("/{video_id}")
def one(video_id: str, parts: PartsOf, who: Who, player: bool = True) -> AspectsPage:
    """One video: one's own four parts, and those of others that one may see."""
    return _now(parts, who, parts.store.get(Video, video_id).id, player=player)


def _now(parts: Parts, who: Person, video_id: str, *, player: bool = False) -> AspectsPage:
    sight = aspect_sight_of(parts.store, who, video_id)
    return aspects_json(parts.store, parts.media, who, video_id, sight, player=player)


@router.post("/{video_id}/write")
def write(video_id: str, parts: PartsOf, who: Who) -> AspectsPage:
    """Create the four fields of a video assigned to the current person."""
    write_merge_approve.begin(parts.store, who, video_id)
    return _now(parts, who, video_id)


@router.post("/{video_id}/merge")
def merge(video_id: str, parts: PartsOf, who: Who) -> AspectsPage:
    """Create the fields of the merged caption."""
    write_merge_approve.begin_merge(parts.store, who, video_id)
    return _now(parts, who, video_id)


class FullBody(BaseModel):
    base_revision: Revision = 0
    """Revision of the full caption that the page showed."""


@router.post("/{video_id}/full")
def full(video_id: str, body: FullBody, parts: PartsOf, who: Who) -> AspectsPage:
    """Join the merged parts into the full caption."""
    write_merge_approve.write_full(parts.store, who, parts.store.get(Video, video_id).id, body.base_revision)
    return _now(parts, who, video_id)


class ReturnBody(BaseModel):
    person: str
    note: str = Field(max_length=1500)
    where: str = ""
    """A part; empty: the whole caption."""
    quote: str = Field("", max_length=300)


@router.post("/{video_id}/return")
def give_back(video_id: str, body: ReturnBody, parts: PartsOf, who: Who) -> AspectsPage:
    """Return the parts to a writer with a comment."""
    place = Place(video_id, body.person, WRITE)
    write_merge_approve.return_work(parts.store, who, place, body.note, body.where, body.quote)
    return _now(parts, who, video_id)


class ApproveBody(BaseModel):
    versions: dict[str, int] = Field(max_length=100)
    """Revision by text id, for all texts that the page showed."""
    sure: bool = False
    """Whether to approve with open points too."""


@router.post("/{video_id}/approve")
def approve(video_id: str, body: ApproveBody, parts: PartsOf, who: Who) -> AspectsPage:
    """Approve the merged caption as it was shown.

    Answers 409 if the text has changed meanwhile, or with `points` that are open, unless `sure`.
    """
    store, video = parts.store, parts.store.get(Video, video_id)
    if not body.sure and (place := write_merge_approve.merge_to_approve(store, video.id)):
        require_no_open_points(store, who, place, "approved")
    write_merge_approve.approve(store, who, video.id, body.versions)
    return _now(parts, who, video.id)


@router.post("/{video_id}/reopen")
def reopen(video_id: str, parts: PartsOf, who: Who) -> AspectsPage:
    """Revoke the approval."""
    write_merge_approve.reopen(parts.store, who, parts.store.get(Video, video_id).id)
    return _now(parts, who, video_id)
