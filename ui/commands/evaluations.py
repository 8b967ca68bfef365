"""`run-evaluation` and `ceiling`: runs over existing records of the workspace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backends.errors import UsageError
from backends.text.plural import plural
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    AgainOption,
    ChatOption,
    DatabaseOption,
    EstimateOption,
    JsonOption,
    MostCallsOption,
    MostCostOption,
    WorkspaceOption,
    cap_of,
    open_workspace,
    show,
)
from ui.commands.terminal_output import say, stoppable

if TYPE_CHECKING:
    from annotation.stages.spending import Cap
    from annotation.stages.stage_spec import Plan
    from annotation.workspace.workspace import Workspace

FIRST = 8
"""Number of problems that are printed; JSON lists all."""


def add_to(cli: typer.Typer) -> None:
    """Register the commands."""
    cli.command("run-evaluation")(run_evaluation)
    cli.command()(ceiling)


def run_evaluation(
    name: Annotated[str, typer.Argument(help="Name or id of the evaluation.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    stages: Annotated[
        str | None,
        typer.Option(
            help="questions, answers, verdicts, or stages of the benchmark, separated by commas; "
            "default: verdicts, and answers that are missing."
        ),
    ] = None,
    writer: ChatOption = None,
    extractor: ChatOption = None,
    judge: ChatOption = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=2, help="Judge each answer this many times, to measure how consistent the judge is."
        ),
    ] = None,
    temperature: Annotated[float, typer.Option(help="Sampling temperature of the repeats, 0 to 2.")] = 0.0,
    again: AgainOption = False,
    most_calls: MostCallsOption = None,
    most_cost: MostCostOption = None,
    estimate: EstimateOption = False,
    as_json: JsonOption = False,
) -> None:
    """Add missing questions, answers or verdicts to an evaluation, or those of another model."""
    from annotation.pipeline.backfill_and_second_judge import plan_fill
    from annotation.pipeline.repeated_judging import plan_repeats
    from annotation.store.evaluation_by_name import find_evaluation

    space = open_workspace(workspace, database)
    chosen = find_evaluation(space.store, name)
    if repeats and stages not in (None, "verdicts"):
        raise UsageError("--repeats judges existing answers; remove --stages")
    if temperature and not repeats:
        raise UsageError("--temperature applies only to --repeats; other verdicts use 0")
    plan = (
        plan_repeats(space.store, chosen, repeats, temperature)
        if repeats
        else plan_fill(space.store, chosen, stages.split(",") if stages else [])
    )
    specs = {"writer": writer, "extractor": extractor, "judge": judge}
    _run(space, plan, specs, again, as_json, None if estimate else cap_of(most_calls, most_cost))


def ceiling(
    videos: Annotated[
        list[str] | None, typer.Argument(help="Ids, titles or dataset names of videos; default: all.")
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    extractor: ChatOption = None,
    judge: ChatOption = None,
    again: AgainOption = False,
    most_calls: MostCallsOption = None,
    most_cost: MostCostOption = None,
    estimate: EstimateOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score the reference captions: the best possible score, and questions that they do not answer."""
    from annotation.editing.display_names import videos_named
    from annotation.systems.vdc.run_reference_ceiling import plan_ceiling

    space = open_workspace(workspace, database)
    chosen = videos_named(space.store, videos) if videos else []
    specs = {"extractor": extractor, "judge": judge}
    cap = None if estimate else cap_of(most_calls, most_cost)
    _run(space, plan_ceiling(space.store, chosen), specs, again, as_json, cap)


def _run(
    space: Workspace, plan: Plan, specs: Mapping[str, str | None], again: bool, as_json: bool, cap: Cap | None
) -> None:
    """Run the plan, or only estimate it if `cap` is None."""
    from annotation.pipeline.engines import choose, make_engines
    from annotation.stages.stage_spec import engines_of
    from ui.commands.run_stages import estimate_plan, run_plan, show_estimate

    choice = choose(space.settings, **specs)
    choice = replace(choice, speech="none", detector="default", reader="pyav").asking(engines_of(plan.stages))
    engines = make_engines(choice, space)
    if cap is None:
        show_estimate(estimate_plan(space, engines, plan, again=again), as_json)
        return
    with stoppable() as stop:
        outcome = run_plan(space, engines, plan, stop, again=again, cap=cap)
    if outcome.summaries:
        found = outcome.summaries[0] | {
            "model_calls": outcome.model_calls,
            "took": asdict(outcome.took),
            "problems": outcome.problems,
        }
        show(found, as_json, lambda: [*_lines(found), f"  {outcome.took_line}"])
    else:
        say(outcome.took_line)
    raise typer.Exit(outcome.exit_code)


def _lines(found: Mapping[str, Any]) -> list[str]:
    def counts(values: Mapping[str, int]) -> str:
        return ", ".join(f"{n:,} {name}" for name, n in values.items()) or "none"

    return [
        found["evaluation"],
        f"  {plural(found['videos'], 'video')}; answers {counts(found['answers'])}; "
        f"verdicts {counts(found['verdicts'])}",
        *(f"  {note}" for note in found["notes"]),
        *_problem_lines(found["problems"]),
    ]


def _problem_lines(problems: Sequence[str]) -> Iterator[str]:
    yield from (f"  {problem}" for problem in problems[:FIRST])
    if len(problems) > FIRST:
        yield f"  and {len(problems) - FIRST:,} more problems (all with --json)"
