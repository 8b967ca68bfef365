"""Files that belong together: what a format's `bundles` is given, and what it gives."""

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
"""Suffixes of files whose first value tells what they are."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files that one reader takes together."""

    path: Path
    """What the reader is given: the one file, or the folder that they lie in."""
    files: tuple[Path, ...]
    missing: tuple[str, ...] = ()
    """What a whole log has beside them, each in a line."""
    readable: bool = True
    """Whether they can be imported without that."""


class Candidate:
    """A file that may be part of something; it is looked into once, whoever asks."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def first(self) -> Json:
        """Its first JSON value; None where it has none, or is no text."""
        if self.path.suffix.lower() not in TEXTS:
            return None
        try:
            return look(self.path).first
        except FormatError:
            return None


def by_folder(files: Iterable[Candidate]) -> Mapping[Path, list[Candidate]]:
    """Those that lie beside each other."""
    found: dict[Path, list[Candidate]] = defaultdict(list)
    for file in files:
        found[file.path.parent].append(file)
    return found


def of_files(files: Iterable[Path], missing: Iterable[str] = (), *, readable: bool = True) -> Bundle:
    """A bundle of files that lie in one folder."""
    taken = tuple(files)
    path = taken[0] if len(taken) == 1 else taken[0].parent
    return Bundle(path, taken, tuple(missing), readable)
