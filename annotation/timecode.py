"""Time as `(pts, time_base)`. Seconds, clocks and frame numbers are views of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, order=False)
class Timecode:
    """One instant of one stream."""

    pts: int
    """Presentation time stamp, in units of `time_base`."""
    time_base: Fraction
    """Seconds per unit."""

    @property
    def seconds(self) -> float:
        return float(self.pts * self.time_base)


def clock(seconds: float) -> str:
    """`00:41.720`, or `1:02:41.720` from an hour on."""
    total_ms = round(max(0.0, seconds) * 1000)
    minutes, ms = divmod(total_ms, 60_000)
    hours, minutes = divmod(minutes, 60)
    text = f"{minutes:02d}:{ms // 1000:02d}.{ms % 1000:03d}"
    return f"{hours}:{text}" if hours else text


def frame_at(seconds: Sequence[float], t: float) -> int:
    """Index of the frame on screen at time `t`.

    `seconds` are the frames' presentation times, ascending. Times before the
    first frame give 0.
    """
    return max(0, bisect_right(seconds, t + 1e-9) - 1)


def seek_target(seconds: Sequence[float], index: int) -> float:
    """The middle of a frame's presentation interval, where every browser shows that frame.

    The last frame is given the length of the one before it (40 ms if it is the only one).
    """
    start = seconds[index]
    if index + 1 < len(seconds):
        return (start + seconds[index + 1]) / 2
    length = start - seconds[index - 1] if index else 0.04
    return start + length / 2
