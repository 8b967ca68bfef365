"""Which difference a set of videos could show at all, and how many videos would show half of it.

Of a paired comparison over videos: what a two-sided test at the 5 % level finds in four of five repetitions
(Cohen 1988, chapter 2). It goes by how much the videos' differences scatter here, and by Student's t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import stdev

from annotation.scores.agreement import Z

FOUND = 0.8416212335729143
"""Of the normal distribution, for four of five."""
LEAST_VIDEOS = 4
"""Fewer say too little of how their differences scatter."""


@dataclass(frozen=True, slots=True)
class Power:
    """Of one comparison."""

    smallest: float
    """The difference of two means that these videos would show in four of five repetitions."""
    for_half: int
    """Videos that would show half of it."""


def power(gaps: Sequence[float]) -> Power | None:
    """From each video's difference, in the unit of the score. None for few videos, or where no two differ."""
    spread = stdev(gaps) if len(gaps) >= LEAST_VIDEOS else 0.0
    if spread < 1e-9:
        return None
    smallest = _smallest(spread, len(gaps))
    videos = len(gaps)
    while _smallest(spread, videos) > smallest / 2:
        videos += 1
    return Power(smallest, videos)


def _smallest(spread: float, videos: int) -> float:
    return float((_student(Z, videos - 1) + _student(FOUND, videos - 1)) * spread / videos**0.5)


def _student(z: float, freedom: int) -> float:
    """The quantile of Student's t where the normal distribution has `z`.

    An expansion, right to 0.005 from 3 degrees of freedom on (Abramowitz and Stegun 1964, 26.7.5).
    """
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + float(sum(term / freedom**n for n, term in enumerate(terms, start=1)))
