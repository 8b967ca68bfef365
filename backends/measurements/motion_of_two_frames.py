"""Estimate global motion between two pictures by corners, optical flow, and a robust similarity."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from backends.measurements.sampling import Grey, Sample

Ints = npt.NDArray[np.int64]
Points = npt.NDArray[np.float32]
"""(n, 2) x, y in pixels."""

_COLUMNS, _ROWS = 10, 6
_PER_CELL = 6
_CORNER = 3e-5
"""Minimum corner strength (smallest eigenvalue, OpenCV's scale); grain of 4 grey levels is below 1e-5."""
_STILL_PX = 0.6
_TOLERANCE_PX = 1.0
_LEAST = 8
"""Minimum number of corners for an estimate."""
_COMPACT, _NARROW = 0.45, 0.8
"""Maximum area and width of one object, as fractions of the picture."""
_UNSURE = 0.3
"""Support of a static camera if only an object, or nothing, has corners."""


@dataclass(frozen=True, slots=True)
class PairMotion:
    """Motion of the background from one picture to the next."""

    dt_s: float
    dx: float
    """Motion of the picture's centre, fractions of the width; positive when the content moves right."""
    dy: float
    """Fractions of the height; positive when the content moves down."""
    zoom: float
    """Natural logarithm of the magnification; positive when the content grows."""
    matrix: npt.NDArray[np.float64]
    """(2, 3) from pixels of the first picture to pixels of the second."""
    support: float
    """0 to 1: share of corners that agree, reduced if they cover little of the picture."""


def pair_motion(before: Sample, after: Sample) -> PairMotion | None:
    """Return the background motion between two samples; None if the pictures do not show any.

    Moving objects are outvoted: corners are spread evenly over the picture, and
    RANSAC follows the majority. If only one compact area has corners, it is treated
    as an object and the camera as static.
    """
    corners = _corners(before.grey)
    dt_s = after.time_s - before.time_s
    if len(corners) < _LEAST:
        return PairMotion(dt_s, 0.0, 0.0, 0.0, _identity(), _UNSURE * len(corners) / _LEAST)
    start, end = _tracked(_evened(before.grey), _evened(after.grey), corners)
    if len(start) < max(_LEAST, 0.25 * len(corners)):
        return None
    matrix, inliers = cv2.estimateAffinePartial2D(
        start, end, method=cv2.RANSAC, ransacReprojThreshold=_TOLERANCE_PX, maxIters=1000, confidence=0.995
    )
    if matrix is None:
        return None
    agree = inliers.ravel().astype(bool)
    return _decided(np.asarray(matrix, np.float64), start, end, agree, before.grey.shape, dt_s)


def _decided(
    matrix: npt.NDArray[np.float64],
    start: Points,
    end: Points,
    agree: npt.NDArray[np.bool_],
    shape: tuple[int, ...],
    dt_s: float,
) -> PairMotion | None:
    """Choose between the similarity from RANSAC and a static camera."""
    height, width = shape[:2]
    moved = np.hypot(*(end - start).T)
    still = moved < _STILL_PX
    support = float(agree.mean()) * min(1.0, _cells(start[agree], shape) / 8)
    if agree.any() and np.median(moved[agree]) > 1.5:
        if _cells(start[still], shape) >= 0.7 * _cells(start[agree], shape):
            matrix, support = _identity(), float(still.mean())
        elif _is_compact(start[agree], shape):
            matrix, support = _identity(), _UNSURE * support
    if support < 0.1:
        return None
    centre = np.array([width / 2, height / 2, 1.0])
    shift = matrix @ centre - centre[:2]
    scale = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    return PairMotion(
        dt_s, float(shift[0]) / width, float(shift[1]) / height, float(np.log(scale)), matrix, support
    )


def _identity() -> npt.NDArray[np.float64]:
    return np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def _evened(grey: Grey) -> Grey:
    """Normalise the contrast, so that fades and flicker do not count as motion."""
    mean, spread = cv2.meanStdDev(grey)
    gain = min(4.0, 48.0 / max(1.0, float(spread[0, 0])))
    levels = np.arange(256) * gain + 128.0 - gain * float(mean[0, 0])
    table: Grey = np.clip(levels, 0, 255).astype(np.uint8)
    return table[grey]


def _corners(grey: Grey) -> Points:
    """Return the strongest corners of every cell of a grid, so that no object has all of them."""
    strength = cv2.cornerMinEigenVal(cv2.GaussianBlur(grey, (0, 0), 1.0), 5)
    peaks = (strength >= cv2.dilate(strength, np.ones((7, 7), np.uint8))) & (strength > _CORNER)
    peaks[:4], peaks[-4:], peaks[:, :4], peaks[:, -4:] = False, False, False, False
    y, x = np.nonzero(peaks)
    order = np.argsort(-strength[y, x], kind="stable")
    y, x = y[order], x[order]
    cell = _cell_of(x, y, grey.shape)
    kept = np.concatenate(
        [np.nonzero(cell == c)[0][:_PER_CELL] for c in np.unique(cell)] or [np.zeros(0, int)]
    )
    return np.stack([x[kept], y[kept]], axis=1).astype(np.float32)


def _cell_of(
    x: npt.NDArray[np.int64], y: npt.NDArray[np.int64], shape: tuple[int, ...]
) -> npt.NDArray[np.int64]:
    cell: npt.NDArray[np.int64] = (x * _COLUMNS // shape[1]) + _COLUMNS * (y * _ROWS // shape[0])
    return cell


def _cells(points: Points, shape: tuple[int, ...]) -> int:
    """Return the number of grid cells that contain points."""
    x, y = points.astype(np.int64).T
    return len(np.unique(_cell_of(x, y, shape)))


def _is_compact(points: Points, shape: tuple[int, ...]) -> bool:
    """Return whether the points lie on one object: a ridge across the whole picture is not compact."""
    low, high = np.percentile(points, [5, 95], axis=0)
    width, height = (high[0] - low[0]) / shape[1], (high[1] - low[1]) / shape[0]
    return bool(width < _NARROW and width * height < _COMPACT)


def _tracked(first: Grey, second: Grey, corners: Points) -> tuple[Points, Points]:
    """Return corners found again, and their new places; tracking back must return to the start."""
    guess = corners + _jump(first, second)
    there, found = _flow(first, second, corners, guess)
    back, found_back = _flow(second, first, there, there - (guess - corners))
    good = found & found_back & (np.hypot(*(back - corners).T) < 0.8)
    return corners[good], there[good]


def _flow(first: Grey, second: Grey, points: Points, guess: Points) -> tuple[Points, npt.NDArray[np.bool_]]:
    """Track points with Lucas-Kanade; return their new places, and whether each was found."""
    there, found, _ = cv2.calcOpticalFlowPyrLK(
        first,
        second,
        points.reshape(-1, 1, 2),
        guess.reshape(-1, 1, 2).copy(),
        winSize=(17, 17),
        maxLevel=3,
        criteria=(cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 30, 0.01),
        flags=cv2.OPTFLOW_USE_INITIAL_FLOW,
    )
    return there.reshape(-1, 2), found.ravel() == 1


def _jump(first: Grey, second: Grey) -> Points:
    """Return a large shift of the whole picture by phase correlation, (1, 2); zero if small or unclear."""
    window = cv2.createHanningWindow((first.shape[1], first.shape[0]), cv2.CV_64F)
    (dx, dy), peak = cv2.phaseCorrelate(first.astype(np.float64), second.astype(np.float64), window)
    clear = peak > 0.1 and np.hypot(dx, dy) > 6.0
    return np.array([[dx, dy]] if clear else [[0.0, 0.0]], np.float32)
