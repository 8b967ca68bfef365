"""Detect dissolves in small grey copies of all pictures.

During a dissolve, each picture is a mix of a picture before it and a picture after it, and the share
of the second shot grows steadily. This separates dissolves from other changes: with a moving camera no
picture is such a mix, at a hard cut every picture equals one of the two, and a change of light keeps
the picture. The rule therefore fits the shares and checks the unexplained remainder.
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
"""Seconds between the middle of a dissolve and the two pictures used for the fit. Each value finds
dissolves of 1.7 to about 4 times its length; together they cover half a second to four seconds."""
_SHARES = ((0.08, 0.42), (0.33, 0.67), (0.58, 0.92))
"""Allowed shares of the second shot at a quarter, half and three quarters of the dissolve."""
_PLAIN = 6.0
"""Standard deviation (0 to 255) below which a picture is nearly uniform."""
_AT_ONCE = 4096
"""Number of frames fitted at a time; limits the memory."""
_AGREE_S = 0.1
"""Minimum length of a run of possible middles; next to a photo flash only two frames fit."""
_STEP = 0.35
"""Maximum step between two pictures of a dissolve, as a share of the whole change."""


@dataclass(slots=True)
class Thumbs:
    """Grey pictures of 32 by 18 pixels of all decoded frames, in presentation order: about 70 MB per hour."""

    frames: list[int] = field(default_factory=list)
    """Index in the PTS table."""
    rows: list[npt.NDArray[np.uint8]] = field(default_factory=list)
    _saved: int = 0
    """Number of rows that `new_state` has returned."""

    def add(self, frame: int, picture: Picture) -> None:
        """Add `picture` (height, width, 3), BGR, of frame `frame`; frames must ascend."""
        small = cv2.resize(picture, _SIZE, interpolation=cv2.INTER_AREA)
        self.frames.append(frame)
        self.rows.append(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).reshape(-1))

    def new_state(self) -> npt.NDArray[np.uint8]:
        """Return the rows added since the last call, (frames, pixels)."""
        new = self.rows[self._saved :]
        self._saved = len(self.rows)
        return np.array(new, np.uint8).reshape(len(new), _SIZE[0] * _SIZE[1])

    def resume(self, frames: Sequence[int], parts: Sequence[npt.NDArray[np.uint8]]) -> None:
        """Load the rows of another instance; `frames` are the frames of all rows."""
        self.frames += frames
        self.rows += [row for part in parts for row in part]
        self._saved = len(self.rows)

    def some(self, places: npt.NDArray[np.int64]) -> Vector:
        """Return grey values, 0 to 255: (places, pixels)."""
        return np.array([self.rows[place] for place in places], np.float32)


def unlike(thumbs: Thumbs, *, difference: float, likeness: float) -> npt.NDArray[np.int64]:
    """Return places that differ from the next picture by `difference` and correlate less than `likeness`."""
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
    """Position of the middle among the decoded frames."""
    half_s: float
    rest: float
    """Unexplained remainder of the mix, as a share of the difference between the two shots."""


def dissolves(
    thumbs: Thumbs,
    seconds: npt.NDArray[np.float64],
    *,
    difference: float = 12.0,
    likeness: float = 0.5,
    rest: float = 0.33,
) -> list[Passage]:
    """Return the dissolves in order; `seconds` are the times of the table's frames.

    The two shots must differ by `difference` (root mean square, 0 to 255), correlate by less than
    `likeness` and each have a deviation of at least `_PLAIN`; `rest` is the maximum unexplained share.
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
    """Return the first pictures at or after `moments`; the last picture for later moments."""
    return np.minimum(np.searchsorted(times, moments - 1e-6), len(times) - 1)


def _fits(
    thumbs: Thumbs,
    times: npt.NDArray[np.float64],
    half: float,
    difference: float,
    likeness: float,
    rest: float,
) -> list[_Fit]:
    """Return the best middle of every run of frames that fit the middle of a dissolve."""
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
    """Return whether the change has no jump, such as a cut or a photo flash."""
    start, end = frames_at(times, times[place] + np.array([-half, half]))
    pictures = thumbs.some(np.arange(start, end + 1))
    steps = np.sqrt(np.square(np.diff(pictures, axis=0)).mean(1))
    return bool(steps.max() < _STEP * np.sqrt(np.square(pictures[-1] - pictures[0]).mean()))


def _centred(pictures: Vector) -> Vector:
    """Scale pictures to mean 0 and deviation 1; nearly uniform pictures keep a smaller deviation."""
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
    """Return the largest remainder of the three mixes, (middles,); infinite if the shares do not fit."""
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
    """Group neighbouring places; drop groups that are too short."""
    runs: list[list[tuple[int, float]]] = []
    for one in good:
        if runs and one[0] - runs[-1][-1][0] <= 2:
            runs[-1].append(one)
        else:
            runs.append([one])
    return [run for run in runs if times[run[-1][0]] - times[run[0][0]] >= _AGREE_S - 1e-6]
