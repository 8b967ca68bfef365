"""Compare two evaluations on the same questions: paired difference, interval, test, wins and flips.

The test is a sign-flip permutation test over videos: under the null hypothesis the sign of each
video's difference is random (Fisher's randomisation test). It assumes no distribution.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation.scores.detectable_difference import Power, power
from annotation.scores.means_with_intervals import DRAWS, SEED, with_interval
from annotation.scores.scored_item import Item
from annotation.scores.scoring_policies import POLICIES

Metric = Literal["accuracy", "score"]
METRICS: tuple[Metric, ...] = ("accuracy", "score")
FLIPS = 10_000
"""Number of random sign vectors of the permutation test."""


@dataclass(frozen=True, slots=True)
class Flip:
    """A question on which the two verdicts differ."""

    question: str
    verdict: str
    """Id of the verdict in B."""
    video: str
    aspect: str
    before: float
    after: float
    """Accuracy, 0 or 1."""
    score_before: float
    score_after: float


@dataclass(frozen=True, slots=True)
class Difference:
    """B minus A over the questions that are counted in both."""

    aspect: str
    """Empty for all aspects together."""
    metric: Metric
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    videos: int
    n: int
    """Questions counted in both."""
    only_a: int
    only_b: int
    """Questions counted in only one evaluation. They are left out of both means."""
    wins: int
    """Videos in which B is better."""
    ties: int
    losses: int
    power: Power | None
    """The smallest difference that these videos can show."""


def compare(
    a: Sequence[Item], b: Sequence[Item], policy: str = "parsed"
) -> tuple[list[Difference], list[Flip]]:
    """Return the differences per aspect and in total (macro over videos), and the flips, largest first."""
    first, second = _counted(a, policy), _counted(b, policy)
    both = sorted(first.keys() & second.keys())
    aspects = sorted({found.item.aspect for found in [*first.values(), *second.values()]})
    found = []
    for aspect in [*aspects, ""] if len(aspects) > 1 else aspects:
        keys = [key for key in both if not aspect or first[key].item.aspect == aspect]
        alone = [_alone(x, y, aspect) for x, y in ((first, second), (second, first))]
        for metric in METRICS:
            pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
            for key in keys:
                pairs[first[key].item.video].append((first[key].value(metric), second[key].value(metric)))
            if pairs:
                found.append(_difference(aspect, metric, pairs, alone[0], alone[1]))
    return found, _flips([(first[key], second[key]) for key in both])


@dataclass(frozen=True, slots=True)
class _Value:
    item: Item
    accuracy: float
    score: float

    def value(self, metric: Metric) -> float:
        return self.accuracy if metric == "accuracy" else self.score


_Counted = dict[str, _Value]


def _counted(items: Sequence[Item], policy: str) -> _Counted:
    counted = POLICIES[policy].rule(items)
    return {
        item.question: _Value(item, accuracy, score)
        for item, accuracy, score in zip(items, counted.accuracy, counted.score, strict=True)
        if accuracy is not None and score is not None and item.question
    }


def _alone(these: _Counted, others: _Counted, aspect: str) -> int:
    return sum(key not in others for key, found in these.items() if not aspect or found.item.aspect == aspect)


def _difference(
    aspect: str, metric: Metric, pairs: dict[str, list[tuple[float, float]]], only_a: int, only_b: int
) -> Difference:
    means = np.array([np.mean(values, axis=0) for values in pairs.values()])
    gaps = means[:, 1] - means[:, 0]
    low, high = _interval(gaps)
    return Difference(
        aspect,
        metric,
        float(means[:, 0].mean()),
        float(means[:, 1].mean()),
        float(gaps.mean()),
        low,
        high,
        _p_value(gaps),
        len(gaps),
        sum(len(v) for v in pairs.values()),
        only_a,
        only_b,
        int((gaps > 1e-12).sum()),
        int((abs(gaps) <= 1e-12).sum()),
        int((gaps < -1e-12).sum()),
        power(gaps.tolist()),
    )


def _interval(gaps: np.ndarray) -> tuple[float | None, float | None]:
    if len(gaps) < 2:
        return None, None
    drawn = np.random.default_rng(SEED).integers(0, len(gaps), (DRAWS, len(gaps)))
    found = with_interval(float(gaps.mean()), gaps[drawn].mean(axis=1))
    return found.low, found.high


def _p_value(gaps: np.ndarray) -> float | None:
    if len(gaps) < 2:
        return None
    signs = np.random.default_rng(SEED).choice([-1.0, 1.0], (FLIPS, len(gaps)))
    extreme = abs(signs @ gaps) >= abs(gaps.sum()) - 1e-12
    return float((extreme.sum() + 1) / (FLIPS + 1))


def _flips(pairs: Sequence[tuple[_Value, _Value]]) -> list[Flip]:
    flips = [
        Flip(
            a.item.question,
            b.item.verdict,
            a.item.video,
            a.item.aspect,
            a.accuracy,
            b.accuracy,
            a.score,
            b.score,
        )
        for a, b in pairs
        if a.accuracy != b.accuracy
    ]
    return sorted(flips, key=lambda f: (-abs(f.score_after - f.score_before), f.aspect, f.video, f.question))
