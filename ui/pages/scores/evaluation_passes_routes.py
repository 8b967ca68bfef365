"""Passes started from the Scores page: fill, judge with another model, ceiling, retrieval."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter
from pydantic import Field

from annotation.people.permissions import require
from annotation.pipeline.backfill_and_second_judge import plan_fill
from annotation.pipeline.repeated_judging import plan_repeats
from annotation.stages.stage_context import Engines
from annotation.stages.stage_spec import EngineRole, Plan, engines_of, names_of
from annotation.store.store import Store
from annotation.systems.vdc.run_reference_ceiling import plan_ceiling
from backends.protocols import ChatModel, JointEmbeddings
from exports.carebench.retrieval_measured import plan_retrieval
from ui.lib.shared_wire_types import JobEstimate
from ui.pages.library.video_list import job_json
from ui.pages.library.wire_types import JobFacts
from ui.pages.scores.wire_types import PassPlan
from ui.requests.dependencies import Parts, PartsOf, Who
from ui.requests.model_spending import CapBody, estimate_of

router = APIRouter(prefix="/api/scoring")
What = Literal["fill", "ceiling", "retrieval"]


class PlanBody(CapBody):
    what: What = "fill"
    evaluation: str = ""
    """The evaluation to fill or judge; a ceiling and retrieval need none."""
    stages: list[str] = Field([], max_length=10)
    """Empty: the stages that the evaluation lacks, or the verdicts if it lacks none."""
    repeats: int | None = None
    """Number of times to judge each answer."""
    temperature: float = Field(0.0, allow_inf_nan=False)
    """Temperature of the repeats."""


@router.post("/plan")
def plan(body: PlanBody, parts: PartsOf, who: Who) -> PassPlan:
    """The effect of a pass; starts nothing, but checks that its engines respond."""
    require(who, "run")
    found = _plan(parts.store, body)
    engines = parts.engines()
    models = [(spec.name, _model(engines, role)) for spec in found.stages for role in spec.engines]
    return {
        "name": found.name,
        "videos": len(found.videos),
        "stages": list(names_of(found.stages)),
        "notes": list(found.notes),
        "engines": [
            {"stage": stage, "model": model.model, "baseline": model.baseline} for stage, model in models
        ],
        "estimate": _estimate(parts, found),
    }


@router.post("/start")
def start(body: PlanBody, parts: PartsOf, who: Who) -> JobFacts:
    """Start the pass in the background."""
    require(who, "run")
    return job_json(parts.jobs.start_plan(_plan(parts.store, body), body.cap))


def _model(engines: Engines, role: EngineRole) -> ChatModel | JointEmbeddings:
    """The model of a role. Raises BackendUnavailable."""
    if role != "embedder":
        found: ChatModel = getattr(engines, role)
        return found
    embedder = engines.embedder()
    embedder.check()
    return embedder


def _estimate(parts: Parts, plan: Plan) -> JobEstimate | None:
    """None for retrieval, which computes embeddings."""
    if "embedder" in engines_of(plan.stages):
        return None
    with parts.model_context() as context:
        return estimate_of(context, plan.videos, plan.stages)


def _plan(store: Store, body: PlanBody) -> Plan:
    """Raises NotFound, UsageError."""
    if body.what == "ceiling":
        return plan_ceiling(store)
    if body.what == "retrieval":
        return plan_retrieval(store)
    if body.repeats is not None:
        return plan_repeats(store, body.evaluation, body.repeats, body.temperature)
    return plan_fill(store, body.evaluation, body.stages)
