"""A pass that judges frame captions which are there: a model's, or those that a file brought."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from annotation.records.allowed_values import Stage
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.plan import Plan, StageFunction
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.store.run_names import run_names
from annotation.store.store import Store
from annotation.systems.progress_captioner.caption_judging_stages import (
    run_changes,
    run_matching,
    run_progression,
)
from annotation.systems.progress_captioner.frame_sequences import caption_runs
from backends.errors import UsageError

JUDGES: dict[Stage, StageFunction] = {
    "keyframes": run_progression,
    "changes": run_changes,
    "matching": run_matching,
}


def plan_captions(store: Store, name: str, stages: Sequence[str] = ()) -> Plan:
    """Judge frame captions as they stand: those of a model (of all its runs), of one run, or of a file.

    Videos need no file but for matching. Raises UsageError when there are none by that name, or for stages
    that do something else.
    """
    unknown = [stage for stage in stages if stage not in JUDGES]
    if unknown:
        raise UsageError(f"{', '.join(unknown)} does not judge captions; choose from {', '.join(JUDGES)}")
    there = caption_runs(store)
    names = run_names(there)
    runs = [run for run in there if name in (run.id, run.model, names[run.id])]
    if not runs:
        known = ", ".join(sorted(names.values())) or "none yet"
        raise UsageError(f"there are no frame captions by {name!r}; there are: {known}")
    wrote = store.find(Text, run_id=[run.id for run in runs], kind="frame")
    wanted = tuple(stage for stage in JUDGES if stage in stages) or ("keyframes",)
    return Plan(
        name=f"{' and '.join(wanted)} of {name}",
        videos=tuple(store.get(Video, one) for one in sorted({text.video_id for text in wrote})),
        stages=wanted,
        functions={stage: partial(_over, runs=runs, step=JUDGES[stage]) for stage in wanted},
        settle=lambda _context: None,
    )


def _over(context: Context, video: Video, *, runs: Sequence[Run], step: StageFunction) -> StageResults:
    """Every run of that name: a file may hold several captions of the same frame."""
    results = StageResults()
    for run in runs:
        context.runs["frames"] = run
        results += step(context, video) or StageResults()
    return results
