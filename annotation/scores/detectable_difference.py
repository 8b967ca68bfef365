"""The smallest difference that a set of videos can show, and the number of videos that can show half of it.

For a paired comparison over videos: the difference that a two-sided test at the 5 % level detects in four of
five repetitions (Cohen 1988, chapter 2). It is computed from the spread of the videos' differences and
Student's t.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import stdev

from annotation.scores.agreement import Z

FOUND = 0.8416212335729143
"""Quantile of the normal distribution for a power of 80 %."""
LEAST_VIDEOS = 4
"""With fewer videos the spread of the differences cannot be estimated."""


@dataclass(frozen=True, slots=True)
class Power:
    """The power of one comparison."""

    smallest: float
    """The difference of two means that these videos show in four of five repetitions."""
    for_half: int
    """Number of videos needed to show half of it."""


def power(gaps: Sequence[float]) -> Power | None:
    """Return the power, given each video's difference in the unit of the score.

    None for fewer than `LEAST_VIDEOS` videos, or if all differences are equal.
    """
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
    """Return the quantile of Student's t that corresponds to the normal quantile `z`.

    A series expansion, accurate to 0.005 for 3 or more degrees of freedom (Abramowitz and Stegun 1964,
    26.7.5).
    """
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + float(sum(term / freedom**n for n, term in enumerate(terms, start=1)))
