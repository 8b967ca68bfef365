"""One question as data: findings, its exclusion, and the result of its own reference caption."""

from __future__ import annotations

from annotation.checks.question_checks import lint
from annotation.records.captions_to_verdicts import Question
from annotation.records.decisions import Exclusion
from annotation.reports.flagged_questions import DOUBTFUL
from annotation.reports.workspace_questions import from_store
from annotation.store.exclusions import exclusions
from annotation.store.find_ceiling_evaluations import ceiling_verdicts, newest_ceiling
from annotation.store.store import Store
from ui.lib.view_parts import people_by_id, value_json
from ui.pages.verdicts.wire_types import ExclusionFacts, QuestionCeiling, QuestionFacts, QuestionFinding


def question_json(store: Store, question_id: str) -> QuestionFacts:
    """Raises NotFound."""
    question = store.get(Question, question_id)
    excluded = exclusions(store, [question.id]).get(question.id)
    return {
        "id": question.id,
        "video_id": question.video_id,
        "kind": question.kind,
        "index": question.index,
        "category": question.category,
        "question": value_json(
            store.current("question", question.id, "text"), "question", question.id, "text"
        ),
        "reference": value_json(
            store.current("question", question.id, "reference"), "question", question.id, "reference"
        ),
        "findings": _findings(store, question),
        "exclusion": exclusion_json(store, excluded),
        "ceiling": _ceiling(store, question.id),
    }


def exclusion_json(store: Store, excluded: Exclusion | None) -> ExclusionFacts | None:
    """Who excluded the question, when and why; None while it counts."""
    if excluded is None:
        return None
    person = people_by_id(store).get(excluded.person_id)
    by = person.name if person else excluded.person_id
    return {"by": by, "person_id": excluded.person_id, "at": excluded.created_at, "reason": excluded.reason}


def _findings(store: Store, question: Question) -> list[QuestionFinding]:
    """Findings of the checks, which compare the question with the video's others to find duplicates."""
    asked, references = from_store(store, [question.video_id])
    return [
        {"check": d.check, "field": d.field, "why": d.why, "suspect": d.check in DOUBTFUL}
        for d in lint(asked, references)
        if d.asked.id == question.id
    ]


def _ceiling(store: Store, question_id: str) -> QuestionCeiling | None:
    evaluation = newest_ceiling(store)
    if evaluation is None:
        return None
    found = ceiling_verdicts(store, evaluation.id, [question_id]).get(question_id)
    if found is None:
        return None
    return {
        "verdict_id": found.verdict_id,
        "question_id": found.question_id,
        "answer": found.answer,
        "state": found.state,
        "label": found.label,
        "score": found.score,
        "stale": found.stale,
        "evaluation": evaluation.id,
        "evaluation_name": evaluation.name,
    }
