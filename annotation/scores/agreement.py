"""The judge against people: confusion, Cohen's kappa, and a mean corrected by people's verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.scores.means_with_intervals import Estimate, drawn_videos, with_interval
from annotation.scores.scored_item import Item

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
    return with_interval(value, _kappas(drawn_videos(len(videos)) @ cells))


def _kappas(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """`kappa` of tables (B, 4) as yes-yes, yes-no, no-yes, no-no; those where chance is certain left out."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = cells / cells.sum(axis=1, keepdims=True)
        observed = shares[:, 0] + shares[:, 3]
        judge, human = shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]
        chance = judge * human + (1 - judge) * (1 - human)
        found = (observed - chance) / (1 - chance)
    return np.asarray(found[(chance < 1) & ~np.isnan(found)])
