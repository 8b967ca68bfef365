"""How far a judge repeats itself: the same answers judged several times under one condition.

Of a question with n readable verdicts of which y say yes, two drawn at random differ with the probability
2 y (n - y) / (n (n - 1)); its mean over questions is the flip rate, 1 less it the consistency (the observed
agreement of Fleiss 1971 for two words). Both are without bias for any n from 2 on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.scores.means_with_intervals import Estimate, estimate, per_video
from annotation.scores.scored_item import Item

LEAST = 2
"""Readable verdicts on a question that say anything of this."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """Of the questions that were judged at least twice readably."""

    n: int
    """Questions."""
    most: int
    """Verdicts on the question that has most."""
    flip_rate: Estimate
    """Chance that two verdicts on one question differ; mean over questions, interval over videos."""
    consistency: Estimate
    """1 less the flip rate."""
    inconsistent: int
    """Questions on which both words were given."""
    ties: int
    """Those of them with as many yes as no: the majority says nothing there."""


def flip_rate(item: Item) -> float | None:
    """Of one question; None where it has fewer than two readable repeats."""
    n, yes = len(item.repeats), sum(accuracy for accuracy, _ in item.repeats)
    return 2 * yes * (n - yes) / (n * (n - 1)) if n >= LEAST else None


def consistency(items: Sequence[Item]) -> Consistency | None:
    """None where nothing was judged twice."""
    rates = [(item, rate) for item in items if (rate := flip_rate(item)) is not None]
    if not rates:
        return None
    place = {video: number for number, video in enumerate(sorted({item.video for item, _ in rates}))}
    sums = per_video([place[item.video] for item, _ in rates], [rate for _, rate in rates], len(place))
    flips = estimate([sums], "micro")
    inconsistent = [item for item, rate in rates if rate > 0]
    return Consistency(
        len(rates),
        max(len(item.repeats) for item, _ in rates),
        flips,
        Estimate(_less(flips.value), _less(flips.high), _less(flips.low)),
        len(inconsistent),
        sum(2 * sum(yes for yes, _ in item.repeats) == len(item.repeats) for item in inconsistent),
    )


def _less(value: float | None) -> float | None:
    return None if value is None else 1 - value
