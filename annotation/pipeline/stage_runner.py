"""The pipeline: stages in order, per video. Interrupted work goes on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import nullcontext
from dataclasses import dataclass, field
from threading import Event, Lock
from time import sleep
from typing import TypeVar

from annotation.intake import remote_videos
from annotation.records.allowed_values import Stage
from annotation.records.errors import NotFound
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.model_calls import Caller
from annotation.stages.spending import Cap, Prices, Spending
from annotation.stages.stage_context import Context, Engines, Reporter, make_run
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import StageSpec
from annotation.workspace.prompts_in_use import prompts_in_use
from annotation.workspace.workspace import Workspace
from backends.errors import BackendUnavailable, DailiesError, Stopped
from backends.protocols import Tell, ignore_progress

T = TypeVar("T")

APART_S = 0.05
"""Between the starts of two videos. Requests are answered in their order, so the videos then come to their
next stage one after the other, and not all at once, when the server would have nothing to do."""

SKIPPED = "none"
"""Backend and model of the run of stages that had nothing to do."""
REMOVED = "the video was removed before its run was over"
LOOK_S = 0.2
AT_ONCE = 8
"""Videos whose models are asked at the same time: one video's last requests would leave a server idle."""


@dataclass(slots=True)
class VideoResult:
    """What one pass did with one video."""

    video: Video
    stages: dict[Stage, StageResults] = field(default_factory=dict)
    """What each stage that ran to its end has."""
    problems: list[str] = field(default_factory=list)
    """One line per stage that could not be done."""
    lost: bool = False
    """Whether the process that worked on it was killed."""


def run_video(context: Context, video: Video, stages: Sequence[StageSpec]) -> VideoResult:
    """All stages of one video. A stage that fails is reported and the others go on.

    Where another process works on the video, its end is waited for: what it has done is found then and not
    done again.

    Of a video that was removed meanwhile nothing is kept, and its result says so.

    Raises Stopped, after marking the stage; and BackendUnavailable for chat engines, since
    every later stage would fail the same way.
    """
    first = stages[0].name if stages else "probe"

    def wait() -> None:
        context.report(video, first, "waiting", 0, 0, "another process works on this video")
        if context.stop.is_set():
            raise Stopped("stopped while another process worked on this video")

    if _is_there(context, video):  # a turn makes the folder of its media
        with context.media.turn(video, wait):
            try:
                result = _run_video(context, context.store.get(Video, video.id), stages)
                if _is_there(context, video):
                    return result
            except NotFound:
                if _is_there(context, video):
                    raise
    context.report(video, first, "failed", 0, 0, REMOVED)
    return VideoResult(video, problems=[f"{video.title}: {REMOVED}"])


def _is_there(context: Context, video: Video) -> bool:
    return bool(context.store.find(Video, id=video.id))


def _run_video(context: Context, video: Video, stages: Sequence[StageSpec]) -> VideoResult:
    result = VideoResult(video)
    context.runs.clear()
    context.system_runs.clear()
    try:
        video = remote_videos.bring(context, video, stages)
    except DailiesError as error:
        if isinstance(error, Stopped):
            raise
        remote_videos.mark_unfetched(context, video, error)
        result.problems.append(str(error))
        if video.facts is None:
            return result
    for spec in stages:
        stage = spec.name
        try:
            with context.turn if spec.apart else nullcontext():
                results = spec.run(context, video) or StageResults()
        except Stopped as stop:
            context.mark(video, stage, "stopped", message=str(stop))
            raise
        except DailiesError as error:
            context.mark(video, stage, "failed", message=str(error))
            context.report(video, stage, "failed", 0, 0, str(error))
            result.problems.append(f"{stage}: {error}")
            if isinstance(error, BackendUnavailable) and not spec.optional:
                raise
            continue
        result.stages[stage] = results
        _finish(context, video, stage, results)
    return result


def run_videos(
    context: Context, videos: Sequence[Video], stages: Sequence[StageSpec]
) -> Iterator[VideoResult]:
    """All stages of all videos, yielded as they end. Raises as `run_video`, once what was begun has ended."""
    return each_video(context, videos, lambda beside, video: run_video(beside, video, stages))


def each_video(
    context: Context, videos: Sequence[Video], do: Callable[[Context, Video], T], at_once: int | None = None
) -> Iterator[T]:
    """What `do` makes of every video, as they end. Raises what it raises, once what was begun has ended.

    Where a server answers, several videos ask it at once (`at_once`, else as the chat engines allow); stages
    without a model take turns.
    """
    engines = context.engines
    models = (engines.captioner, engines.writer, engines.extractor, engines.judge)
    at_once = at_once or (1 if all(model.baseline for model in models) else AT_ONCE)
    door = Lock()

    def fresh(video: Video) -> T:
        with door:
            sleep(0 if at_once == 1 else APART_S)
        context.caller.go_on()
        return do(context.beside(), video)

    with ThreadPoolExecutor(at_once, thread_name_prefix="video") as pool:
        begun = [pool.submit(fresh, video) for video in videos]
        waiting = set(begun)
        try:
            while waiting:  # with a limit: a signal that reached another thread is handled by this one
                ended, waiting = wait(waiting, LOOK_S, FIRST_COMPLETED)
                yield from (future.result() for future in ended)
        finally:
            for future in begun:
                future.cancel()


def _finish(context: Context, video: Video, stage: Stage, results: StageResults) -> None:
    done, total = (results.count("done"), results.total) if results.total else (1, 1)
    if results.state == "skipped":
        done, total = 0, 0
        if stage not in context.runs:  # what is skipped before it has a run is kept in one of its own
            context.start_run(make_run(stage, backend=SKIPPED, model=SKIPPED))
            context.mark(video, stage, "skipped", message=results.words)
            del context.runs[stage]
    context.mark(video, stage, results.state, done, total, results.failed, results.words)
    context.report(video, stage, results.state, done, total, results.words)


def new_context(
    workspace: Workspace,
    engines: Engines,
    media: MediaLibrary,
    report: Reporter,
    stop: Event | None = None,
    *,
    again: bool = False,
    options: Sequence[object] = (),
    tell: Tell = ignore_progress,
    cap: Cap | None = None,
) -> Context:
    """A fresh pass over the workspace; with `again`, unreadable replies are asked for once more.

    `options` are of systems, one of a type; `tell` receives model start-up progress; at its `cap` the pass
    stops. Raises UsageError for prices in the settings that are none.
    """
    stop = stop or Event()
    return Context(
        workspace=workspace,
        engines=engines,
        media=media,
        stop=stop,
        caller=Caller(workspace.store, stop, Spending(Prices.of(workspace.settings), cap)),
        report=report,
        prompts=prompts_in_use(workspace.store, workspace.prompts),
        tell=tell,
        again=again,
        options=tuple(options),
    )
