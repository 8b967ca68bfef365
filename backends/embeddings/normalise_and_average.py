"""What engines of embeddings share: vectors of one length, and the mean of those of frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from backends.errors import BackendUnavailable

MEAN = "the mean of the frames' vectors, each of length 1"


def unit(rows: NDArray[np.float64], who: str) -> NDArray[np.float64]:
    """Every row of length 1. Raises BackendUnavailable for a row that has no direction."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise BackendUnavailable(f"{who} gave a vector that is zero or not finite; it is no embedding model")
    return np.asarray(rows / lengths, np.float64)


def mean_of_frames(rows: NDArray[np.float64], who: str) -> NDArray[np.float64]:
    """(d,) of the vectors (frames, d) of one video."""
    return np.asarray(unit(rows, who).mean(axis=0), np.float64)


BASELINE = "baseline"
