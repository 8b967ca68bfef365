"""The app on a workspace and a Chromium to look at it with, for the benchmarks of the pages."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backends.chat.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
START_S = 120
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


NO_CHROMIUM = "no Chromium; install it (Debian: apt install chromium-headless-shell) or set CHROMIUM"


class NoBrowser(Exception):
    """Its text says what to install."""


def app(*arguments: str) -> str:
    """What `python app.py ...` prints. Raises RuntimeError with its errors."""
    command = [sys.executable, "app.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


@dataclass(frozen=True)
class Started:
    """A server that may not be ready yet."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def wait(self, path: str = "/") -> None:
        """Until `path` is answered. Raises RuntimeError with what the server said when it is not."""
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if (code := self.process.poll()) is not None:
                raise RuntimeError(f"the server stopped with {code} before it answered: {self._said()}")
            try:
                urllib.request.urlopen(self.url + path, timeout=2).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise RuntimeError(f"the server did not answer within {START_S} s: {self._said()}")

    def _said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")[-2000:].strip() or "it said nothing"


@contextmanager
def started(command: list[str], checkout: Path = ROOT) -> Iterator[Started]:
    """The server that `command` starts, ended with the block; `{port}` in it becomes a free port."""
    port = free_port()
    with tempfile.NamedTemporaryFile(prefix="dailies-server-", suffix=".log") as log:
        process = subprocess.Popen(
            [part.replace("{port}", str(port)) for part in command], cwd=checkout, stdout=log, stderr=log
        )
        try:
            yield Started(f"http://127.0.0.1:{port}", process, Path(log.name))
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def served(command: list[str], path: str = "/") -> Iterator[str]:
    """The address of the server that `command` starts, which has answered `path`."""
    with started(command) as server:
        server.wait(path)
        yield server.url


def dailies(workspace: Path, database: str | None = None) -> list[str]:
    """The command that serves `workspace`, for `served`; `database` is the URL of its PostgreSQL."""
    command = [sys.executable, "app.py", "serve", "--workspace", str(workspace), "--port", "{port}"]
    return [*command, *(("--database", database) if database else ())]


def chromium_program() -> str | None:
    """The one that CHROMIUM names, else one without windows first: the others open a document of their own
    beside each new tab, for the list under their address bar, and take a third of the processor time for it.
    """
    programs = ("chromium-headless-shell", "chromium", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, programs)), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """A Playwright browser. Raises NoBrowser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoBrowser("no Playwright: pip install -r requirements-browser.txt") from None
    if not (program := chromium_program()):
        raise NoBrowser(NO_CHROMIUM)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
