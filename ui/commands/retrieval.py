"""`score retrieval --embedder`: the videos of the workspace looked at by an embedder, with progress."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import typer

from annotation.pipeline.engines import choose, make_engines
from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.pipeline.stage_runner import new_context
from annotation.stages.media_library import MediaLibrary
from annotation.stages.start_models import make_ready
from annotation.systems.carebench.retrieval_vectors import FRAMES
from annotation.workspace.workspace import Workspace
from exports.carebench.retrieval_measured import plan_retrieval
from ui.commands.terminal_output import Bars, say, stoppable


def measure(space: Workspace, embedder: str, frames: int | None, npz: Path | None) -> tuple[str, bool]:
    """The id of the evaluation, and whether something could not be looked at.

    Ends the command where there is none: something failed and may pass.
    Raises UsageError, BackendUnavailable, Stopped.
    """
    plan = plan_retrieval(space.store, frames or FRAMES, npz)
    choice = choose(space.settings, embedder=embedder)
    # The chat engines have no part in it: they are not asked whether they answer.
    choice = replace(
        choice,
        captioner="baseline",
        writer="",
        extractor="",
        judge="baseline",
        speech="none",
        detector="default",
    )
    for note in plan.notes:
        say(note)
    evaluation, problems = "", 0
    media = MediaLibrary(space.media)
    try:
        with Bars(len(plan.videos)) as bars, stoppable() as stop:
            context = new_context(space, make_engines(choice, space), media, bars, stop, tell=bars.tell)
            make_ready(context, plan.stages)
            for result, found in work_all(context, plan):
                problems += len(result.problems)
                evaluation = found.id if found else evaluation
    finally:
        media.close()
    if not evaluation:
        say("no figures yet: type it again, and what was embedded is not asked for again")
        raise typer.Exit(1)
    return evaluation, problems > 0
