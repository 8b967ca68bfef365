"""FrameCapEval: balanced accuracy of progression, sequence accuracy of matching, and the blind study.

Source: ProgressCaptioner (CVPR 2025), section 4.1 and supplement 2.1. The paper does not say what becomes
of the judge's answer C (uncertain), so it is counted in three ways, by name. Intervals: percentile
bootstrap over videos, or over the sequences of a study.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from annotation.scores.means_with_intervals import NOTHING, Estimate, drawn_videos, with_interval

UNCERTAIN: Mapping[str, str] = {
    "uncertain_is_no": "the judge's C (uncertain) counts as no progression",
    "uncertain_is_wrong": "the judge's C (uncertain) counts as a wrong answer, whatever people say",
    "uncertain_left_out": "pairs of which the judge says C (uncertain) are not counted",
}
"""What becomes of the third answer."""
MATCHED: Mapping[str, str] = {
    "read": "sequences with a reply that could not be read are not counted",
    "strict": "a frame whose reply could not be read found no caption",
}
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairItem:
    """A pair of frames that people have labelled."""

    video: str
    truth: bool
    """Whether the action moves on."""
    said: str
    """The judge's `yes`, `no` or `uncertain`; empty where no reply could be read, or none was asked for."""


@dataclass(frozen=True, slots=True)
class Balanced:
    """Balanced accuracy, the mean of the true positive and the true negative rate."""

    value: Estimate
    positive: Estimate
    """Of the pairs that move on, the share that the judge says so of."""
    negative: Estimate
    counted: int
    positives: int
    """Of the counted."""
    labelled: int


def balanced(items: Sequence[PairItem], policy: str) -> Balanced:
    """Nothing where people found no pair that moves on, or none that does not."""
    kept = [(i, _right(i, policy)) for i in items if i.said]
    counted = [(item, right) for item, right in kept if right is not None]
    # Per video: pairs that move on and were found, all of them; and the same of those that do not.
    cells = _cells(
        [item.video for item, _ in counted],
        [
            [item.truth and right, item.truth, not item.truth and right, not item.truth]
            for item, right in counted
        ],
    )
    return Balanced(
        _interval(cells, lambda c: (c[:, 0] / c[:, 1] + c[:, 2] / c[:, 3]) / 2),
        _interval(cells, lambda c: c[:, 0] / c[:, 1]),
        _interval(cells, lambda c: c[:, 2] / c[:, 3]),
        len(counted),
        sum(item.truth for item, _ in counted),
        len(items),
    )


def _right(item: PairItem, policy: str) -> bool | None:
    if item.said == "uncertain":
        return {"uncertain_is_no": not item.truth, "uncertain_is_wrong": False}.get(policy)
    return (item.said == "yes") == item.truth


@dataclass(frozen=True, slots=True)
class SequenceItem:
    """A sequence whose frames were matched with its captions."""

    video: str
    correct: tuple[bool | None, ...]
    """Per frame; None where no reply could be read."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many, and the interval of the share."""

    value: Estimate
    n: int
    """Counted."""
    of: int
    """There are."""


def sequence_accuracy(items: Sequence[SequenceItem], policy: str) -> Share:
    """Share of sequences of which every frame found its own caption."""
    counted = [i for i in items if policy == "strict" or None not in i.correct]
    right = [all(c is True for c in item.correct) for item in counted]
    return Share(share([i.video for i in counted], right), len(counted), len(items))


def frame_accuracy(items: Sequence[SequenceItem], policy: str) -> Share:
    """Share of frames that found their own caption."""
    frames = [(item.video, c) for item in items for c in item.correct]
    counted = [(video, c is True) for video, c in frames if policy == "strict" or c is not None]
    return Share(share([v for v, _ in counted], [c for _, c in counted]), len(counted), len(frames))


@dataclass(frozen=True, slots=True)
class ChoiceItem:
    """What one person chose for one frame."""

    sequence: int
    best: str | None
    second: str | None


def selection_rate(items: Sequence[ChoiceItem], run_id: str, top: Literal[1, 2]) -> Share:
    """Share of choices that name this model the best (1), or the best or second best (2)."""
    named = [run_id == i.best or (top == 2 and run_id == i.second) for i in items]
    return Share(share([i.sequence for i in items], named), sum(named), len(items))


def none_rate(items: Sequence[ChoiceItem]) -> Share:
    """Share of frames for which a person would take none of the captions."""
    none = [i.best is None for i in items]
    return Share(share([i.sequence for i in items], none), sum(none), len(items))


def share(clusters: Sequence[Hashable], values: Sequence[bool]) -> Estimate:
    """The share of true values, with an interval over what falls together."""
    return _interval(_cells(clusters, [[value, True] for value in values]), lambda c: c[:, 0] / c[:, 1])


def agreement(pairs: Sequence[tuple[str, str]]) -> tuple[float | None, float | None]:
    """Observed agreement of two people, and Cohen's kappa; None where nothing or chance decides."""
    if not pairs:
        return None, None
    n = len(pairs)
    observed = sum(a == b for a, b in pairs) / n
    words = {word for pair in pairs for word in pair}
    chance = sum(sum(a == w for a, _ in pairs) * sum(b == w for _, b in pairs) for w in words) / n**2
    return observed, None if chance >= 1 else (observed - chance) / (1 - chance)


def _cells(clusters: Sequence[Hashable], rows: Sequence[Sequence[bool]]) -> Floats:
    """(clusters, columns) sums of rows (items, columns)."""
    if not rows:
        return np.zeros((0, 1))
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    cells = np.zeros((len(places), len(rows[0])))
    np.add.at(cells, [places[c] for c in clusters], np.asarray(rows, dtype=float))
    return cells


def _interval(cells: Floats, figure: Callable[[Floats], Floats]) -> Estimate:
    """The figure of (clusters, columns) sums; no interval from one cluster alone."""
    if not len(cells):
        return NOTHING
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(figure(cells.sum(axis=0, keepdims=True))[0])
        if np.isnan(value):
            return NOTHING
        drawn = figure(drawn_videos(len(cells)) @ cells) if len(cells) > 1 else np.empty(0)
    return with_interval(value, drawn)
