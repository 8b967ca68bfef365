"""Scores of an evaluation, and comparisons of evaluations."""

from __future__ import annotations

from fastapi import APIRouter, Depends, Request

from annotation.records.errors import NotFound
from ui.lib.chosen_evaluation import pick_evaluation
from ui.pages.scores.benchmarks_view import system_json, systems_json
from ui.pages.scores.comparison_wire_types import EvaluationDifference, EvaluationsBeside
from ui.pages.scores.view import beside_json, causes_json, comparison_json, scores_page_json, sound_json
from ui.pages.scores.wire_types import CausesTable, ScoresPage, SoundFigures, SystemName, SystemTable
from ui.requests.dependencies import PartsOf, Who, require_not_blind

router = APIRouter(prefix="/api", dependencies=[Depends(require_not_blind)])


@router.get("/scoring/table")
def table(
    parts: PartsOf, _who: Who, evaluation: str = "", by: str = "", suspects: bool = True, q: str = ""
) -> ScoresPage:
    """Groups by policies, with intervals; `by` is a comma-separated list of dimensions, with a default.

    `q` are words in the name of a group.
    """
    chosen = pick_evaluation(parts.store, evaluation)
    if not chosen:
        raise NotFound("no evaluation yet; run the pipeline or import a log in the Library")
    return scores_page_json(parts.store, chosen, _names(by), suspects=suspects, words=q)


def _names(by: str) -> list[str]:
    return [name for name in by.split(",") if name]


@router.get("/scoring/causes")
def causes(parts: PartsOf, _who: Who, evaluation: str, by: str = "") -> CausesTable:
    """Lost points by error source, confirmed and proposed separately; `by` aspect, category or source."""
    return causes_json(parts.store, evaluation, by)


@router.get("/scoring/compare")
def compare(parts: PartsOf, _who: Who, a: str, b: str, policy: str = "parsed") -> EvaluationDifference:
    """Evaluation `b` minus `a` on the questions that count in both."""
    return comparison_json(parts.store, a, b, policy)


@router.get("/scoring/sound")
def sound(parts: PartsOf, _who: Who, evaluation: str, by: str = "", q: str = "") -> SoundFigures:
    """The figures without flagged questions, for comparison with those of `table`."""
    return sound_json(parts.store, evaluation, _names(by), q)


@router.get("/scoring/beside")
def beside(parts: PartsOf, _who: Who, evaluations: str, policy: str = "parsed") -> EvaluationsBeside:
    """Several evaluations (comma-separated ids) under one policy, and a comparison of their judges."""
    return beside_json(parts.store, _names(evaluations), policy)


@router.get("/scoring/systems")
def systems(parts: PartsOf, _who: Who) -> list[SystemName]:
    """The benchmarks with their number of evaluations; the first entry is those of questions."""
    return systems_json(parts.store)


@router.get("/scores/system/{name}")
def system(name: str, request: Request, parts: PartsOf, _who: Who, evaluation: str = "") -> SystemTable:
    """One benchmark's table in long form; further query parameters select from its choices."""
    return system_json(parts.store, name, evaluation, dict(request.query_params))
