"""Videos by URL: which URLs may be downloaded, and adding videos."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.intake.remote_videos import MOST_AT_ONCE, announce, places
from annotation.people.permissions import require
from annotation.pipeline.stage_registry import chosen_stages
from annotation.records.videos import Video
from backends.errors import DailiesError, UsageError
from ui.api.api_wire_types import UrlsTaken, UrlTaken
from ui.pages.library.video_list import job_json
from ui.requests.dependencies import Parts, PartsOf, Who

router = APIRouter(prefix="/api")

ONLY_FETCH = ("probe",)
"""The stages that only download the file."""
NO_PATHS = (
    "not a URL; paths on the server are not accepted here: drop the file on the page, or type on the server: "
    "python app.py import --videos LIST.txt"
)


class UrlsBody(BaseModel):
    """Lines of a list: a URL, or `name<tab>URL`. Paths are refused: pages cannot name files of the server."""

    urls: Annotated[list[str], Field(min_length=1, max_length=MOST_AT_ONCE)]
    run: bool = True


@router.get("/remote")
def allowed(parts: PartsOf, who: Who) -> dict[str, list[str]]:
    """Schemes and locations from which videos may be downloaded."""
    require(who, "add")
    return places(parts.workspace)


@router.post("/remote")
def add(body: UrlsBody, parts: PartsOf, who: Who) -> UrlsTaken:
    """Add videos whose files a job downloads, and run them. A refused URL has the reason under `error`."""
    require(who, "add")
    videos: dict[str, Video] = {}
    results = [_announced(parts, url, videos) for url in dict.fromkeys(body.urls)]
    stages = chosen_stages(None if body.run else ONLY_FETCH)
    job = parts.jobs.start(list(videos.values()), stages) if videos else None
    return {"files": results, "job": job_json(job) if job else None}


def _announced(parts: Parts, url: str, videos: dict[str, Video]) -> UrlTaken:
    """The result for one URL, shown without its query; its video is added to `videos`."""
    shown = url.rpartition("\t")[2].partition("?")[0][:500]
    try:
        if "://" not in url:
            raise UsageError(NO_PATHS)
        video = announce(parts.workspace, url)
    except DailiesError as error:
        return {"url": shown, "error": str(error).removeprefix(f"{shown}: ")}
    videos[video.id] = video
    return {"url": shown, "video": video.id, "title": video.title}
