"""The judge against people: confusion, Cohen's kappa, and a mean corrected by people's verdicts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.scores.items import Item
from annotation.scores.means import DRAWS, LEVEL, SEED, Estimate

Z = 1.959963984540054
"""Of the normal distribution, for 95 %."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Of the verdicts that both the judge and a person gave."""

    n: int
    confusion: dict[tuple[str, str], int]
    """(judge, person) to a number; `yes` and `no`."""
    observed: float | None
    """Share of equal verdicts."""
    kappa: Estimate
    """Cohen 1960. None where chance alone would agree always; interval by bootstrap over videos."""


def agreement(items: Sequence[Item]) -> Agreement:
    both = [i for i in items if i.state == "done" and i.accuracy is not None and i.human_accuracy is not None]
    pairs = [(_word(i.accuracy), _word(i.human_accuracy)) for i in both]
    confusion = {(a, b): 0 for a in ("yes", "no") for b in ("yes", "no")} | dict(Counter(pairs))
    observed = sum(a == b for a, b in pairs) / len(pairs) if pairs else None
    return Agreement(len(pairs), confusion, observed, _kappa_with_interval(both, pairs))


def kappa(confusion: dict[tuple[str, str], int]) -> float | None:
    """Cohen's kappa of a two by two table; None where agreement by chance is certain."""
    n = sum(confusion.values())
    if not n:
        return None
    observed = (confusion["yes", "yes"] + confusion["no", "no"]) / n
    judge_yes = (confusion["yes", "yes"] + confusion["yes", "no"]) / n
    human_yes = (confusion["yes", "yes"] + confusion["no", "yes"]) / n
    chance = judge_yes * human_yes + (1 - judge_yes) * (1 - human_yes)
    return None if chance >= 1 else (observed - chance) / (1 - chance)


def _word(value: float | None) -> str:
    return "yes" if value is not None and value >= 0.5 else "no"


def _kappa_with_interval(items: Sequence[Item], pairs: Sequence[tuple[str, str]]) -> Estimate:
    value = kappa({(a, b): pairs.count((a, b)) for a in ("yes", "no") for b in ("yes", "no")})
    videos = sorted({item.video for item in items})
    if value is None or len(videos) < 2:
        return Estimate(value, None, None)
    place = {video: number for number, video in enumerate(videos)}
    cells = np.zeros((len(videos), 4))  # yes-yes, yes-no, no-yes, no-no of each video
    for item, (judge, human) in zip(items, pairs, strict=True):
        cells[place[item.video], 2 * (judge == "no") + (human == "no")] += 1
    drawn = np.random.default_rng(SEED).multinomial(len(videos), np.full(len(videos), 1 / len(videos)), DRAWS)
    known = _kappas(drawn @ cells)
    if not len(known):
        return Estimate(value, None, None)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return Estimate(value, float(low), float(high))


def _kappas(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """`kappa` of tables (B, 4) as yes-yes, yes-no, no-yes, no-no; those where chance is certain left out."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = cells / cells.sum(axis=1, keepdims=True)
        observed = shares[:, 0] + shares[:, 3]
        judge, human = shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]
        chance = judge * human + (1 - judge) * (1 - human)
        found = (observed - chance) / (1 - chance)
    return np.asarray(found[(chance < 1) & ~np.isnan(found)])


def corrected_mean(judge: Sequence[float], labelled: Sequence[tuple[float, float]]) -> Estimate:
    """The people's mean over all questions, from the judge on all and people on some.

    `judge` are the judge's values where nobody looked; `labelled` pairs (judge, person) where somebody
    did, drawn at random. The judge's mean is moved by its mean error, weighted so that the interval
    is the shortest. Source: prediction-powered inference with power tuning (Angelopoulos, Duchi and
    Zrnic 2023, PPI++, section 3, for a mean). Nothing where fewer than two were labelled.
    """
    n, more = len(labelled), len(judge)
    if n < 2:
        return Estimate(None, None, None)
    said = np.array([j for j, _ in labelled])
    true = np.array([p for _, p in labelled])
    everywhere = np.concatenate([said, np.asarray(judge, dtype=float)])
    spread = float(np.var(everywhere, ddof=1))
    weight = 0.0
    if more and spread > 0:
        weight = float(np.cov(true, said, ddof=1)[0, 1]) / ((1 + n / more) * spread)
        weight = min(1.0, max(0.0, weight))
    value = float(true.mean())
    variance = float(np.var(true - weight * said, ddof=1)) / n
    if more:
        value += weight * (float(np.mean(judge)) - float(said.mean()))
        variance += weight**2 * (float(np.var(judge, ddof=1)) if more > 1 else 0.0) / more
    half = Z * math.sqrt(variance)
    return Estimate(value, value - half, value + half)
