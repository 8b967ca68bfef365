"""CapST over the captions of an existing evaluation: VDC's detailed captions, or imported ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from annotation.records.ids import record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run, RunRole
from annotation.records.videos import Video
from annotation.stages.link_evaluation import JUDGED_BY
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import Plan, StageFunction, StageSpec
from annotation.store.benchmark_of_evaluation import SYSTEM
from annotation.store.store import Store
from annotation.systems.carebench.capst_stages import TITLE, name_evaluation
from annotation.systems.carebench.current_elements import predicted_captions, reference_captions
from backends.errors import UsageError
from backends.text.plural import plural


def plan_capst(store: Store, evaluation_id: str, stages: Sequence[StageSpec]) -> Plan:
    """Plan CapST over the captions of an evaluation: VDC's detailed ones, or imported full captions.

    `stages` are `elements` and `capst`.

    Raises NotFound; UsageError if there is nothing to compare.
    """
    evaluation = store.get(Evaluation, evaluation_id)
    links = store.find(EvaluationRun, evaluation_id=evaluation.id, order_by=["id"])
    captions = [link.run_id for link in links if link.role == "captions"]
    predicted = predicted_captions(store, captions) if captions else {}
    references = reference_captions(store, predicted)
    if not references:
        raise UsageError(
            f"{evaluation.name} has no full or detailed caption of a video with a reference caption; import "
            "metadata.json of CaReBench first"
        )
    videos = sorted(store.find(Video, id=sorted(references)), key=lambda video: (video.title, video.id))
    run = store.get(Run, captions[-1])
    left = len(predicted) - len(references)
    complete = {link.role for link in links} == {"captions"} and SYSTEM in run.params
    return Plan(
        name=f"CapST of {evaluation.name}",
        videos=tuple(videos),
        stages=tuple(replace(spec, run=partial(_of_run, spec.run, run)) for spec in stages),
        settle=partial(_settle, evaluation=evaluation, complete=complete),
        notes=(f"left out: {plural(left, 'video')} without a reference caption",) if left else (),
    )


def _of_run(stage: StageFunction, captions: Run, context: Context, video: Video) -> StageResults | None:
    context.runs["captions"] = captions
    return stage(context, video)


def _settle(context: Context, *, evaluation: Evaluation, complete: bool) -> Evaluation | None:
    """Complete an evaluation that has only captions, else create a second one."""
    if "capst" not in context.runs:
        return None
    if not complete:
        judge = context.runs["capst"].model
        name = evaluation.name if TITLE in evaluation.name else f"{TITLE}: {evaluation.name}"
        return name_evaluation(context, f"{name}{JUDGED_BY}{judge}")
    chain: Mapping[RunRole, Run] = {"elements": context.runs["elements"], "verdicts": context.runs["capst"]}
    context.caller.keep(
        [
            EvaluationRun(
                id=record_id("evr", evaluation.id, role, run.id),
                evaluation_id=evaluation.id,
                role=role,
                run_id=run.id,
            )
            for role, run in chain.items()
        ]
    )
    return evaluation
