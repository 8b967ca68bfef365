"""Remove photo flashes: the picture jumps and returns within a quarter of a second, which is not a cut."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from backends.scenes.dissolves import Thumbs, frames_at

FLASH_S = 0.24
"""Maximum length of a photo flash."""


def without_flashes(
    cuts: Collection[int], thumbs: Thumbs, seconds: npt.NDArray[np.float64], *, same: float = 0.4
) -> list[int]:
    """Drop cuts at the beginning or end of a photo flash.

    In a flash, the earlier picture returns within a quarter of a second: it differs from the picture before
    by less than `same` of the jump.
    """
    place_of = {frame: place for place, frame in enumerate(thumbs.frames)}
    times = seconds[thumbs.frames]
    return [
        cut for cut in sorted(cuts) if cut not in place_of or not _flash(place_of[cut], thumbs, times, same)
    ]


def _flash(place: int, thumbs: Thumbs, times: npt.NDArray[np.float64], same: float) -> bool:
    earlier, later = frames_at(times, times[place] + np.array([-FLASH_S, FLASH_S]))
    if place == 0:
        return False
    first, before, there, last = thumbs.some(np.array([earlier, place - 1, place, later]))
    limit = same * np.abs(there - before).mean()
    begins = later > place and np.abs(last - before).mean() < limit
    ends = earlier < place - 1 and np.abs(there - first).mean() < limit
    return bool(begins or ends)
