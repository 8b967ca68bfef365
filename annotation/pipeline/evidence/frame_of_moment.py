"""Chooses a clear frame for a moment. Pure, except for `Look`.

A frame is clear if it is not black, not blurred and not part of a fade in. A measured scene has
`clear_frames`, one every few seconds. For moments without one, frames are decoded through `Look`.
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
"""Number of frames of a moment that are decoded if none was measured."""
ALIKE = 8
"""Maximum number of different bits, of 64, of two frames that look the same."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Measured values of a frame."""

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
"""Measures frames, given by index; frames that cannot be decoded are left out."""


def seen_of(row: Sequence[Any]) -> Seen:
    """Convert a row of a `clear_frames` measurement."""
    return Seen(int(row[0]), float(row[1]), float(row[2]), int(row[3], 16))


def opening_frame(measured: Mapping[str, Any]) -> int:
    """Return the frame at which a page opens a video: 0, or the first clear frame after a fade in.

    `measured`: the measurements of the first scene.
    """
    if not measured.get("brightness", {}).get("fade_in"):
        return 0
    kept = [seen_of(row) for row in measured.get("clear_frames", {}).get("seen", ())]
    return next((seen.frame for seen in kept if _is_clear(seen, kept)), 0)


class FrameChoice:
    """Chooses frames for moments of one video."""

    def __init__(self, known: Known, look: Look) -> None:
        self.known, self._look = known, look
        self._decoded: dict[int, Seen] = {}

    def of(self, moment: Moment, at_s: float | None) -> Seen | None:
        """Return a clear frame of the moment, near `at_s` if given; None if all frames are black."""
        kept = [seen for seen in self._measured(moment) if moment.start <= seen.frame < moment.end]
        wanted = (moment.start + moment.end) // 2 if at_s is None else self._frame_at(moment, at_s)
        tried = kept if any(_is_clear(seen, kept) for seen in kept) else self._tried(moment, wanted)
        return _nearest(tried, wanted)

    def brightest(self, moment: Moment) -> Seen | None:
        """Return the brightest frame, for dark videos; None if none can be decoded."""
        tried = self._measured(moment) or self._tried(moment, (moment.start + moment.end) // 2)
        return max(tried, key=lambda seen: seen.luma, default=None)

    def _measured(self, moment: Moment) -> list[Seen]:
        found: Mapping[str, Any] = self.known.measured.get(moment.scene, {}).get("clear_frames", {})
        return [seen_of(row) for row in found.get("seen", ())]

    @staticmethod
    def _frame_at(moment: Moment, at_s: float) -> int:
        share = (at_s - moment.start_s) / max(1e-6, moment.end_s - moment.start_s)
        # A word may end after the cut, but the frame must be inside the moment.
        return min(
            moment.end - 1, max(moment.start, moment.start + round(share * (moment.end - moment.start)))
        )

    def _tried(self, moment: Moment, wanted: int) -> list[Seen]:
        """Return the wanted frame and some others of the moment, except at its edges."""
        length = moment.end - moment.start
        others = [moment.start + int((n + 0.5) * length / TRIES) for n in range(TRIES)]
        missing = [frame for frame in {wanted, *others} if frame not in self._decoded]
        self._decoded |= {seen.frame: seen for seen in self._look(missing)}
        return [self._decoded[frame] for frame in sorted({wanted, *others}) if frame in self._decoded]


def _is_clear(seen: Seen, others: Sequence[Seen]) -> bool:
    brightest = max(one.luma for one in others)
    return not seen.black and seen.edge >= BLURRED and seen.luma >= FADED * brightest


def _nearest(tried: Sequence[Seen], wanted: int) -> Seen | None:
    """Return the clear frame nearest to the wanted one, else the brightest that is not black."""
    clear = [seen for seen in tried if _is_clear(seen, tried)]
    if clear:
        return min(clear, key=lambda seen: abs(seen.frame - wanted))
    lit = [seen for seen in tried if not seen.black]
    return max(lit, key=lambda seen: (seen.luma, -abs(seen.frame - wanted)), default=None)
