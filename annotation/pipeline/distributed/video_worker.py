"""Runs the stages of one video in another process or on another machine."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any, Literal, Protocol

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.stage_registry import stages_named
from annotation.pipeline.stage_runner import VideoResult, new_context, run_video
from annotation.records.allowed_values import Stage
from annotation.records.runs import RunVideo
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.stage_context import PROGRESS_EVERY_S, Reporter
from annotation.stages.stage_results import StageResults
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from backends.errors import BackendUnavailable, Stopped


@dataclass(frozen=True, slots=True)
class Job:
    """Input of a worker; it is sent to another process."""

    folder: Path
    database: str
    choice: EngineChoice
    stages: tuple[Stage, ...]

    def engines_of(self, space: Workspace) -> Any:
        """Create the engines without the chosen chat models, which workers do not use."""
        return make_engines(self.choice.asking(()), space)


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a video, which a worker sends back."""

    kind: Literal["done", "stopped", "unavailable"]
    stages: Mapping[Stage, StageResults] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    why: str = ""
    """Why it was stopped, or which engine is unavailable."""

    def result(self, video: Video) -> VideoResult:
        """Convert to a result. Raises Stopped, BackendUnavailable."""
        if self.kind == "stopped":
            raise Stopped(self.why)
        if self.kind == "unavailable":
            raise BackendUnavailable(self.why)
        return VideoResult(video, dict(self.stages), list(self.problems))


class Worker:
    """The database connection, readers and engines of one process, which runs one video after the other."""

    def __init__(self, job: Job, mark_every_s: float = PROGRESS_EVERY_S) -> None:
        """`mark_every_s`: seconds between progress rows of a stage. Raises UsageError, BackendUnavailable."""
        self.space = Workspace(job.folder, job.database)
        self.media = MediaLibrary(self.space.media)
        self.engines = job.engines_of(self.space)
        self._stages = stages_named(job.stages)
        self._mark_every_s = mark_every_s

    def do(self, video_id: str, report: Reporter, stop: Event) -> Answer:
        """Run all stages of one video."""
        context = new_context(self.space, self.engines, self.media, report, stop)
        context.mark_every_s = self._mark_every_s
        try:
            result = run_video(context, self.space.store.get(Video, video_id), self._stages)
            return Answer("done", result.stages, tuple(result.problems))
        except Stopped as stopped:
            return Answer("stopped", why=str(stopped))
        except BackendUnavailable as error:
            return Answer("unavailable", why=str(error))

    def close(self) -> None:
        self.media.close()
        self.space.close()


class Spread(Protocol):
    """Runs many videos at once, in processes of this machine or on a cluster. Use `run` once."""

    def run(self, videos: Sequence[Video], at_once: int) -> Iterator[VideoResult]:
        """Yield results as they arrive; a video whose worker was killed has `lost` set.

        Raises Stopped if the person stopped the work, BackendUnavailable.
        """
        ...


def lost(store: Store, report: Reporter, video: Video, stage: str, message: str) -> VideoResult:
    """Return the result of a video whose worker ended early, at `stage` if that is known."""
    close_rows(store, [video.id], "failed", message)
    report(video, stage or "probe", "failed", 0, 0, message)
    return VideoResult(video, problems=[f"{stage or 'start'}: {video.title}: {message}"], lost=True)


def close_rows(store: Store, video_ids: Sequence[str], state: Literal["failed", "stopped"], why: str) -> None:
    """Set the state of rows of these videos that a dead worker left as running."""
    for row in store.find(RunVideo, video_id=list(video_ids), state="running"):
        store.put(replace(row, state=state, message=why, updated_at=time.time()))
