"""The pipeline: stages in order, per video. Interrupted work goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import cast

from annotation.errors import BackendUnavailable, DailiesError, Stopped, UsageError
from annotation.pipeline import footage, frames, measuring, scoring, systems, writing
from annotation.pipeline.calls import Caller
from annotation.pipeline.context import Context, Engines, Reporter
from annotation.pipeline.media import MediaLibrary
from annotation.records import Stage, Video
from annotation.workspace import Workspace

StageFunction = Callable[[Context, Video], int | None]
"""Returns how many of its model requests failed."""

STAGES: Mapping[Stage, StageFunction] = {
    "probe": footage.run_probe,
    "scenes": footage.run_scenes,
    "speech": footage.run_speech,
    "measurements": measuring.run_measurements,
    "script": writing.run_script,
    "captions": systems.run_captions,
    "questions": scoring.run_questions,
    "answers": systems.run_answers,
    "verdicts": systems.run_verdicts,
    "split": writing.run_split,
    "frames": frames.run_frames,
    "keyframes": frames.run_keyframes,
}
"""In the order in which they run."""

NEEDS: Mapping[Stage, tuple[Stage, ...]] = {
    "answers": ("captions", "questions"),
    "verdicts": ("captions", "questions", "answers"),
    "keyframes": ("frames",),
}
"""Runs whose identity a stage needs; they are run too (from what is there, mostly for nothing)."""


@dataclass(slots=True)
class VideoResult:
    """What one pass did with one video."""

    video: Video
    failed_items: int = 0
    problems: list[str] = field(default_factory=list)
    """One line per stage that could not be done."""
    lost: bool = False
    """Whether the process that worked on it was killed."""


def chosen_stages(names: Sequence[str] | None) -> list[Stage]:
    """The stages to run, with those they need, in order.

    Raises UsageError for names that are no stage.
    """
    if not names:
        return list(STAGES)
    unknown = [name for name in names if name not in STAGES]
    if unknown:
        raise UsageError(f"no stage {', '.join(unknown)}; choose from {', '.join(STAGES)}")
    wanted = set(names) | {need for name in names for need in NEEDS.get(cast(Stage, name), ())}
    return [stage for stage in STAGES if stage in wanted]


def run_video(
    context: Context,
    video: Video,
    stages: Sequence[Stage],
    functions: Mapping[Stage, StageFunction] = STAGES,
) -> VideoResult:
    """All stages of one video. A stage that fails is reported and the others go on.

    `functions` are other ways to do the stages (`annotation.pipeline.plans`).

    Raises Stopped, after marking the stage; and BackendUnavailable for chat engines, since
    every later stage would fail the same way.
    """
    result = VideoResult(video)
    context.runs.clear()
    context.mmlu.clear()
    for stage in stages:
        try:
            failed = functions[stage](context, video) or 0
        except Stopped as stop:
            context.mark(video, stage, "stopped", message=str(stop))
            raise
        except DailiesError as error:
            context.mark(video, stage, "failed", message=str(error))
            context.report(video, stage, "failed", 0, 0, str(error))
            result.problems.append(f"{stage}: {error}")
            if isinstance(error, BackendUnavailable) and stage != "speech":
                raise
            continue
        result.failed_items += failed
        _finish(context, video, stage, failed)
    return result


def _finish(context: Context, video: Video, stage: Stage, failed: int) -> None:
    words = f"{failed} requests failed; the next run tries them again" if failed else ""
    context.mark(video, stage, "failed" if failed else "done", done=1, total=1, failed=failed, message=words)
    context.report(video, stage, "failed" if failed else "done", 1, 1, words)


def new_context(
    workspace: Workspace,
    engines: Engines,
    media: MediaLibrary,
    report: Reporter,
    stop: Event | None = None,
    *,
    again: bool = False,
) -> Context:
    """A fresh pass over the workspace; with `again`, unreadable replies are asked for once more."""
    stop = stop or Event()
    return Context(
        workspace=workspace, engines=engines, media=media, stop=stop,
        caller=Caller(workspace.store, stop), report=report, again=again,
    )  # fmt: skip
