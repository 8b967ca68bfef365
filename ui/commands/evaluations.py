"""`ceiling`, and `run --evaluation`: passes that build on what is in the workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from annotation.errors import UsageError
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    ChatOption,
    DatabaseOption,
    JsonOption,
    WorkspaceOption,
    open_workspace,
    show,
)
from ui.console import stoppable

AgainOption = Annotated[bool, typer.Option("--again", help="Ask once more where a reply could not be read.")]


def add_to(cli: typer.Typer) -> None:
    """Make the command known."""
    cli.command()(ceiling)


def ceiling(
    videos: Annotated[
        list[str] | None, typer.Argument(help="Ids, titles or dataset names of videos; default: all.")
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    extractor: ChatOption = None,
    judge: ChatOption = None,
    again: AgainOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score the reference captions themselves: what can be reached, which questions cannot be answered."""
    from annotation.naming import videos_named
    from annotation.pipeline.ceiling import plan_ceiling

    space = open_workspace(workspace, database)
    chosen = videos_named(space.store, videos) if videos else []
    _run(space, plan_ceiling(space.store, chosen), {"extractor": extractor, "judge": judge}, again, as_json)


def run_over(
    name: str, stages: Sequence[str], workspace: Path, database: str | None,
    engines: Mapping[str, str | None], *, again: bool, as_json: bool,
) -> None:  # fmt: skip
    """`run --evaluation NAME`: single stages over an evaluation. Ends the command."""
    from annotation.pipeline.filling import plan_fill
    from annotation.store.lists import find_evaluation

    space = open_workspace(workspace, database)
    plan = plan_fill(space.store, find_evaluation(space.store, name), stages)
    _run(space, plan, engines, again, as_json)


def _run(space: Any, plan: Any, specs: Mapping[str, str | None], again: bool, as_json: bool) -> None:
    from annotation.pipeline.engines import choose, make_engines
    from ui.batch import run_plan

    choice = choose(space.settings, **specs)
    # Engines of stages that are not run are not asked whether they answer.
    writer = choice.writer or choice.captioner
    choice = replace(choice, captioner="baseline", speech="none", detector="default", reader="pyav")
    choice = replace(choice, writer=writer if "questions" in plan.stages else "baseline")
    if not {"answers", "elements"} & set(plan.stages):
        choice = replace(choice, extractor="baseline")
    with stoppable() as stop:
        outcome = run_plan(space, make_engines(choice, space), plan, stop, again=again)
    if outcome.summaries:
        found = outcome.summaries[0] | {"model_calls": outcome.model_calls, "problems": outcome.problems}
        show(found, as_json, lambda: _lines(found))
    raise typer.Exit(130 if outcome.stopped else 1 if outcome.problems else 0)


def _lines(found: Mapping[str, Any]) -> list[str]:
    def counts(values: Mapping[str, int]) -> str:
        return ", ".join(f"{n:,} {name}" for name, n in values.items()) or "none"

    return [
        found["evaluation"], f"  {found['videos']:,} videos; answers {counts(found['answers'])}; "
        f"verdicts {counts(found['verdicts'])}", *(f"  {note}" for note in found["notes"]),
        f"  {found['model_calls']:,} new model calls",
    ]  # fmt: skip


def check_run(videos: Sequence[str] | None, evaluation: str | None, others: Mapping[str, object]) -> None:
    """Raises UsageError when `run` is given both or neither, or flags that do nothing with an evaluation."""
    if bool(videos) == bool(evaluation):
        raise UsageError(
            "name videos, or an evaluation with --evaluation NAME" + (", not both" if videos else "")
        )
    unfit = [name for name, value in others.items() if value]
    if evaluation and unfit:
        raise UsageError(f"--{unfit[0]} does nothing over an evaluation; leave it out")
