"""Find the largest object that moves against the background of a scene."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from backends.measurements.camera_motion_labels import MOVES_FROM
from backends.measurements.main_colours import main_colour
from backends.measurements.motion_of_two_frames import PairMotion
from backends.measurements.sampling import Floats, Sample

_LAGS = (1, 4)
"""Steps between compared pictures: one, or four if one shows too little (slow objects)."""
_MOST = 36
"""Maximum number of compared pairs: dense flow costs more than corners."""
_FLOW_PX = 0.8
_LEVELS = 22
"""Minimum change of a pixel in grey levels, beyond the effect of an error of half a pixel."""
_LEAST_SHARE, _MOST_SHARE = 0.002, 0.65
_SEEN = 0.3
"""Minimum share of the compared pairs that show the object."""
_CROSSES, _FAR = 4, 0.25
"""Minimum number of pairs and minimum distance of an object that only passes through."""
_PAUSE_S = 0.5
_TRAVEL = 0.03
"""Minimum distance with a direction, as a fraction of the picture."""
_GROWS = 1.5
"""Minimum ratio of final to initial area of an object that approaches the camera."""


@dataclass(frozen=True, slots=True)
class _Spot:
    """The object in one pair of pictures; x, y, width and height are fractions of the picture."""

    time_s: float
    x: float
    y: float
    share: float
    camera: tuple[float, float]
    """Motion of the background, as fractions of width and height per second."""
    rgb: tuple[int, int, int]


def moving_object(
    samples: Sequence[Sequence[Sample]], motions: Sequence[Sequence[PairMotion | None]]
) -> dict[str, Any]:
    """Return the value of a `moving_object` measurement.

    `present`; `share_of_frame` 0 to 1; `start` and `end` of the centre's path
    in the picture (fractions of width and height); `direction`: the dominant of
    `left`, `right`, `up` and `down`, relative to the background if the camera
    moves too; `towards` or `away` if the object only grows or shrinks;
    else `in place`; `colour` and `hex` of its largest part; `seen`, the share of
    pairs that show it. Only `present` and `seen` if nothing moves.
    """
    best: list[_Spot] = []
    share = 0.0
    for lag in _LAGS:
        spots = list(_spots(samples, motions, lag))
        found = _one_thing([spot for spot in spots if spot is not None])
        seen = len(found) / len(spots) if spots else 0.0
        if seen > share:
            best, share = found, seen
        if _is_clear(best, share):
            break
    if not _is_clear(best, share):
        return {"present": False, "seen": round(share, 3)}
    return _described(best, share)


def _is_clear(spots: list[_Spot], seen: float) -> bool:
    """Return whether the object is visible for much of the scene, or crosses much of the picture."""
    if len(spots) < 2:
        return False
    way = float(np.hypot(spots[-1].x - spots[0].x, spots[-1].y - spots[0].y))
    # With a moving camera, everything nearer than the background seems to cross.
    held = float(np.median([np.hypot(*spot.camera) for spot in spots])) < MOVES_FROM
    return seen >= _SEEN or (held and len(spots) >= _CROSSES and way >= _FAR)


def _described(spots: list[_Spot], seen: float) -> dict[str, Any]:
    times = np.array([spot.time_s for spot in spots])
    path = np.array([(spot.x, spot.y) for spot in spots])
    steps = np.diff(times, prepend=times[0])
    ground = np.cumsum(np.array([spot.camera for spot in spots]) * steps[:, None], axis=0)
    start, end = _ends(times, path)
    small, large = _ends(times, np.array([spot.share for spot in spots]))
    growth = float(large / small)
    world_start, world_end = _ends(times, path - ground)
    colour = main_colour(np.array([spot.rgb for spot in spots], np.uint8)[None])
    return {
        "present": True,
        "seen": round(seen, 3),
        "share_of_frame": round(float(np.median([spot.share for spot in spots])), 4),
        "start": [round(float(v), 3) for v in start],
        "end": [round(float(v), 3) for v in end],
        "direction": _direction(world_end - world_start, growth),
        "colour": colour.name,
        "hex": colour.hex,
    }


def _ends(times: Floats, path: Floats) -> tuple[Floats, Floats]:
    """Return start and end of a path: medians of its first and last fifth, which ignore single outliers."""
    few = max(1, len(times) // 5)
    return np.median(path[:few], axis=0), np.median(path[-few:], axis=0)


def _direction(way: Floats, growth: float) -> str:
    x, y = float(way[0]), float(way[1])
    if max(abs(x), abs(y)) >= _TRAVEL:
        if abs(x) >= abs(y):
            return "right" if x > 0 else "left"
        return "down" if y > 0 else "up"
    if growth >= _GROWS or growth <= 1 / _GROWS:
        return "towards" if growth > 1 else "away"
    return "in place"


def _one_thing(spots: list[_Spot]) -> list[_Spot]:
    """Return the spots of the most visible object: spots of neighbouring times must be near each other."""
    chains: list[list[_Spot]] = []
    for spot in spots:
        near = [chain for chain in chains if _follows(chain[-1], spot)]
        if near:
            max(near, key=len).append(spot)
        else:
            chains.append([spot])
    return max(chains, key=len, default=[])


def _follows(before: _Spot, after: _Spot) -> bool:
    gap = max(0.12, after.time_s - before.time_s)
    # After a longer pause, only an object in the same place counts as the same.
    reach = 0.08 + 1.2 * gap if gap < _PAUSE_S else 0.15
    alike = 0.2 < after.share / before.share < 5
    return alike and float(np.hypot(after.x - before.x, after.y - before.y)) < reach


def _spots(
    samples: Sequence[Sequence[Sample]], motions: Sequence[Sequence[PairMotion | None]], lag: int
) -> Iterator[_Spot | None]:
    """Yield the largest change of every compared pair; None if a pair shows none."""
    starts = [(b, i) for b, burst in enumerate(samples) for i in range(len(burst) - lag)]
    every = max(1, -(-len(starts) // _MOST))
    for b, i in starts[::every]:
        chain = motions[b][i : i + lag]
        known = [motion for motion in chain if motion is not None]
        if len(known) == len(chain):
            yield _spot(samples[b][i], samples[b][i + lag], known)


def _spot(before: Sample, after: Sample, motions: Sequence[PairMotion]) -> _Spot | None:
    height, width = before.grey.shape
    matrix = _composed(motions)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    placed = cv2.warpAffine(after.rgb, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    inside = (
        cv2.warpAffine(np.full((height, width), 255, np.uint8), matrix, (width, height), flags=flags) > 250
    )
    region = _changed_region(before.rgb, placed, inside)
    if region is None:
        return None
    dt_s = after.time_s - before.time_s
    y, x = np.nonzero(region)
    camera = (sum(m.dx for m in motions) / dt_s, sum(m.dy for m in motions) / dt_s)
    colour = main_colour(before.rgb[region][None])
    share = float(region.mean())
    return _Spot(before.time_s, float(x.mean()) / width, float(y.mean()) / height, share, camera, colour.rgb)


def _composed(motions: Sequence[PairMotion]) -> Floats:
    """Return the motion (2, 3) from pixels of the first picture to pixels of the last."""
    total = np.eye(3)
    for motion in motions:
        total = np.vstack([motion.matrix, [0.0, 0.0, 1.0]]) @ total
    return total[:2]


def _changed_region(
    before: npt.NDArray[np.uint8], placed: npt.NDArray[np.uint8], inside: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_] | None:
    """Return the largest region that moves on its own, in pixels of the first picture.

    Dense flow fills uniform surfaces, where differences show only the edges. Differences limit
    the region where the background is uniform and flow spreads too far.
    """
    first, second = _softened(before), _softened(placed)
    flow = _dense_flow(first, second)
    moving = (np.hypot(flow[..., 0], flow[..., 1]) > _FLOW_PX) & inside
    changed = _differs(first, second) & inside
    count, labels = cv2.connectedComponents(
        cv2.morphologyEx(moving.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    )
    best: npt.NDArray[np.bool_] | None = None
    for number in range(1, count):
        region = _bounded(labels == number, changed, flow)
        if region is not None and (best is None or region.sum() > best.sum()):
            best = region
    return best


def _bounded(
    part: npt.NDArray[np.bool_], changed: npt.NDArray[np.bool_], flow: npt.NDArray[np.float32]
) -> npt.NDArray[np.bool_] | None:
    """Return the hull of the changes in one moving part, without the strip that the object enters later."""
    points = np.argwhere(part & changed)
    if len(points) < _LEAST_SHARE * part.size:
        return None
    hull = cv2.convexHull(points[:, ::-1].astype(np.int32))
    region = np.zeros(part.shape, np.uint8)
    cv2.fillConvexPoly(region, hull, 1)
    shift = np.median(flow[part & changed], axis=0)
    # Later the object covers its old place moved by `shift`: the overlap is its extent.
    moved = cv2.warpAffine(
        region, np.array([[1, 0, -shift[0]], [0, 1, -shift[1]]], np.float64), region.shape[::-1]
    )
    both = (region > 0) & (moved > 0)
    # If most of the picture seems to move, the camera's motion was not recognised.
    return both if _LEAST_SHARE <= both.mean() <= _MOST_SHARE else None


def _softened(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return np.asarray(cv2.GaussianBlur(rgb, (0, 0), 1.2), np.uint8)


def _dense_flow(first: npt.NDArray[np.uint8], second: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Return the flow (height, width, 2) in pixels from `first` to `second`."""
    dis = cv2.DISOpticalFlow.create(cv2.DISOPTICAL_FLOW_PRESET_FAST)
    grey = [cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY) for picture in (first, second)]
    return np.asarray(dis.calc(grey[0], grey[1], None), np.float32)


def _differs(first: npt.NDArray[np.uint8], second: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Return pixels of `second` outside the range of `first` within one pixel, corrected for exposure."""
    drift = np.median(second.reshape(-1, 3).astype(np.int16) - first.reshape(-1, 3), axis=0)
    now = second.astype(np.int16) - drift.astype(np.int16)
    kernel = np.ones((3, 3), np.uint8)
    over = now - cv2.dilate(first, kernel)
    under = cv2.erode(first, kernel).astype(np.int16) - now
    return np.asarray(np.maximum(over, under).max(axis=2) > _LEVELS)
