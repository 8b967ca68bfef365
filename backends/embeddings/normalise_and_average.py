"""Normalise vectors, and average the vectors of frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backends.errors import BackendUnavailable

MEAN = "the mean of the frames' vectors, each of length 1"


def unit(rows: NDArray[np.float64], who: str) -> NDArray[np.float64]:
    """Normalise every row to length 1. Raises BackendUnavailable for a zero or non-finite row."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise BackendUnavailable(f"{who} returned a zero or non-finite vector; use an embedding model")
    return np.asarray(rows / lengths, np.float64)


def mean_of_frames(rows: NDArray[np.float64], who: str) -> NDArray[np.float64]:
    """Return the mean (d,) of one video's frame vectors (frames, d)."""
    return np.asarray(unit(rows, who).mean(axis=0), np.float64)


BASELINE = "baseline"
