"""Agreement of the judge with people: confusion matrix, Cohen's kappa and Gwet's AC1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.scores.means_with_intervals import NOTHING, Estimate, drawn_videos, with_interval
from annotation.scores.scored_item import Item

Cells = NDArray[np.float64]
PLACES = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
"""The cells of a confusion matrix as (judge, person), in order."""
Z = 1.959963984540054
"""Quantile of the normal distribution for 95 %."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Figures over the verdicts with both a judge's and a person's label."""

    n: int
    confusion: dict[tuple[str, str], int]
    """Number of verdicts by (judge, person); `yes` and `no`."""
    observed: float | None
    """Share of equal verdicts."""
    kappa: Estimate
    """Cohen 1960. None if agreement by chance is certain. The interval is a bootstrap over videos."""
    ac1: Estimate
    """Gwet 2008: similar to kappa, but stable if nearly all verdicts are equal."""
    base_rate: float | None
    """Share of yes among people's verdicts."""
    means: int
    """Number of items that are means from logs instead of verdicts. They are left out."""


def agreement(items: Sequence[Item]) -> Agreement:
    both = [i for i in items if i.state == "done" and i.accuracy is not None and i.label_accuracy is not None]
    pairs = [(_word(i.accuracy), _word(i.label_accuracy)) for i in both]
    confusion = dict.fromkeys(PLACES, 0) | dict(Counter(pairs))
    observed = sum(a == b for a, b in pairs) / len(pairs) if pairs else None
    yes = sum(human == "yes" for _, human in pairs)
    return Agreement(
        len(pairs),
        confusion,
        observed,
        _with_interval(both, pairs, _kappas),
        _with_interval(both, pairs, _ac1s),
        yes / len(pairs) if pairs else None,
        sum(i.is_mean for i in items),
    )


def kappa(confusion: Mapping[tuple[str, str], int]) -> float | None:
    """Return Cohen's kappa of a confusion matrix by (judge, person); None if chance agreement is certain."""
    found = _kappas(np.array([[confusion[place] for place in PLACES]], np.float64))
    return float(found[0]) if len(found) else None


def _word(value: float | None) -> str:
    return "yes" if value is not None and value >= 0.5 else "no"


def _with_interval(
    items: Sequence[Item], pairs: Sequence[tuple[str, str]], rule: Callable[[Cells], Cells]
) -> Estimate:
    videos = sorted({item.video for item in items})
    place = {video: number for number, video in enumerate(videos)}
    cells = np.zeros((len(videos), 4))  # yes-yes, yes-no, no-yes, no-no of each video
    for item, (judge, human) in zip(items, pairs, strict=True):
        cells[place[item.video], 2 * (judge == "no") + (human == "no")] += 1
    whole = rule(cells.sum(axis=0, keepdims=True))
    if not len(whole):
        return NOTHING
    value = float(whole[0])
    if len(videos) < 2:
        return Estimate(value, None, None)
    return with_interval(value, rule(drawn_videos(len(videos)) @ cells))


def _kappas(cells: Cells) -> Cells:
    """Return `kappa` of confusion matrices (B, 4) in the order of `PLACES`, without undefined ones."""
    observed, judge, human = _shares(cells)
    return _beyond(observed, judge * human + (1 - judge) * (1 - human))


def _ac1s(cells: Cells) -> Cells:
    """Return Gwet's AC1 of the same matrices. Chance agreement uses the mean of both shares of yes."""
    observed, judge, human = _shares(cells)
    yes = (judge + human) / 2
    return _beyond(observed, 2 * yes * (1 - yes))


def _shares(cells: Cells) -> tuple[Cells, Cells, Cells]:
    """Return three arrays (B,): the share of equal verdicts, of yes by the judge, and of yes by people.

    Values of empty matrices are NaN.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = cells / cells.sum(axis=1, keepdims=True)
    return shares[:, 0] + shares[:, 3], shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]


def _beyond(observed: Cells, chance: Cells) -> Cells:
    """Return the agreement beyond chance, without undefined values."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (observed - chance) / (1 - chance)
    return np.asarray(found[(chance < 1) & ~np.isnan(found)])
