"""A pass that judges frame captions which are there: a model's, or those that a file brought."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from annotation.errors import UsageError
from annotation.frame_sequences import caption_runs
from annotation.pipeline.context import Context
from annotation.pipeline.matching import run_changes, run_matching, run_progression
from annotation.pipeline.plans import Plan
from annotation.pipeline.runner import StageFunction
from annotation.records import Run, Stage, Text, Video
from annotation.store.store import Store

JUDGES: dict[Stage, StageFunction] = {
    "keyframes": run_progression, "changes": run_changes, "matching": run_matching
}  # fmt: skip


def plan_captions(store: Store, name: str, stages: Sequence[str] = ()) -> Plan:
    """Judge the frame captions of a model, or of a file, as they stand. Videos need no file but for matching.

    Raises UsageError when there are none by that name, or for stages that do something else.
    """
    unknown = [stage for stage in stages if stage not in JUDGES]
    if unknown:
        raise UsageError(f"{', '.join(unknown)} does not judge captions; choose from {', '.join(JUDGES)}")
    there = caption_runs(store)
    runs = [run for run in there if name in (run.id, run.model)]
    if not runs:
        names = ", ".join(sorted({run.model for run in there})) or "none yet"
        raise UsageError(f"there are no frame captions by {name!r}; there are: {names}")
    wrote = store.find(Text, run_id=[run.id for run in runs], kind="frame")
    wanted = tuple(stage for stage in JUDGES if stage in stages) or ("keyframes",)
    return Plan(
        name=f"{' and '.join(wanted)} of {name}",
        videos=tuple(store.get(Video, one) for one in sorted({text.video_id for text in wrote})),
        stages=wanted, functions={stage: partial(_over, runs=runs, step=JUDGES[stage]) for stage in wanted},
        settle=lambda _context: None,
    )  # fmt: skip


def _over(context: Context, video: Video, *, runs: Sequence[Run], step: StageFunction) -> int:
    """Every run of that name: a file may hold several captions of the same frame."""
    failed = 0
    for run in runs:
        context.runs["frames"] = run
        failed += step(context, video) or 0
    return failed
