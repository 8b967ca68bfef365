"""Checks a node of a cluster, and runs the stages of one video there.

Ray runs these functions in its worker processes, which are used for many videos one after the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Event

from annotation.pipeline.distributed.video_worker import Answer, Job, Worker
from annotation.pipeline.stage_registry import stages_named
from annotation.records.allowed_values import Stage
from annotation.records.videos import Video
from annotation.stages.media_library import path_of
from annotation.stages.stage_context import software
from annotation.stages.stage_spec import engines_of
from backends.errors import DailiesError, UsageError

CODE = ("annotation", "backends")
"""Folders whose files influence the results."""
MARK_EVERY_S = 5.0
"""Seconds between progress rows of a stage. Fewer rows reduce contention among many writers."""
_POLL_S = 0.2
"""Seconds between checks whether Ray cancelled the task."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Input of a node: the job, and values that prove that it uses the same workspace."""

    job: Job
    token: str
    """Name of a file that the run created in the workspace's media folder."""
    versions: tuple[tuple[str, str], ...]
    """Result of `versions` on the machine that started the run."""
    video_id: str
    """A video that must be in the node's database and on its disks."""


Progress = tuple[Stage, str, int, int, str]
"""Stage, state, done, total, message: the arguments of a `Reporter`, without the video."""


def versions() -> dict[str, str]:
    """Return the versions of the code (a fingerprint of its files) and of packages that influence results."""
    root, digest = Path(__file__).resolve().parents[2], hashlib.sha256()
    for file in sorted(file for folder in CODE for file in (root / folder).rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes())
    return {**software(), "code": digest.hexdigest()[:12]}


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Describe the versions that differ on a node; empty if none do."""
    names = [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]
    return ", ".join(f"{name} {there.get(name, 'none')} (here {here.get(name, 'none')})" for name in names)


def hire(ticket: Ticket) -> Worker:
    """Create a worker for this process. Raises UsageError, BackendUnavailable, MediaError."""
    if different := difference(dict(ticket.versions), versions()):
        raise UsageError(f"different versions: {different}; install the same versions on all nodes")
    if not (ticket.job.folder / "media" / ticket.token).is_file():
        raise UsageError(
            f"{ticket.job.folder} is not this workspace's folder on that node; share it with all nodes"
        )
    worker = Worker(ticket.job, MARK_EVERY_S)
    try:
        _check(worker, ticket)
    except DailiesError:
        worker.close()
        raise
    return worker


def _check(worker: Worker, ticket: Ticket) -> None:
    found = worker.space.store.find(Video, id=ticket.video_id)
    if not found:
        raise UsageError("--database is another database on that node; give an address that all nodes reach")
    path_of(found[0])
    needed = engines_of(stages_named(ticket.job.stages))
    speech = worker.engines.speech() if "speech" in needed else None
    if speech is not None:
        speech.check()
    reader = worker.engines.text_reader() if "text_reader" in needed else None
    if reader is not None:
        reader.check()


_hired = lru_cache(maxsize=1)(hire)


def unfit(ticket: Ticket) -> str:
    """Return why this node cannot do the work; empty if it can."""
    try:
        _hired(ticket)
    except DailiesError as error:
        return str(error)
    return ""


def do_video(ticket: Ticket, video_id: str) -> tuple[Answer, list[Progress]]:
    """Run all stages of one video; return its progress too. A cancelled task stops at its next step."""
    stop, reports = Event(), list[Progress]()
    try:
        worker = _hired(ticket)
    except DailiesError as error:
        return Answer("unavailable", why=f"a node that joined later cannot run it: {error}"), reports

    def report(video: Video, stage: Stage, state: str, done: int, total: int, message: str) -> None:
        del video  # the caller knows it
        if state != "running":
            reports.append((stage, state, done, total, message))

    with ThreadPoolExecutor(1) as thread:
        doing = thread.submit(worker.do, video_id, report, stop)
        while not doing.done():
            try:
                wait([doing], _POLL_S)
            except KeyboardInterrupt:  # this is how Ray cancels
                stop.set()
        return doing.result(), reports
