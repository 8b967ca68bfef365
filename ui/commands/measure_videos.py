"""`score --embedder`: measures the videos of the workspace with an embedder, with progress."""

from __future__ import annotations

from dataclasses import replace

import typer

from annotation.pipeline.engines import choose, make_engines
from annotation.stages.stage_spec import Plan
from annotation.workspace.workspace import Workspace
from ui.commands.run_stages import run_plan
from ui.commands.terminal_output import say, stoppable


def measure(space: Workspace, plan: Plan, embedder: str) -> tuple[str, bool]:
    """Run the plan (`System.measure`). Returns the id of the evaluation, and whether anything failed.

    Exits if there is no evaluation because something failed or the person stopped the run.
    Raises UsageError, BackendUnavailable.
    """
    choice = choose(space.settings, embedder=embedder)
    # Chat engines are not used here, so they are not checked.
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
    with stoppable() as stop:
        outcome = run_plan(space, make_engines(choice, space), plan, stop)
    if outcome.stopped:
        raise typer.Exit(outcome.exit_code)
    evaluation = outcome.summaries[0]["id"] if outcome.summaries else ""
    if not evaluation:
        say("no scores yet; run the command again: finished embeddings are kept")
        raise typer.Exit(1)
    return evaluation, bool(outcome.problems)
