"""`python app.py ...` in processes that are copies of one that has imported everything already.

Most of what a short command takes is the import of its modules and those of its libraries: 1.5 seconds of a
processor, 5 for the app that serves. What is run is the same `main` with the same arguments.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from multiprocessing.context import ForkServerProcess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORTED = [
    "app",
    "uvicorn",
    "ui.server",
    "ui.web_app",
    "annotation.pipeline.engines",
    "exports.catalogue.report_registry",
    "tests.warm",
]
START_S = 240


class AppProcess:
    """As `subprocess.Popen` with texts in pipes, so far as the tests need it."""

    def __init__(self, *arguments: object, environment: Mapping[str, str] = os.environ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.out, self.err = (Path(self._folder.name) / name for name in ("out", "err"))
        self.process = start(
            arguments, self.out, self.err, os.environ if environment is None else environment
        )
        assert self.process.pid
        self.pid = self.process.pid

    @property
    def returncode(self) -> int | None:
        """Below 0: the signal that ended it."""
        return self.process.exitcode

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self.process.join(timeout)
        if self.process.exitcode is None:
            raise subprocess.TimeoutExpired("app.py", timeout or 0)
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        if self.process.is_alive():
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.process.kill()

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """What it has written to its two outputs, when it has ended."""
        self.wait(timeout)
        return self.out.read_text(encoding="utf-8"), self.err.read_text(encoding="utf-8")

    def __enter__(self) -> AppProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()


def run_app(*arguments: object, timeout: float = 280) -> subprocess.CompletedProcess[str]:
    """The app with these arguments, to its end."""
    process = AppProcess(*arguments)
    try:
        out, err = process.communicate(timeout)
    finally:
        process.kill()
    return subprocess.CompletedProcess(list(map(str, arguments)), process.wait(), out, err)


def start(
    arguments: tuple[object, ...], out: Path, err: Path, environment: Mapping[str, str]
) -> ForkServerProcess:
    """The app with these arguments in a process of its own, which writes to these files."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    words = list(map(str, arguments))
    process = context.Process(target=_run, args=(words, str(out), str(err), dict(environment)))
    process.start()
    return process


def wait_for_server(url: str, runs: Callable[[], bool], log: Path) -> None:
    """Return once the app answers. Fails with its log if it ends or does not start in time."""
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        assert runs(), log.read_text()
        try:
            urllib.request.urlopen(f"{url}/api/me", timeout=2)
        except urllib.error.HTTPError:
            return  # it asks for a password
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"the app did not start in {START_S} s: {log.read_text()}")


def _run(arguments: list[str], out: str, err: str, environment: dict[str, str]) -> None:
    for stream, path in ((sys.stdout, out), (sys.stderr, err)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, stream.fileno())
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["app.py", *arguments]
    import app

    sys.exit(app.main())
