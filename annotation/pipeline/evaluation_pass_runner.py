"""Runs a pass over videos that builds on an evaluation, or on input that is not from a run.

Such passes are planned by `backfill_and_second_judge` and `run_reference_ceiling`.

They use the pipeline's stages, but take captions and questions from elsewhere, and link their runs to another
evaluation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from sqlalchemy import func, select

from annotation.pipeline.stage_runner import VideoResult, each_video, run_video
from annotation.records.runs import Evaluation, EvaluationRun
from annotation.records.videos import Video
from annotation.stages.stage_context import Context
from annotation.stages.stage_spec import Plan, engines_of
from annotation.store import tables as t
from annotation.store.store import Store


def work(context: Context, plan: Plan, video: Video) -> tuple[VideoResult, Evaluation | None]:
    """Run one video of the plan; return its result and the evaluation. Raises as `run_video`."""
    evaluation: Evaluation | None = None
    try:
        result = run_video(context, video, plan.stages)
    finally:
        # Finished results are linked even if the person stopped the work.
        evaluation = plan.settle(context)
    return result, evaluation


def work_all(context: Context, plan: Plan) -> Iterator[tuple[VideoResult, Evaluation | None]]:
    """Run `work` on every video of the plan, several at once. Raises as `run_videos`."""
    embeds = "embedder" in engines_of(plan.stages)
    at_once = context.engines.embedder().concurrency if embeds else None
    return each_video(context, plan.videos, lambda own, video: work(own, plan, video), at_once)


def plan_summary(store: Store, evaluation: Evaluation, plan: Plan) -> dict[str, Any]:
    """Return `{"evaluation", "id", "videos", "answers": {state: n}, "verdicts": {...}, "notes"}`."""
    return {
        "evaluation": evaluation.name,
        "id": evaluation.id,
        "videos": len(plan.videos),
        "answers": _states(store, evaluation.id, "answers", "answer"),
        "verdicts": _states(store, evaluation.id, "verdicts", "verdict"),
        "notes": list(plan.notes),
    }


def _states(store: Store, evaluation_id: str, role: str, subject: str) -> dict[str, int]:
    """Count the current results by state; finished verdicts by label."""
    c = t.current.c
    runs = [link.run_id for link in store.find(EvaluationRun, evaluation_id=evaluation_id, role=role)]
    query = (
        select(c.state, c.label, func.count())
        .where(c.subject_type == subject, c.superseded.is_(False), c.run_id.in_(runs))
        .group_by(c.state, c.label)
    )
    found: Counter[str] = Counter()
    with store.reading() as conn:
        for state, label, n in conn.execute(query):
            found[label if state == "done" and label else state] += n
    return dict(sorted(found.items()))
