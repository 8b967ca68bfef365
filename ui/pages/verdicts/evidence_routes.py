"""The relevant frames for a question, and people's pins."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from annotation.editing.pinned_frames import pin_frame
from annotation.people.permissions import require
from annotation.people.who_labels_blind import NOT_WHILE_BLIND
from annotation.pipeline.evidence import ranking
from annotation.pipeline.evidence.ask_video import ask_video
from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.errors import NotAllowed, NotFound
from annotation.store.store import Store
from ui.pages.verdicts.evidence_view import ROOM, evidence_json, pins_of, words_evidence_json
from ui.pages.verdicts.one_verdict_view import second_opinions_json
from ui.pages.verdicts.wire_types import PinnedFrame, PinsNow, QuestionEvidence, SecondOpinions
from ui.requests.dependencies import PartsOf, SightOf, Who

router = APIRouter(prefix="/api")


Words = Annotated[str, Query(max_length=2000)]


class PinBody(BaseModel):
    frame: int
    pinned: bool


@router.get("/verdicts/{verdict_id}/evidence")
def evidence(verdict_id: str, parts: PartsOf, _who: Who) -> QuestionEvidence:
    """Up to six frames for the verdict's question, each with its reasons; and all scenes."""
    return evidence_json(parts.store, parts.media, verdict_id)


@router.get("/videos/{video_id}/evidence")
def evidence_of_words(
    video_id: str, parts: PartsOf, _who: Who, words: Words, answer: Words = ""
) -> QuestionEvidence:
    """The frames relevant to a sentence of a caption, or to a question and its answer."""
    return words_evidence_json(parts.store, parts.media, video_id, ranking.Query(words, answer))


@router.post("/verdicts/{verdict_id}/second-opinion")
def second_opinion(verdict_id: str, parts: PartsOf, who: Who, seen: SightOf) -> SecondOpinions:
    """Send the question with its relevant frames to the connected vision model.

    The answer counts in no evaluation. The model gets at most six frames, pinned ones first. Raises
    NotAllowed for a hidden verdict, and as `ask_video`.
    """
    require(who, "run")
    question = _question_of(parts.store, verdict_id)
    if not seen.sees(verdict_id):
        raise NotAllowed(NOT_WHILE_BLIND)
    frames = [row["frame"] for row in evidence_json(parts.store, parts.media, verdict_id)["frames"][:ROOM]]
    with parts.model_context() as context:
        ask_video(context, who, question, frames)
    return {"second_opinions": second_opinions_json(parts.store, question.id)}


def _question_of(store: Store, verdict_id: str) -> Question:
    verdict = store.get(Verdict, verdict_id)
    if verdict.subject_type != "answer":
        raise NotFound("this verdict covers all questions of an aspect; open a verdict on a single question")
    return store.get(Question, store.get(Answer, verdict.subject_id).question_id)


@router.post("/questions/{question_id}/pins")
def pin(question_id: str, body: PinBody, parts: PartsOf, who: Who) -> PinsNow:
    """Pin a frame that shows what the question is about, or unpin it."""
    row = pin_frame(parts.store, who, question_id, body.frame, body.pinned)
    pins = pins_of(parts.store, question_id)
    frames: list[PinnedFrame] = [{"frame": frame, "pinned": people} for frame, people in pins.items()]
    return {"pins": frames, "saved_at": row.created_at}
