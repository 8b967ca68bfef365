"""What a long pass over one file has found so far, kept on disk so that it goes on where it was stopped.

Notes are parts in numbered files, each written whole or not at all and never changed again. Losing them
costs time, never a result.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from backends.atomic_files import whole

Part = Mapping[str, npt.NDArray[Any]]
"""Plain arrays by name."""

_ABOUT = "about"
_KEPT_S = 7 * 86_400.0
"""Notes in a shared folder that nobody came back to for so long are deleted."""


class Notes:
    """The notes of one pass. `about` is all that the pass depends on: notes about another one are dropped."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        """Nothing is read or written yet. `about` is JSON-like."""
        self._folder = folder
        self._about = digest(about)
        self._next = 0

    def read(self) -> list[Part]:
        """The parts in order, up to the first that is missing, damaged or about something else."""
        parts: list[Part] = []
        while (part := self._part(len(parts))) is not None:
            parts.append(part)
        self._next = len(parts)
        return parts

    def _part(self, number: int) -> Part | None:
        try:
            with np.load(self._file(number), allow_pickle=False) as data:
                part = {name: data[name] for name in data.files}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            return None
        return part if str(part.pop(_ABOUT, "")) == self._about else None

    def add(self, part: Part) -> None:
        """Keep one more part, after those that were read."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._file(self._next)
        with whole(file) as half, half.open("wb") as out:
            np.savez_compressed(out, allow_pickle=False, **{_ABOUT: np.array(self._about)}, **part)
        self._next += 1

    def drop(self) -> None:
        """Begin anew."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._next = 0

    def _file(self, number: int) -> Path:
        return self._folder / f"{number:05}.npz"


def digest(about: Mapping[str, Any]) -> str:
    """A short fingerprint of JSON-like values."""
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:24]


def identity(path: Path) -> dict[str, Any]:
    """What tells a file from another without reading it: size and time of change."""
    found = path.stat()
    return {"size": found.st_size, "changed_ns": found.st_mtime_ns}


def forget_old(folder: Path) -> None:
    """Delete the notes in `folder` (one folder each) that nobody came back to for a week."""
    for one in folder.glob("*"):
        if one.is_dir() and time.time() - one.stat().st_mtime > _KEPT_S:
            shutil.rmtree(one, ignore_errors=True)
