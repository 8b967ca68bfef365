"""A pass over videos that builds on an evaluation, or on what is no run.

`backfill_and_second_judge` and `run_reference_ceiling` plan such passes.

The stages are the pipeline's own; what differs is where they take captions and questions from, and
which evaluation their runs belong to.
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
    """One video of the plan, and the evaluation that now holds the results. Raises as `run_video`."""
    evaluation: Evaluation | None = None
    try:
        result = run_video(context, video, plan.stages)
    finally:
        # What is finished is to be seen, also when the person stopped the work.
        evaluation = plan.settle(context)
    return result, evaluation


def work_all(context: Context, plan: Plan) -> Iterator[tuple[VideoResult, Evaluation | None]]:
    """`work` on every video of the plan, some at once. Raises as `run_videos`."""
    embeds = "embedder" in engines_of(plan.stages)
    at_once = context.engines.embedder().concurrency if embeds else None
    return each_video(context, plan.videos, lambda beside, video: work(beside, plan, video), at_once)


def plan_summary(store: Store, evaluation: Evaluation, plan: Plan) -> dict[str, Any]:
    """`{"evaluation", "id", "videos", "answers": {state: n}, "verdicts": {...}, "notes"}`."""
    return {
        "evaluation": evaluation.name,
        "id": evaluation.id,
        "videos": len(plan.videos),
        "answers": _states(store, evaluation.id, "answers", "answer"),
        "verdicts": _states(store, evaluation.id, "verdicts", "verdict"),
        "notes": list(plan.notes),
    }


def _states(store: Store, evaluation_id: str, role: str, subject: str) -> dict[str, int]:
    """How many of the results that count are in each state; verdicts that are done by their label."""
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
