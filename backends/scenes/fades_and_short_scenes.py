"""Rules for cuts: real fades, merging fades with other cuts, and minimum scene length.

Pure functions of statistics that a pass over the pictures collects.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from backends.protocols import Picture


@dataclass(slots=True)
class Trace:
    """Statistics of all decoded pictures, in presentation order."""

    frames: list[int] = field(default_factory=list)
    """Index in the PTS table."""
    mean: list[float] = field(default_factory=list)
    """Mean of all pixel values, 0 to 255."""
    deviation: list[float] = field(default_factory=list)
    """Standard deviation of all pixel values: near 0 for a uniform picture."""
    change: dict[int, float] = field(default_factory=dict)
    """Frame -> mean absolute difference in brightness from the previous picture, 0 to 255."""
    _before: npt.NDArray[np.uint8] | None = None
    _saved: int = 0
    """Number of frames that `new_state` has returned."""

    def add(self, frame: int, picture: Picture) -> None:
        """Add `picture` (height, width, 3) of frame `frame`; frames must ascend."""
        mean, deviation = cv2.meanStdDev(picture.reshape(len(picture), -1))
        self.frames.append(frame)
        self.mean.append(float(mean[0][0]))
        self.deviation.append(float(deviation[0][0]))
        light = brightness(picture)
        before = light if self._before is None else self._before
        self.change[frame] = float(cv2.norm(light, before, cv2.NORM_L1)) / light.size
        self._before = light

    def new_state(self) -> dict[str, npt.NDArray[Any]]:
        """Return the statistics added since the last call."""
        new = slice(self._saved, None)
        frames = self.frames[new]
        self._saved = len(self.frames)
        return {
            "frames": np.array(frames, np.int64),
            "mean": np.array(self.mean[new]),
            "deviation": np.array(self.deviation[new]),
            "change": np.array([self.change[frame] for frame in frames]),
        }

    def resume(self, parts: Sequence[Mapping[str, npt.NDArray[Any]]], picture: Picture) -> None:
        """Load the statistics of another trace; `picture` is its last picture."""
        for part in parts:
            frames = part["frames"].tolist()
            self.frames += frames
            self.mean += part["mean"].tolist()
            self.deviation += part["deviation"].tolist()
            self.change.update(zip(frames, part["change"].tolist(), strict=True))
        self._saved = len(self.frames)
        self._before = brightness(picture)


def brightness(picture: Picture) -> npt.NDArray[np.uint8]:
    """Return the maximum of the three colour values (height, width), as V in HSV."""
    first, second, third = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(first, second), third), np.uint8)


@dataclass(frozen=True, slots=True)
class Passage:
    """A gradual change from one scene to the next."""

    cut: int
    """First frame of the second scene."""
    start: int
    """First frame of the change; for a fade, the first dark frame."""
    end: int
    """First frame after the change."""


def true_fades(
    trace: Trace, seconds: npt.NDArray[np.float64], darkness: float, plain: float, hard: Collection[int] = ()
) -> list[Passage]:
    """Return the passages through real black between two scenes; the cut is the frame nearest to the middle.

    If one of the `hard` cuts ends the black, or else begins it, that cut is used.

    A dark run counts if its mean stays below `darkness` and its most uniform frame deviates by
    at most `plain`: unlike black, a night scene contains lamps. Black before the first or after
    the last scene separates nothing. `seconds` are the times of the table's frames.
    """
    fades = []
    for first, last in _dark_runs(trace.mean, darkness):
        if first == 0 or last + 1 == len(trace.mean) or min(trace.deviation[first : last + 1]) > plain:
            continue
        start, end = trace.frames[first], trace.frames[last + 1]
        middle = (seconds[start] + seconds[end]) / 2
        sharp = [cut for edge in (end, start) for cut in hard if abs(cut - edge) <= 1]
        cut = sharp[0] if sharp else int(np.abs(seconds - middle).argmin())
        fades.append(Passage(cut, start, end))
    return fades


def sudden(trace: Trace, ratio: float, least: float, window: int) -> list[int]:
    """Return frames whose change is at least `least`, and `ratio` times the mean of the frames around it.

    This is the rule of PySceneDetect's AdaptiveDetector, applied to the whole trace at once; `window` is the
    number of frames on each side.
    """
    change = np.array([trace.change[frame] for frame in trace.frames[1:]])
    if len(change) < 2 * window + 1:
        return []
    around = np.convolve(change, np.ones(2 * window + 1), "valid")
    middle = change[window : len(change) - window]
    usual = (around - middle) / (2 * window)
    high = np.where(usual > 1e-5, middle / np.maximum(usual, 1e-5), np.inf) >= ratio
    return [trace.frames[int(place) + 1 + window] for place in np.flatnonzero(high & (middle >= least))]


def _dark_runs(mean: Sequence[float], darkness: float) -> list[tuple[int, int]]:
    """Return (first, last) positions of every run below `darkness`."""
    dark = np.array(mean) < darkness
    edges = np.flatnonzero(np.diff(np.concatenate(([0], dark.astype(np.int8), [0]))))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def joined(
    cuts: Collection[int], fades: Sequence[Passage], seconds: npt.NDArray[np.float64], shortest_s: float
) -> list[int]:
    """Merge cuts and fades: a fade replaces the cuts inside it or within `shortest_s` of it."""
    last = len(seconds) - 1

    def swallowed(cut: int) -> bool:
        return any(
            seconds[fade.start] - shortest_s < seconds[cut] < seconds[min(fade.end, last)] + shortest_s
            for fade in fades
        )

    kept = [cut for cut in cuts if not swallowed(cut)]
    return sorted({*kept, *(fade.cut for fade in fades)})


def in_turn(cuts: Sequence[int], seconds: npt.NDArray[np.float64], shortest_s: float) -> list[int]:
    """Drop cuts less than `shortest_s` after the previous one: PySceneDetect's rule."""
    kept: list[int] = []
    for cut in sorted(cuts):
        if seconds[cut] - seconds[kept[-1] if kept else 0] >= shortest_s - 1e-6:
            kept.append(cut)
    return kept


def spaced(
    cuts: Collection[int], strength: Mapping[int, float], seconds: npt.NDArray[np.float64], shortest_s: float
) -> list[int]:
    """Keep cuts at least `shortest_s` apart and from the beginning; stronger cuts are preferred."""
    kept: list[int] = []
    for cut in sorted(cuts, key=lambda cut: -strength.get(cut, 0.0)):
        nearest = min(abs(seconds[cut] - seconds[other]) for other in [0, *kept])
        if nearest >= shortest_s - 1e-6:
            kept.append(cut)
    return sorted(kept)
