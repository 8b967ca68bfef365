"""Select frames of a scene and make small pictures of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from backends.protocols import FrameReader, Picture

STEP_S = 0.12
"""Time between the two frames of a pair: about eight pairs per second."""
WIDTH = 320
"""Width of the pictures that motion is measured on, pixels."""
_WHOLE = 84
"""Scenes of at most this many pairs (10 s) are sampled completely."""
_EDGE = 14
_MIDDLE = 7
_BURSTS = 8

Floats = npt.NDArray[np.float64]
Grey = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Sample:
    """One sampled frame."""

    index: int
    time_s: float
    rgb: Picture
    """(height, `WIDTH`, 3)."""
    grey: Grey
    """(height, `WIDTH`) luma."""


def plan(seconds: Floats, start: int, end: int) -> list[list[int]]:
    """Return bursts of frame indices in [start, end).

    `seconds` are the presentation times of all frames, ascending. A short scene
    gives one burst. A long scene gives a burst at each end (for fades) and several
    in between, so that the cost does not grow with the length.
    """
    whole = _chain(seconds, start, end, _WHOLE + 1)
    if not whole or _next(seconds, whole[-1]) >= end:
        return [whole] if whole else []
    tail_start = int(np.searchsorted(seconds, seconds[end - 1] - _EDGE * STEP_S))
    firsts = np.linspace(seconds[start] + _EDGE * STEP_S, seconds[tail_start], _BURSTS + 2)[1:-1]
    middle = [int(np.searchsorted(seconds, first)) for first in firsts]
    bursts = [_chain(seconds, start, end, _EDGE + 1)]
    bursts += [_chain(seconds, first, end, _MIDDLE + 1) for first in middle]
    bursts.append(_chain(seconds, tail_start, end, _EDGE + 2))
    return _disjoint(bursts)


def _next(seconds: Floats, index: int) -> int:
    """Return the frame nearest to `STEP_S` after `index`, at least the next one."""
    target = seconds[index] + STEP_S
    after = int(np.searchsorted(seconds, target))
    if after < len(seconds) and after - 1 > index and target - seconds[after - 1] < seconds[after] - target:
        after -= 1
    return max(index + 1, after)


def _chain(seconds: Floats, start: int, end: int, most: int) -> list[int]:
    chain: list[int] = []
    index = start
    while index < end and len(chain) < most:
        chain.append(index)
        index = _next(seconds, index)
    return chain


def _disjoint(bursts: list[list[int]]) -> list[list[int]]:
    """Drop frames that an earlier burst has reached, so that indices ascend."""
    out: list[list[int]] = []
    last = -1
    for burst in bursts:
        kept = [index for index in burst if index > last]
        if kept:
            out.append(kept)
            last = kept[-1]
    return out


def collect(reader: FrameReader, bursts: Sequence[Sequence[int]]) -> list[list[Sample]]:
    """Decode the planned frames in one ascending pass; frames that cannot be decoded are dropped."""
    seconds = reader.table.seconds
    owner = {index: number for number, burst in enumerate(bursts) for index in burst}
    out: list[list[Sample]] = [[] for _ in bursts]
    for index, picture in reader.frames(sorted(owner), width=WIDTH):
        out[owner[index]].append(make_sample(index, float(seconds[index]), picture))
    return [burst for burst in out if burst]


def make_sample(index: int, time_s: float, picture: Picture) -> Sample:
    """Return the sample of one displayed picture, (height, width, 3) RGB."""
    height = max(8, round(picture.shape[0] * WIDTH / picture.shape[1]))
    shrinks = picture.shape[1] > WIDTH
    rgb = cv2.resize(picture, (WIDTH, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    return Sample(index, time_s, rgb, cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY))
