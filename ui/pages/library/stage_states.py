"""The state of each stage of a video, as the Library shows it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from annotation.pipeline.job_progress import POST_S
from annotation.pipeline.jobs_across_processes import SILENT_S, Job
from annotation.records.runs import RunVideo
from ui.pages.library.wire_types import StageState

INTERRUPTED = "interrupted; run it again to continue"
LATE_S = 3 * POST_S
"""How long after the last progress post of a killed job its rows may have been written, in seconds."""


def stage_states(
    names: Iterable[str], rows: Sequence[RunVideo], jobs: Sequence[Job], optional: Iterable[str]
) -> list[StageState]:
    """One state per name, in their order; an `optional` stage is left out until it has run.

    `rows` and `jobs` are those of one video. A skipped stage shows its earlier results, if it has any.
    """
    newest: dict[str, RunVideo] = {}
    for row in sorted(rows, key=lambda row: (row.state != "skipped", row.updated_at)):
        newest[row.stage] = row
    left_out = {name for name in optional if name not in newest or newest[name].state == "skipped"}
    return [_state(newest.get(name), name, jobs) for name in names if name not in left_out]


def _state(row: RunVideo | None, name: str, jobs: Sequence[Job]) -> StageState:
    if row is None:
        return {"stage": name, "state": "none", "message": ""}
    ended = row.state == "running" and not _is_at_work(row, jobs)
    return {
        "stage": name,
        "state": "stopped" if ended else row.state,
        "done": row.done,
        "total": row.total,
        "failed": row.failed,
        "message": INTERRUPTED if ended else row.message,
    }


def _is_at_work(row: RunVideo, jobs: Sequence[Job]) -> bool:
    """Whether the process that wrote a running row is still running.

    A process with another workspace folder on the same database is known only by its rows.
    """
    if any(job.state != "queued" and not job.finished and row.stage in job.stages for job in jobs):
        return True
    if any(job.started <= row.updated_at <= job.finished + LATE_S for job in jobs):
        return False
    return time.time() - row.updated_at < SILENT_S
