"""The app on a workspace and a Chromium to look at it with, for the benchmarks of the pages."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
START_S = 120
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


class NoBrowser(Exception):
    """Its text says what to install."""


def app(*arguments: str) -> str:
    """What `python app.py ...` prints. Raises RuntimeError with its errors."""
    command = [sys.executable, "app.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


@contextmanager
def served(command: list[str], path: str = "/") -> Iterator[str]:
    """The address of the server that `command` starts; `{port}` in it becomes a free port."""
    port = free_port()
    process = subprocess.Popen(
        [part.replace("{port}", str(port)) for part in command], cwd=ROOT, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for(url + path, process)
        yield url
    finally:
        process.terminate()
        process.wait(20)


def dailies(workspace: Path) -> list[str]:
    """The command that serves `workspace`, for `served`."""
    return [sys.executable, "app.py", "serve", "--workspace", str(workspace), "--port", "{port}"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the server stopped with {process.returncode} before it answered")
        try:
            urllib.request.urlopen(url, timeout=2)
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise RuntimeError(f"the server did not answer within {START_S} s")


@contextmanager
def chromium() -> Iterator[Any]:
    """A Playwright browser. Raises NoBrowser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoBrowser("no Playwright: pip install -r requirements-browser.txt") from None
    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not program:
        raise NoBrowser("no Chromium; install it (Debian: apt install chromium) or set CHROMIUM")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
