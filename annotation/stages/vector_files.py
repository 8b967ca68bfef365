"""Vectors that were asked for once, as small files in the media folder: it can be deleted at any time."""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from backends.atomic_files import whole

FOLDER = "embeddings"
"""In the media folder of the workspace; a folder per engine in it."""
Row = NDArray[np.float32]


class KeptVectors:
    """One folder for one engine. Several processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, key: str) -> tuple[Row, bool] | None:
        """(d,), and whether the text was cut; None where it is not kept, or its file is broken."""
        try:
            with np.load(self._folder / f"{key}.npz", allow_pickle=False) as file:
                return np.asarray(file["row"], np.float32), bool(file["cut"])
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            return None

    def put(self, key: str, row: NDArray[np.float64], cut: bool) -> tuple[Row, bool]:
        """Keep it; what is returned is what `get` will give."""
        small = np.asarray(row, np.float32)
        with whole(self._folder / f"{key}.npz") as unfinished:
            np.savez(unfinished, row=small, cut=np.array(cut))
        return small, cut
