"""Which frame stands for a moment: one that shows something. Pure, but for `Look`.

A frame is clear when it is neither black nor blurred nor still rising out of a fade. Where the scene was
measured its `clear_frames` are there, one every few seconds; moments without one are looked at now, through
`Look`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.pipeline.evidence.moments import Known, Moment

BLACK = 0.07
"""Mean luma, 0 to 1."""
FADED = 0.5
"""A frame darker than this share of the brightest of its moment may be in a fade."""
BLURRED = 0.08
"""`edge`, as `sharpness` measures it."""
TRIES = 4
"""Frames of a moment that are looked at where none was measured."""
ALIKE = 8
"""Bits of 64 by which two frames differ that look the same."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a picture."""

    frame: int
    luma: float
    edge: float
    hash: int

    @property
    def black(self) -> bool:
        return self.luma < BLACK

    def alike(self, other: Seen) -> bool:
        return (self.hash ^ other.hash).bit_count() <= ALIKE


Look = Callable[[Sequence[int]], Sequence[Seen]]
"""Looks at frames, given by index; those that cannot be decoded are left out."""


def seen_of(row: Sequence[Any]) -> Seen:
    """From a `clear_frames` measurement."""
    return Seen(int(row[0]), float(row[1]), float(row[2]), int(row[3], 16))


def opening_frame(measured: Mapping[str, Any]) -> int:
    """Where a page opens a video of whose first scene this was measured: at once, or behind a fade in."""
    if not measured.get("brightness", {}).get("fade_in"):
        return 0
    kept = [seen_of(row) for row in measured.get("clear_frames", {}).get("seen", ())]
    return next((seen.frame for seen in kept if _is_clear(seen, kept)), 0)


class FrameChoice:
    """Picks a frame for moments of one video."""

    def __init__(self, known: Known, look: Look) -> None:
        self.known, self._look = known, look
        self._looked: dict[int, Seen] = {}

    def of(self, moment: Moment, at_s: float | None) -> Seen | None:
        """A clear frame of the moment, near `at_s` where that is given; None where all of it is black."""
        kept = [seen for seen in self._measured(moment) if moment.start <= seen.frame < moment.end]
        wanted = (moment.start + moment.end) // 2 if at_s is None else self._frame_at(moment, at_s)
        tried = kept if any(_is_clear(seen, kept) for seen in kept) else self._tried(moment, wanted)
        return _nearest(tried, wanted)

    def brightest(self, moment: Moment) -> Seen | None:
        """For a video that is dark all through, as of the night sky; None where nothing is decoded."""
        tried = self._measured(moment) or self._tried(moment, (moment.start + moment.end) // 2)
        return max(tried, key=lambda seen: seen.luma, default=None)

    def _measured(self, moment: Moment) -> list[Seen]:
        found: Mapping[str, Any] = self.known.measured.get(moment.scene, {}).get("clear_frames", {})
        return [seen_of(row) for row in found.get("seen", ())]

    @staticmethod
    def _frame_at(moment: Moment, at_s: float) -> int:
        share = (at_s - moment.start_s) / max(1e-6, moment.end_s - moment.start_s)
        # A word that ends one moment may be heard over the cut: the frame stays inside.
        return min(
            moment.end - 1, max(moment.start, moment.start + round(share * (moment.end - moment.start)))
        )

    def _tried(self, moment: Moment, wanted: int) -> list[Seen]:
        """The wanted frame and some others of the moment, its very edges left out."""
        length = moment.end - moment.start
        others = [moment.start + int((n + 0.5) * length / TRIES) for n in range(TRIES)]
        missing = [frame for frame in {wanted, *others} if frame not in self._looked]
        self._looked |= {seen.frame: seen for seen in self._look(missing)}
        return [self._looked[frame] for frame in sorted({wanted, *others}) if frame in self._looked]


def _is_clear(seen: Seen, beside: Sequence[Seen]) -> bool:
    brightest = max(one.luma for one in beside)
    return not seen.black and seen.edge >= BLURRED and seen.luma >= FADED * brightest


def _nearest(tried: Sequence[Seen], wanted: int) -> Seen | None:
    """The clear frame nearest to the wanted one; else the brightest that is not black."""
    clear = [seen for seen in tried if _is_clear(seen, tried)]
    if clear:
        return min(clear, key=lambda seen: abs(seen.frame - wanted))
    lit = [seen for seen in tried if not seen.black]
    return max(lit, key=lambda seen: (seen.luma, -abs(seen.frame - wanted)), default=None)
