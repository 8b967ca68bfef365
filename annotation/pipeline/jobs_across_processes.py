"""Shares the state of pipeline runs between processes on a workspace folder; each can stop them.

    jobs/<id>.json         state of a run, rewritten while it runs
    jobs/<id>.stop         request to stop it
    jobs/<process>.lock    locked while the process lives; the system unlocks it if the process is killed

These are files and not rows, because they are temporary and must not delay writes to the store.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock

from annotation.records.allowed_values import Stage
from annotation.records.ids import new_id
from annotation.records.videos import Video
from annotation.stages.spending import Cap
from annotation.stages.stage_spec import Plan
from backends.atomic_files import whole
from backends.protocols import Loading

SILENT_S = 60.0
"""Seconds without an update after which a run counts as ended, for disks without file locks."""
KEPT_S = 3600.0
"""Seconds that finished runs of other processes stay listed."""
ENDED = "its process ended; run it again, it continues where it stopped"
PLAIN = (
    "id",
    "started",
    "state",
    "video_id",
    "stage",
    "done",
    "total",
    "stage_started",
    "videos_done",
    "evaluation_id",
    "took",
    "finished",
    "problems",
    "skipped",
)
"""Fields of a run that are stored unchanged."""


@dataclass(slots=True)
class Job:
    """One pass of the pipeline over some videos."""

    id: str
    videos: tuple[Video, ...]
    stages: tuple[Stage, ...]
    """Stage names, in order."""
    started: float
    options: tuple[object, ...] = ()
    """Options of systems, as for `new_context`."""
    state: str = "queued"
    """`queued`, `running`, `stopping`, `done`, `failed` or `stopped`."""
    video_id: str = ""
    stage: str = ""
    done: int = 0
    total: int = 0
    stage_started: float = 0.0
    videos_done: int = 0
    plan: Plan | None = None
    """The plan on an evaluation; None for a run of the pipeline's stages."""
    evaluation_id: str = ""
    """The evaluation with the results of a plan, once it exists."""
    problems: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str, int]] = field(default_factory=list)
    """Stages that had nothing to do: (stage, why, number of videos)."""
    loading: Loading | None = None
    """Start-up progress of the model that the job waits for."""
    cap: Cap | None = None
    took: str = ""
    """Calls, tokens and cost so far, formatted."""
    finished: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)


class JobBoard:
    """The shared list of runs, used by one process. Thread-safe. `post` and `ask_to_stop` raise OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._me = new_id("prc")
        self._lock = FileLock(folder / f"{self._me}.lock", thread_local=False)
        with suppress(OSError, NotImplementedError):  # the disk has no locks, or is read-only
            folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)

    def post(self, job: Job) -> None:
        """Write the state of a run of this process."""
        with whole(self._folder / f"{job.id}.json") as part:
            part.write_text(json.dumps(_as_json(job) | {"by": self._me, "at": time.time()}), encoding="utf-8")

    def others(self) -> list[Job]:
        """Return the runs of other processes; delete files of runs that ended long ago."""
        found = []
        for file in self._folder.glob("job-*.json"):
            row = _read(file)
            if row is None or row["by"] == self._me:
                continue
            if time.time() - row["at"] > KEPT_S:
                _remove(file)
                continue
            found.append(self._posted_job(row))
        return found

    def _posted_job(self, row: Mapping[str, Any]) -> Job:
        job = _job(row)
        if not job.finished and self._has_ended(row):
            job.state, job.finished, job.loading = "failed", row["at"], None
            job.problems.append(ENDED)
        elif not job.finished and self.is_to_stop(job.id):
            job.state = "stopping"
        return job

    def _has_ended(self, row: Mapping[str, Any]) -> bool:
        """Return whether the process that wrote the file has ended."""
        if time.time() - row["at"] > SILENT_S:
            return True
        file = self._folder / f"{row['by']}.lock"
        if not file.exists():
            return True
        lock = FileLock(file)
        try:
            lock.acquire(timeout=0)
        except (OSError, NotImplementedError):  # locked, or the disk has no locks
            return False
        lock.release()
        _remove(file)
        return True

    def ask_to_stop(self, job_id: str) -> None:
        """Request the stop of another process's run, listed by `others`."""
        (self._folder / f"{job_id}.stop").touch()

    def is_to_stop(self, job_id: str) -> bool:
        return (self._folder / f"{job_id}.stop").exists()

    def forget(self, job_id: str) -> None:
        """Remove a run of this process from the list."""
        for ending in ("json", "stop"):
            (self._folder / f"{job_id}.{ending}").unlink(missing_ok=True)

    def close(self) -> None:
        """Release the lock at the end of this process. Its files stay for a while."""
        self._lock.release()
        _remove(self._folder / f"{self._me}.lock")


def _remove(file: Path) -> None:
    with suppress(OSError):  # another process deleted it first, or the disk is read-only
        file.unlink()


def _as_json(job: Job) -> dict[str, Any]:
    return {name: getattr(job, name) for name in PLAIN} | {
        "videos": [[video.id, video.title] for video in job.videos],
        "stages": list(job.stages),
        "plan": [job.plan.name, list(job.plan.notes)] if job.plan else None,
        "loading": asdict(job.loading) if job.loading else None,
    }


def _job(row: Mapping[str, Any]) -> Job:
    videos = tuple(Video(id=video_id, title=title, created_at=0.0) for video_id, title in row["videos"])
    stages: tuple[Stage, ...] = tuple(row["stages"])
    plan = row["plan"] and Plan(row["plan"][0], videos, (), lambda _: None, tuple(row["plan"][1]))
    loading = row["loading"] and Loading(**row["loading"] | {"lines": tuple(row["loading"]["lines"])})
    plain = {name: row[name] for name in PLAIN} | {"skipped": [tuple(one) for one in row["skipped"]]}
    return Job(videos=videos, stages=stages, plan=plan or None, loading=loading or None, **plain)


def _read(file: Path) -> dict[str, Any] | None:
    """Return the contents; None if the file was deleted meanwhile, or has another version's format."""
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    wanted = {*PLAIN, "videos", "stages", "plan", "loading", "by", "at"}
    return row if isinstance(row, dict) and wanted <= row.keys() else None
