"""A pass that judges existing frame captions, made by a model or imported from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import Plan, StageFunction, names_of
from annotation.store.run_names import run_names
from annotation.store.store import Store
from annotation.systems.progress_captioner.caption_judging_stages import run_progression
from annotation.systems.progress_captioner.frame_sequences import caption_runs
from annotation.systems.progress_captioner.system import CHANGES, KEYFRAMES, MATCHING
from backends.errors import UsageError

JUDGES = (replace(KEYFRAMES, run=run_progression), CHANGES, MATCHING)


def plan_captions(store: Store, name: str, stages: Sequence[str] = ()) -> Plan:
    """Judge current frame captions of a model (all its runs), of one run, or of an imported file.

    Only matching needs the video file. Raises UsageError if no captions have that name, or for stages
    that do not judge captions.
    """
    known = names_of(JUDGES)
    if unknown := [stage for stage in stages if stage not in known]:
        raise UsageError(f"{', '.join(unknown)} does not judge captions; choose from {', '.join(known)}")
    there = caption_runs(store)
    names = run_names(there)
    runs = [run for run in there if name in (run.id, run.model, names[run.id])]
    if not runs:
        others = ", ".join(sorted(names.values())) or "none yet"
        raise UsageError(f"frame captions by {name!r} not found; choose from: {others}")
    wrote = store.find(Text, run_id=[run.id for run in runs], kind="frame")
    wanted = tuple(spec for spec in JUDGES if spec.name in stages) or JUDGES[:1]
    return Plan(
        name=f"{' and '.join(names_of(wanted))} of {name}",
        videos=tuple(store.get(Video, one) for one in sorted({text.video_id for text in wrote})),
        stages=tuple(replace(spec, run=partial(_over, runs=runs, step=spec.run)) for spec in wanted),
        settle=lambda _context: None,
    )


def _over(context: Context, video: Video, *, runs: Sequence[Run], step: StageFunction) -> StageResults:
    """Apply the step to every run of that name: a file may hold several captions of the same frame."""
    results = StageResults()
    for run in runs:
        context.runs["frames"] = run
        results += step(context, video) or StageResults()
    return results
