"""A folder of files that are read one after the other: a file that cannot be read costs only itself."""

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
    """What `read` adds to what `begin` makes, file by file; and the files that cannot be read.

    Nothing of such a file stays: the others are read again without it. Raises FormatError if none can
    be read.
    """
    bad: dict[Path, FormatError] = {}
    set_back = count_so_far()
    found = _read(paths, begin, read, bad)
    if bad and len(bad) == len(paths):
        raise bad[paths[0]]
    if bad:
        set_back()
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
