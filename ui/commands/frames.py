"""Flags of `run` that are about frame captions, and `run --captions`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from annotation.errors import UsageError
from ui.commands.options import open_workspace
from ui.console import say, stoppable

CaptionsOption = Annotated[
    str | None,
    typer.Option(
        help="Instead of videos: frame captions to judge, by the model (or file) that wrote them; stages "
        "keyframes, changes, matching."
    ),
]
FramesPerCallOption = Annotated[int, typer.Option(help="Frames captioned at once, 2 to 6, sliding by one.")]
FpsOption = Annotated[
    float | None, typer.Option(help="Candidate frames per second; default: 1, at most 24 of a video.")
]
FramesOption = Annotated[
    str | None, typer.Option(help="Candidate frames by number from 0, with commas, in place of a rate.")
]
FrameContextOption = Annotated[
    str,
    typer.Option(
        help="Which caption of a frame counts: before (of the window that ends with it), after, both."
    ),
]
DescModeOption = Annotated[
    str,
    typer.Option(
        help="What frame captions attend to: a (object's state), b (body pose), c (action), or page (the "
        "prompt as the paper prints it)."
    ),
]
MatchOption = Annotated[
    str, typer.Option(help="Frames that matching offers: all of a sequence, or distinct ones.")
]


def frame_options(
    per_call: int, fps: float | None, frames: str | None, context: str, mode: str, match: str
) -> Any:
    """As `FrameOptions`. Raises UsageError for what the method does not do."""
    from annotation.progress_captioner import FrameOptions

    try:
        chosen = tuple(sorted({int(part) for part in frames.split(",")})) if frames else ()
    except ValueError:
        raise UsageError(f"--frames {frames}: give whole numbers with commas, like 0,25,50") from None
    return FrameOptions(per_call, fps, chosen, context, mode, match).checked()  # type: ignore[arg-type]


def judge_captions(
    name: str, stages: Sequence[str], workspace: Path, database: str | None, judge: str | None, options: Any,
    *, again: bool, with_videos: object,
) -> None:  # fmt: skip
    """`run --captions NAME`: judge frame captions that are there. Ends the command."""
    from annotation.pipeline.engines import EngineChoice, choose, make_engines
    from annotation.pipeline.judging_captions import plan_captions
    from ui.batch import run_plan

    if with_videos:
        raise UsageError("name videos, or frame captions with --captions NAME, not both")
    space = open_workspace(workspace, database)
    plan = plan_captions(space.store, name, stages)
    choice = EngineChoice(judge=choose(space.settings, judge=judge).judge, speech="none")
    with stoppable() as stop:
        outcome = run_plan(space, make_engines(choice, space), plan, stop, again=again, frames=options)
    say(f"{plan.name}: {len(plan.videos):,} videos, {outcome.model_calls:,} new model calls")
    say("python app.py score framecap prints what came of it")
    raise typer.Exit(130 if outcome.stopped else 1 if outcome.problems else 0)
