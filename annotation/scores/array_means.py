"""Apply policies and compute means over arrays of a hundred thousand verdicts.

The results equal those of single items. Most rules use one item at a time, and among many verdicts there are
only some hundred distinct ones: a rule is applied once to each distinct item, and its result is copied to all
equal items. The bootstrap of all groups is one matrix product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.scores.means_with_intervals import (
    NOTHING,
    Estimate,
    Floats,
    drawn_videos,
    weighted_means,
    with_interval,
)
from annotation.scores.scored_item import Counted, Item
from annotation.scores.scoring_policies import Mean, Policy

Ints = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Items as columns of the same length I."""

    items: Sequence[Item]
    video: Ints
    """(I,) index of the item's video, from 0."""
    videos: int
    weight: Ints
    """(I,) number of questions that the item represents."""
    like: Ints
    """(I,) index of the item's class of equal items, from 0."""
    kinds: Sequence[int]
    """Position of one item per class."""
    place: Ints
    """(I,) index of the item's pair of aspect and video."""


def make_sheet(items: Sequence[Item]) -> Sheet:
    return Sheet(
        items,
        codes(item.video for item in items),
        len({item.video for item in items}),
        np.array([item.weight_of for item in items], dtype=np.intp),
        *_alike(items),
        codes((item.aspect, item.video) for item in items),
    )


def codes(words: Any) -> Ints:
    """Return a code for each value, numbered in order of first appearance."""
    known: dict[Any, int] = {}
    return np.fromiter((known.setdefault(word, len(known)) for word in words), dtype=np.intp)


def _alike(items: Sequence[Item]) -> tuple[Ints, list[int]]:
    known: dict[Any, int] = {}
    first: list[int] = []
    like = np.empty(len(items), dtype=np.intp)
    for position, i in enumerate(items):
        key = (
            i.state,
            i.accuracy,
            i.score,
            i.raw,
            i.human_accuracy,
            i.human_score,
            i.excluded,
            i.repeats,
            bool(i.question),
        )
        code = known.setdefault(key, len(known))
        if code == len(first):
            first.append(position)
        like[position] = code
    return like, first


@dataclass(frozen=True, slots=True)
class Taken:
    """The result of a policy on a sheet: the fields of `Counted` as arrays of length I."""

    accuracy: Floats
    """NaN if the item is not counted."""
    score: Floats
    dropped: Ints
    """0 if the item is counted, else the index of the reason in `reasons`."""
    reasons: Sequence[str]


def take(policy: Policy, sheet: Sheet) -> Taken:
    """Apply `policy.rule` to the items of a sheet."""
    if policy.each is None:
        return _taken(policy.rule(sheet.items))
    found = _taken(policy.each([sheet.items[position] for position in sheet.kinds]))
    whole = Taken(
        found.accuracy[sheet.like], found.score[sheet.like], found.dropped[sheet.like], found.reasons
    )
    return _whole_videos(whole, sheet.place) if policy.whole_videos else whole


def _taken(counted: Counted) -> Taken:
    reasons = ["", *sorted(set(counted.dropped) - {""})]
    number = {reason: n for n, reason in enumerate(reasons)}
    return Taken(
        np.array([np.nan if x is None else x for x in counted.accuracy], dtype=float),
        np.array([np.nan if x is None else x for x in counted.score], dtype=float),
        np.array([number[reason] for reason in counted.dropped], dtype=np.intp),
        reasons,
    )


def _whole_videos(taken: Taken, place: Ints) -> Taken:
    """Apply AuroraCap's rule on videos: an unreadable reply or a mean of 0 excludes the whole video."""
    size = int(place.max(initial=-1)) + 1
    stopped = np.bincount(place, weights=taken.dropped > 0, minlength=size)[place] > 0
    sums = [
        np.bincount(place, weights=np.nan_to_num(v), minlength=size)[place]
        for v in (taken.accuracy, taken.score)
    ]
    at_zero = ~stopped & ((sums[0] == 0) | (sums[1] == 0))
    reasons = [*taken.reasons, "in a video with an unreadable one", "in a video with mean 0"]
    dropped = taken.dropped.copy()
    dropped[stopped & (taken.dropped == 0)] = len(reasons) - 2
    dropped[at_zero] = len(reasons) - 1
    gone = dropped > 0
    return Taken(
        np.where(gone, np.nan, taken.accuracy), np.where(gone, np.nan, taken.score), dropped, reasons
    )


# --- groups ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cells:
    """Sums and numbers of counted items, (V, G) for V videos and G groups."""

    sums: Floats
    numbers: Floats


def cells(sheet: Sheet, values: Floats, group: Ints, groups: int) -> Cells:
    """Sum `values` per video and group. `group`: (I,), -1 for items without a group."""
    kept = ~np.isnan(values) & (group >= 0)
    at = sheet.video[kept] * groups + group[kept]
    size = sheet.videos * groups
    shape = (sheet.videos, groups)
    sums = np.bincount(at, weights=values[kept], minlength=size).reshape(shape).astype(float)
    return Cells(sums, np.bincount(at, minlength=size).reshape(shape).astype(float))


def estimates(found: Cells, mean: Mean) -> tuple[list[Estimate], Estimate]:
    """Return the estimate of each group, and of the unweighted mean over the non-empty groups."""
    videos = len(found.sums)
    values = weighted_means(found.sums, found.numbers, mean, np.ones((1, videos)))[0]
    drawn = weighted_means(found.sums, found.numbers, mean, drawn_videos(videos))
    there = np.count_nonzero(found.numbers, axis=0)
    each = [
        NOTHING if not n else with_interval(float(values[g]), drawn[:, g] if n > 1 else np.empty(0))
        for g, n in enumerate(there.tolist())
    ]
    some = there > 0
    if not some.any():
        return each, NOTHING
    over = drawn[:, some].mean(axis=1) if there[some].min() > 1 else np.empty(0)
    return each, with_interval(float(values[some].mean()), over)


def tallies(sheet: Sheet, taken: Taken, group: Ints, groups: int) -> list[Mapping[str, Any]]:
    """Return per group `{"n", "of", "videos", "dropped": {reason: n}}`. `n` and dropped add up to `of`."""
    inside = group >= 0
    size = groups * len(taken.reasons)
    at = group[inside] * len(taken.reasons) + taken.dropped[inside]
    numbers = np.bincount(at, weights=sheet.weight[inside], minlength=size).astype(int)
    table = numbers.reshape(groups, len(taken.reasons))
    kept = inside & (taken.dropped == 0)
    pairs = np.unique(sheet.video[kept] * groups + group[kept]) % groups
    videos = np.bincount(pairs, minlength=groups)
    return [
        {
            "n": int(row[0]),
            "of": int(row.sum()),
            "videos": int(videos[g]),
            "dropped": {taken.reasons[r]: int(row[r]) for r in range(1, len(row)) if row[r]},
        }
        for g, row in enumerate(table)
    ]


def together(sheet: Sheet, taken: Taken, each: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the tally over all groups."""
    dropped: Counter[str] = Counter()
    for one in each:
        dropped.update(one["dropped"])
    videos = len(np.unique(sheet.video[taken.dropped == 0]))
    return {
        "n": sum(o["n"] for o in each),
        "of": sum(o["of"] for o in each),
        "videos": videos,
        "dropped": dict(dropped),
    }
