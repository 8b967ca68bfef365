"""FrameCapEval: balanced accuracy of progression, sequence accuracy of matching, and the blind study.

Source: ProgressCaptioner (CVPR 2025), section 4.1 and supplement 2.1. The paper does not define how the
judge's answer C (uncertain) is scored, so there are three named policies. Intervals: percentile
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
    "uncertain_is_wrong": "the judge's C (uncertain) counts as wrong, whatever the people's label is",
    "uncertain_left_out": "pairs with the judge's C (uncertain) are not counted",
}
"""Policies for the answer C (uncertain)."""
MATCHED: Mapping[str, str] = {
    "read": "sequences with an unreadable reply are not counted",
    "strict": "a frame with an unreadable reply is matched to no caption",
}
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairItem:
    """A pair of frames that people have labelled."""

    video: str
    truth: bool
    """Whether the action advances, by people's labels."""
    label: str
    """The judge's `yes`, `no` or `uncertain`; empty if there is no readable reply."""


@dataclass(frozen=True, slots=True)
class Balanced:
    """Balanced accuracy, the mean of the true positive and the true negative rate."""

    value: Estimate
    positive: Estimate
    """True positive rate: share of advancing pairs that the judge labels as advancing."""
    negative: Estimate
    counted: int
    positives: int
    """Number of pairs counted."""
    labelled: int


def balanced(items: Sequence[PairItem], policy: str) -> Balanced:
    """Balanced accuracy; empty if people labelled no pair as advancing, or none as not advancing."""
    kept = [(i, _right(i, policy)) for i in items if i.label]
    counted = [(item, right) for item, right in kept if right is not None]
    # Columns per video: advancing pairs found, all advancing pairs, then the same for the other pairs.
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
    if item.label == "uncertain":
        return {"uncertain_is_no": not item.truth, "uncertain_is_wrong": False}.get(policy)
    return (item.label == "yes") == item.truth


@dataclass(frozen=True, slots=True)
class SequenceItem:
    """A sequence whose frames were matched with its captions."""

    video: str
    correct: tuple[bool | None, ...]
    """Per frame; None if no reply could be read."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its counts and its interval."""

    value: Estimate
    n: int
    """Number counted."""
    of: int
    """Total number."""


def sequence_accuracy(items: Sequence[SequenceItem], policy: str) -> Share:
    """Share of sequences in which every frame was matched with its caption."""
    counted = [i for i in items if policy == "strict" or None not in i.correct]
    right = [all(c is True for c in item.correct) for item in counted]
    return Share(share([i.video for i in counted], right), len(counted), len(items))


def frame_accuracy(items: Sequence[SequenceItem], policy: str) -> Share:
    """Share of frames that were matched with their caption."""
    frames = [(item.video, c) for item in items for c in item.correct]
    counted = [(video, c is True) for video, c in frames if policy == "strict" or c is not None]
    return Share(share([v for v, _ in counted], [c for _, c in counted]), len(counted), len(frames))


@dataclass(frozen=True, slots=True)
class ChoiceItem:
    """One person's choice for one frame."""

    sequence: int
    best: str | None
    second: str | None


def selection_rate(items: Sequence[ChoiceItem], run_id: str, top: Literal[1, 2]) -> Share:
    """Share of choices in which this model is the best (1), or the best or second best (2)."""
    named = [run_id == i.best or (top == 2 and run_id == i.second) for i in items]
    return Share(share([i.sequence for i in items], named), sum(named), len(items))


def none_rate(items: Sequence[ChoiceItem]) -> Share:
    """Share of frames for which the person chose none of the captions."""
    none = [i.best is None for i in items]
    return Share(share([i.sequence for i in items], none), sum(none), len(items))


def share(clusters: Sequence[Hashable], values: Sequence[bool]) -> Estimate:
    """Share of true values, with an interval over clusters."""
    return _interval(_cells(clusters, [[value, True] for value in values]), lambda c: c[:, 0] / c[:, 1])


def agreement(pairs: Sequence[tuple[str, str]]) -> tuple[float | None, float | None]:
    """Observed agreement of two people, and Cohen's kappa; None if undefined."""
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
    """The figure of (clusters, columns) sums; without an interval if there is only one cluster."""
    if not len(cells):
        return NOTHING
    with np.errstate(invalid="ignore", divide="ignore"):
        value = float(figure(cells.sum(axis=0, keepdims=True))[0])
        if np.isnan(value):
            return NOTHING
        drawn = figure(drawn_videos(len(cells)) @ cells) if len(cells) > 1 else np.empty(0)
    return with_interval(value, drawn)
