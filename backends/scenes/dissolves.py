"""Dissolves, detected in small grey copies of every picture.

While one shot dissolves into another, each picture is a mix of one from before and one from
after, and the second shot's share grows evenly. Nothing else looks like that: of a moving camera no
picture is a mix of two others, of a hard cut every picture is one of the two, and a change of light
leaves the same picture. So the rule fits the shares and looks at what the mix leaves unexplained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from backends.protocols import Picture
from backends.scenes.fades_and_short_scenes import Passage

Vector = npt.NDArray[np.float32]

_SIZE = (32, 18)
_HALVES = (0.3, 0.56, 1.0)
"""Seconds from the middle of a dissolve to the pictures that it is fitted to: each finds
dissolves from 1.7 to about 4 times as long, so from half a second to four."""
_SHARES = ((0.08, 0.42), (0.33, 0.67), (0.58, 0.92))
"""What the second shot may have in the picture, a quarter, half and three quarters through."""
_PLAIN = 6.0
"""Deviation, of 0 to 255, below which a picture is nearly plain."""
_AT_ONCE = 4096
"""Frames that are fitted at a time: what is kept in memory stays small."""
_AGREE_S = 0.1
"""So long the frames agree that they are the middle; beside a photo flash only two do."""
_STEP = 0.35
"""No picture of a dissolve is further from the one before it than this part of the whole way."""


@dataclass(slots=True)
class Thumbs:
    """A grey picture of 32 by 18 of every decoded frame, in presentation order: about 70 MB an hour."""

    frames: list[int] = field(default_factory=list)
    """Index in the PTS table."""
    rows: list[npt.NDArray[np.uint8]] = field(default_factory=list)
    _told: int = 0
    """Rows that `learnt` has given."""

    def add(self, frame: int, picture: Picture) -> None:
        """`picture` (height, width, 3), BGR, of frame `frame`; frames come in ascending order."""
        small = cv2.resize(picture, _SIZE, interpolation=cv2.INTER_AREA)
        self.frames.append(frame)
        self.rows.append(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).reshape(-1))

    def learnt(self) -> npt.NDArray[np.uint8]:
        """(frames, pixels) the rows that are new since the last call."""
        new = self.rows[self._told :]
        self._told = len(self.rows)
        return np.array(new, np.uint8).reshape(len(new), _SIZE[0] * _SIZE[1])

    def go_on(self, frames: Sequence[int], parts: Sequence[npt.NDArray[np.uint8]]) -> None:
        """Take up the rows that another one learnt, of `frames` in all."""
        self.frames += frames
        self.rows += [row for part in parts for row in part]
        self._told = len(self.rows)

    def some(self, places: npt.NDArray[np.int64]) -> Vector:
        """(places, pixels) grey values, 0 to 255."""
        return np.array([self.rows[place] for place in places], np.float32)


def unlike(thumbs: Thumbs, *, difference: float, likeness: float) -> npt.NDArray[np.int64]:
    """Places whose picture differs from the next by `difference` and correlates by less than `likeness`."""
    end, found = len(thumbs.frames), [np.zeros(0, np.int64)]
    for first in range(0, end - 1, _AT_ONCE):
        pictures = thumbs.some(np.arange(first, min(first + _AT_ONCE + 1, end)))
        found.append(first + _unlike(pictures, difference, likeness))
    return np.concatenate(found)


def _unlike(pictures: Vector, difference: float, likeness: float) -> npt.NDArray[np.int64]:
    apart = np.sqrt(np.square(np.diff(pictures, axis=0)).mean(1))
    centred = _centred(pictures)
    return np.flatnonzero((apart >= difference) & ((centred[1:] * centred[:-1]).mean(1) < likeness))


@dataclass(frozen=True, slots=True)
class _Fit:
    place: int
    """Of the middle, among the decoded frames."""
    half_s: float
    rest: float
    """What the mix leaves unexplained, as a part of the difference between the two shots."""


def dissolves(
    thumbs: Thumbs,
    seconds: npt.NDArray[np.float64],
    *,
    difference: float = 12.0,
    likeness: float = 0.5,
    rest: float = 0.33,
) -> list[Passage]:
    """Dissolves, in order; `seconds` are the times of the table's frames.

    The two shots must differ by `difference` (root mean square, 0 to 255), correlate by less than
    `likeness` and each deviate by at least `_PLAIN`; `rest` is the most that the mix may leave.
    """
    times = seconds[thumbs.frames]
    fits = [fit for half in _HALVES for fit in _fits(thumbs, times, half, difference, likeness, rest)]
    kept: list[_Fit] = []
    for fit in sorted(fits, key=lambda fit: fit.rest):
        if all(abs(times[fit.place] - times[other.place]) > fit.half_s + other.half_s for other in kept):
            kept.append(fit)
    return [_passage(thumbs, times, fit) for fit in sorted(kept, key=lambda fit: fit.place)]


def _passage(thumbs: Thumbs, times: npt.NDArray[np.float64], fit: _Fit) -> Passage:
    middle = times[fit.place]
    start, end = frames_at(times, np.array([middle - fit.half_s, middle + fit.half_s]))
    return Passage(thumbs.frames[fit.place], thumbs.frames[start], thumbs.frames[end])


def frames_at(times: npt.NDArray[np.float64], moments: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Of the first pictures at or after `moments`; the last picture beyond the end."""
    return np.minimum(np.searchsorted(times, moments - 1e-6), len(times) - 1)


def _fits(
    thumbs: Thumbs,
    times: npt.NDArray[np.float64],
    half: float,
    difference: float,
    likeness: float,
    rest: float,
) -> list[_Fit]:
    """The best middle of every run of frames that could be the middle of a dissolve."""
    middles = np.flatnonzero((times >= times[0] + half) & (times <= times[-1] - half))
    good: list[tuple[int, float]] = []
    for chunk in np.array_split(middles, len(middles) // _AT_ONCE + 1):
        if len(chunk) == 0:
            continue
        before, after = (thumbs.some(frames_at(times, times[chunk] + d)) for d in (-half, half))
        apart = np.sqrt(np.square(after - before).mean(1))
        one, other = _centred(before), _centred(after)
        alike = (one * other).mean(1)
        likely = (apart >= difference) & (alike < likeness)
        likely &= (before.std(1) >= _PLAIN) & (after.std(1) >= _PLAIN)
        places = np.flatnonzero(likely)
        left = _unexplained(thumbs, times, chunk[places], half, before[places], after[places])
        good += [(int(chunk[p]), float(v)) for p, v in zip(places, left, strict=True) if v <= rest]
    best = [min(run, key=lambda one: one[1]) for run in _runs(good, times)]
    return [_Fit(place, half, value) for place, value in best if _even(thumbs, times, place, half)]


def _even(thumbs: Thumbs, times: npt.NDArray[np.float64], place: int, half: float) -> bool:
    """Whether there is no jump on the way, such as a cut or a photo flash."""
    start, end = frames_at(times, times[place] + np.array([-half, half]))
    pictures = thumbs.some(np.arange(start, end + 1))
    steps = np.sqrt(np.square(np.diff(pictures, axis=0)).mean(1))
    return bool(steps.max() < _STEP * np.sqrt(np.square(pictures[-1] - pictures[0]).mean()))


def _centred(pictures: Vector) -> Vector:
    """Mean 0 and deviation 1, but for pictures that are nearly plain."""
    centred = pictures - pictures.mean(1, keepdims=True)
    return np.asarray(centred / np.maximum(pictures.std(1, keepdims=True), _PLAIN), np.float32)


def _unexplained(
    thumbs: Thumbs,
    times: npt.NDArray[np.float64],
    middles: npt.NDArray[np.int64],
    half: float,
    before: Vector,
    after: Vector,
) -> npt.NDArray[np.float64]:
    """(middles,) the largest rest of the three mixes; infinite where the shares do not grow evenly."""
    way = after - before
    length = np.square(way).sum(1) + 1e-6
    worst = np.zeros(len(middles))
    for step, (least, most) in zip((-half / 2, 0.0, half / 2), _SHARES, strict=True):
        gone = thumbs.some(frames_at(times, times[middles] + step)) - before if len(middles) else way
        share = (gone * way).sum(1) / length
        left = np.sqrt(np.square(gone - share[:, None] * way).sum(1) / length)
        worst = np.maximum(worst, np.where((share >= least) & (share <= most), left, np.inf))
    return worst


def _runs(good: Sequence[tuple[int, float]], times: npt.NDArray[np.float64]) -> list[list[tuple[int, float]]]:
    """Neighbouring places together, where they last long enough."""
    runs: list[list[tuple[int, float]]] = []
    for one in good:
        if runs and one[0] - runs[-1][-1][0] <= 2:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [run for run in runs if times[run[-1][0]] - times[run[0][0]] >= _AGREE_S - 1e-6]
