"""Pipeline runs in the background of the app: started, watched and stopped from a page.

Several app processes on one workspace folder know of each other's runs (`jobs_across_processes`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence

from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.pipeline.jobs_across_processes import Job, JobBoard
from annotation.pipeline.stage_runner import new_context, run_videos
from annotation.records.allowed_values import Stage
from annotation.records.errors import DiskFull
from annotation.records.ids import new_id
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.plan import Plan
from annotation.stages.spending import Cap, Spending, took_words
from annotation.stages.stage_context import Context, Engines
from annotation.stages.start_models import make_ready
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError, Stopped
from backends.idle_models import give_back_memory
from backends.protocols import Loading

log = logging.getLogger(__name__)
KEPT = 20
"""Finished jobs that stay listed."""
POST_S = 1.0
"""Between two words to other processes on how a job stands, and two looks at what they ask."""


class Jobs:
    """Runs one job at a time; the models inside a job run side by side."""

    def __init__(self, workspace: Workspace, media: MediaLibrary, engines: Callable[[], Engines]) -> None:
        """`engines` is asked when a job starts; its errors become the job's message."""
        self.workspace = workspace
        self.media = media
        self.engines = engines
        self._jobs: dict[str, Job] = {}
        self._board = JobBoard(workspace.path / "jobs")
        self._lock = threading.Lock()
        self._one_at_a_time = threading.Lock()

    def start(
        self,
        videos: Sequence[Video],
        stages: Sequence[Stage],
        options: Sequence[object] = (),
        cap: Cap | None = None,
    ) -> Job:
        """The pipeline over some videos."""
        job = Job(new_id("job"), tuple(videos), tuple(stages), time.time(), tuple(options), cap=cap)
        return self._start(job)

    def start_plan(self, plan: Plan, cap: Cap | None = None) -> Job:
        """What `plan_fill` or `plan_ceiling` made."""
        return self._start(Job(new_id("job"), plan.videos, plan.stages, time.time(), plan=plan, cap=cap))

    def _start(self, job: Job) -> Job:
        with self._lock:
            self._jobs[job.id] = job
            for old in [j.id for j in self._jobs.values() if j.finished][:-KEPT]:
                del self._jobs[old]
                self._board.forget(old)
        self._post(job)
        for work, name in ((self._run, job.id), (self._tell, f"{job.id}-tell")):
            threading.Thread(target=work, args=(job,), name=name, daemon=True).start()
        return job

    def own(self) -> list[Job]:
        """Those of this process, newest first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: -job.started)

    def list(self) -> list[Job]:
        """Those of all processes on the workspace folder, newest first."""
        return sorted([*self.own(), *self._board.others()], key=lambda job: -job.started)

    def stop(self, job_id: str) -> Job | None:
        """Ask a job to stop, in whichever process it runs; requests in flight are finished and kept."""
        job = next((job for job in self.list() if job.id == job_id), None)
        if job and not job.finished:
            if job.id not in self._jobs:
                self._board.ask_to_stop(job.id)
            job.stop.set()
            job.state = "stopping"
        return job

    def stop_all(self) -> None:
        """This process's own."""
        for job in self.own():
            self.stop(job.id)

    def close(self) -> None:
        """Stop this process's own, and let the others know that it has ended."""
        self.stop_all()
        self._board.close()

    def _tell(self, job: Job) -> None:
        """Let other processes know how the job stands until it is over, and hear whether it is to stop."""
        while True:
            over = bool(job.finished)
            self._post(job)
            if over:
                return
            if self._board.is_to_stop(job.id) and not (job.finished or job.stop.is_set()):
                job.stop.set()
                job.state = "stopping"
            time.sleep(POST_S)

    def _post(self, job: Job) -> None:
        try:
            self._board.post(job)
        except OSError as error:
            log.warning("job %s: other processes do not see how it stands: %s", job.id, error)

    def _run(self, job: Job) -> None:
        with self._one_at_a_time:
            try:
                self._run_videos(job)
                job.state = "failed" if job.problems else "done"
            except Stopped:
                job.state = "stopped"
            except DailiesError as error:
                self._fail(job, str(error))
            except Exception as error:  # a thread of its own: nobody above would hear of it
                self._fail(job, str(DiskFull.of(error) or "a bug in Dailies; the log has the traceback"))
                log.exception("job %s", job.id)
            finally:
                job.loading = None
                job.finished = time.time()
                give_back_memory()  # of its models and pictures

    @staticmethod
    def _fail(job: Job, why: str) -> None:
        job.state = "failed"
        job.problems.append(why)

    def _run_videos(self, job: Job) -> None:
        if job.stop.is_set():
            raise Stopped("stopped before it began")
        job.state = "running"

        shown = _Shown(job)
        context = new_context(
            self.workspace,
            self.engines(),
            self.media,
            shown.report,
            job.stop,
            tell=shown.tell,
            options=job.options,
            cap=job.cap,
        )
        make_ready(context, job.stages)
        try:
            self._work(job, context, shown)
        finally:
            shown.spent(context.caller.spending)

    @staticmethod
    def _work(job: Job, context: Context, shown: _Shown) -> None:
        if job.plan:
            for result, evaluation in work_all(context, job.plan):
                job.evaluation_id = evaluation.id if evaluation else job.evaluation_id
                shown.ended(result.video)
            return
        for result in run_videos(context, job.videos, job.stages):
            shown.ended(result.video)


class _Shown:
    """What a job shows of the videos that are worked on at once: how far the one is that began first."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._far: dict[str, tuple[Stage, int, int, float]] = {}
        self._lock = threading.Lock()

    def report(self, video: Video, stage: Stage, state: str, done: int, total: int, message: str) -> None:
        with self._lock:
            known = self._far.get(video.id)
            began = known[3] if known and known[0] == stage else time.time()
            self._far[video.id] = (stage, done, total, began)
            self._show()
            if state == "failed" and message:
                self._job.problems.append(f"{video.title}: {stage}: {message}")

    def tell(self, loading: Loading) -> None:
        self._job.loading = None if loading.ready else loading

    def spent(self, spending: Spending) -> None:
        if spending.taken.calls:
            self._job.took = took_words(spending.taken, spending.prices.currency)
        if spending.reached:
            self._job.problems.append(f"{spending.reached}; what was done is kept, and another run goes on")

    def ended(self, video: Video) -> None:
        with self._lock:
            self._far.pop(video.id, None)
            self._job.videos_done += 1
            self._show()

    def _show(self) -> None:
        for video_id, (stage, done, total, began) in self._far.items():
            job = self._job
            job.video_id, job.stage, job.stage_started = video_id, stage, began
            job.done, job.total = done, total
            return
