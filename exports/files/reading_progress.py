"""Progress of reading files: readers report what they have read, and pages show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Progress:
    """Progress so far."""

    tell: Callable[[Progress], None]
    """Callback for every change."""
    file: str = ""
    """Name of the current file."""
    size: int = 0
    """Bytes read so far, of all files."""
    records: int = 0
    """Records created so far."""


_now: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def followed(tell: Callable[[Progress], None]) -> Iterator[None]:
    """Call `tell` with the progress after every change, while files are read in this context."""
    token = _now.set(Progress(tell))
    try:
        yield
    finally:
        _now.reset(token)


def has_read(name: str, size: int) -> None:
    """Add `size` bytes read from the file `name`."""
    if progress := _now.get():
        progress.file = name
        progress.size += size
        progress.tell(progress)


def count_so_far() -> Callable[[], None]:
    """Return a function that restores the present counts, for files that are read again."""
    progress = _now.get()
    size, records = (progress.size, progress.records) if progress else (0, 0)

    def restore_count() -> None:
        if progress:
            progress.size, progress.records = size, records

    return restore_count


def has_made() -> None:
    """Add one record."""
    if progress := _now.get():
        progress.records += 1
        progress.tell(progress)
