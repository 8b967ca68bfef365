"""Consistency of a judge: the same answers judged several times under the same conditions.

For a question with n readable verdicts of which y are yes, two random verdicts differ with probability
2 y (n - y) / (n (n - 1)). The mean over questions is the flip rate; 1 minus the flip rate is the consistency
(the observed agreement of Fleiss 1971 for two categories). Both are unbiased for any n of 2 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.scores.means_with_intervals import Estimate, estimate, per_video
from annotation.scores.scored_item import Item

LEAST = 2
"""Minimum number of readable verdicts on a question."""


@dataclass(frozen=True, slots=True)
class Consistency:
    """Figures over the questions with at least two readable verdicts."""

    n: int
    """Number of questions."""
    most: int
    """Largest number of verdicts on one question."""
    flip_rate: Estimate
    """Probability that two verdicts on one question differ; mean over questions, interval over videos."""
    consistency: Estimate
    """1 minus the flip rate."""
    inconsistent: int
    """Questions with both yes and no."""
    ties: int
    """Questions among these with equally many yes and no, which have no majority."""


def flip_rate(item: Item) -> float | None:
    """Return the flip rate of one question; None if it has fewer than two readable repeats."""
    n, yes = len(item.repeats), sum(accuracy for accuracy, _ in item.repeats)
    return 2 * yes * (n - yes) / (n * (n - 1)) if n >= LEAST else None


def consistency(items: Sequence[Item]) -> Consistency | None:
    """Return the consistency of a judge; None if no answer was judged twice."""
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
