"""Files that programs upload to endpoints or get from them.

Only the person who sent or requested a file can read it.
"""

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
"""Replaces two routes of Gradio, which let everyone read what one person has uploaded."""
FILE = {"_type": "gradio.FileData"}
"""Gradio's clients recognize a file in an answer by this."""
PICTURE = re.compile(r"media/([\w-]+)/preview/(\d+)\.jpg")


@router.post("/upload")
async def upload(request: Request, parts: PartsOf, who: Who) -> list[str]:
    """Upload files for an endpoint; Gradio's clients do this automatically.

    The response names each file by its upload folder and its place in it.
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
    """A frame of a video, or a file that the person uploaded.

    Gradio's clients request it by its full address.
    """
    name = name.removeprefix(f"{parts.site.base(request)}/").removeprefix("gradio_api/file=")
    if found := PICTURE.fullmatch(name):
        return await media.picture(found[1], "preview", int(found[2]), parts, who)
    heap, _, place = name.partition("/")
    file = await run_in_threadpool(Incoming(parts.workspace, heap, who.id).file, place)
    return FileResponse(file, filename=file.name, media_type="application/octet-stream")


def picture_file(base: str, video: str, frame: int) -> dict[str, Any]:
    """A frame in the form in which Gradio's clients receive files.

    `base` is the server's address for the client.
    """
    path = f"media/{video}/preview/{frame}.jpg"
    return {
        "path": path,
        "url": f"{base}/{path}",
        "orig_name": f"{frame}.jpg",
        "mime_type": "image/jpeg",
        "meta": FILE,
    }


def picture_of(value: object) -> tuple[str, int] | None:
    """Video and frame of a value made by `picture_file`; None for any other value."""
    path = value.get("path") if isinstance(value, Mapping) and value.get("meta") == FILE else None
    found = PICTURE.fullmatch(path) if isinstance(path, str) else None
    return (found[1], int(found[2])) if found else None
