"""The judge against people: confusion, Cohen's kappa, and a mean corrected by people's verdicts."""

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
"""Of a table of agreement: the judge's word and a person's, in the order of its cells."""
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
    ac1: Estimate
    """Gwet 2008: as kappa, but steady where nearly all verdicts are the same."""
    base_rate: float | None
    """Share of yes among people's verdicts."""
    means: int
    """Means over a video's questions, which a log holds in the place of verdicts: they are left out."""


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
    """Cohen's kappa of a table by (judge, person), yes or no; None where agreement by chance is certain."""
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
    """`kappa` of tables (B, 4) as yes-yes, yes-no, no-yes, no-no; those where chance is certain left out."""
    observed, judge, human = _shares(cells)
    return _beyond(observed, judge * human + (1 - judge) * (1 - human))


def _ac1s(cells: Cells) -> Cells:
    """Gwet's AC1 of the same tables: chance goes by the mean of both shares of yes."""
    observed, judge, human = _shares(cells)
    yes = (judge + human) / 2
    return _beyond(observed, 2 * yes * (1 - yes))


def _shares(cells: Cells) -> tuple[Cells, Cells, Cells]:
    """(B,) each: equal verdicts, the judge's yes, people's yes; NaN for empty tables."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = cells / cells.sum(axis=1, keepdims=True)
    return shares[:, 0] + shares[:, 3], shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]


def _beyond(observed: Cells, chance: Cells) -> Cells:
    """Agreement beyond chance, where it is defined."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (observed - chance) / (1 - chance)
    return np.asarray(found[(chance < 1) & ~np.isnan(found)])
