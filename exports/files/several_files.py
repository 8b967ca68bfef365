"""Reads the files of a folder one after the other and skips files that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from annotation.records.errors import FormatError
from exports.files.format_types import Problem
from exports.files.reading_progress import count_so_far

T = TypeVar("T")


def read_files(
    paths: Sequence[Path], begin: Callable[[], T], read: Callable[[T, Path], None]
) -> tuple[T, list[Problem]]:
    """Read the files into the object that `begin` returns. Return it with the unreadable files as problems.

    Nothing of an unreadable file is kept: the other files are read again without it. Raises FormatError if
    no file can be read.
    """
    bad: dict[Path, FormatError] = {}
    restore_count = count_so_far()
    found = _read(paths, begin, read, bad)
    if bad and len(bad) == len(paths):
        raise bad[paths[0]]
    if bad:
        restore_count()
        found = _read([path for path in paths if path not in bad], begin, read, bad)
    return found, [Problem(p.name, str(error).removeprefix(f"{p.name}: ")) for p, error in bad.items()]


def _read(
    paths: Sequence[Path],
    begin: Callable[[], T],
    read: Callable[[T, Path], None],
    bad: dict[Path, FormatError],
) -> T:
    found = begin()
    for path in paths:
        try:
            read(found, path)
        except FormatError as error:
            bad[path] = error
    return found
