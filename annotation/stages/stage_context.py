"""What every stage is given, and how it reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from threading import Event, Lock
from typing import Any, Protocol, TypeVar

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import Stage
from annotation.records.constants_of_systems import CaptionPrompts
from annotation.records.ids import record_id
from annotation.records.runs import Run, RunVideo
from annotation.records.version import VERSION
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.model_calls import Caller
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from backends.protocols import (
    ChatModel,
    JointEmbeddings,
    SceneDetector,
    SceneMeasurer,
    SpeechEngine,
    Tell,
    TextReader,
    ignore_progress,
)
from backends.video.reader_registry import DEFAULT

PROGRESS_EVERY_S = 0.5
SOFTWARE = (
    "av",
    "decord",
    "scenedetect-headless",
    "faster-whisper",
    "opencv-python-headless",
    "rapidocr",
    "urllib3",
    "xllamacpp",
)
"""Packages whose versions are recorded with every run."""


class Hearing(Protocol):
    """Gives who hears; size and language win over flags and settings, `auto` detects the language."""

    def __call__(self, size: str = "", language: str = "") -> SpeechEngine | None: ...


@dataclass(frozen=True, slots=True)
class Engines:
    """Who does what. Makers are called when their stage comes, so that nothing loads for nothing."""

    captioner: ChatModel
    """Script, captions, notes, answers from the video, frame captions."""
    writer: ChatModel
    """Questions, splits."""
    extractor: ChatModel
    judge: ChatModel
    detector: Callable[[], SceneDetector]
    speech: Hearing
    measurer: Callable[[], SceneMeasurer]
    text_reader: Callable[[], TextReader | None]
    embedder: Callable[[], JointEmbeddings]
    """The same one every time. Raises BackendUnavailable."""
    reader: str = DEFAULT
    """Who decodes the frames that models are given."""
    caption_prompts: CaptionPrompts = "fixed"
    """Which prompts the five VDC captions are asked with."""


Kind = TypeVar("Kind")


class Reporter(Protocol):
    """Told how far a stage is; the command line draws bars, pages poll it."""

    def __call__(
        self, video: Video, stage: Stage, state: str, done: int, total: int, message: str
    ) -> None: ...


@dataclass(slots=True)
class Context:
    """One run of the pipeline."""

    workspace: Workspace
    engines: Engines
    media: MediaLibrary
    stop: Event
    caller: Caller
    report: Reporter
    prompts: Prompts
    """Those in use when the pass began: one that is put into use meanwhile is for the next."""
    tell: Tell = ignore_progress
    """Receives model start-up progress."""
    again: bool = False
    """Whether replies that could not be read are asked for again."""
    options: tuple[object, ...] = ()
    """What systems were told about how to do their stages, one of a type; `option` finds them."""
    runs: dict[Stage, Run] = field(default_factory=dict)
    """The runs that this pass of the pipeline works on, by stage."""
    system_runs: dict[str, dict[str, Run]] = field(default_factory=dict)
    """The runs of systems with a chain of their own in this pass, by system and by what they are for."""
    turn: AbstractContextManager[Any] = field(default_factory=Lock)
    """Held by the video whose file is being worked on: decoding two at once helps nobody."""
    mark_every_s: float = PROGRESS_EVERY_S
    """Between two rows on how far a stage is."""
    _last_write: float = field(default=0.0, init=False)
    _pictures: tuple[tuple[str, tuple[int, ...]], list[bytes]] = field(default=(("", ()), []), init=False)
    _pictures_lock: Lock = field(default_factory=Lock, init=False)

    @property
    def store(self) -> Store:
        return self.workspace.store

    def option(self, kind: type[Kind]) -> Kind:
        """The options of this type: those that were given, or its defaults."""
        return next((one for one in self.options if isinstance(one, kind)), None) or kind()

    def beside(self) -> Context:
        """For another video at the same time: its own runs and pictures; all else is shared."""
        return replace(self, runs={}, system_runs={})

    def pictures(self, video: Video, indices: Sequence[int]) -> list[bytes]:
        """JPEGs of frames for a model, in the order of `indices`, by the chosen reader.

        The last set is kept: the five captions of a video are asked with the same frames.
        """
        wanted = (video.id, tuple(indices))
        with self._pictures_lock:
            if self._pictures[0] != wanted:
                self._pictures = (wanted, self.media.pictures(video, indices, reader=self.engines.reader))
            return self._pictures[1]

    @property
    def reader_params(self) -> dict[str, Any]:
        """What a run records about the reader of its pictures: nothing when it is the usual one."""
        return {} if self.engines.reader == DEFAULT else {"reader": self.engines.reader}

    def start_run(self, run: Run) -> Run:
        """The run with this fingerprint: a new one, or the one that was interrupted."""
        self.caller.keep([run])
        self.runs[run.stage] = run
        self._last_write = 0.0  # that a stage has begun is written at once: it may be killed the next moment
        return run

    def progress(self, video: Video, stage: Stage, done: int, total: int, failed: int = 0) -> None:
        """Tell how far the stage is. Raises Stopped when the work is to end."""
        now = time.monotonic()
        if now - self._last_write > self.mark_every_s:
            self._last_write = now
            self.mark(video, stage, "running", done, total, failed)
        self.report(video, stage, "running", done, total, "")
        self.caller.go_on()

    def mark(
        self,
        video: Video,
        stage: Stage,
        state: Any,
        done: int = 0,
        total: int = 0,
        failed: int = 0,
        message: str = "",
    ) -> None:
        """Write how far a stage is with a video, once its run is known."""
        run = self.runs.get(stage)
        if run is None:
            return
        self.store.put(
            RunVideo(
                id=record_id("rv", run.id, video.id, stage),
                run_id=run.id,
                video_id=video.id,
                stage=stage,
                state=state,
                done=done,
                total=total,
                failed=failed,
                message=message,
                updated_at=time.time(),
            )
        )


def model_run(
    stage: Stage, model: ChatModel, prompt_hash: str, upstream: tuple[str, ...] = (), **params: Any
) -> Run:
    """The run of a chat stage. Same engine, prompt, parameters and inputs: same run."""
    return make_run(
        stage,
        backend=model.backend,
        model=model.model,
        endpoint=model.endpoint,
        prompt_hash=prompt_hash,
        upstream=upstream,
        baseline=model.baseline,
        params={"temperature": 0.0, **params},
    )


def make_run(
    stage: Stage,
    *,
    backend: str,
    model: str,
    endpoint: str = "",
    prompt_hash: str = "",
    upstream: tuple[str, ...] = (),
    baseline: bool = False,
    params: dict[str, Any] | None = None,
) -> Run:
    """A run whose id is its fingerprint."""
    params = params or {}
    return Run(
        id=record_id("run", stage, backend, model, endpoint, prompt_hash, params, upstream),
        stage=stage,
        backend=backend,
        model=model,
        endpoint=endpoint,
        prompt_hash=prompt_hash,
        params=params,
        upstream=upstream,
        baseline=baseline,
        created_at=time.time(),
        software=software(),
    )


@cache
def software() -> dict[str, str]:
    """Versions of what takes part in a result."""
    found = {"dailies": VERSION}
    for name in SOFTWARE:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
