"""How runs of pages and commands stand, for all processes on a workspace folder: seen and stopped from each.

    jobs/<id>.json         how a run stands, written anew while it goes on
    jobs/<id>.stop         somebody asks for its end
    jobs/<process>.lock    held while the process lives: the system lets go of it for one that is killed

Files, not rows: nothing of it is worth keeping, and nobody who saves a text waits for it.
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
"""A run of which nothing is written for so long has ended, also on a disk that knows no locks."""
KEPT_S = 3600.0
"""So long others' runs that are over stay listed."""
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
"""Fields of a run that are written as they are."""


@dataclass(slots=True)
class Job:
    """One pass of the pipeline over some videos."""

    id: str
    videos: tuple[Video, ...]
    stages: tuple[Stage, ...]
    """Names, in order."""
    started: float
    options: tuple[object, ...] = ()
    """Of systems, as `new_context` takes them."""
    state: str = "queued"
    """`queued`, `running`, `stopping`, `done`, `failed` or `stopped`."""
    video_id: str = ""
    stage: str = ""
    done: int = 0
    total: int = 0
    stage_started: float = 0.0
    videos_done: int = 0
    plan: Plan | None = None
    """What is built on an evaluation; None for the pipeline's own stages."""
    evaluation_id: str = ""
    """What holds the results of a plan, once there are some."""
    problems: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str, int]] = field(default_factory=list)
    """Stages that had nothing to do: (stage, why, number of videos)."""
    loading: Loading | None = None
    """How far a model is that the job waits for."""
    cap: Cap | None = None
    took: str = ""
    """What its model calls took so far, in words."""
    finished: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)


class JobBoard:
    """One process's view of the board. Thread-safe. `post` and `ask_to_stop` raise OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._me = new_id("prc")
        self._lock = FileLock(folder / f"{self._me}.lock", thread_local=False)
        with suppress(OSError, NotImplementedError):  # a disk without locks, or that cannot be written
            folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)

    def post(self, job: Job) -> None:
        """Let the others know how a run of this process stands."""
        with whole(self._folder / f"{job.id}.json") as part:
            part.write_text(json.dumps(_told(job) | {"by": self._me, "at": time.time()}), encoding="utf-8")

    def others(self) -> list[Job]:
        """The runs of other processes as they stand; what is long over is cleared away."""
        found = []
        for file in self._folder.glob("job-*.json"):
            told = _read(file)
            if told is None or told["by"] == self._me:
                continue
            if time.time() - told["at"] > KEPT_S:
                _remove(file)
                continue
            found.append(self._heard(told))
        return found

    def _heard(self, told: Mapping[str, Any]) -> Job:
        job = _job(told)
        if not job.finished and self._is_gone(told):
            job.state, job.finished, job.loading = "failed", told["at"], None
            job.problems.append(ENDED)
        elif not job.finished and self.is_to_stop(job.id):
            job.state = "stopping"
        return job

    def _is_gone(self, told: Mapping[str, Any]) -> bool:
        """Whether the process that wrote it lives no more."""
        if time.time() - told["at"] > SILENT_S:
            return True
        file = self._folder / f"{told['by']}.lock"
        if not file.exists():
            return True
        lock = FileLock(file)
        try:
            lock.acquire(timeout=0)
        except (OSError, NotImplementedError):  # held, or a disk without locks
            return False
        lock.release()
        _remove(file)
        return True

    def ask_to_stop(self, job_id: str) -> None:
        """Of a run of another process that `others` names."""
        (self._folder / f"{job_id}.stop").touch()

    def is_to_stop(self, job_id: str) -> bool:
        return (self._folder / f"{job_id}.stop").exists()

    def forget(self, job_id: str) -> None:
        """A run of this process that is not listed any more."""
        for ending in ("json", "stop"):
            (self._folder / f"{job_id}.{ending}").unlink(missing_ok=True)

    def close(self) -> None:
        """This process ends; what it wrote stays for a while."""
        self._lock.release()
        _remove(self._folder / f"{self._me}.lock")


def _remove(file: Path) -> None:
    with suppress(OSError):  # another process was quicker, or the disk cannot be written
        file.unlink()


def _told(job: Job) -> dict[str, Any]:
    return {name: getattr(job, name) for name in PLAIN} | {
        "videos": [[video.id, video.title] for video in job.videos],
        "stages": list(job.stages),
        "plan": [job.plan.name, list(job.plan.notes)] if job.plan else None,
        "loading": asdict(job.loading) if job.loading else None,
    }


def _job(told: Mapping[str, Any]) -> Job:
    videos = tuple(Video(id=video_id, title=title, created_at=0.0) for video_id, title in told["videos"])
    stages: tuple[Stage, ...] = tuple(told["stages"])
    plan = told["plan"] and Plan(told["plan"][0], videos, (), lambda _: None, tuple(told["plan"][1]))
    loading = told["loading"] and Loading(**told["loading"] | {"lines": tuple(told["loading"]["lines"])})
    plain = {name: told[name] for name in PLAIN} | {"skipped": [tuple(one) for one in told["skipped"]]}
    return Job(videos=videos, stages=stages, plan=plan or None, loading=loading or None, **plain)


def _read(file: Path) -> dict[str, Any] | None:
    """None for one that was cleared away meanwhile, or that another version wrote."""
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    wanted = {*PLAIN, "videos", "stages", "plan", "loading", "by", "at"}
    return told if isinstance(told, dict) and wanted <= told.keys() else None
