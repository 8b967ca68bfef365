"""Compares the words of captions for Vript-HAL."""

from __future__ import annotations

from fastapi import APIRouter

from annotation.records.captions_to_verdicts import Verdict
from annotation.systems.vript.hal_stage import compare_as
from ui.requests.dependencies import PartsOf, Who
from ui.systems.vript.wire_types import WordsCompared

router = APIRouter(prefix="/api/items/hal")


@router.post("/compare")
def compare(parts: PartsOf, who: Who, evaluation: str) -> WordsCompared:
    """Compare the words of an evaluation's captions with those of their references."""
    run = compare_as(parts.store, who, evaluation)
    return {"run": run.id, "clips": parts.store.count(Verdict, run_id=run.id, subject_type="hal_item")}
