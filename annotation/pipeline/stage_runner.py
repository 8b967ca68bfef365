"""The pipeline: runs stages in order, per video. Interrupted work continues where it stopped."""

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
"""Seconds between the starts of two videos. Requests are answered in order, so videos reach their next stage
one after the other. If all reached it at once, the server would be idle meanwhile.
"""

SKIPPED = "none"
"""Backend and model of the run of stages that had nothing to do."""
REMOVED = "the video was removed before its run ended"
POLL_S = 0.2
AT_ONCE = 8
"""Number of videos that use models at the same time. With one video, its last requests would not fill a
server.
"""


@dataclass(slots=True)
class VideoResult:
    """Result of one pass over one video."""

    video: Video
    stages: dict[Stage, StageResults] = field(default_factory=dict)
    """Results of each stage that ran."""
    problems: list[str] = field(default_factory=list)
    """One line per stage that failed."""
    lost: bool = False
    """Whether the process that worked on it was killed."""


def run_video(context: Context, video: Video, stages: Sequence[StageSpec]) -> VideoResult:
    """Run all stages of one video. A stage that fails is reported, and the others continue.

    If another process works on the video, waits for its end and reuses its results. If the video was removed
    meanwhile, nothing is stored, and the result reports it.

    Raises Stopped, after marking the stage; BackendUnavailable for chat engines, because every later stage
    would fail the same way.
    """
    first = stages[0].name if stages else "probe"

    def wait() -> None:
        context.report(video, first, "waiting", 0, 0, "another process is working on this video")
        if context.stop.is_set():
            raise Stopped("stopped while waiting for another process that is working on this video")

    if _exists(context, video):  # the lock creates the folder of the video's media
        with context.media.turn(video, wait):
            try:
                result = _run_video(context, context.store.get(Video, video.id), stages)
                if _exists(context, video):
                    return result
            except NotFound:
                if _exists(context, video):
                    raise
    context.report(video, first, "failed", 0, 0, REMOVED)
    return VideoResult(video, problems=[f"{video.title}: {REMOVED}"])


def _exists(context: Context, video: Video) -> bool:
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
            result.stages[stage] = StageResults(error=str(error))
            if isinstance(error, BackendUnavailable) and not spec.optional:
                raise
            continue
        result.stages[stage] = results
        _finish(context, video, stage, results)
    return result


def run_videos(
    context: Context, videos: Sequence[Video], stages: Sequence[StageSpec]
) -> Iterator[VideoResult]:
    """Run all stages of all videos; yield results as they end. Raises as `run_video`, after running work
    ended.
    """
    return each_video(context, videos, lambda own, video: run_video(own, video, stages))


def each_video(
    context: Context, videos: Sequence[Video], do: Callable[[Context, Video], T], at_once: int | None = None
) -> Iterator[T]:
    """Call `do` for every video; yield results as they end. Raises its errors after running work ended.

    If a server answers, several videos use it at once (`at_once`; default: as the chat engines allow). Stages
    without a model run one at a time.
    """
    engines = context.engines
    models = (engines.captioner, engines.writer, engines.extractor, engines.judge)
    at_once = at_once or (1 if all(model.baseline for model in models) else AT_ONCE)
    door = Lock()

    def fresh(video: Video) -> T:
        with door:
            sleep(0 if at_once == 1 else APART_S)
        context.caller.raise_if_stopped()
        return do(context.for_another_video(), video)

    with ThreadPoolExecutor(at_once, thread_name_prefix="video") as pool:
        begun = [pool.submit(fresh, video) for video in videos]
        waiting = set(begun)
        try:
            while waiting:  # the timeout lets this thread handle signals
                ended, waiting = wait(waiting, POLL_S, FIRST_COMPLETED)
                yield from (future.result() for future in ended)
        finally:
            for future in begun:
                future.cancel()


def _finish(context: Context, video: Video, stage: Stage, results: StageResults) -> None:
    done, total = (results.count("done"), results.total) if results.total else (1, 1)
    if results.state == "skipped":
        done, total = 0, 0
        if stage not in context.runs:  # a stage skipped before its run started is stored in a separate run
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
    """Return the context of a new pass. With `again`, requests with unreadable replies are repeated.

    `options` belong to systems, one of each type; `tell` receives model start-up progress; the pass stops at
    its `cap`. Raises UsageError for invalid prices in the settings.
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
