"""Files that programs send to endpoints or are given by them: only who sent them, or asked, may read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse
from starlette.concurrency import run_in_threadpool

from annotation.intake.files_of_one_person import Incoming
from annotation.people.permissions import require
from ui.api import media
from ui.requests.dependencies import PartsOf, Who
from ui.requests.request_size_limits import take_files

router = APIRouter(prefix="/gradio_api", include_in_schema=False)
"""In the place of Gradio's own two routes, which let everyone read what one person has sent."""
FILE = {"_type": "gradio.FileData"}
"""By this Gradio's clients know that an answer holds a file."""
PICTURE = re.compile(r"media/([\w-]+)/preview/(\d+)\.jpg")


@router.post("/upload")
async def upload(request: Request, parts: PartsOf, who: Who) -> list[str]:
    """Files that an endpoint is to take; Gradio's clients send them here by themselves.

    The answer names each by its heap and its place in it.
    """
    require(who, "add")
    heap = Incoming.new(parts.workspace, who.id)
    try:
        taken = await take_files(request, heap.files, parts.workspace.limits)
        await run_in_threadpool(heap.check)
    except Exception:
        heap.remove()
        raise
    return [f"{heap.id}/{file.relative_to(heap.files).as_posix()}" for file in taken]


@router.api_route("/file={name:path}", methods=["GET", "HEAD"])
async def download(name: str, request: Request, parts: PartsOf, who: Who) -> Response:
    """A frame of a video, or a file of the asker's own; Gradio's clients ask with its whole address."""
    name = name.removeprefix(f"{parts.site.base(request)}/").removeprefix("gradio_api/file=")
    if found := PICTURE.fullmatch(name):
        return await media.picture(found[1], "preview", int(found[2]), parts, who)
    heap, _, place = name.partition("/")
    file = await run_in_threadpool(Incoming(parts.workspace, heap, who.id).file, place)
    return FileResponse(file, filename=file.name, media_type="application/octet-stream")


def picture_file(base: str, video: str, frame: int) -> dict[str, Any]:
    """A frame as Gradio's clients are given a file; `base` is the server's address as they know it."""
    path = f"media/{video}/preview/{frame}.jpg"
    return {
        "path": path,
        "url": f"{base}/{path}",
        "orig_name": f"{frame}.jpg",
        "mime_type": "image/jpeg",
        "meta": FILE,
    }


def picture_of(value: object) -> tuple[str, int] | None:
    """Video and frame of what `picture_file` made; None: it is something else."""
    path = value.get("path") if isinstance(value, Mapping) and value.get("meta") == FILE else None
    found = PICTURE.fullmatch(path) if isinstance(path, str) else None
    return (found[1], int(found[2])) if found else None
