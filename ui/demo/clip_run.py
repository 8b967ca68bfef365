"""Run one clip through the pipeline, in a temporary workspace."""

from __future__ import annotations

import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from annotation.intake.add_video import add_video
from annotation.pipeline.stage_registry import USUAL
from annotation.pipeline.stage_runner import new_context, run_video
from annotation.records.allowed_values import Stage
from annotation.records.errors import DiskFull
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.stage_context import Engines
from annotation.stages.stage_spec import names_of
from annotation.stages.start_models import make_ready
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError, Stopped
from backends.idle_models import give_back_memory
from ui.demo.shown_parts import PARTS, Clip

log = logging.getLogger(__name__)
STAGES = tuple(spec for spec in USUAL if spec.reads_file and spec.when == "usual")
"""Stages that need only a clip; those that read existing texts need a reference."""
FASTEST = 60
"""Highest frame rate, in frames per second."""
MOST_PIXELS = 3840 * 2160


@dataclass(frozen=True, slots=True)
class RunMessage:
    """A progress message of a run."""

    stage: Stage
    share: float
    """Progress of the whole run, 0 to 1."""
    problem: str = ""
    """Why the stage failed; empty if it did not."""
    part: Any = None
    """The result to show once the stage has ended; None: no result, or still running."""


class ClipRun:
    """Runs in a separate thread. `close` ends it and removes everything but the pictures."""

    def __init__(self, clip: Path, home: Path, engines: Callable[[], Engines], longest_s: float) -> None:
        """`home`: the folder for the workspace and for the pictures."""
        self.clip, self.home, self.engines, self.longest_s = clip, home, engines, longest_s
        self._messages: SimpleQueue[RunMessage] = SimpleQueue()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="demo", daemon=True)
        self.failed = ""
        """Why the run failed; empty if it did not."""

    def start(self) -> None:
        self._thread.start()

    def messages(self) -> Iterator[RunMessage]:
        """Messages since the last call."""
        while True:
            try:
                yield self._messages.get_nowait()
            except Empty:
                return

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()

    def close(self) -> None:
        """Stop the run and wait for its current stage."""
        if self.running:
            self.stop()
        self._thread.join()

    def _run(self) -> None:
        folder = self.home / "workspace"
        try:
            with closing(Workspace(folder)) as space, closing(MediaLibrary(space.media)) as media:
                self._work(space, media)
        except Stopped:
            pass
        except DailiesError as error:
            self.failed = str(error)
        except Exception as error:  # a thread: an exception raised here would be lost
            self.failed = str(DiskFull.of(error) or "a bug in Dailies; the log has the traceback")
            log.exception("demo")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            give_back_memory()

    def _work(self, space: Workspace, media: MediaLibrary) -> None:
        video = add_video(space.store, space.media, self.clip)
        self._require_short(video)
        clip = Clip(space.store, media, video, self.home)

        def report(
            video: Video,  # noqa: ARG001 - there is only one video
            stage: Stage,
            state: str,
            done: int,
            total: int,
            message: str,
        ) -> None:
            if state in ("done", "failed"):
                self._report(stage, 1, message, PARTS[stage](clip) if stage in PARTS else None)
            else:
                self._report(stage, done / total if total else 0)

        context = new_context(space, self.engines(), media, report, self._stop)
        make_ready(context, STAGES)
        run_video(context, video, STAGES)

    def _require_short(self, video: Video) -> None:
        """Raises DailiesError if the clip is too long or too large."""
        if not (facts := video.facts):
            return
        for what, count, most in (
            ("s", facts.duration_s, self.longest_s),
            ("frames", facts.frames, self.longest_s * FASTEST),
            ("pixels", facts.width * facts.height, MOST_PIXELS),
        ):
            if count > most:
                raise DailiesError(
                    f"this clip has {count:,.0f} {what}, and the demo accepts {most:,.0f}; use a smaller "
                    "clip, or install Dailies, which accepts any"
                )

    def _report(self, stage: Stage, share: float, problem: str = "", part: Any = None) -> None:
        self._messages.put(
            RunMessage(stage, (names_of(STAGES).index(stage) + share) / len(STAGES), problem, part)
        )
