"""Pipeline runs in the background of the app: started, watched and stopped from a page.

App processes on the same workspace folder share the list of runs (`jobs_across_processes`).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from annotation.pipeline.evaluation_pass_runner import work_all
from annotation.pipeline.job_progress import JobProgress, posted, settled
from annotation.pipeline.jobs_across_processes import Job, JobBoard
from annotation.pipeline.stage_registry import stages_named
from annotation.pipeline.stage_runner import new_context, run_videos
from annotation.records.ids import new_id
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.spending import Cap
from annotation.stages.stage_context import Context, Engines
from annotation.stages.stage_spec import Plan, StageSpec, names_of
from annotation.stages.start_models import make_ready
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError, Stopped
from backends.idle_models import give_back_memory

log = logging.getLogger(__name__)
KEPT = 20
"""Number of finished jobs in the list."""


class Jobs:
    """Runs one job at a time. The models of a job run concurrently."""

    def __init__(self, workspace: Workspace, media: MediaLibrary, engines: Callable[[], Engines]) -> None:
        """`engines` is called when a job starts; its errors become the job's message."""
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
        stages: Sequence[StageSpec],
        options: Sequence[object] = (),
        cap: Cap | None = None,
    ) -> Job:
        """Start the pipeline for some videos."""
        job = Job(new_id("job"), tuple(videos), names_of(stages), time.time(), tuple(options), cap=cap)
        return self._start(job)

    def start_plan(self, plan: Plan, cap: Cap | None = None) -> Job:
        """Start a plan made by `plan_fill` or `plan_ceiling`."""
        stages = names_of(plan.stages)
        return self._start(Job(new_id("job"), plan.videos, stages, time.time(), plan=plan, cap=cap))

    def _start(self, job: Job) -> Job:
        with self._lock:
            self._jobs[job.id] = job
            for old in [j.id for j in self._jobs.values() if j.finished][:-KEPT]:
                del self._jobs[old]
                self._board.forget(old)
        with suppress(OSError):
            self._board.post(job)
        threading.Thread(target=self._run, args=(job,), name=job.id, daemon=True).start()
        return job

    def own(self) -> list[Job]:
        """Return the jobs of this process, newest first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: -job.started)

    def list(self) -> list[Job]:
        """Return the jobs of all processes on the workspace folder, newest first."""
        return sorted([*self.own(), *self._board.others()], key=lambda job: -job.started)

    def stop(self, job_id: str) -> Job | None:
        """Ask a job of any process to stop. Requests in flight are finished and kept."""
        job = next((job for job in self.list() if job.id == job_id), None)
        if job and not job.finished:
            if job.id not in self._jobs:
                self._board.ask_to_stop(job.id)
            job.stop.set()
            job.state = "stopping"
        return job

    def stop_all(self) -> None:
        """Stop all jobs of this process."""
        for job in self.own():
            self.stop(job.id)

    def close(self) -> None:
        """Stop the jobs of this process, and mark the process as ended for the others."""
        self.stop_all()
        self._board.close()

    def _run(self, job: Job) -> None:
        with posted(self._board, job), self._one_at_a_time:
            try:
                with settled(job):
                    self._run_videos(job)
            except DailiesError:
                pass  # the error is stored in the job
            except Exception:  # top level of a thread: no caller catches it
                log.exception("job %s", job.id)
            finally:
                give_back_memory()  # models and pictures of the job

    def _run_videos(self, job: Job) -> None:
        if job.stop.is_set():
            raise Stopped("stopped before it started")
        job.state = "running"

        shown = JobProgress(job)
        context = new_context(
            self.workspace,
            self.engines(),
            self.media,
            shown.report,
            job.stop,
            tell=shown.show_loading,
            options=job.options,
            cap=job.cap,
        )
        stages = job.plan.stages if job.plan else stages_named(job.stages)
        make_ready(context, stages)
        try:
            self._work(job, stages, context, shown)
        finally:
            shown.spent(context.caller.spending)

    @staticmethod
    def _work(job: Job, stages: Sequence[StageSpec], context: Context, shown: JobProgress) -> None:
        if job.plan:
            for result, evaluation in work_all(context, job.plan):
                job.evaluation_id = evaluation.id if evaluation else job.evaluation_id
                shown.ended(result.video)
            return
        for result in run_videos(context, job.videos, stages):
            shown.ended(result.video)
