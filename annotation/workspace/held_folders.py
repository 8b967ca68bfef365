"""Folders that last as long as a piece of work, and the removal of those that a killed process left."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

IN_USE = "in-use"
"""A file in the folder. The process at work holds its lock, which the system releases when it is killed."""
FILES = "files"


@contextmanager
def held_folder(home: Path, prefix: str) -> Iterator[Path]:
    """An empty folder in `home` that is removed at the end of the block. Raises OSError."""
    with ExitStack() as stack:
        yield _locked(home, prefix, stack)


def _locked(home: Path, prefix: str, stack: ExitStack) -> Path:
    while True:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=home, prefix=prefix)))
        lock, room = FileLock(folder / IN_USE), folder / FILES
        with suppress(OSError, NotImplementedError):  # a disk without locks: a folder that is left stays
            lock.acquire()
            stack.callback(lock.release)
        try:
            room.mkdir()
            return room
        except FileNotFoundError:  # `remove_left` of another process came before the lock
            home.stat()


def remove_left(home: Path, prefix: str) -> None:
    """Remove the folders of killed processes. Those of processes at work are not touched."""
    for folder in home.glob(f"{prefix}*"):
        with suppress(Timeout, OSError, NotImplementedError), FileLock(folder / IN_USE, timeout=0):
            shutil.rmtree(folder, ignore_errors=True)
