"""How far the reading of files has come: readers note what they have read, a page shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Progress:
    """So far."""

    tell: Callable[[Progress], None]
    """Called after every note."""
    file: str = ""
    """Name of the file that is read now."""
    size: int = 0
    """Bytes that were read, of all files."""
    records: int = 0
    """Records that were made of them."""


_now: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def followed(tell: Callable[[Progress], None]) -> Iterator[None]:
    """While files are read, `tell` is given their progress each time that it changes."""
    token = _now.set(Progress(tell))
    try:
        yield
    finally:
        _now.reset(token)


def has_read(name: str, size: int) -> None:
    """So many more bytes of this file were read."""
    if progress := _now.get():
        progress.file = name
        progress.size += size
        progress.tell(progress)


def count_so_far() -> Callable[[], None]:
    """A function that sets the count back to what it is now: for files that are read again."""
    progress = _now.get()
    size, records = (progress.size, progress.records) if progress else (0, 0)

    def set_back() -> None:
        if progress:
            progress.size, progress.records = size, records

    return set_back


def has_made() -> None:
    """One more record was made."""
    if progress := _now.get():
        progress.records += 1
        progress.tell(progress)
