"""One long table of scores: groups by policies by metrics, each with its denominator and interval."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotation.scores.items import Counted, Item
from annotation.scores.means import Estimate, estimate, per_video
from annotation.scores.policies import POLICIES, Policy
from annotation.video_mmlu import discipline

OVERALL = "mean of aspects"
LENGTHS = ((0, 50), (50, 100), (100, 200), (200, 400), (400, None))
"""Bins of caption length in words, [from, to)."""


@dataclass(frozen=True, slots=True)
class Row:
    """One cell of the table."""

    group: Mapping[str, str]
    """`{"aspect": "camera"}`; `{}` is the mean of aspects."""
    policy: str
    metric: str
    """`accuracy` (0 to 1) or `score` (0 to 5), `_macro` over videos or `_micro` over questions."""
    value: float | None
    n: int
    """Questions counted."""
    of: int
    """Questions there are."""
    low: float | None
    high: float | None
    videos: int
    """Videos counted."""
    dropped: Mapping[str, int]
    """Why the rest is not counted; with `n` they add up to `of`."""
    note: str = ""
    """What must be known to read the value, in a line."""


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


def table(
    items: Sequence[Item],
    policies: Iterable[str] = tuple(POLICIES),
    by: Sequence[str] = ("aspect",),
    *,
    suspects: bool = True,
) -> list[Row]:
    """Rows of every group and policy; with `aspect` alone also the mean of aspects.

    `by` names one or more of DIMENSIONS. `suspects=False` leaves suspect questions out.
    """
    chosen = [item for item in items if suspects or not item.suspect]
    rows: list[Row] = []
    for name in policies:
        rows += _of_policy(POLICIES[name], chosen, by)
    return rows


def _of_policy(policy: Policy, items: Sequence[Item], by: Sequence[str]) -> list[Row]:
    # The rule sees all items: whether a video is dropped must not depend on how a table is cut.
    counted = policy.rule(items)
    codes = _codes(items)
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for position, item in enumerate(items):
        groups[tuple(DIMENSIONS[name](item) for name in by)].append(position)
    rows = []
    for key in sorted(groups):
        labels = dict(zip(by, key, strict=True))
        rows += _rows(labels, policy, items, counted, codes, [groups[key]])
    if tuple(by) == ("aspect",) and len(groups) > 1:
        rows += _rows({}, policy, items, counted, codes, [groups[key] for key in sorted(groups)])
    return rows


def _rows(
    labels: Mapping[str, str], policy: Policy, items: Sequence[Item], counted: Counted,
    codes: Sequence[int], groups: Sequence[Sequence[int]],
) -> list[Row]:  # fmt: skip
    members = [position for group in groups for position in group]
    kept = [position for position in members if not counted.dropped[position]]
    dropped: Counter[str] = Counter()
    for position in members:
        if counted.dropped[position]:
            dropped[counted.dropped[position]] += items[position].weight_of
    rows = []
    for measure, values in (("accuracy", counted.accuracy), ("score", counted.score)):
        cells = [
            per_video([codes[p] for p in group], [values[p] for p in group], max(codes) + 1)
            for group in groups
        ]
        for mean in policy.means:
            found: Estimate = estimate(cells, mean)
            rows.append(
                Row(
                    labels, policy.name, f"{measure}_{mean}", found.value,
                    sum(items[p].weight_of for p in kept), sum(items[p].weight_of for p in members),
                    found.low, found.high, len({codes[p] for p in kept}), dict(dropped),
                )
            )  # fmt: skip
    return rows


def _codes(items: Sequence[Item]) -> list[int]:
    known: dict[str, int] = {}
    return [known.setdefault(item.video, len(known)) for item in items]
