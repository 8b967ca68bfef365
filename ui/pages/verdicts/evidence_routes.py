"""The frames that matter for a question, and people's pins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from annotation.editing.pinned_frames import pin_frame
from annotation.pipeline.evidence import ranking
from ui.pages.verdicts.evidence_view import evidence_json, pins_of, words_evidence_json
from ui.pages.verdicts.wire_types import PinnedFrame, PinsNow, QuestionEvidence
from ui.requests.dependencies import PartsOf, Who

router = APIRouter(prefix="/api")


Words = Annotated[str, Query(max_length=2000)]


class PinBody(BaseModel):
    frame: int
    pinned: bool


@router.get("/verdicts/{verdict_id}/evidence")
def evidence(verdict_id: str, parts: PartsOf, _who: Who) -> QuestionEvidence:
    """Up to six frames for the question that this is a verdict on, each with its reasons; all scenes."""
    return evidence_json(parts.store, parts.media, verdict_id)


@router.get("/videos/{video_id}/evidence")
def evidence_of_words(
    video_id: str, parts: PartsOf, _who: Who, words: Words, answer: Words = ""
) -> QuestionEvidence:
    """The frames that a sentence of a caption, or a question and its answer, is about."""
    return words_evidence_json(parts.store, parts.media, video_id, ranking.Query(words, answer))


@router.post("/questions/{question_id}/pins")
def pin(question_id: str, body: PinBody, parts: PartsOf, who: Who) -> PinsNow:
    """Say that a frame shows what the question asks about, or take it back."""
    row = pin_frame(parts.store, who, question_id, body.frame, body.pinned)
    pins = pins_of(parts.store, question_id)
    frames: list[PinnedFrame] = [{"frame": frame, "pinned": people} for frame, people in pins.items()]
    return {"pins": frames, "saved_at": row.created_at}
