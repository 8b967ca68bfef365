"""Rules on cuts: which fades are real, how they join other cuts, and how short scenes go.

Pure functions over what a pass through the pictures found.
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
    """Numbers of every decoded picture, in presentation order."""

    frames: list[int] = field(default_factory=list)
    """Index in the PTS table."""
    mean: list[float] = field(default_factory=list)
    """Mean of all pixel values, 0 to 255."""
    deviation: list[float] = field(default_factory=list)
    """Their standard deviation: near 0 when the picture is one plain colour."""
    change: dict[int, float] = field(default_factory=dict)
    """Frame -> mean absolute difference of its brightness to the picture before it, 0 to 255."""
    _before: npt.NDArray[np.uint8] | None = None
    _told: int = 0
    """Frames that `learnt` has given."""

    def add(self, frame: int, picture: Picture) -> None:
        """`picture` (height, width, 3) of frame `frame`; frames come in ascending order."""
        mean, deviation = cv2.meanStdDev(picture.reshape(len(picture), -1))
        self.frames.append(frame)
        self.mean.append(float(mean[0][0]))
        self.deviation.append(float(deviation[0][0]))
        light = brightness(picture)
        before = light if self._before is None else self._before
        self.change[frame] = float(cv2.norm(light, before, cv2.NORM_L1)) / light.size
        self._before = light

    def learnt(self) -> dict[str, npt.NDArray[Any]]:
        """The numbers that are new since the last call."""
        new = slice(self._told, None)
        frames = self.frames[new]
        self._told = len(self.frames)
        return {
            "frames": np.array(frames, np.int64),
            "mean": np.array(self.mean[new]),
            "deviation": np.array(self.deviation[new]),
            "change": np.array([self.change[frame] for frame in frames]),
        }

    def go_on(self, parts: Sequence[Mapping[str, npt.NDArray[Any]]], picture: Picture) -> None:
        """Take up what another trace learnt; `picture` is the last that it saw."""
        for part in parts:
            frames = part["frames"].tolist()
            self.frames += frames
            self.mean += part["mean"].tolist()
            self.deviation += part["deviation"].tolist()
            self.change.update(zip(frames, part["change"].tolist(), strict=True))
        self._told = len(self.frames)
        self._before = brightness(picture)


def brightness(picture: Picture) -> npt.NDArray[np.uint8]:
    """(height, width) the largest of the three colour values, as V of HSV."""
    first, second, third = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(first, second), third), np.uint8)


@dataclass(frozen=True, slots=True)
class Passage:
    """A gradual change from one scene to the next."""

    cut: int
    """The frame where the second scene is said to begin."""
    start: int
    """First frame that shows it: for a fade, the first dark one."""
    end: int
    """First frame after it."""


def true_fades(
    trace: Trace, seconds: npt.NDArray[np.float64], darkness: float, plain: float, hard: Collection[int] = ()
) -> list[Passage]:
    """Real black between two scenes; the cut is the frame nearest to its middle.

    Where one of the `hard` cuts leads out of it, or else into it, the cut is there.

    A dark run counts when its mean stays below `darkness` and its plainest frame
    deviates by at most `plain`: a night scene has lamps in it, black has not. Black
    before the first scene or after the last one separates nothing. `seconds` are the
    times of the table's frames.
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
    """Frames whose change is at least `least` and `ratio` times the mean of `window` frames on either side.

    PySceneDetect's adaptive rule (its AdaptiveDetector), on the whole trace at once.
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
    """(first, last) positions of every run below `darkness`."""
    dark = np.array(mean) < darkness
    edges = np.flatnonzero(np.diff(np.concatenate(([0], dark.astype(np.int8), [0]))))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def joined(
    cuts: Collection[int], fades: Sequence[Passage], seconds: npt.NDArray[np.float64], shortest_s: float
) -> list[int]:
    """All cuts, where a fade takes the place of cuts inside it or within `shortest_s` of it."""
    last = len(seconds) - 1

    def swallowed(cut: int) -> bool:
        return any(
            seconds[fade.start] - shortest_s < seconds[cut] < seconds[min(fade.end, last)] + shortest_s
            for fade in fades
        )

    kept = [cut for cut in cuts if not swallowed(cut)]
    return sorted({*kept, *(fade.cut for fade in fades)})


def in_turn(cuts: Sequence[int], seconds: npt.NDArray[np.float64], shortest_s: float) -> list[int]:
    """`cuts` without those less than `shortest_s` after the one before: PySceneDetect's rule."""
    kept: list[int] = []
    for cut in sorted(cuts):
        if seconds[cut] - seconds[kept[-1] if kept else 0] >= shortest_s - 1e-6:
            kept.append(cut)
    return kept


def spaced(
    cuts: Collection[int], strength: Mapping[int, float], seconds: npt.NDArray[np.float64], shortest_s: float
) -> list[int]:
    """`cuts` at least `shortest_s` from each other and the beginning; the stronger ones stay."""
    kept: list[int] = []
    for cut in sorted(cuts, key=lambda cut: -strength.get(cut, 0.0)):
        nearest = min(abs(seconds[cut] - seconds[other]) for other in [0, *kept])
        if nearest >= shortest_s - 1e-6:
            kept.append(cut)
    return sorted(kept)
