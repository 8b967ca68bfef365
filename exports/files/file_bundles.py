"""Groups of files that belong together: the input and output of a format's `bundles`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from annotation.records.errors import FormatError
from annotation.records.ids import Json
from exports.files.read_text_and_json import look

TEXTS = (".json", ".jsonl")
"""Suffixes of files whose first value identifies the format."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files that one reader takes together."""

    path: Path
    """Path given to the reader: the file, or the folder that contains the files."""
    files: tuple[Path, ...]
    missing: tuple[str, ...] = ()
    """Files that a complete log would also have, one line each."""
    readable: bool = True
    """Whether the files can be imported without the missing ones."""


class Candidate:
    """A file that may be part of a bundle. Its beginning is read once and cached."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def first(self) -> Json:
        """The first JSON value of the file; None if it has none or is not text."""
        if self.path.suffix.lower() not in TEXTS:
            return None
        try:
            return look(self.path).first
        except FormatError:
            return None


def by_folder(files: Iterable[Candidate]) -> Mapping[Path, list[Candidate]]:
    """Group the files by folder."""
    found: dict[Path, list[Candidate]] = defaultdict(list)
    for file in files:
        found[file.path.parent].append(file)
    return found


def of_files(files: Iterable[Path], missing: Iterable[str] = (), *, readable: bool = True) -> Bundle:
    """Return a bundle of files from one folder."""
    taken = tuple(files)
    path = taken[0] if len(taken) == 1 else taken[0].parent
    return Bundle(path, taken, tuple(missing), readable)
