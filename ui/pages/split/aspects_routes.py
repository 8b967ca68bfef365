"""CaReBench annotation: four parts written by two, merged, returned and approved by an expert."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from annotation.editing.assignments import Place
from annotation.people.carebench_text_access import WRITE, aspect_sight_of
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
    """How many videos are in which state, who did how much, how far the writers agree."""
    return progress_json(parts.store, texts, offset, limit)


@router.get("/{video_id}")
def one(video_id: str, parts: PartsOf, who: Who, player: bool = True) -> AspectsPage:
    """One video: my four parts, and those of others when I may see them."""
    return _now(parts, who, parts.store.get(Video, video_id).id, player=player)


def _now(parts: Parts, who: Person, video_id: str, *, player: bool = False) -> AspectsPage:
    sight = aspect_sight_of(parts.store, who, video_id)
    return aspects_json(parts.store, parts.media, who, video_id, sight, player=player)


@router.post("/{video_id}/write")
def write(video_id: str, parts: PartsOf, who: Who) -> AspectsPage:
    """Open the four fields of a video that was given to me."""
    write_merge_approve.begin(parts.store, who, video_id)
    return _now(parts, who, video_id)


@router.post("/{video_id}/merge")
def merge(video_id: str, parts: PartsOf, who: Who) -> AspectsPage:
    """Open the fields of the merged caption."""
    write_merge_approve.begin_merge(parts.store, who, video_id)
    return _now(parts, who, video_id)


class FullBody(BaseModel):
    base_revision: Revision = 0
    """Of the full caption that was seen."""


@router.post("/{video_id}/full")
def full(video_id: str, body: FullBody, parts: PartsOf, who: Who) -> AspectsPage:
    """Join the merged parts to the full caption."""
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
    """Give a writer their parts back with a comment."""
    place = Place(video_id, body.person, WRITE)
    write_merge_approve.return_work(parts.store, who, place, body.note, body.where, body.quote)
    return _now(parts, who, video_id)


class ApproveBody(BaseModel):
    versions: dict[str, int] = Field(max_length=100)
    """Revision by text id, of all texts that the page showed."""
    sure: bool = False
    """Also where points are open."""


@router.post("/{video_id}/approve")
def approve(video_id: str, body: ApproveBody, parts: PartsOf, who: Who) -> AspectsPage:
    """The merged caption is in order as it was shown.

    409 when other words stand now, or with `points` that are open, unless `sure`.
    """
    store, video = parts.store, parts.store.get(Video, video_id)
    if not body.sure and (place := write_merge_approve.merge_to_approve(store, video.id)):
        require_no_open_points(store, who, place, "approved")
    write_merge_approve.approve(store, who, video.id, body.versions)
    return _now(parts, who, video.id)


@router.post("/{video_id}/reopen")
def reopen(video_id: str, parts: PartsOf, who: Who) -> AspectsPage:
    """Take the approval back."""
    write_merge_approve.reopen(parts.store, who, parts.store.get(Video, video_id).id)
    return _now(parts, who, video_id)
