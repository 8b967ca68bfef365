"""Terminal output: progress bars on stderr, one-line messages, and a clean stop on Ctrl-C."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from annotation.pipeline.job_progress import PROBLEMS
from annotation.records.allowed_values import Stage
from annotation.records.videos import Video
from backends.protocols import Loading

PROGRESS_LINE_EVERY_S = 30.0
"""Seconds between two progress lines if stderr is not a terminal."""

stderr = Console(stderr=True, highlight=False)
stdout = Console(highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print one JSON document on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def say(text: str) -> None:
    """Print one line on stderr."""
    stderr.print(text, markup=False, soft_wrap=True)


class _Count(ProgressColumn):
    """Column with work done, total and speed. Speech is counted in milliseconds of audio."""

    def render(self, task: Task) -> Text:
        return Text(count(str(task.fields["stage"]), task.completed, task.total or 1, task.speed))


def count(stage: str, done: float, total: float, speed: float | None) -> str:
    """`12000/180000 350/s`, or `0:12:10/2:00:00 9.5x` for speech."""
    if stage == "speech" and total > 1:
        rate = f" {speed / 1000:.1f}x" if speed else ""
        return f"{_hours(done / 1000)}/{_hours(total / 1000)}{rate}"
    if stage == "fetch":
        return megabytes(done, total)
    rate = f" {speed:.3g}/s" if speed and total > 1 else ""
    return f"{int(done)}/{int(total)}{rate}"


def megabytes(done: float, total: float) -> str:
    """`12.0 of 300.0 MB`, or `12.0 MB` if the total is unknown."""
    return f"{done / 1e6:.1f}" + (f" of {total / 1e6:.1f} MB" if total > 1 else " MB")


def _hours(seconds: float) -> str:
    minutes = int(seconds) // 60
    return f"{minutes // 60}:{minutes % 60:02}:{int(seconds) % 60:02}"


class Bars:
    """Draws the progress of a pipeline run: one line per video, its current stage.

    If stderr is not a terminal, a line is written every 30 s, with the video's place among `videos`.
    """

    def __init__(self, videos: int = 1) -> None:
        self._videos = videos
        self._bars = Progress(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description}", markup=False),
            BarColumn(16),
            _Count(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[note]}", markup=False),
            console=stderr,
            transient=False,
            disable=not stderr.is_terminal,
        )
        self._tasks: dict[str, Any] = {}
        self._stages: dict[str, Stage] = {}
        self._loading: dict[str, str] = {}
        self._last_line_at = 0.0

    def __enter__(self) -> Bars:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def __call__(self, video: Video, stage: Stage, state: str, done: int, total: int, message: str) -> None:
        task = self._tasks.get(video.id)
        if task is None:
            task = self._tasks[video.id] = self._bars.add_task(video.title, total=1, note="", stage=stage)
        if self._stages.get(video.id) != stage:
            # The speed of one stage does not apply to the next.
            self._stages[video.id] = stage
            self._bars.reset(task, total=total or 1, stage=stage)
        name = f"{video.title[:28]:28} {stage:12}"
        self._bars.update(task, description=name, completed=done, total=total or 1, note=message[:80])
        if state in PROBLEMS and message:
            say(f"{video.title}: {stage}: {message}")
        elif not stderr.is_terminal:
            self._print_progress_line(video, stage, done, total)

    def tell(self, loading: Loading) -> None:
        """Show the progress of a model that is starting: a separate bar with the last line of its log."""
        words = f"{loading.what[:40]} {loading.phase}"
        if stderr.is_terminal:
            self._draw(loading, words)
        elif self._loading.get(loading.what) != loading.phase:
            say(f"{loading.what}: {loading.phase} ({loading.seconds:.0f} s)")
        self._loading[loading.what] = loading.phase

    def _draw(self, loading: Loading, words: str) -> None:
        task = self._tasks.get(loading.what)
        if task is None:
            task = self._tasks[loading.what] = self._bars.add_task(words, total=100, note="", stage="loading")
        note = "" if loading.ready else loading.lines[-1][:80] if loading.lines else ""
        done = 100 * (loading.share or 0.0)
        self._bars.update(task, description=words, completed=done, total=100, note=note)

    def _print_progress_line(self, video: Video, stage: Stage, done: int, total: int) -> None:
        if time.monotonic() - self._last_line_at >= PROGRESS_LINE_EVERY_S and done < total:
            self._last_line_at = time.monotonic()
            at = [*self._stages].index(video.id) + 1
            far = f"video {at} of {self._videos}, " if self._videos > 1 else ""
            say(f"{far}{video.title}: {stage} {count(stage, done, total, None)} ({done / total:.0%})")


@contextmanager
def stoppable() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C (or SIGTERM) sets; a second Ctrl-C ends at once."""
    stop = threading.Event()

    def request_stop(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        say("stopping after the requests in flight; results are kept (press Ctrl-C again to stop at once)")

    before = {number: signal.signal(number, request_stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar if stderr is a terminal; yields a function (done, total)."""
    with Progress(
        TextColumn(what),
        BarColumn(16),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        console=stderr,
        disable=not stderr.is_terminal,
    ) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
