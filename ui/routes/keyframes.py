"""The Keyframes page: what it shows, one's own row, the action label, other candidates."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from annotation import keyframe_work, services, studies
from annotation.errors import NotAllowed, UsageError
from annotation.permissions import require
from annotation.pipeline.keyframe_sheet import read_sheet
from annotation.progress_captioner import CaptionMode, FrameContext, FrameOptions
from annotation.records import Video
from exports import keyframes_out
from exports.writing import safe_names
from ui.routes.deps import PartsOf, SightOf, Who
from ui.views.frame_labels import for_person
from ui.views.keyframes import keyframes_json
from ui.views.library import job_json

router = APIRouter(prefix="/api/keyframes")


class PickBody(BaseModel):
    video_id: str
    frames: list[int] = Field(max_length=1000)


class ActionBody(BaseModel):
    action: str = Field(max_length=10_000)


class RunBody(BaseModel):
    fps: float | None = Field(None, allow_inf_nan=False)
    """Candidates per second; None: 1, fewer where the video is long."""
    frames: list[int] = Field([], max_length=keyframe_work.MOST)
    """Chosen frames, in place of a rate."""
    per_call: int = 2
    context: FrameContext = "before"
    mode: CaptionMode = "c"


Kind = Literal["sheet", "pictures", "json"]


@router.get("/{video_id}/export/{kind}")
def export(
    video_id: str, kind: Kind, parts: PartsOf, who: Who, seen: SightOf, row: str = "progression",
    author: str = "", looks: str = "",
) -> Response:  # fmt: skip
    """One row as a contact sheet (PNG), as pictures with captions (ZIP), or everything as JSON."""
    require(who, "export")
    seen.require_open()
    sheet = read_sheet(parts.store, parts.media, video_id, author, looks)
    if sheet.author and sheet.author.id in studies.hidden_runs(parts.store, who):
        raise NotAllowed(
            "files name their model, and these captions are part of a blind study; finish it first"
        )
    chosen = keyframes_out.pick_row(sheet, row, who.id)
    document = keyframes_out.row_document(sheet, keyframes_out.people_names(parts.store))
    (stem,) = safe_names([sheet.video.title], "")
    name = f"{stem} {chosen.method}"
    if kind == "json":
        return _file(document.encode(), f"{stem} keyframes.json", "application/json")
    if not chosen.frames:
        raise UsageError("this row keeps no frames; pick some first")
    if kind == "sheet":
        return _file(keyframes_out.contact_sheet(sheet, parts.media, chosen), f"{name}.png", "image/png")
    files: list[tuple[str, str | bytes]] = [
        ("captions.txt", keyframes_out.captions_text(sheet, chosen)), ("keyframes.json", document)
    ]  # fmt: skip
    shots = keyframes_out.pictures(sheet, parts.media, chosen)
    files += [(shot, content) for shot, content in shots if isinstance(content, bytes)]
    return _file(_zipped(name, files), f"{name}.zip", "application/zip")


def _zipped(folder: str, files: Sequence[tuple[str, str | bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(f"{folder}/{name}", content)
    return out.getvalue()


def _file(content: bytes, name: str, media_type: str) -> Response:
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    headers = {"Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"}
    return Response(content, media_type=media_type, headers=headers)


@router.get("/{video_id}")
def page(
    video_id: str, parts: PartsOf, who: Who, seen: SightOf, player: bool = True, author: str = "",
    looks: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Candidates, captions, verdicts and rows; agreement is with the row of whoever asks."""
    found = keyframes_json(
        parts.store, parts.media, video_id, player=player, person_id=who.id, author=author, looks=looks
    )
    return for_person(parts.store, who, seen, found)


@router.post("")
def pick(body: PickBody, parts: PartsOf, who: Who) -> dict[str, Any]:
    """One's own selection of keyframes."""
    row = services.pick_frames(parts.store, who, body.video_id, body.frames)
    return {"frames": list(row.frames), "saved_at": row.created_at}


@router.post("/{video_id}/action")
def action(video_id: str, body: ActionBody, parts: PartsOf, who: Who) -> dict[str, Any]:
    """Name the action that the video shows."""
    return {"action": keyframe_work.name_action(parts.store, who, video_id, body.action).action}


@router.post("/{video_id}/run")
def run(video_id: str, body: RunBody, parts: PartsOf, who: Who) -> dict[str, Any]:
    """Caption other candidates, or the same again where something is stale; in the background."""
    require(who, "run")
    chosen = tuple(sorted(set(body.frames)))
    options = FrameOptions(body.per_call, body.fps, chosen, body.context, body.mode)
    plan = keyframe_work.plan_frames(parts.store.get(Video, video_id), options)
    return job_json(parts.jobs.start_plan(plan))
