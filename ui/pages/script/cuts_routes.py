"""Changing cuts: split, merge, move; comparing another detection and adopting it."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.editing import cut_edits, texts_to_review
from annotation.editing.cut_edits import CutEdit
from annotation.people.permissions import require
from annotation.records.videos import Video
from ui.pages.script import cuts_view
from ui.pages.script.wire_types import (
    CutEdits,
    CutsChanged,
    CutsDifference,
    CutWorkNow,
    DetectorFacts,
    TextsSettled,
)
from ui.requests.dependencies import PartsOf, Who

router = APIRouter(prefix="/api/cuts")


class CutBody(BaseModel):
    kind: Literal["split", "merge", "nudge"]
    frame: int
    by: int = 0
    base: str
    """The version of the cuts that the page shows."""


class AdoptBody(BaseModel):
    detection: str
    base: str


class DetectBody(BaseModel):
    detector: str = Field(max_length=500)
    """`content`, or `content:threshold=20,min_scene_s=1`."""


class SceneBody(BaseModel):
    scene: str


@router.get("/detectors")
def detectors(_who: Who) -> list[DetectorFacts]:
    """The detectors for cuts, with their parameters."""
    return cuts_view.detectors_json()


@router.get("/{video_id}")
def edits(video_id: str, parts: PartsOf, _who: Who) -> CutEdits:
    return cuts_view.edits_json(parts.store, video_id)


@router.post("/{video_id}")
def change(video_id: str, body: CutBody, parts: PartsOf, who: Who) -> CutsChanged:
    """Save a new version; answers 409 with the id of the current one if it has changed meanwhile."""
    edit = CutEdit(body.kind, body.frame, body.by)
    made = cut_edits.change_cuts(parts.store, parts.media, who, video_id, body.base, edit)
    parts.cuts.measure(parts.store.get(Video, video_id))
    return {"base": made.id, "what": made.note}


@router.post("/{video_id}/looks-right")
def looks_right(video_id: str, body: SceneBody, parts: PartsOf, who: Who) -> TextsSettled:
    """Mark the texts of a scene as right for its new cuts."""
    return {"settled": texts_to_review.looks_right(parts.store, who, video_id, body.scene)}


@router.get("/{video_id}/work")
def work(video_id: str, parts: PartsOf, _who: Who) -> CutWorkNow:
    """Whether scenes are being measured, and the progress of a detection."""
    return cuts_view.work_json(parts.cuts, parts.store.get(Video, video_id).id)


@router.post("/{video_id}/measure")
def measure(video_id: str, parts: PartsOf, who: Who) -> CutWorkNow:
    """Measure the scenes whose cuts have changed."""
    require(who, "edit")
    parts.cuts.measure(parts.store.get(Video, video_id))
    return cuts_view.work_json(parts.cuts, video_id)


@router.post("/{video_id}/detect")
def detect(video_id: str, body: DetectBody, parts: PartsOf, who: Who) -> CutWorkNow:
    """Detect cuts with another detector. The current cuts are not replaced."""
    require(who, "run")
    parts.cuts.detect(parts.store.get(Video, video_id), body.detector)
    return cuts_view.work_json(parts.cuts, video_id)


@router.post("/{video_id}/halt")
def halt(video_id: str, parts: PartsOf, who: Who) -> CutWorkNow:
    require(who, "run")
    parts.cuts.halt(video_id)
    return cuts_view.work_json(parts.cuts, video_id)


@router.get("/{video_id}/difference/{detection}")
def difference(video_id: str, detection: str, parts: PartsOf, _who: Who) -> CutsDifference:
    """The cuts that a detection would add, remove and move."""
    return cuts_view.difference_json(parts.store, parts.media, video_id, detection)


@router.post("/{video_id}/adopt")
def adopt(video_id: str, body: AdoptBody, parts: PartsOf, who: Who) -> CutsChanged:
    """Adopt a detection; answers 409 if the cuts have changed since the comparison."""
    made = cut_edits.adopt(parts.store, parts.media, who, video_id, body.base, body.detection)
    parts.cuts.measure(parts.store.get(Video, video_id))
    return {"base": made.id, "what": made.note}
