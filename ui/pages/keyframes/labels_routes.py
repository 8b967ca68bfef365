"""Labels of frame pairs, and blind studies of frame captions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.people.permissions import require
from annotation.systems.progress_captioner import studies
from annotation.systems.progress_captioner.frame_labels import label_pair
from annotation.systems.progress_captioner.studies import Pick
from ui.lib.shared_wire_types import Saved
from ui.pages.keyframes import labels_view as views
from ui.pages.keyframes.judged_sequences_view import evidence_json
from ui.pages.keyframes.wire_types import (
    CaptionModel,
    FrameEvidence,
    FrameLabels,
    PairLabelled,
    StudyClosed,
    StudyList,
    StudyMade,
    StudyResult,
    StudySequence,
)
from ui.requests.dependencies import PartsOf, SightOf, Who

router = APIRouter(prefix="/api")


class LabelBody(BaseModel):
    video_id: str
    first: int
    second: int
    label: str
    """`yes`, `no`, `uncertain`; empty removes the label."""


class StudyBody(BaseModel):
    name: str
    runs: list[str]
    most: Annotated[int, Field(ge=1)] | None = None
    """Number of sequences to draw; by default all that the models share."""


class ChoiceBody(BaseModel):
    sequence: int
    frame: int
    best: int | None = None
    second: int | None = None
    """Positions in the order that is shown, from 0; both empty: none of the captions is acceptable."""
    cleared: bool = False
    """Whether to remove the choice."""


@router.get("/frame-labels/{video_id}")
def frame_labels(video_id: str, parts: PartsOf, who: Who, _seen: SightOf) -> FrameLabels:
    """Pairs of frames to label; opinions of judges and others are hidden until one has labelled a pair."""
    return views.labels_json(parts.store, parts.media, video_id, who)


@router.post("/frame-labels")
def label(body: LabelBody, parts: PartsOf, who: Who) -> PairLabelled:
    """Set one's own label of a pair."""
    row = label_pair(parts.store, who, body.video_id, (body.first, body.second), body.label)
    return {"label": row.label, "saved_at": row.created_at}


@router.get("/frame-evidence/{video_id}")
def frame_evidence(video_id: str, parts: PartsOf, who: Who, seen: SightOf) -> FrameEvidence:
    """Votes, matches and outcomes of a video's frame captions; hidden from people who label blind."""
    seen.require_open()
    return evidence_json(parts.store, parts.media, video_id, who)


@router.get("/studies")
def all_studies(parts: PartsOf, who: Who) -> StudyList:
    return views.studies_json(parts.store, who)


@router.post("/studies")
def make_study(body: StudyBody, parts: PartsOf, who: Who) -> StudyMade:
    """Create a study of the sequences that all chosen models have captioned."""
    study = studies.create(parts.store, who, body.name, body.runs, most=body.most)
    return {"id": study.id, "sequences": len(study.sequences)}


@router.get("/study-models")
def models(parts: PartsOf, who: Who) -> list[CaptionModel]:
    """The runs that can be compared, for people who create studies."""
    require(who, "assign")
    return views.models_json(parts.store)


@router.get("/studies/{study_id}/sequences/{number}")
def sequence(study_id: str, number: int, parts: PartsOf, who: Who) -> StudySequence:
    """One sequence with its captions, shuffled; models are named after the study is closed."""
    return views.sequence_json(parts.store, parts.media, study_id, number, who)


@router.post("/studies/{study_id}/choices")
def choose(study_id: str, body: ChoiceBody, parts: PartsOf, who: Who) -> Saved:
    """Choose the best and the second best caption of a frame, or none."""
    pick = None if body.cleared else Pick(body.best, body.second)
    row = studies.choose(parts.store, who, study_id, (body.sequence, body.frame), pick)
    return {"saved_at": row.created_at}


@router.post("/studies/{study_id}/close")
def close(study_id: str, parts: PartsOf, who: Who) -> StudyClosed:
    """Close the study to new choices, and name the models."""
    study = studies.close(parts.store, who, study_id)
    return {"id": study.id, "closed_at": study.closed_at}


@router.get("/studies/{study_id}/result")
def result(study_id: str, parts: PartsOf, _who: Who) -> StudyResult:
    """Selection rates, after the study is closed."""
    return views.result_json(parts.store, study_id)
