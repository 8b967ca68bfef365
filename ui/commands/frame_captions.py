"""Flags of `run` for frame captions, and the command `judge-captions`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

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
from ui.commands.terminal_output import stoppable

if TYPE_CHECKING:
    from annotation.systems.progress_captioner.frame_options import FrameOptions

FramesPerCallOption = Annotated[
    int, typer.Option(help="Frames per request, 2 to 6; the window slides by one frame.")
]
FpsOption = Annotated[
    float | None, typer.Option(help="Candidate frames per second; default: 1, at most 24 per video.")
]
FramesOption = Annotated[
    str | None,
    typer.Option(
        help="Frame numbers of the candidates, from 0, separated by commas; or framecapeval: one frame per "
        "cluster and a near-duplicate, as in the benchmark."
    ),
]
FrameContextOption = Annotated[
    str,
    typer.Option(
        help="Which caption of a frame is used: before (of the window that ends with it), after, or both."
    ),
]
DescModeOption = Annotated[
    str,
    typer.Option(
        help="Focus of frame captions: a (object state), b (body pose), c (action), or page (the "
        "prompt as printed in the paper)."
    ),
]
MatchOption = Annotated[
    str, typer.Option(help="Frames offered for matching: all of a sequence, or distinct.")
]


def frame_options(
    per_call: int, fps: float | None, frames: str | None, context: str, mode: str, match: str
) -> FrameOptions:
    """Return the flags as `FrameOptions`. Raises UsageError for unsupported values."""
    from annotation.systems.progress_captioner.frame_options import FrameOptions

    if frames == "framecapeval":
        options = FrameOptions(per_call, fps, (), context, mode, "framecapeval", match)  # type: ignore[arg-type]
        return options.checked()
    try:
        chosen = tuple(sorted({int(part) for part in frames.split(",")})) if frames else ()
    except ValueError:
        raise UsageError(
            f"--frames {frames}: give whole numbers separated by commas, such as 0,25,50"
        ) from None
    return FrameOptions(per_call, fps, chosen, context, mode, matching=match).checked()  # type: ignore[arg-type]


def add_to(cli: typer.Typer) -> None:
    """Register the command."""
    cli.command("judge-captions")(judge_captions)


def judge_captions(
    captions: Annotated[str, typer.Argument(help="Model (or file) that wrote the frame captions.")],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    stages: Annotated[
        str | None,
        typer.Option(help="keyframes, changes, matching, separated by commas; default: keyframes."),
    ] = None,
    judge: ChatOption = None,
    match: MatchOption = "all",
    again: AgainOption = False,
    most_calls: MostCallsOption = None,
    most_cost: MostCostOption = None,
    estimate: EstimateOption = False,
    as_json: JsonOption = False,
) -> None:
    """Judge frame captions of the workspace."""
    from annotation.pipeline.engines import EngineChoice, choose, make_engines
    from annotation.systems.progress_captioner.frame_options import FrameOptions
    from annotation.systems.progress_captioner.plan_caption_judging import plan_captions
    from ui.commands.run_stages import estimate_plan, run_plan, show_estimate

    options = FrameOptions(matching=match).checked()  # type: ignore[arg-type]
    space = open_workspace(workspace, database)
    plan = plan_captions(space.store, captions, stages.split(",") if stages else [])
    choice = EngineChoice(judge=choose(space.settings, judge=judge).judge, speech="none")
    engines = make_engines(choice, space)
    if estimate:
        show_estimate(estimate_plan(space, engines, plan, again=again, options=[options]), as_json)
        return
    cap = cap_of(most_calls, most_cost)
    with stoppable() as stop:
        outcome = run_plan(space, engines, plan, stop, again=again, options=[options], cap=cap)
    found = {
        "captions": plan.name,
        "videos": len(plan.videos),
        "model_calls": outcome.model_calls,
        "took": asdict(outcome.took),
    }
    show(
        found | {"problems": outcome.problems},
        as_json,
        lambda: [
            f"{plan.name}: {plural(len(plan.videos), 'video')}, {outcome.took_line}",
            "python app.py score framecap prints the scores",
        ],
    )
    raise typer.Exit(outcome.exit_code)
