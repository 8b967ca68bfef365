"""Stages that need no model, over many videos at once: a process for each of a few videos.

Workers are spawned, never forked: open decoders do not survive a fork. Each has its own connection to the
database and writes in short transactions, as any two programs on one workspace do. A worker that is
killed (by the system, when memory runs out) costs its video this run, and the others nothing.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, cast

from annotation.pipeline.distributed.video_worker import Answer, Job, Worker, lost
from annotation.pipeline.stage_runner import VideoResult
from annotation.records.allowed_values import Stage
from annotation.records.videos import Video
from annotation.stages.stage_context import Reporter
from annotation.store.store import Store
from backends.errors import Stopped

_REPORT_S = 0.2
"""Between two words of a worker on how far it is."""
_LOOK_S = 0.2
"""Between two looks at whether the person stopped the work."""
_END_S = 10.0
"""So long a worker may take to end before it is killed."""


# --- in a worker -----------------------------------------------------------------------


def work(connection: Connection, job: Job) -> None:
    """Do the stages of one video after the other, as they are sent: the main function of a worker."""
    stop, waiting = Event(), SimpleQueue[str | None]()
    Thread(target=_listen, args=(connection, stop, waiting), daemon=True).start()
    worker = Worker(job)
    while (video_id := waiting.get()) is not None:
        connection.send(worker.do(video_id, _PipeReporter(connection), stop))
    worker.close()


def _listen(connection: Connection, stop: Event, waiting: SimpleQueue[str | None]) -> None:
    """Take what is sent. The end of the connection is the end of the work: nobody is there any more."""
    try:
        while (word := connection.recv()) is not None:
            if word == ("stop",):
                stop.set()
            else:
                waiting.put(word)
    except (EOFError, OSError):
        stop.set()
    waiting.put(None)


class _PipeReporter:
    """A `Reporter` that speaks to the process that started this one, not too often."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._last = 0.0

    def __call__(
        self,
        video: Video,  # noqa: ARG002 - it works on one at a time, which the other side knows
        stage: Stage,
        state: str,
        done: int,
        total: int,
        message: str,
    ) -> None:
        now = time.monotonic()
        if state != "running" or now - self._last >= _REPORT_S:
            self._last = now
            self._connection.send((stage, state, done, total, message))


# --- in the process that the person started ------------------------------------------------


@dataclass(slots=True)
class _Running:
    process: BaseProcess
    connection: Connection
    video: Video | None = None
    """What it is working on."""
    stage: str = ""


class Pool:
    """Workers on one job. Use `run` once."""

    def __init__(self, job: Job, store: Store, report: Reporter, stop: Event) -> None:
        self._job = job
        self._store = store
        self._report = report
        self._stop = stop
        self._workers: list[_Running] = []
        self._stopped = ""

    def run(self, videos: Sequence[Video], at_once: int) -> Iterator[VideoResult]:
        """As `Spread.run`."""
        waiting = deque(videos)
        try:
            while (waiting and not self._stop.is_set()) or self._busy():
                while waiting and not self._stop.is_set() and len(self._busy()) < at_once:
                    self._give(waiting.popleft())
                if self._stop.is_set():
                    self._send_all(("stop",))
                yield from self._receive()
        finally:
            self._end()
        if self._stop.is_set():
            raise Stopped(self._stopped or "stopped; the next run continues from there")

    def _busy(self) -> list[_Running]:
        return [worker for worker in self._workers if worker.video is not None]

    def _give(self, video: Video) -> None:
        """To a worker that is free; else to a new one."""
        worker = next((one for one in self._workers if one.video is None), None) or self._start()
        worker.video, worker.stage = video, ""
        try:
            worker.connection.send(video.id)
        except OSError:  # it was killed while it waited: another one takes the video
            self._workers.remove(worker)
            self._give(video)

    def _start(self) -> _Running:
        spawning = multiprocessing.get_context("spawn")
        ours, theirs = spawning.Pipe()
        process = spawning.Process(target=work, args=(theirs, self._job), daemon=True)
        with _without_interrupts():
            process.start()
        theirs.close()
        worker = _Running(process, ours)
        self._workers.append(worker)
        return worker

    def _receive(self) -> Iterator[VideoResult]:
        by_connection = {worker.connection: worker for worker in self._busy()}
        for connection in wait(list(by_connection), _LOOK_S):
            worker = by_connection[cast(Connection, connection)]
            try:
                word = worker.connection.recv()
            except (EOFError, OSError):
                yield self._lost(worker)
                continue
            yield from self._understood(worker, word)

    def _understood(self, worker: _Running, word: Answer | tuple[Any, ...]) -> Iterator[VideoResult]:
        video = worker.video
        if video is None:
            return
        if not isinstance(word, Answer):
            worker.stage = word[0]
            self._report(video, *word)
            return
        worker.video = None
        try:
            yield word.result(video)
        except Stopped as stopped:
            self._stopped = str(stopped)

    def _lost(self, worker: _Running) -> VideoResult:
        """A worker ended in the middle of a video."""
        self._workers.remove(worker)
        worker.process.join(_END_S)
        assert worker.video is not None
        why = f"its process ended ({_reason(worker.process.exitcode)})"
        message = f"{why}; run it again, with fewer --processes if it was out of memory"
        return lost(self._store, self._report, worker.video, worker.stage, message)

    def _send_all(self, word: Any) -> None:
        for worker in self._workers:
            try:
                worker.connection.send(word)
            except OSError:
                continue

    def _end(self) -> None:
        """Every worker ends: by itself when it is free, or killed."""
        self._send_all(None)
        for worker in self._workers:
            if worker.video is not None:
                worker.process.terminate()
            worker.process.join(_END_S)
            if worker.process.is_alive():
                worker.process.kill()
            worker.connection.close()


def _reason(code: int | None) -> str:
    return f"code {code}" if code is None or code >= 0 else f"killed by {signal.Signals(-code).name}"


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """A child that starts in here never sees Ctrl-C: this process tells it what to do."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
