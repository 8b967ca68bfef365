"""A model's OpenAI server on 127.0.0.1: found or started, monitored, restarted, and ended with this program.

A `ServerKind` describes the program (vLLM, llama.cpp). Each process has one `ServerProcess` per kind, model
and options, shared by its engines. A note file describes the running server, so that other processes find
it. The log is next to the note.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Protocol

from filelock import FileLock, Timeout

from backends.chat import process_guard
from backends.chat.kept_json_connections import JsonServer, NoAnswer, NoConnection, StatusError
from backends.chat.ports import free_port
from backends.chat.startup_progress import LogReader, cause_of
from backends.digest import digest
from backends.errors import BackendUnavailable, Stopped
from backends.protocols import Tell

RESTARTS = 3
"""Maximum restarts within `CRASH_WINDOW_S`; after one more crash the server stays down."""
CRASH_WINDOW_S = 900.0
START_S = 3600.0
"""Maximum time of a start: a large model may have to be downloaded first."""
LOOK_S = 0.25
STOPPED = "stopped while the model was loading; no request was sent"
END_S = process_guard.GRACE_S + 5.0
FAREWELL_S = 15.0
"""How long a server that no longer answers may take to exit on its own."""


class ServerKind(Protocol):
    """A program that serves one model: `/v1/models` lists the model once the server is ready, and `/health`
    fails when it no longer works."""

    name: str
    """Short name for files: `vllm`, `llama`."""
    title: str
    """Name for users."""
    model: str
    """Name under which the model is served."""
    options: Mapping[str, str]
    endpoint: str
    """Stored with results. It does not contain the port, which changes with every start, so that results of
    the same model are found again."""
    most_at_once: int | None
    """Maximum number of useful parallel requests, if it is small."""
    patience_s: float
    """Minimum timeout of a request."""

    def program(self) -> str:
        """Name the program. Raises BackendUnavailable with the command to type if it is missing."""
        ...

    def command(self, port: int) -> list[str]:
        """Return program and arguments; it must listen on `port` of 127.0.0.1. Raises as `program`."""
        ...

    def environment(self) -> dict[str, str]: ...


@dataclass(frozen=True, slots=True)
class Running:
    """A running server."""

    port: int
    pid: int
    """Process id of its guard."""
    number: int
    """Sequence number of the servers that this process found or started."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class ServerProcess:
    """The server of one model. Thread-safe."""

    def __init__(self, spec: str, kind: ServerKind, folder: Path) -> None:
        """`folder` is for the log and the note."""
        self.spec, self.kind = spec, kind
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.log = folder / f"{_name(kind)}.log"
        self._note = folder / f"{_name(kind)}.json"
        self._lock = threading.Lock()
        self._running: Running | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._crashes: list[float] = []
        self._number = 0

    # --- for clients --------------------------------------------------------------------

    def ready(self, tell: Tell, stop: Event) -> Running:
        """Find or start the server and return it; concurrent callers wait.

        Raises BackendUnavailable if it cannot start or keeps crashing, Stopped if `stop` is set.
        """
        while not self._lock.acquire(timeout=LOOK_S):
            _go_on(stop)
        try:
            if self._running is None:
                with _alone(self._note.with_suffix(".lock"), stop):
                    self._running = self._found() or self._started(tell, stop)
            return self._running
        finally:
            self._lock.release()

    def lost(self, running: Running) -> bool:
        """Return whether this server is gone. If it is shutting down, wait for it and end it."""
        with self._lock:
            if self._running is not running:
                return True
            if not self._ended(running) and _answers(running.port):
                return False
            until = time.monotonic() + FAREWELL_S
            while not self._ended(running) and time.monotonic() < until:
                time.sleep(LOOK_S)
                if _answers(running.port):
                    return False
            self._end_process()
            self._running = None
            self._crashes.append(time.monotonic())
            return True

    def look(self) -> Running | None:
        """Return the running server, if any; starts nothing."""
        with self._lock:
            return self._running or self._found()

    def close(self) -> None:
        """End the server if this process started it."""
        with self._lock:
            self._end_process()
            self._running = None

    # --- found --------------------------------------------------------------------------

    def _found(self) -> Running | None:
        """Return a working server that another process of this user started."""
        try:
            if self._note.stat().st_uid != os.getuid():
                return None
            note = json.loads(self._note.read_text(encoding="utf-8"))
            port, pid = int(note["port"]), int(note["pid"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if not _alive(pid) or not _serves(port, self.kind.model):
            return None
        return self._next(port, pid)

    def _next(self, port: int, pid: int) -> Running:
        self._number += 1
        return Running(port, pid, self._number)

    # --- started ------------------------------------------------------------------------

    def _started(self, tell: Tell, stop: Event) -> Running:
        """Start the server; after a crash, retry. Raises BackendUnavailable if it ends before it is ready."""
        while True:
            crashes = self._recent_crashes()
            if crashes > RESTARTS:
                raise BackendUnavailable(self._why(f"crashed {crashes} times"))
            try:
                return self._start(tell, stop, again=crashes > 0)
            except BackendUnavailable:
                if not crashes:
                    raise
                self._crashes.append(time.monotonic())

    def _recent_crashes(self) -> int:
        now = time.monotonic()
        self._crashes = [at for at in self._crashes if now - at < CRASH_WINDOW_S]
        return len(self._crashes)

    def _start(self, tell: Tell, stop: Event, *, again: bool) -> Running:
        port = free_port()
        command = self.kind.command(port)
        self._keep_old_log()
        reader = LogReader(self.spec, self.log, tell)
        reader.say("restarting after a crash" if again else "starting")
        with self.log.open("wb") as log:
            log.write((" ".join(command) + "\n").encode())
            log.flush()
            self._process = subprocess.Popen(
                [sys.executable, "-I", process_guard.__file__, *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.kind.environment(),
                start_new_session=True,
            )
        _at_the_end()
        try:
            self._wait(self._process, port, reader, stop)
        except BaseException:
            self._end_process()
            raise
        reader.say("ready", 1.0, ready=True)
        running = self._next(port, self._process.pid)
        self._write_note(running)
        return running

    def _wait(self, process: subprocess.Popen[bytes], port: int, reader: LogReader, stop: Event) -> None:
        until = time.monotonic() + START_S
        while not _serves(port, self.kind.model):
            _go_on(stop)
            reader.look()
            if process.poll() is not None:
                raise BackendUnavailable(self._why("ended before it was ready"))
            if time.monotonic() > until:
                raise BackendUnavailable(self._why(f"was not ready within {START_S / 60:.0f} minutes"))
            stop.wait(LOOK_S)

    def _why(self, what: str) -> str:
        try:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[1:]
        except OSError:
            lines = []
        return f"{self.kind.title} with {self.kind.model} {what}: {cause_of(lines)}; see its log {self.log}"

    def _keep_old_log(self) -> None:
        with suppress(OSError):
            self.log.replace(self.log.with_suffix(".before.log"))

    def _write_note(self, running: Running) -> None:
        note = {
            "model": self.kind.model,
            "options": dict(self.kind.options),
            "port": running.port,
            "pid": running.pid,
            "owner": os.getpid(),
        }
        fresh = self._note.with_suffix(f".{os.getpid()}")
        fresh.touch(0o600)
        fresh.write_text(json.dumps(note), encoding="utf-8")
        fresh.replace(self._note)

    # --- ended --------------------------------------------------------------------------

    def _ended(self, running: Running) -> bool:
        if self._process and self._process.pid == running.pid:
            return self._process.poll() is not None
        return not _alive(running.pid)

    def _end_process(self) -> None:
        """Close the pipe to the guard, which then ends the whole process group."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._forget(process.pid)

    def _forget(self, pid: int) -> None:
        """Delete the note, unless another process has started a new server meanwhile."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            if json.loads(self._note.read_text(encoding="utf-8"))["pid"] == pid:
                self._note.unlink()


# --- all servers of this process ------------------------------------------------------

_servers: dict[tuple[str, Path], ServerProcess] = {}
_servers_lock = threading.Lock()
_registered = Event()


def server_of(spec: str, kind: ServerKind, folder: Path) -> ServerProcess:
    """Return this process's only server for a kind, model and options."""
    with _servers_lock:
        return _servers.setdefault((_name(kind), folder), ServerProcess(spec, kind, folder))


def end_all() -> None:
    """End every server that this process started."""
    with _servers_lock:
        servers = list(_servers.values())
    for server in servers:
        server.close()


def _at_the_end() -> None:
    if not _registered.is_set():
        _registered.set()
        atexit.register(end_all)


def _name(kind: ServerKind) -> str:
    """Return a readable file name that is unique for the model and its options."""
    tail = "".join(c if c.isalnum() or c in "-." else "-" for c in kind.model.strip("/").split("/")[-1])
    mark = digest(kind.model, sorted(kind.options.items()), kind.endpoint)[:10]
    return f"{kind.name}-{tail[:60]}-{mark}"


@contextmanager
def _alone(file: Path, stop: Event) -> Iterator[None]:
    """Lock out other processes while finding or starting a server; they then find it."""
    try:
        held = FileLock(file).acquire(poll_interval=LOOK_S, cancel_check=stop.is_set)
    except Timeout:
        raise Stopped(STOPPED) from None
    with held:
        yield


def _go_on(stop: Event) -> None:
    if stop.is_set():
        raise Stopped(STOPPED)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _serves(port: int, model: str) -> bool:
    """Return whether a server at `port` lists the model, which means that it is ready."""
    server = JsonServer(f"http://127.0.0.1:{port}", "none")
    try:
        return any(found.get("id") == model for found in server.get("/v1/models", 5.0)["data"])
    except (NoAnswer, NoConnection, StatusError, ValueError, KeyError, TypeError, AttributeError):
        return False
    finally:
        server.close()


def _answers(port: int) -> bool:
    """Return whether the server works: it reports when its engine has died. A busy server works."""
    server = JsonServer(f"http://127.0.0.1:{port}", "none")
    try:
        server.get("/health", 10.0)
    except NoConnection:
        return False
    except StatusError as error:
        return error.status < 500
    except (NoAnswer, ValueError):
        return True
    finally:
        server.close()
    return True
