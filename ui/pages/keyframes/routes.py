"""The Keyframes page: its content, one's own row, the action label, and other candidates."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from annotation.editing import edits as services
from annotation.people.permissions import require
from annotation.records.errors import NotAllowed
from annotation.records.videos import Video
from annotation.systems.progress_captioner import action_name_and_rerun, studies
from annotation.systems.progress_captioner.frame_options import CaptionMode, FrameContext, FrameOptions
from annotation.systems.progress_captioner.keyframe_budget import BUDGET, LEAST, MOST
from annotation.systems.progress_captioner.keyframes_of_video import read_sheet
from backends.errors import UsageError
from exports.files.write_files import safe_names
from exports.progress_captioner import keyframes
from ui.lib.view_parts import one_snapshot
from ui.pages.keyframes.labels_view import for_person
from ui.pages.keyframes.view import keyframes_json
from ui.pages.keyframes.wire_types import ActionNamed, FramesPicked, KeyframesPage
from ui.pages.library.video_list import job_json
from ui.pages.library.wire_types import JobFacts
from ui.requests.dependencies import PartsOf, SightOf, Who

router = APIRouter(prefix="/api/keyframes")


class PickBody(BaseModel):
    video_id: str
    frames: list[int] = Field(max_length=1000)


class ActionBody(BaseModel):
    action: str = Field(max_length=10_000)


class RunBody(BaseModel):
    fps: float | None = Field(None, allow_inf_nan=False)
    """Candidates per second; None: 1, or fewer for long videos."""
    frames: list[int] = Field([], max_length=action_name_and_rerun.MOST)
    """Chosen frames, instead of a rate."""
    per_call: int = 2
    context: FrameContext = "before"
    mode: CaptionMode = "c"


Kind = Literal["rows", "sheet", "animation", "film", "pictures", "json"]
Budget = Annotated[int, Query(ge=LEAST, le=MOST)]
"""Number of frames in the rows of a fixed size."""


@router.get("/{video_id}/export/{kind}")
def export(
    video_id: str,
    kind: Kind,
    parts: PartsOf,
    who: Who,
    seen: SightOf,
    row: str = "progression",
    author: str = "",
    looks: str = "",
    budget: Budget = BUDGET,
) -> Response:
    """One row as a contact sheet (PNG), GIF, film or pictures (ZIP); all rows as a 16:9 JPEG or as JSON."""
    require(who, "export")
    seen.require_open()
    sheet = read_sheet(parts.store, parts.media, video_id, author, looks)
    if sheet.author and sheet.author.id in studies.hidden_runs(parts.store, who):
        raise NotAllowed(
            "exported files name the model, and these captions are in a blind study; close the study first"
        )
    chosen = keyframes.pick_row(sheet, row, who.id, budget)
    document = keyframes.row_document(sheet, keyframes.people_names(parts.store), budget)
    (stem,) = safe_names([sheet.video.title], "")
    name = f"{stem} {chosen.method}"
    if kind == "json":
        return _file(document.encode(), f"{stem} keyframes.json", "application/json")
    if kind == "rows":
        return _file(keyframes.slide(sheet, parts.media, budget), f"{stem} keyframes.jpg", "image/jpeg")
    if not chosen.frames:
        raise UsageError("this row has no frames; pick some first")
    if kind == "sheet":
        return _file(keyframes.contact_sheet(sheet, parts.media, chosen), f"{name}.png", "image/png")
    if kind == "animation":
        return _file(keyframes.animation(sheet, parts.media, chosen), f"{name}.gif", "image/gif")
    if kind == "film":
        return _file(keyframes.film(sheet, parts.media, chosen), f"{name}.mp4", "video/mp4")
    files: list[tuple[str, str | bytes]] = [
        ("captions.txt", keyframes.captions_text(sheet, chosen)),
        ("keyframes.json", document),
    ]
    shots = keyframes.pictures(sheet, parts.media, chosen)
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
    video_id: str,
    parts: PartsOf,
    who: Who,
    seen: SightOf,
    player: bool = True,
    author: str = "",
    looks: str = "",
    budget: Budget = BUDGET,
) -> KeyframesPage:
    """Candidates, captions, verdicts and rows; agreement is with the current person's row."""
    with one_snapshot(parts.store, parts.media, video_id):
        found = keyframes_json(
            parts.store,
            parts.media,
            video_id,
            player=player,
            person_id=who.id,
            author=author,
            looks=looks,
            budget=budget,
        )
        return for_person(parts.store, who, seen, found)


@router.post("")
def pick(body: PickBody, parts: PartsOf, who: Who) -> FramesPicked:
    """Save one's own selection of keyframes."""
    row = services.pick_frames(parts.store, who, body.video_id, body.frames)
    return {"frames": list(row.frames), "saved_at": row.created_at}


@router.post("/{video_id}/action")
def action(video_id: str, body: ActionBody, parts: PartsOf, who: Who) -> ActionNamed:
    """Name the action that the video shows."""
    return {"action": action_name_and_rerun.name_action(parts.store, who, video_id, body.action).action}


@router.post("/{video_id}/run")
def run(video_id: str, body: RunBody, parts: PartsOf, who: Who) -> JobFacts:
    """Caption other candidates, or the same ones again if some are stale; in the background."""
    require(who, "run")
    chosen = tuple(sorted(set(body.frames)))
    options = FrameOptions(body.per_call, body.fps, chosen, body.context, body.mode)
    plan = action_name_and_rerun.plan_frames(parts.store.get(Video, video_id), options)
    return job_json(parts.jobs.start_plan(plan))
