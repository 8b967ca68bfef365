"""Two records of one video: candidates for joining, and joining them."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from annotation.editing import join_videos
from annotation.people.permissions import require
from annotation.records.videos import Video
from annotation.store.videos.library_index import videos_of
from ui.api.api_wire_types import JoinChoice, JoinChoices, VideosJoined
from ui.api.jobs_and_exports import require_idle
from ui.requests.dependencies import PartsOf, Who

router = APIRouter(prefix="/api")
MOST_FOUND = 20
"""Most videos that a search lists."""


class JoinBody(BaseModel):
    first: str
    """The video that is kept, unless only the other one has its file here."""
    second: str


@router.get("/videos/{video_id}/join")
def choices(video_id: str, parts: PartsOf, who: Who, q: str = "") -> JoinChoices:
    """Videos with the same bytes or name, and those that `q` finds."""
    require(who, "add")
    video = parts.store.get(Video, video_id)
    found = join_videos.candidates(parts.store, video)
    known = {video.id, *(other.id for other, _ in found)}
    if q.strip():
        videos = videos_of(parts.store)
        places = videos.fits(q).nonzero()[0][: MOST_FOUND + len(known)].tolist()
        ids = [videos.ids[place] for place in places if videos.ids[place] not in known][:MOST_FOUND]
        found += [(other, "") for other in parts.store.find(Video, id=ids, order_by=["title", "id"])]
    return {"video": _choice(video, ""), "others": [_choice(other, why) for other, why in found]}


@router.post("/join")
def join(body: JoinBody, parts: PartsOf, who: Who) -> VideosJoined:
    """Join two records of one video, as one decision that can be undone."""
    require(who, "add")
    for video_id in (body.first, body.second):
        require_idle(parts, parts.store.get(Video, video_id))
    made = join_videos.join(parts.store, who, body.first, body.second)
    return {"kept": made.kept.id, "title": made.kept.title, "joined": made.gone.title, "undo": made.id}


def _choice(video: Video, why: str) -> JoinChoice:
    return {"id": video.id, "title": video.title, "file": bool(video.path), "why": why}
