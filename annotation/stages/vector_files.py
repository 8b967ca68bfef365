"""Cache of vectors as small files in the media folder. It can be deleted at any time."""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from backends.atomic_files import whole

FOLDER = "embeddings"
"""Folder below the workspace's media folder, with a subfolder per engine."""
Row = NDArray[np.float32]


class KeptVectors:
    """The cached vectors of one engine. Several processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> tuple[Row, bool] | None:
        """Return the vector (d,) and whether its text was cut; None if the file is missing or damaged."""
        try:
            with np.load(self._folder / f"{key}.npz", allow_pickle=False) as file:
                return np.asarray(file["row"], np.float32), bool(file["cut"])
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None

    def put(self, key: str, row: NDArray[np.float64], cut: bool) -> tuple[Row, bool]:
        """Store the vector; return it as `get` will return it."""
        small = np.asarray(row, np.float32)
        with whole(self._folder / f"{key}.npz") as unfinished:
            np.savez(unfinished, row=small, cut=np.array(cut))
        return small, cut
