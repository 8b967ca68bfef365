"""A video as a script."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from annotation.records.videos import Video
from ui.lib.view_parts import one_snapshot
from ui.pages.script.view import claims_json, cuts_json, script_findings_json, script_json
from ui.pages.script.wire_types import Claims, CutsNow, SceneFinding, ScriptPage
from ui.requests.dependencies import PartsOf, Who, packed

router = APIRouter(prefix="/api/script")


@router.get("/{video_id}/claims")
def camera_claims(video_id: str, parts: PartsOf, _who: Who) -> Claims:
    """Per scene: does the text about the camera match the measurement?"""
    return claims_json(parts.store, video_id)


@router.get("/{video_id}/findings")
def script_findings(video_id: str, parts: PartsOf, _who: Who) -> dict[str, list[SceneFinding]]:
    """Per scene: the findings of checks in its texts and its speech."""
    return script_findings_json(parts.store, parts.store.get(Video, video_id).id)


@router.get("/{video_id}", response_model=ScriptPage)
def script_page(request: Request, video_id: str, parts: PartsOf, _who: Who) -> Response:
    """Compressed and sent without validation: five hundred scenes are nearly 2 MB."""
    with one_snapshot(parts.store, parts.media, video_id):
        found = script_json(parts.store, parts.media, video_id, parts.jobs.list())
    return packed(request, found)


@router.get("/{video_id}/cuts")
def cuts(video_id: str, parts: PartsOf, _who: Who) -> CutsNow:
    """Whether the page's scenes are still current."""
    return cuts_json(parts.store, parts.store.get(Video, video_id).id, parts.jobs.list())
