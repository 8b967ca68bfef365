"""Save intermediate results of a long pass over one file, so that an interrupted pass can resume.

Notes are numbered files, each written atomically and never changed. Losing them costs time but does not
change the result.
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
"""Notes in a shared folder are deleted after this time without use."""


class Notes:
    """Notes of one pass. `about` is everything the pass depends on; notes with another value are ignored."""

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        """Set up the notes without reading or writing. `about` is JSON-like."""
        self._folder = folder
        self._about = digest(about)
        self._next = 0

    def read(self) -> list[Part]:
        """Return the parts in order, up to the first that is missing, damaged or of another pass."""
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
        """Append a part."""
        self._folder.mkdir(parents=True, exist_ok=True)
        file = self._file(self._next)
        with whole(file) as half, half.open("wb") as out:
            np.savez_compressed(out, allow_pickle=False, **{_ABOUT: np.array(self._about)}, **part)
        self._next += 1

    def drop(self) -> None:
        """Delete all notes."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._next = 0

    def _file(self, number: int) -> Path:
        return self._folder / f"{number:05}.npz"


def digest(about: Mapping[str, Any]) -> str:
    """Return a short fingerprint of JSON-like values."""
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:24]


def identity(path: Path) -> dict[str, Any]:
    """Identify a file by size and modification time, without reading it."""
    found = path.stat()
    return {"size": found.st_size, "changed_ns": found.st_mtime_ns}


def forget_old(folder: Path) -> None:
    """Delete notes in `folder` (one folder each) that were not used for a week."""
    for one in folder.glob("*"):
        if one.is_dir() and time.time() - one.stat().st_mtime > _KEPT_S:
            shutil.rmtree(one, ignore_errors=True)
