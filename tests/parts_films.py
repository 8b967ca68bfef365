"""Films that browsers play, of different kinds; every frame shows its number."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from tests.backends.clips import numbered, write_clip

FRAMES = 90
WIDTH, HEIGHT = 320, 192
NTSC = Fraction(1001, 30000)
UNEVEN = [0, *accumulate([20] * 30 + [50] * 30 + [20] * (FRAMES - 61))]
"""Thirty a second, then twelve, then thirty, in units of 1/600 s."""


def _film(path: Path, *, count: int = FRAMES, turn: int = 0, **options: Any) -> Path:
    pictures = (numbered(index, WIDTH, HEIGHT) for index in range(count))
    if turn:
        # What is stored is turned, so that it stands upright when the player has turned it back.
        pictures = (np.ascontiguousarray(np.rot90(picture, -turn // 90)) for picture in pictures)
        options["prepare"] = lambda stream: stream.set_display_rotation(turn)
    return write_clip(path, pictures, keyint=24, **options)


FILMS: dict[str, Callable[[Path], Path]] = {
    "25.mp4": partial(_film, bframes=0),
    "29.97.mp4": partial(_film, time_base=NTSC),
    "12.mp4": partial(_film, time_base=Fraction(1, 12)),
    "uneven.mp4": partial(_film, pts=UNEVEN, time_base=Fraction(1, 600), bframes=0),
    "b-frames.mp4": partial(_film, bframes=4, time_base=Fraction(1, 24)),
    "vp8.webm": partial(_film, codec="libvpx", time_base=NTSC),
    "vp9.webm": partial(_film, codec="libvpx-vp9", time_base=Fraction(1, 30)),
    "av1.mp4": partial(_film, codec="libsvtav1", time_base=Fraction(1, 25)),
    "late.webm": partial(_film, codec="libvpx", pts=[n + 13 for n in range(FRAMES)]),
    "late.mp4": partial(_film, pts=[n + 13 for n in range(FRAMES)]),
    "one.mp4": partial(_film, count=1),
    "turned.mp4": partial(_film, turn=90),
}


def make_film(name: str, folder: Path) -> Path:
    """The film of this name, in the folder."""
    return FILMS[name](folder / name)
