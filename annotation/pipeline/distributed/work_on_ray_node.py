"""What happens on a node of a cluster: is it fit for the work, and the stages of one video.

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
"""Folders whose files decide what is written."""
MARK_EVERY_S = 5.0
"""Between two rows on how far a stage is: PostgreSQL takes one writer at a time, and there are many."""
_LOOK_S = 0.2
"""Between two looks at whether Ray cancelled the task."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a node is sent: the job, and what proves that it works on the same things."""

    job: Job
    token: str
    """Name of a file that whoever started the run put into the workspace's media folder."""
    versions: tuple[tuple[str, str], ...]
    """As `versions` there."""
    video_id: str
    """A video that the database and the disks of the node must hold."""


Progress = tuple[Stage, str, int, int, str]
"""Stage, state, done, total, message: what a `Reporter` is told of a video."""


def versions() -> dict[str, str]:
    """Of the code (a fingerprint of its files) and of the packages that take part in a result."""
    root, digest = Path(__file__).resolve().parents[2], hashlib.sha256()
    for file in sorted(file for folder in CODE for file in (root / folder).rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes())
    return {**software(), "code": digest.hexdigest()[:12]}


def difference(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """What a node has in another version, or nothing."""
    names = [name for name in sorted({*here, *there}) if here.get(name) != there.get(name)]
    return ", ".join(f"{name} {there.get(name, 'none')} (here {here.get(name, 'none')})" for name in names)


def hire(ticket: Ticket) -> Worker:
    """A worker for this process. Raises UsageError, BackendUnavailable, MediaError: what does not fit."""
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
    """Why this node cannot do the work; nothing when it can."""
    try:
        _hired(ticket)
    except DailiesError as error:
        return str(error)
    return ""


def do_video(ticket: Ticket, video_id: str) -> tuple[Answer, list[Progress]]:
    """All stages of one video, and what there was to report. A cancelled task stops at its next step."""
    stop, reports = Event(), list[Progress]()
    try:
        worker = _hired(ticket)
    except DailiesError as error:
        return Answer("unavailable", why=f"a node that joined later cannot run it: {error}"), reports

    def report(video: Video, stage: Stage, state: str, done: int, total: int, message: str) -> None:
        del video  # whoever gave the task knows
        if state != "running":
            reports.append((stage, state, done, total, message))

    with ThreadPoolExecutor(1) as thread:
        doing = thread.submit(worker.do, video_id, report, stop)
        while not doing.done():
            try:
                wait([doing], _LOOK_S)
            except KeyboardInterrupt:  # this is how Ray cancels
                stop.set()
        return doing.result(), reports
