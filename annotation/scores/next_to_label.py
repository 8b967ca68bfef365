"""Estimate the mean that people would give from few labels, and choose the verdicts to label next.

Verdicts are divided into strata by the judge's verdict. In each stratum people's labels correct the judge's
mean, and the strata are weighted by size. A label is most useful in a large stratum with few labels in which
people and judge disagree.
Source: stratified prediction-powered inference (Fisch and others 2024) for a finite number of verdicts,
all of which were judged (difference estimator, Cochran 1977, chapters 2 and 7); allocation after
Neyman 1934.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from typing import Literal

import numpy as np

from annotation.scores.agreement import Z
from annotation.scores.detectable_difference import FOUND
from annotation.scores.means_with_intervals import Estimate
from annotation.scores.scored_item import Item

FEWEST = 3
"""Minimum number of labels in a stratum. With fewer it is merged with a neighbour."""
Measure = Literal["accuracy", "score"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """The estimated mean of people's verdicts over all readable verdicts."""

    estimate: Estimate
    judge: float | None
    """The judge's mean over the same verdicts."""
    labelled: int
    of: int

    @property
    def smallest(self) -> float | None:
        """The difference from the judge's mean that these labels show in four of five repetitions, with a
        two-sided test at the 5 % level."""
        value, low, high = self.estimate.value, self.estimate.low, self.estimate.high
        if value is None or low is None or high is None:
            return None
        return (Z + FOUND) / Z * max(high - value, value - low)  # the scale may cut off one side

    @property
    def for_half(self) -> int | None:
        """Number of labels needed to show half of it, with the same spread. Accounts for the finite number of
        verdicts: no more are needed if all are labelled."""
        if not self.smallest or self.labelled >= self.of:
            return None
        inverse = (1 / self.labelled - 1 / self.of) / 4 + 1 / self.of
        return math.ceil(1 / inverse - 1e-9)

    @property
    def tells_apart(self) -> bool | None:
        """Whether these labels show that people's mean differs from the judge's; None without an interval."""
        low, high = self.estimate.low, self.estimate.high
        if low is None or high is None or self.judge is None:
            return None
        return not low <= self.judge <= high


def readable(items: Sequence[Item]) -> list[Item]:
    """Return the items that people can label: readable verdicts on single questions."""
    done = [i for i in items if i.state == "done" and not i.is_mean]
    return [i for i in done if i.accuracy is not None and i.score is not None]


def people_mean(items: Sequence[Item], measure: Measure = "accuracy") -> Corrected:
    """Estimate the micro mean over questions. Assumes that labels are a random sample of each stratum."""
    chosen = readable(items)
    labelled = sum(_human(i, measure) is not None for i in chosen)
    judge = sum(_judge(i, measure) for i in chosen) / len(chosen) if chosen else None
    if labelled < FEWEST:
        return Corrected(Estimate(None, None, None), judge, labelled, len(chosen))
    value, variance = 0.0, 0.0
    for members in _strata(chosen):
        share = len(members) / len(chosen)
        found = _of_stratum(members, measure)
        if found.value is None or found.high is None:
            return Corrected(Estimate(None, None, None), judge, labelled, len(chosen))
        value += share * found.value
        variance += (share * (found.high - found.value) / Z) ** 2
    half = Z * math.sqrt(variance)
    top = 1.0 if measure == "accuracy" else 5.0
    return Corrected(
        Estimate(value, max(0.0, value - half), min(top, value + half)), judge, labelled, len(chosen)
    )


def next_labels(items: Sequence[Item], count: int = 20) -> list[Item]:
    """Return the verdicts whose labels reduce the interval most, best first.

    Within a stratum the order is that of a hash of the id: random, but reproducible.
    """
    waiting: list[tuple[float, str, Item]] = []
    for members in _strata(readable(items)):
        known = [(i.accuracy, i.label_accuracy) for i in members if i.label_accuracy is not None]
        wrong = (sum(judge != human for judge, human in known) + 0.5) / (len(known) + 1)
        spread = math.sqrt(wrong * (1 - wrong))
        # Each further label of a stratum gains less, so at most `count` of them can be among the best.
        open_ones = nsmallest(count, (i for i in members if i.label_accuracy is None), key=_lot)
        for place, item in enumerate(open_ones):
            n = len(known) + place + 1
            gain = (len(members) * spread) ** 2 * (1 / n - 1 / (n + 1))
            waiting.append((-gain, _lot(item), item))
    return [item for _, _, item in sorted(waiting, key=lambda w: w[:2])[:count]]


def _strata(items: Sequence[Item]) -> list[list[Item]]:
    """Divide by verdict and three ranges of score, and merge strata with few labels with a neighbour."""
    groups: dict[tuple[bool, int], list[Item]] = defaultdict(list)
    for item in items:
        groups[(item.accuracy or 0.0) >= 0.5, min(2, int((item.score or 0.0) // 2))].append(item)
    return _joined(_joined([groups[key] for key in sorted(groups)], same_verdict=True), same_verdict=False)


def _joined(strata: Sequence[list[Item]], *, same_verdict: bool) -> list[list[Item]]:
    out: list[list[Item]] = []
    for members in strata:
        alike = out and (not same_verdict or _verdict(out[-1]) == _verdict(members))
        if alike and (_labels(out[-1]) < FEWEST or _labels(members) < FEWEST):
            out[-1] = [*out[-1], *members]
        else:
            out.append(list(members))
    return out


def _verdict(members: Sequence[Item]) -> bool:
    return (members[0].accuracy or 0.0) >= 0.5


def _labels(members: Sequence[Item]) -> int:
    return sum(i.label_accuracy is not None for i in members)


def _of_stratum(members: Sequence[Item], measure: Measure) -> Estimate:
    """Estimate people's mean over these verdicts from the labels and the judge's verdicts on the rest.

    The verdicts are a finite population, so the variance decreases with the share of labels (Cochran 1977,
    chapters 2 and 7: difference estimator with the slope of the labelled verdicts, finite population).
    """
    pairs = [(_judge(i, measure), h) for i in members if (h := _human(i, measure)) is not None]
    n, everything = len(pairs), len(members)
    if n < 2:
        return Estimate(None, None, None)
    said, true = np.array(pairs).T
    every = np.array([_judge(i, measure) for i in members])
    spread = float(np.var(said, ddof=1))
    slope = min(1.0, max(0.0, float(np.cov(true, said, ddof=1)[0, 1]) / spread)) if spread > 0 else 0.0
    value = float(true.mean()) + slope * (float(every.mean()) - float(said.mean()))
    freedom = 2 if slope and n > 2 else 1
    rest = 1 - n / everything
    variance = rest * float(np.var(true - slope * said, ddof=freedom)) / n
    if variance < 1e-12 and measure == "accuracy":
        # Labels that all agree have no spread; Jeffreys' prior keeps a small uncertainty.
        p = (float(true.sum()) + 0.5) / (n + 1)
        variance = rest * p * (1 - p) / (n + 1)
    half = Z * math.sqrt(variance)
    return Estimate(value, value - half, value + half)


def _judge(item: Item, measure: Measure) -> float:
    return (item.accuracy if measure == "accuracy" else item.score) or 0.0


def _human(item: Item, measure: Measure) -> float | None:
    return item.label_accuracy if measure == "accuracy" else item.label_score


def _lot(item: Item) -> str:
    return _drawn(item.verdict)


@lru_cache(maxsize=1 << 18)
def _drawn(verdict: str) -> str:
    return hashlib.blake2b(verdict.encode(), digest_size=8).hexdigest()
