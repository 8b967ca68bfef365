"""The terminal side: progress bars on stderr, one-line errors, Ctrl-C that stops cleanly."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from annotation.records import Stage, Video

stderr = Console(stderr=True, highlight=False)
stdout = Console(highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def say(text: str) -> None:
    """One line for people, on stderr."""
    stderr.print(text, markup=False, soft_wrap=True)


class Bars:
    """Draws the progress of a pipeline run: one line per video, its current stage."""

    def __init__(self) -> None:
        self._bars = Progress(
            SpinnerColumn(finished_text="✓"), TextColumn("{task.description}", markup=False), BarColumn(24),
            MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[note]}", markup=False),
            console=stderr, transient=False,
        )  # fmt: skip
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def __call__(self, video: Video, stage: Stage, state: str, done: int, total: int, message: str) -> None:
        task = self._tasks.get(video.id)
        if task is None:
            task = self._tasks[video.id] = self._bars.add_task(video.title, total=1, note="")
        name = f"{video.title[:28]:28} {stage:12}"
        self._bars.update(task, description=name, completed=done, total=total or 1, note=message[:80])
        if state == "failed" and message:
            self._bars.console.print(f"{video.title}: {stage}: {message}", markup=False)


@contextmanager
def stoppable() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C (or SIGTERM) sets; a second Ctrl-C ends at once."""
    stop = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say("stopping: what is in flight is finished and kept (Ctrl-C again: at once)")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
