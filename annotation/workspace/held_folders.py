"""Temporary folders that are locked while in use, and removal of those left by killed processes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

IN_USE = "in-use"
"""Lock file in the folder. The working process holds the lock; the system releases it if the process dies."""
FILES = "files"


@contextmanager
def held_folder(home: Path, prefix: str) -> Iterator[Path]:
    """Create an empty folder in `home` that is removed at the end of the block. Raises OSError."""
    with ExitStack() as stack:
        yield _locked(home, prefix, stack)


def _locked(home: Path, prefix: str, stack: ExitStack) -> Path:
    while True:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=home, prefix=prefix)))
        lock, temp_dir = FileLock(folder / IN_USE), folder / FILES
        with suppress(OSError, NotImplementedError):  # without file locks, folders of killed processes stay
            lock.acquire()
            stack.callback(lock.release)
        try:
            temp_dir.mkdir()
            return temp_dir
        except FileNotFoundError:  # `remove_left` of another process removed it before it was locked
            home.stat()


def remove_left(home: Path, prefix: str) -> None:
    """Remove the folders of killed processes. Folders of running processes are not touched."""
    for folder in home.glob(f"{prefix}*"):
        with suppress(Timeout, OSError, NotImplementedError), FileLock(folder / IN_USE, timeout=0):
            shutil.rmtree(folder, ignore_errors=True)
