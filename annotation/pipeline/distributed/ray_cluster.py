"""Stages that need no model, on the nodes of a Ray cluster: a task for each video.

Ray decides where a task runs, and runs it again elsewhere if its node is lost. Finished work is in the
database, so a second try continues from there. Ray is imported only if it is used.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

from annotation.pipeline.distributed.video_worker import Job, close_rows, lost
from annotation.pipeline.distributed.work_on_ray_node import Ticket, do_video, unfit, versions
from annotation.pipeline.stage_runner import VideoResult
from annotation.records.runs import RunVideo
from annotation.records.videos import Video
from annotation.stages.stage_context import Reporter
from annotation.store.store import Store
from backends.errors import BackendUnavailable, Stopped, UsageError

log = logging.getLogger(__name__)
INSTALL = "pip install -r requirements-ray.txt"
RETRIES = 3
"""Number of times that Ray retries a video whose node or process was lost."""
_REACH_S = 5.0
"""Timeout of the connection to the address."""
_CONNECT_S = 60.0
"""Timeout of `ray.init`."""
_TRIES, _AGAIN_S = 3, 2.0
"""Tries of `ray.init` if the cluster aborts the connection, and the seconds between them."""
_PROBE_S = 180.0
"""Timeout of the check of a node, which imports everything once."""
_POLL_S = 0.5
"""Seconds between checks whether the person stopped the work."""
_FAR_S = 2.0
"""Seconds between updates of progress and of the number of processors."""
_END_S = 20.0
"""Seconds for a task to stop before its process is killed."""
_STOPPED = "stopped; the next run continues from there"


# --- connecting -----------------------------------------------------------------------


def check_choice(address: str, database: str, processes: int) -> None:
    """Raise UsageError if `--cluster` cannot be combined with the other flags."""
    if processes > 1:
        raise UsageError("--processes is for this machine; give either --processes or --cluster")
    if not database.startswith(("postgres:", "postgresql:")):
        raise UsageError(
            "--cluster needs a database that all nodes reach, not SQLite; give --database postgresql://..."
        )
    if address != "auto" and None in _host_and_port(address):
        raise UsageError(f"--cluster {address}: give ray://HOST:10001, HOST:6379 or auto")


def _host_and_port(address: str) -> tuple[str | None, int | None]:
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        return (parts.hostname, parts.port) if parts.scheme in ("", "ray") else (None, None)
    except ValueError:
        return None, None


def connect(address: str) -> Any:
    """Connect and return the module `ray`. Raises BackendUnavailable if there is no answer in time."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise BackendUnavailable(f"Ray is not installed ({error.name}); type: {INSTALL}") from error
    if address != "auto":
        _reach(address)
    _greet(ray, address)
    return ray


def _reach(address: str) -> None:
    """Raise BackendUnavailable if the address is not reachable. Ray itself would retry for minutes."""
    try:
        host, port = _host_and_port(address)
        socket.create_connection((str(host), port or 0), _REACH_S).close()
    except OSError as error:
        raise _no_cluster(address, str(error)) from error


def _no_cluster(address: str, why: str) -> BackendUnavailable:
    return BackendUnavailable(
        f"no Ray cluster answers at {address} ({why}); start one as described in docs/scale.md"
    )


def _greet(ray: Any, address: str) -> None:
    """Call `ray.init` in a thread: it may not return, and would replace the main thread's SIGTERM handler."""
    raised: list[BaseException] = []

    def init() -> None:
        for tries_left in reversed(range(_TRIES)):
            try:
                ray.init(address, log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
            except BaseException as error:  # noqa: BLE001 - raised by the waiting thread
                # The agents of a new cluster may not be running yet.
                if tries_left and isinstance(error, ConnectionAbortedError):
                    time.sleep(_AGAIN_S)
                    continue
                raised.append(error)
            return

    greeting = Thread(target=init, daemon=True)
    greeting.start()
    greeting.join(_CONNECT_S)
    if greeting.is_alive():
        raise _no_cluster(address, f"no answer in {_CONNECT_S:.0f} s")
    if raised:
        raise _no_cluster(address, _in_one_line(raised[0])) from raised[0]


def _in_one_line(error: BaseException) -> str:
    """Return the message in one line; for a remote traceback, its last line."""
    lines = str(error).split("\n") if "Traceback" not in str(error) else str(error).strip().split("\n")[-1:]
    return (" ".join(" ".join(lines).split()) or type(error).__name__)[:300]


# --- the work --------------------------------------------------------------------------


class Cluster:
    """Runs one job on the nodes of a cluster. Use `run` once; it closes the connection at its end."""

    def __init__(self, ray: Any, job: Job, store: Store, report: Reporter, stop: Event) -> None:
        """`ray` is the result of `connect`."""
        self._ray = ray
        self._job = job
        self._store = store
        self._report = report
        self._stop = stop
        self._flying: dict[Any, Video] = {}
        """Videos of running tasks, by the reference of their result."""
        self._far: dict[str, RunVideo] = {}
        self._refreshed = 0.0
        self._capacity = 0
        self._disconnected = False
        """Whether the connection is lost."""

    def run(self, videos: Sequence[Video], at_once: int = 0) -> Iterator[VideoResult]:
        """Same as `Spread.run`; `at_once` 0: twice the number of processors.

        Raises UsageError if a node cannot do the work.
        """
        if not videos:
            return
        token = f".cluster-{secrets.token_hex(8)}"
        proof = self._job.folder / "media" / token
        proof.touch()
        ticket = Ticket(self._job, token, tuple(versions().items()), videos[0].id)
        try:
            self._check_nodes(ticket)
            yield from self._results(ticket, videos, at_once)
        except ConnectionError as error:
            self._disconnected = True
            raise BackendUnavailable(
                f"lost connection to the cluster ({_in_one_line(error)}); finished work is kept: run again"
            ) from error
        finally:
            self._end(proof)

    def _results(self, ticket: Ticket, videos: Sequence[Video], at_once: int) -> Iterator[VideoResult]:
        do = self._ray.remote(num_cpus=1, max_retries=RETRIES)(do_video)
        waiting = deque(videos)
        while (waiting or self._flying) and not self._stop.is_set():
            self._refresh(at_once)
            while waiting and len(self._flying) < self._capacity:
                video = waiting.popleft()
                self._flying[do.remote(ticket, video.id)] = video
            yield from self._landed()
        if self._stop.is_set():
            yield from self._stop_all()
            raise Stopped(_STOPPED)

    def _landed(self) -> Iterator[VideoResult]:
        self._check_connection()
        references = list(self._flying)
        ready, _ = self._ray.wait(references, num_returns=len(references), timeout=_POLL_S)
        for reference in ready:
            yield from self._result(reference, self._flying.pop(reference))

    def _result(self, reference: Any, video: Video) -> Iterator[VideoResult]:
        try:
            answer, reports = self._ray.get(reference)
        except self._ray.exceptions.TaskCancelledError:
            return
        except self._ray.exceptions.RayError as error:
            yield self._lost(video, error)
            return
        for word in reports:
            self._report(video, *word)
        try:
            yield answer.result(video)
        except Stopped:
            return

    def _lost(self, video: Video, error: Exception) -> VideoResult:
        """Return the result of a video that Ray gave up or that failed due to a bug."""
        row = self._far.get(video.id)
        errors = self._ray.exceptions
        if isinstance(error, errors.RayTaskError):
            log.error("%s: %s", video.title, error)
            why = f"a bug in Dailies ({_last_line(error)})"
        elif isinstance(error, errors.OutOfMemoryError):
            why = "out of memory"
        else:
            why = f"its process was lost {RETRIES + 1} times ({type(error).__name__})"
        return lost(
            self._store, self._report, video, row.stage if row else "", f"on the cluster: {why}; run it again"
        )

    def _check_connection(self) -> None:
        """Raise ConnectionError if the connection is lost. Ray would look for another cluster."""
        if not self._ray.is_initialized():
            raise ConnectionError("no connection to its head node")

    def _refresh(self, at_once: int) -> None:
        """Update progress (from the database) and capacity, at most every `_FAR_S` seconds."""
        now = time.monotonic()
        if now - self._refreshed < _FAR_S:
            return
        self._check_connection()
        self._refreshed = now
        # Twice the number of processors, so that each has its next video at once.
        self._capacity = at_once or 2 * max(1, int(self._ray.cluster_resources().get("CPU", 0)))
        flying = {video.id: video for video in self._flying.values()}
        for row in self._store.find(RunVideo, video_id=list(flying), state="running") if flying else []:
            before = self._far.get(row.video_id)
            if before and before.updated_at < row.updated_at:
                self._report(flying[row.video_id], row.stage, "running", row.done, row.total, "")
            self._far[row.video_id] = row
        self._far = {video_id: row for video_id, row in self._far.items() if video_id in flying}

    # --- nodes ---

    def _check_nodes(self, ticket: Ticket) -> None:
        """Check that all running nodes can do the work. Raises UsageError for the first that cannot."""
        nodes = [one for one in self._ray.nodes() if one["Alive"]]
        looks = self._on_each(nodes, _importing())
        for one, problem in zip(nodes, looks, strict=True):
            self._refuse(one, problem)
        for one, problem in zip(nodes, self._on_each(nodes, unfit, ticket), strict=True):
            self._refuse(one, problem)

    def _on_each(self, nodes: Sequence[Any], look: Callable[..., str], *given: object) -> list[str]:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        def sent(one: Any) -> Any:
            there = NodeAffinitySchedulingStrategy(one["NodeID"], soft=False)
            task = self._ray.remote(num_cpus=0, max_retries=0, scheduling_strategy=there)(look)
            return task.remote(*given)

        errors = self._ray.exceptions
        found, until = [], time.monotonic() + _PROBE_S
        for reference in [sent(one) for one in nodes]:
            try:
                found.append(self._ray.get(reference, timeout=max(1.0, until - time.monotonic())))
            except errors.GetTimeoutError:
                found.append(f"no answer in {_PROBE_S:.0f} s; check the node, or remove it from the cluster")
            except errors.RayError as error:
                found.append(f"{_last_line(error)}; check the node, or remove it from the cluster")
        return found

    @staticmethod
    def _refuse(one: Any, problem: str) -> None:
        if problem:
            name = one["NodeManagerHostname"]
            raise UsageError(f"node {name} ({one['NodeManagerAddress']}): {problem}")

    # --- the end ---

    def _stop_all(self) -> Iterator[VideoResult]:
        """Cancel the tasks, which stop at their next step, and return the results until then."""
        self._cancel(force=False)
        until = time.monotonic() + _END_S
        while self._flying and time.monotonic() < until:
            yield from self._landed()

    def _cancel(self, *, force: bool) -> None:
        for reference in self._flying:
            self._ray.cancel(reference, force=force)

    def _end(self, proof: Path) -> None:
        """Kill remaining tasks, disconnect, delete the token file and close the rows of the run."""
        left = [video.id for video in self._flying.values()]
        try:
            if left and not self._disconnected:
                self._cancel(force=True)
                self._ray.wait(list(self._flying), num_returns=len(left), timeout=_REACH_S)
        except ConnectionError:
            pass
        finally:
            self._ray.shutdown()
            proof.unlink(missing_ok=True)
        if left:
            close_rows(self._store, left, "stopped", _STOPPED)


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:200]


def _importing() -> Callable[[], str]:
    """Return a function that Ray pickles by value, because Dailies may not be installed on the node."""

    def look() -> str:
        try:
            import annotation.pipeline.distributed.work_on_ray_node  # noqa: F401 - only checks the import
        except ImportError as error:
            return (
                f"this version of Dailies is not installed there ({error}); install it and start Ray with "
                "PYTHONPATH set to its folder"
            )
        return ""

    return look
