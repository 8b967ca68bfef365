"""The long table of scores: one row per group, policy and metric, with denominator and interval."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from annotation.records.disciplines import discipline
from annotation.scores.array_means import Ints, Sheet, cells, estimates, make_sheet, take, tallies, together
from annotation.scores.means_with_intervals import Estimate
from annotation.scores.scored_item import Item
from annotation.scores.scoring_policies import POLICIES, Policy

POOLED = "over the rows of all aspects, like the overall figure of this scorer"
LENGTHS = ((0, 50), (50, 100), (100, 200), (200, 400), (400, None))
"""Bins of caption length in words, [from, to)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One cell of the table."""

    group: Mapping[str, str]
    """`{"aspect": "camera"}`; `{}` for the mean over aspects."""
    policy: str
    metric: str
    """`accuracy` (0 to 1) or `score` (0 to 5), `_macro` over videos or `_micro` over questions."""
    value: float | None
    n: int
    """Number of counted questions."""
    of: int
    """Number of all questions."""
    low: float | None
    high: float | None
    videos: int
    """Number of counted videos."""
    dropped: Mapping[str, int]
    """Number of questions that are not counted, by reason. With `n` they add up to `of`."""
    note: str = ""
    """A one-line remark that is needed to interpret the value."""


def length_name(words: int | None) -> str:
    if words is None:
        return "unknown"
    low, high = next(bin for bin in LENGTHS if bin[1] is None or words < bin[1])
    return f"{low}+ words" if high is None else f"{low}-{high - 1} words"


DIMENSIONS: Mapping[str, Callable[[Item], str]] = {
    "aspect": lambda item: item.aspect,
    "category": lambda item: item.category or "none",
    "source": lambda item: item.source or "unknown",
    "discipline": lambda item: discipline(item.discipline) or "unknown",
    "length": lambda item: length_name(item.caption_words),
}


OTHERS = "others"
"""Name of the group of all groups beyond the limit."""


def table(
    items: Sequence[Item],
    policies: Iterable[str] = tuple(POLICIES),
    by: Sequence[str] = ("aspect",),
    *,
    suspects: bool = True,
    most: int | None = None,
    words: str = "",
) -> list[Row]:
    """Return the rows of every group and policy; for `aspect` alone also the mean over aspects.

    `by` names one or more of DIMENSIONS. `suspects=False` leaves out suspect questions. `most` keeps the
    largest groups and combines the rest as OTHERS. `words` (lower case) first selects the groups whose name
    contains them.
    """
    chosen = [item for item in items if suspects or not item.suspect]
    if not chosen:
        return []
    sheet = make_sheet(chosen)
    groups = _groups(sheet, by, most, words)
    return [row for name in policies for row in _of_policy(POLICIES[name], sheet, groups)]


@dataclass(frozen=True, slots=True)
class Groups:
    """How the items are grouped."""

    labels: Sequence[Mapping[str, str]]
    of: Ints
    """(I,) index in `labels`; -1 for items without a group."""
    mean: bool
    """Whether to add a row with the unweighted mean over the groups."""


def _groups(sheet: Sheet, by: Sequence[str], most: int | None, words: str) -> Groups:
    names = [tuple(DIMENSIONS[name](item) for name in by) for item in sheet.items]
    sizes = Counter(names)
    fitting = [key for key in sizes if words in " ".join(key).lower()]
    kept = fitting if most is None else sorted(fitting, key=lambda key: (-sizes[key], key))[:most]
    ordered = sorted(kept, key=lambda key: [_by_number(name) for name in key])
    labels = [dict(zip(by, key, strict=True)) for key in ordered]
    place = {key: position for position, key in enumerate(ordered)}
    rest = -1
    if len(kept) < len(sizes) and not words:
        rest = len(labels)
        labels.append({by[0]: f"{OTHERS} ({len(sizes) - len(kept):,})"})
    of = np.fromiter((place.get(key, rest) for key in names), dtype=np.intp, count=len(names))
    return Groups(labels, of, tuple(by) == ("aspect",) and len(labels) > 1 and rest < 0)


def _by_number(name: str) -> tuple[float, str]:
    """Sort key: the leading number of a name, such as a caption's length. Names without one come last."""
    number = re.match(r"\d+", name)
    return (int(number[0]) if number else inf), name


def _of_policy(policy: Policy, sheet: Sheet, groups: Groups) -> list[Row]:
    # Apply the rule to all items: whether a video is dropped must not depend on the grouping.
    taken = take(policy, sheet)
    found: dict[str, tuple[list[Estimate], Estimate]] = {}
    for measure, values in (("accuracy", taken.accuracy), ("score", taken.score)):
        parts = cells(sheet, values, groups.of, len(groups.labels))
        pool = cells(sheet, values, np.minimum(groups.of, 0), 1) if policy.pooled and groups.mean else parts
        for mean in policy.means:
            each, over = estimates(parts, mean)
            found[f"{measure}_{mean}"] = each, over if pool is parts else estimates(pool, mean)[1]
    tally = tallies(sheet, taken, groups.of, len(groups.labels))
    rows = [
        _row(labels, policy.name, metric, found[metric][0][g], tally[g])
        for g, labels in enumerate(groups.labels)
        for metric in found
    ]
    if groups.mean:
        whole = together(sheet, taken, tally)
        note = POOLED if policy.pooled else ""
        rows += [_row({}, policy.name, metric, found[metric][1], whole, note) for metric in found]
    return rows


def _row(
    labels: Mapping[str, str],
    policy: str,
    metric: str,
    estimate: Estimate,
    tally: Mapping[str, Any],
    note: str = "",
) -> Row:
    return Row(
        labels,
        policy,
        metric,
        estimate.value,
        tally["n"],
        tally["of"],
        estimate.low,
        estimate.high,
        tally["videos"],
        tally["dropped"],
        note,
    )
