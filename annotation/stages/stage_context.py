"""The context that every stage receives, and how stages report progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from threading import Event, Lock
from typing import Any, Literal, Protocol, TypeVar

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import Stage
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

CaptionPrompts = Literal["fixed", "pool"]
"""`fixed`: the project's own prompt per aspect (default). `pool`: drawn from the benchmark's pool."""

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
"""Packages whose versions are stored with every run."""


class SpeechFactory(Protocol):
    """Returns a speech engine. Size and language override flags and settings; `auto` detects the language."""

    def __call__(self, size: str = "", language: str = "") -> SpeechEngine | None: ...


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines of a run. Engines are created when their stage starts."""

    captioner: ChatModel
    """Used for script, captions, notes, answers from the video, and frame captions."""
    writer: ChatModel
    """Used for questions and splits."""
    extractor: ChatModel
    judge: ChatModel
    detector: Callable[[], SceneDetector]
    speech: SpeechFactory
    measurer: Callable[[], SceneMeasurer]
    text_reader: Callable[[], TextReader | None]
    embedder: Callable[[], JointEmbeddings]
    """Returns the same engine every time. Raises BackendUnavailable."""
    reader: str = DEFAULT
    """Name of the reader that decodes frames for models."""
    caption_prompts: CaptionPrompts = "fixed"
    """Which prompts are used for the five VDC captions."""


Kind = TypeVar("Kind")


class Reporter(Protocol):
    """Receives the progress of a stage; the command line draws bars, pages poll it."""

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
    """Prompts in use when the pass began. Later changes apply to the next pass."""
    tell: Tell = ignore_progress
    """Receives model start-up progress."""
    again: bool = False
    """Whether to repeat requests whose replies could not be read."""
    options: tuple[object, ...] = ()
    """Options of systems for their stages, at most one of each type; `option` finds them."""
    runs: dict[Stage, Run] = field(default_factory=dict)
    """Runs of this pass, by stage."""
    system_runs: dict[str, dict[str, Run]] = field(default_factory=dict)
    """Runs of systems with a separate chain in this pass, by system and purpose."""
    turn: AbstractContextManager[Any] = field(default_factory=Lock)
    """Lock for the video that is being decoded. Decoding two videos at once is no faster."""
    mark_every_s: float = PROGRESS_EVERY_S
    """Minimum seconds between progress rows in the store."""
    _last_write: float = field(default=0.0, init=False)
    _pictures: tuple[tuple[str, tuple[int, ...]], list[bytes]] = field(default=(("", ()), []), init=False)
    _pictures_lock: Lock = field(default_factory=Lock, init=False)

    @property
    def store(self) -> Store:
        return self.workspace.store

    def option(self, kind: type[Kind]) -> Kind:
        """Return the options of this type, or its defaults if none were given."""
        return next((one for one in self.options if isinstance(one, kind)), None) or kind()

    def for_another_video(self) -> Context:
        """Return a context for another video at the same time, with separate runs and pictures. The rest is
        shared.
        """
        return replace(self, runs={}, system_runs={})

    def pictures(self, video: Video, indices: Sequence[int]) -> list[bytes]:
        """Return JPEGs of frames for a model, in the order of `indices`, decoded by the chosen reader.

        The last set is cached, because the five captions of a video use the same frames.
        """
        wanted = (video.id, tuple(indices))
        with self._pictures_lock:
            if self._pictures[0] != wanted:
                self._pictures = (wanted, self.media.pictures(video, indices, reader=self.engines.reader))
            return self._pictures[1]

    @property
    def reader_params(self) -> dict[str, Any]:
        """Return the run parameters of the frame reader; empty for the default reader."""
        return {} if self.engines.reader == DEFAULT else {"reader": self.engines.reader}

    def start_run(self, run: Run) -> Run:
        """Start the run with this fingerprint, or continue it if it was interrupted."""
        self.caller.keep([run])
        self.runs[run.stage] = run
        self._last_write = 0.0  # Write the start of a stage at once, because the process may be killed.
        return run

    def progress(self, video: Video, stage: Stage, done: int, total: int, failed: int = 0) -> None:
        """Report the progress of the stage. Raises Stopped if the work must end."""
        now = time.monotonic()
        if now - self._last_write > self.mark_every_s:
            self._last_write = now
            self.mark(video, stage, "running", done, total, failed)
        self.report(video, stage, "running", done, total, "")
        self.caller.raise_if_stopped()

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
        """Store the progress of a stage for a video, once its run is known."""
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
    """Return the run of a chat stage. Equal engine, prompt, parameters and inputs give the same run."""
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
    """Return a run whose id is its fingerprint."""
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
    """Return the versions of the packages that influence results."""
    found = {"dailies": VERSION}
    for name in SOFTWARE:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
