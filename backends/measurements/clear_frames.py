"""Frames of a scene that show something: for pages that need one picture of a moment."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import cv2
import numpy as np

from backends.measurements.brightness_and_colour import edge_width, luma
from backends.measurements.sampling import Sample, make_sample
from backends.protocols import FrameReader

_PARTS = 3
"""Of a scene that was looked at whole."""
_SMALL = (9, 8)


def clear_frames(bursts: Sequence[Sequence[Sample]]) -> dict[str, Any]:
    """`seen`: `[index, luma, edge, hash]` of the sharpest frame of each stretch that was looked at, in order.

    `luma` is the mean, 0 to 1, `edge` that of `sharpness`, and `hash` 64 bits that are nearly the same for
    pictures that look the same. A scene of one burst is three stretches.
    """
    parts = list(bursts) if len(bursts) > 1 else _parts(bursts[0])
    return {"seen": [seen(max(part, key=_worth)) for part in parts]}


def _parts(burst: Sequence[Sample]) -> list[Sequence[Sample]]:
    ends = np.linspace(0, len(burst), min(_PARTS, len(burst)) + 1).round().astype(int)
    return [burst[a:b] for a, b in pairwise(ends)]


def _worth(sample: Sample) -> float:
    """Sharp and not dark."""
    return edge_width(sample.grey) * min(1.0, luma(sample) / 0.2)


def seen(sample: Sample) -> list[Any]:
    """`[index, luma, edge, hash]` of one frame."""
    return [sample.index, round(luma(sample), 3), round(edge_width(sample.grey), 3), difference_hash(sample)]


def difference_hash(sample: Sample) -> str:
    """16 hexadecimal digits: where the small picture grows brighter from left to right."""
    small = cv2.resize(sample.grey, _SMALL, interpolation=cv2.INTER_AREA).astype(np.int16)
    bits = (small[:, 1:] > small[:, :-1]).ravel()
    return f"{int(''.join('1' if bit else '0' for bit in bits), 2):016x}"


def looked_at(reader: FrameReader, indices: Sequence[int], width: int) -> list[list[Any]]:
    """`seen` of single frames, in order; those that cannot be decoded are left out."""
    seconds = reader.table.seconds
    frames = reader.frames(sorted(set(indices)), width=width)
    return [seen(make_sample(index, float(seconds[index]), picture)) for index, picture in frames]
