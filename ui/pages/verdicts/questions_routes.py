"""One question: its findings, and excluding it from the counts."""

from __future__ import annotations

import time

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.editing import edits as services
from ui.pages.verdicts.blind_view import seen_question
from ui.pages.verdicts.questions_view import exclusion_json, question_json
from ui.pages.verdicts.wire_types import ExclusionSaved, QuestionFacts
from ui.requests.dependencies import PartsOf, SightOf, Who

router = APIRouter(prefix="/api/questions")


class ExclusionBody(BaseModel):
    reason: str = Field("", max_length=services.LONGEST_REASON)
    """Why it cannot be answered fairly; empty: it counts again."""


@router.get("/{question_id}")
def question(question_id: str, parts: PartsOf, _who: Who, seen: SightOf) -> QuestionFacts:
    """Findings of the checks, the current exclusion, and the verdict on its own reference caption."""
    return seen_question(question_json(parts.store, question_id), seen)


@router.post("/{question_id}/exclusion")
def exclude(question_id: str, body: ExclusionBody, parts: PartsOf, who: Who) -> ExclusionSaved:
    """Exclude the question from the counts with a reason, or include it again with an empty one."""
    now = services.exclude(parts.store, who, question_id, body.reason)
    return {"exclusion": exclusion_json(parts.store, now), "saved_at": now.created_at if now else time.time()}
