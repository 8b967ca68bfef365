"""Describe the look of a frame by one vector of colours and structure by place; no weights, no randomness.

One half describes colours by place: in each cell of a 3 x 3 grid, histograms of L, a and b
(CIE Lab), 8 soft bins each, as square roots, so that a product of two is their Hellinger affinity.
The other half describes edges by place: in each cell of a 4 x 4 grid, the gradients of the
luma in 8 directions, weighted by their strength (after Dalal and Triggs, Histograms of Oriented
Gradients, 2005). Both halves have the same weight and the vector has length 1: the product of two
vectors is their similarity, 0 to 1.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from backends.protocols import Picture

NAME = "lab-3x3-8+gradients-4x4-8"
"""Change this name with any change below that affects a number."""
WIDTH = 160
"""Width in pixels to which pictures are scaled."""

_COLOUR_GRID, _BINS = 3, 8
_RANGES = ((0.0, 100.0), (-70.0, 70.0), (-70.0, 70.0))
"""Ranges of L, a and b; values beyond are clipped."""
_EDGE_GRID, _DIRECTIONS = 4, 8
_FLAT = 1e-3
"""Mean gradient (luma 0 to 1, per pixel) below which a picture has no structure."""

Vector = npt.NDArray[np.float32]
_Floats = npt.NDArray[np.float32]


def describe(picture: Picture) -> Vector:
    """Return the vector (345,), of length 1, of one (height, width, 3) RGB picture."""
    small = _scaled(picture)
    parts = (_colours(small), _edges(small))
    whole: Vector = np.concatenate(parts) * np.float32(np.sqrt(0.5))
    return whole


def _scaled(picture: Picture) -> _Floats:
    height = max(_EDGE_GRID * 2, round(picture.shape[0] * WIDTH / picture.shape[1]))
    if picture.shape[:2] != (height, WIDTH):
        picture = np.asarray(cv2.resize(picture, (WIDTH, height), interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(picture, np.float32) / np.float32(255)


def _colours(picture: _Floats) -> _Floats:
    """Return the colour half, (216,), of length 1."""
    lab = cv2.cvtColor(picture, cv2.COLOR_RGB2Lab)
    cells = _cells(picture.shape[0], picture.shape[1], _COLOUR_GRID)
    found = []
    for channel, (low, high) in enumerate(_RANGES):
        place = np.clip((lab[..., channel] - low) / (high - low), 0, 1) * (_BINS - 1)
        found.append(_soft_histogram(cells, place, np.ones_like(place), _COLOUR_GRID**2, _BINS))
    shares = np.concatenate(found, axis=1)
    return np.asarray(np.sqrt(shares / shares.sum()).ravel(), np.float32)


def _edges(picture: _Floats) -> _Floats:
    """Return the edge half, (129,), of length 1; the last number marks a picture without edges."""
    luma = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY), (0, 0), 1.0)
    across, down = cv2.Sobel(luma, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(luma, cv2.CV_32F, 0, 1) / 8
    strength = np.hypot(across, down)
    if strength.mean() < _FLAT:
        flat = np.zeros(_EDGE_GRID**2 * _DIRECTIONS + 1, np.float32)
        flat[-1] = 1
        return flat
    # The direction of an edge does not depend on its lighter side: it repeats after 180 degrees.
    place = (np.arctan2(down, across) / np.pi % 1) * _DIRECTIONS
    cells = _cells(luma.shape[0], luma.shape[1], _EDGE_GRID)
    counts = _soft_histogram(cells, place, strength, _EDGE_GRID**2, _DIRECTIONS, round_about=True)
    rooted = np.sqrt(counts).ravel()
    return np.append(rooted / np.linalg.norm(rooted), 0).astype(np.float32)


def _cells(height: int, width: int, grid: int) -> npt.NDArray[np.int64]:
    """Return the cell number of each pixel, (height, width)."""
    rows, columns = np.arange(height) * grid // height, np.arange(width) * grid // width
    return np.asarray(rows[:, None] * grid + columns[None, :], np.int64)


def _soft_histogram(
    cells: npt.NDArray[np.int64],
    place: _Floats,
    weight: _Floats,
    n_cells: int,
    bins: int,
    *,
    round_about: bool = False,
) -> _Floats:
    """Return (n_cells, bins); each pixel is shared between the two nearest bins."""
    first = np.floor(place).astype(np.int64)
    share = place - first
    after = (first + 1) % bins if round_about else np.minimum(first + 1, bins - 1)
    counts = np.zeros(n_cells * bins)
    for bin_, part in ((first % bins, 1 - share), (after, share)):
        counts += np.bincount((cells * bins + bin_).ravel(), (weight * part).ravel(), n_cells * bins)
    return counts.reshape(n_cells, bins).astype(np.float32)
