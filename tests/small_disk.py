"""Real file systems that are soon full, or that cannot be written."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A real file system of that size; skips where none can be mounted."""
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """A file that takes what is left."""
    path = folder / "filler"
    with path.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(1 << 16)):
                pass
        except OSError:
            pass
    return path


@contextmanager
def read_only(folder: Path, at: Path) -> Iterator[Path]:
    """The folder mounted read-only at another place; skips where nothing can be mounted."""
    at.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a folder read-only")
    if subprocess.run(["mount", "--bind", str(folder), str(at)], capture_output=True).returncode:
        pytest.skip("no folder can be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(at)], check=True)
        yield at
    finally:
        subprocess.run(["umount", "-l", str(at)], check=True)


@contextmanager
def full(folder: Path, at: Path) -> Iterator[Path]:
    """A copy of the folder on a disk without room."""
    with small_disk(at, 24) as disk:
        shutil.copytree(folder, disk / "w")
        fill(disk)
        yield disk / "w"


NOT_WRITABLE = {"read-only": read_only, "full": full}
