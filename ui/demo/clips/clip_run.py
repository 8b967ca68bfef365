"""Run stages on one clip of the Demo page, in a thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from annotation.pipeline.stage_registry import USUAL
from annotation.pipeline.stage_runner import new_context, run_video
from annotation.records.allowed_values import Stage
from annotation.records.errors import DiskFull
from annotation.records.videos import Video
from annotation.stages.stage_context import Engines
from annotation.stages.stage_spec import StageSpec, names_of
from annotation.stages.start_models import make_ready
from backends.errors import DailiesError, Stopped
from backends.idle_models import give_back_memory
from ui.demo.clips.demo_clips import DemoClip

log = logging.getLogger(__name__)
STAGES = tuple(spec for spec in USUAL if spec.when == "usual")
"""All stages of a new clip."""
COPY = "making a copy that browsers can play"


@dataclass(frozen=True, slots=True)
class RunMessage:
    """A progress message of a run."""

    share: float
    """Progress of the whole run, 0 to 1."""
    doing: str
    """What is being done, in words."""
    ended: Stage | None = None
    """The stage that has ended, whose results can be shown."""
    problem: str = ""
    """Why some of its results are missing, failed or unreadable; empty if all are there."""


class ClipRun:
    """Runs in a separate thread. `close` ends it."""

    def __init__(
        self,
        clip: DemoClip,
        stages: Sequence[StageSpec],
        engines: Callable[[], AbstractContextManager[Engines]],
        prepare: Callable[[DemoClip], None],
    ) -> None:
        """`prepare` is called in the thread before the stages; a DailiesError from it ends the run."""
        self.clip, self.stages, self.engines, self.prepare = clip, stages, engines, prepare
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
        try:
            self._work()
        except Stopped:
            pass
        except DailiesError as error:
            self.failed = str(error)
        except Exception as error:  # a thread: an exception raised here would be lost
            self.failed = str(DiskFull.of(error) or "a bug in Dailies; the log has the traceback")
            log.exception("demo")
        finally:
            give_back_memory()

    def _work(self) -> None:
        clip = self.clip
        self.prepare(clip)
        if clip.media.needs_copy(clip.video):
            self._messages.put(RunMessage(0, COPY))
            clip.media.make_copy(clip.video)
        self._messages.put(RunMessage(0, "", ended="probe"))
        with self.engines() as engines:
            context = new_context(clip.space, engines, clip.media, self._report, self._stop)
            make_ready(context, self.stages)
            run_video(context, clip.video, self.stages)

    def _report(
        self,
        video: Video,  # noqa: ARG002 - there is only one video
        stage: Stage,
        state: str,
        done: int,
        total: int,
        message: str,
    ) -> None:
        names = names_of(self.stages)
        ended = state not in ("waiting", "running")
        share = 1.0 if ended else done / total if total else 0.0
        spec = self.stages[names.index(stage)]
        self._messages.put(
            RunMessage(
                (names.index(stage) + share) / len(names),
                spec.doing or spec.label,
                stage if ended else None,
                message if ended and state not in ("done", "skipped") else "",
            )
        )
