"""Videos, playable copies, thumbnails and PTS tables, by id. Clients never send a path."""

from __future__ import annotations

import asyncio
import re
from typing import Literal
from urllib.parse import quote

import numpy as np
from fastapi import APIRouter, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse

from annotation.records.errors import NotFound
from annotation.records.videos import Video
from annotation.stages.media_library import PREVIEW_WIDTH, THUMBNAIL_WIDTH, path_of
from backends.protocols import PtsTable
from ui.lib.shared_wire_types import PlayerData
from ui.lib.view_parts import one_snapshot, player_json
from ui.requests.dependencies import PartsOf, Who

router = APIRouter()

WIDTHS = {"strip": THUMBNAIL_WIDTH, "preview": PREVIEW_WIDTH}
TYPES = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/mp4",
    ".webm": "video/webm",
    ".mkv": "video/webm",
}
PICTURES = {"png": "image/png", "jpg": "image/jpeg"}
LONGEST_TITLE = 120
# Thumbnails of an id never change: the id is derived from the file's content.
FOREVER = {"Cache-Control": "private, max-age=604800, immutable"}


@router.get("/api/player/{video_id}")
def player(video_id: str, parts: PartsOf, _who: Who) -> PlayerData:
    with one_snapshot(parts.store, parts.media, video_id) as video:
        return player_json(parts.store, parts.media, video)


@router.head("/media/{video_id}/file", include_in_schema=False)
@router.get("/media/{video_id}/file")
def file(video_id: str, parts: PartsOf, _who: Who) -> FileResponse:
    """The video, or its playable copy if there is one; supports byte ranges."""
    video = parts.store.get(Video, video_id)
    path = parts.media.copy_of(video) or path_of(video)
    media_type = TYPES.get(path.suffix.lower(), "application/octet-stream")
    return FileResponse(path, media_type=media_type, headers={"X-Content-Type-Options": "nosniff"})


@router.get("/media/{video_id}/frame/{index}.{kind}")
def still(video_id: str, index: int, kind: Literal["png", "jpg"], parts: PartsOf, _who: Who) -> Response:
    """Frame `index` in full size, as a file named after the video and the frame."""
    video = parts.store.get(Video, video_id)
    try:
        found = parts.media.still(video, index, kind)
    except IndexError:
        raise NotFound(f"{video.title}: frame {index} not found") from None
    name = still_name(video.title, index, parts.media.table(video), kind)
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    headers = {"Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"}
    return Response(found, media_type=PICTURES[kind], headers=headers | FOREVER)


def still_name(title: str, index: int, table: PtsTable, kind: str) -> str:
    """`harbour frame 1043 pts 521500 (41.720 s).png`: the title, without characters unsafe in file names."""
    safe = re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", title).strip(" .")[:LONGEST_TITLE] or "video"
    return f"{safe} frame {index} pts {table.pts[index]} ({table.seconds[index]:.3f} s).{kind}"


@router.get("/media/{video_id}/{size}/{index}.jpg")
async def picture(video_id: str, size: str, index: int, parts: PartsOf, _who: Who) -> Response:
    """Frame `index` as JPEG; `size` is `strip` or `preview`.

    Waiting for a picture does not occupy a thread, so that other requests are answered meanwhile.
    """
    if size not in WIDTHS:
        raise NotFound(f"unknown picture size {size!r}; choose from {', '.join(WIDTHS)}")
    video = await run_in_threadpool(parts.store.get, Video, video_id)
    try:
        made = await run_in_threadpool(parts.media.thumbnail, video, index, WIDTHS[size])
        # Shielded: a client that disconnects does not cancel the picture for others who wait for it.
        file = await asyncio.shield(asyncio.wrap_future(made))
        # Read here: the video may be removed between finding the file and sending it.
        found = await run_in_threadpool(file.read_bytes)
    except IndexError:
        raise NotFound(f"{video.title}: frame {index} not found") from None
    except FileNotFoundError:
        raise NotFound(f"{video.title}: the video was removed") from None
    return Response(found, media_type="image/jpeg", headers=FOREVER)


@router.get("/media/{video_id}/pts")
def pts(video_id: str, parts: PartsOf, _who: Who) -> Response:
    """Frame times in seconds on the player's axis: little-endian float64, then the end of the last frame."""
    table = parts.media.table(parts.store.get(Video, video_id))
    seconds = np.append(table.seconds, table.end_s).astype("<f8")
    return Response(seconds.tobytes(), media_type="application/octet-stream", headers=FOREVER)
