"""Runs stages without chat models over several videos at once, each in a separate process.

Workers are spawned, never forked, because open decoders do not survive a fork. Each has a separate database
connection and writes in short transactions. If a worker is killed (by the system, when it is out of memory),
only its video fails in this run.
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
"""Minimum seconds between progress messages of a worker."""
_POLL_S = 0.2
"""Seconds between checks whether the person stopped the work."""
_END_S = 10.0
"""Seconds for a worker to end before it is killed."""


# --- in a worker -----------------------------------------------------------------------


def work(connection: Connection, job: Job) -> None:
    """Main function of a worker: run the stages of each video that is sent."""
    stop, waiting = Event(), SimpleQueue[str | None]()
    Thread(target=_listen, args=(connection, stop, waiting), daemon=True).start()
    worker = Worker(job)
    while (video_id := waiting.get()) is not None:
        connection.send(worker.do(video_id, _PipeReporter(connection), stop))
    worker.close()


def _listen(connection: Connection, stop: Event, waiting: SimpleQueue[str | None]) -> None:
    """Receive messages. The work stops when the connection ends, because the parent process has ended."""
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
    """A `Reporter` that sends progress to the parent process, at most every `_REPORT_S` seconds."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._last = 0.0

    def __call__(
        self,
        video: Video,  # noqa: ARG002 - the parent process knows it
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


# --- in the parent process ------------------------------------------------


@dataclass(slots=True)
class _Running:
    process: BaseProcess
    connection: Connection
    video: Video | None = None
    """The video that it is working on."""
    stage: str = ""


class Pool:
    """Worker processes of one job. Use `run` once."""

    def __init__(self, job: Job, store: Store, report: Reporter, stop: Event) -> None:
        self._job = job
        self._store = store
        self._report = report
        self._stop = stop
        self._workers: list[_Running] = []
        self._stopped = ""

    def run(self, videos: Sequence[Video], at_once: int) -> Iterator[VideoResult]:
        """Same as `Spread.run`."""
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
        """Send a video to an idle worker, or to a new one."""
        worker = next((one for one in self._workers if one.video is None), None) or self._start()
        worker.video, worker.stage = video, ""
        try:
            worker.connection.send(video.id)
        except OSError:  # The idle worker was killed: use another one.
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
        for connection in wait(list(by_connection), _POLL_S):
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
        """Return the result of a video whose worker ended early."""
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
        """End all workers. Idle ones exit; busy ones are terminated."""
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
    """Child processes started in this block ignore Ctrl-C; this process stops them."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
