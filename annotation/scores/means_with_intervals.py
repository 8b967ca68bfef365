"""Means over videos or questions, with bootstrap intervals over videos.

Videos are drawn instead of questions, because questions of one video share its caption and are therefore not
independent.
Source: percentile bootstrap of a cluster sample (Davison and Hinkley 1997, chapter 3.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from annotation.scores.scoring_policies import Mean

DRAWS = 1000
LEVEL = 0.95
SEED = 0
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its interval; `value` is None if nothing is counted."""

    value: float | None
    low: float | None
    high: float | None


NOTHING = Estimate(None, None, None)


@dataclass(frozen=True, slots=True)
class PerVideo:
    """Sums and numbers of counted questions per video. All groups use the same order of videos."""

    sums: Floats
    """(V,)"""
    numbers: Floats
    """(V,); 0 if the video has no counted question."""


def per_video(codes: Sequence[int], values: Sequence[float | None], videos: int) -> PerVideo:
    """Sum values per video. `codes`: index of each value's video, below `videos`. None is not counted."""
    kept = [(code, value) for code, value in zip(codes, values, strict=True) if value is not None]
    places = np.array([code for code, _ in kept], dtype=np.intp)
    numbers = np.bincount(places, minlength=videos).astype(float)
    values_kept = np.array([value for _, value in kept], dtype=float)
    sums = np.bincount(places, weights=values_kept, minlength=videos).astype(float)
    return PerVideo(sums, numbers)


def estimate(groups: Sequence[PerVideo], mean: Mean) -> Estimate:
    """Return the mean of one group, or the unweighted mean over several (as for the five aspects of VDC)."""
    return estimate_of_tasks([groups], mean)


def estimate_of_tasks(tasks: Sequence[Sequence[PerVideo]], mean: Mean) -> Estimate:
    """Return the unweighted mean over tasks of the unweighted mean over groups (Video-MMLU's final score).

    Returns NOTHING if a task has no counted question, and no interval if a group has only one video.
    """
    counted = [[group for group in groups if group.numbers.any()] for groups in tasks]
    if not counted or not all(counted):
        return NOTHING
    videos = len(counted[0][0].sums)
    value = float(_over_tasks(counted, mean, np.ones((1, videos)))[0])
    if min(np.count_nonzero(group.numbers) for groups in counted for group in groups) < 2:
        return Estimate(value, None, None)  # one video has no spread
    return with_interval(value, _over_tasks(counted, mean, drawn_videos(videos)))


def with_interval(value: float, drawn: Floats) -> Estimate:
    """Return the estimate. `drawn`: (B,) means of the draws; NaN if a draw had no video of some group."""
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return Estimate(value, None, None)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return Estimate(value, float(low), float(high))


def _over_tasks(tasks: Sequence[Sequence[PerVideo]], mean: Mean, weights: Floats) -> Floats:
    return np.asarray(np.mean([_means(groups, mean, weights) for groups in tasks], axis=0), dtype=float)


def _means(groups: Sequence[PerVideo], mean: Mean, weights: Floats) -> Floats:
    """Return (B,) means for weights (B, V)."""
    each = [weighted_means(group.sums, group.numbers, mean, weights) for group in groups]
    return np.asarray(np.mean(each, axis=0), dtype=float)


def weighted_means(sums: Floats, numbers: Floats, mean: Mean, weights: Floats) -> Floats:
    """Return (B,) means for weights (B, V) and sums and numbers (V,); (B, G) for sums and numbers (V, G)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        if mean == "micro":
            return np.asarray((weights @ sums) / (weights @ numbers))
        there = numbers > 0
        means = np.zeros_like(sums)
        np.divide(sums, numbers, out=means, where=there)
        return np.asarray((weights @ means) / (weights @ there.astype(float)))


@lru_cache(maxsize=8)
def drawn_videos(videos: int) -> Floats:
    """Return (DRAWS, V): how often each video is drawn."""
    return np.random.default_rng(SEED).multinomial(videos, np.full(videos, 1 / videos), DRAWS).astype(float)
