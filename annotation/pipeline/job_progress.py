"""Tracks the progress of a run in its job, and shares it with other processes."""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from annotation.pipeline.jobs_across_processes import Job, JobBoard
from annotation.records.allowed_values import Stage
from annotation.records.errors import DiskFull
from annotation.records.ids import new_id
from annotation.records.videos import Video
from annotation.stages.spending import Spending, took_words
from annotation.stages.stage_spec import Plan, StageSpec, names_of
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError, Stopped
from backends.protocols import Loading

log = logging.getLogger(__name__)
PROBLEMS = ("failed", "unparsed")
"""States of a stage that mark the run as having problems."""
POST_S = 1.0
"""Seconds between updates of a job's file, and between checks for a stop request."""


class JobProgress:
    """Progress of a job with several videos at once: it shows the video that began first."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._far: dict[str, tuple[Stage, int, int, float]] = {}
        self._skipped: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def report(self, video: Video, stage: Stage, state: str, done: int, total: int, message: str) -> None:
        """Implement `Reporter`."""
        with self._lock:
            known = self._far.get(video.id)
            began = known[3] if known and known[0] == stage else time.time()
            self._far[video.id] = (stage, done, total, began)
            self._show()
            if state in PROBLEMS and message:
                self.job.problems.append(f"{video.title}: {stage}: {message}")
            if state == "skipped":
                self._skipped[stage, message] += 1
                self.job.skipped = [(*about, n) for about, n in self._skipped.items()]

    def show_loading(self, loading: Loading) -> None:
        """Show the start-up progress of a model."""
        self.job.loading = None if loading.ready else loading

    def spent(self, spending: Spending) -> None:
        """Show the calls, tokens and cost so far."""
        if spending.taken.calls:
            self.job.took = took_words(spending.taken, spending.prices.currency)
        if spending.reached:
            self.job.problems.append(
                f"{spending.reached}; finished work is kept, and another run continues from there"
            )

    def ended(self, video: Video, *, last: bool = True) -> None:
        """Mark a video as done; `last`: no further pass over it follows."""
        with self._lock:
            self._far.pop(video.id, None)
            self.job.videos_done += last
            self._show()

    def _show(self) -> None:
        for video_id, (stage, done, total, began) in self._far.items():
            job = self.job
            job.video_id, job.stage, job.stage_started = video_id, stage, began
            job.done, job.total = done, total
            return


@contextmanager
def settled(job: Job) -> Iterator[None]:
    """Store in the job how its work ended. Errors of the block are raised again."""
    try:
        yield
        job.state = "failed" if job.problems else "done"
    except (Stopped, KeyboardInterrupt):
        job.state = "stopped"
        raise
    except Exception as error:
        why = str(error) if isinstance(error, DailiesError) else str(DiskFull.of(error) or "")
        job.state = "failed"
        job.problems.append(why or "a bug in Dailies; the log has the traceback")
        raise
    finally:
        job.loading = None
        job.finished = time.time()


@contextmanager
def posted(board: JobBoard, job: Job) -> Iterator[None]:
    """Share the job with other processes during the block, and let them stop it."""
    finished = threading.Event()

    def post() -> None:
        try:
            board.post(job)
        except OSError as error:
            log.warning("job %s: cannot share its progress with other processes: %s", job.id, error)

    def keep_posting() -> None:
        while not finished.wait(POST_S):
            post()
            if board.is_to_stop(job.id) and not (job.finished or job.stop.is_set()):
                job.stop.set()
                job.state = "stopping"

    post()
    thread = threading.Thread(target=keep_posting, name=f"{job.id}-post", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
        post()


@contextmanager
def job_of_command(
    workspace: Workspace,
    videos: Sequence[Video],
    stages: Sequence[StageSpec],
    stop: threading.Event,
    plan: Plan | None = None,
) -> Iterator[JobProgress]:
    """Share a run of this process as a job that app processes on the workspace list and can stop."""
    names = names_of(stages)
    job = Job(new_id("job"), tuple(videos), names, time.time(), state="running", plan=plan, stop=stop)
    board = JobBoard(workspace.path / "jobs")
    try:
        with posted(board, job), settled(job):
            yield JobProgress(job)
    finally:
        with suppress(OSError):
            board.close()
