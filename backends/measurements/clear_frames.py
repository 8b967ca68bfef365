"""Find clear frames of a scene, for pages that show one picture of a moment."""

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
"""Number of parts of a scene that was sampled completely."""
_SMALL = (9, 8)


def clear_frames(bursts: Sequence[Sequence[Sample]]) -> dict[str, Any]:
    """Return `seen`: `[index, luma, edge, hash]` of the sharpest frame of each sampled stretch, in order.

    `luma` is the mean, 0 to 1, `edge` that of `sharpness`, and `hash` has 64 bits that are nearly equal for
    similar pictures. A scene of one burst has three stretches.
    """
    parts = list(bursts) if len(bursts) > 1 else _parts(bursts[0])
    return {"seen": [seen(max(part, key=_worth)) for part in parts]}


def _parts(burst: Sequence[Sample]) -> list[Sequence[Sample]]:
    ends = np.linspace(0, len(burst), min(_PARTS, len(burst)) + 1).round().astype(int)
    return [burst[a:b] for a, b in pairwise(ends)]


def _worth(sample: Sample) -> float:
    """Return a score that is high for sharp frames that are not dark."""
    return edge_width(sample.grey) * min(1.0, luma(sample) / 0.2)


def seen(sample: Sample) -> list[Any]:
    """Return `[index, luma, edge, hash]` of one frame."""
    return [sample.index, round(luma(sample), 3), round(edge_width(sample.grey), 3), difference_hash(sample)]


def difference_hash(sample: Sample) -> str:
    """Return 16 hexadecimal digits: which pixels of a small picture are darker than the next one."""
    small = cv2.resize(sample.grey, _SMALL, interpolation=cv2.INTER_AREA).astype(np.int16)
    bits = (small[:, 1:] > small[:, :-1]).ravel()
    return f"{int(''.join('1' if bit else '0' for bit in bits), 2):016x}"


def looked_at(reader: FrameReader, indices: Sequence[int], width: int) -> list[list[Any]]:
    """Return `seen` of single frames, in order, without those that cannot be decoded."""
    seconds = reader.table.seconds
    frames = reader.frames(sorted(set(indices)), width=width)
    return [seen(make_sample(index, float(seconds[index]), picture)) for index, picture in frames]
