"""Vript-RR: questions about one scene of a long video (Vript, section 5.2 and its released scorer).

Multiple choice compares the first letter in brackets with the right one; a reply without such a
letter is wrong by the published rule and `unparsed` in ours. Open answers are rated by a judge.
Each question is sent with the whole video or with its scene alone; the four scenes of a video are
at 15, 40, 60 and 85 % of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from annotation.scores.score_rows import long_row, mean_of

POLICIES: Mapping[str, str] = {
    "published": "as the released scorer: a reply that names no option is wrong; an empty one is left out",
    "parsed": "only replies that could be read are counted",
}


@dataclass(frozen=True, slots=True)
class RrItem:
    """The current state of one question."""

    video: str
    name: str
    """The clip's id: the same question has the same id in both settings."""
    place: str
    """`15 %` ...; empty if unknown."""
    right: bool | None
    """None: the reply or the judge's rating is unreadable, or the right answer is unknown."""
    replied: bool = True
    known: bool = True
    """Whether the right answer is known."""


def counted(item: RrItem, policy: str) -> float | None:
    """1 or 0; None if the policy excludes the item."""
    if not item.known or (policy == "published" and not item.replied):
        return None
    if item.right is None:
        return 0.0 if policy == "published" else None
    return float(item.right)


def rr_table(
    items: Sequence[RrItem], group: Mapping[str, str], policies: Sequence[str] = tuple(POLICIES)
) -> list[dict[str, Any]]:
    """Accuracy over all items, and by position in the video."""
    places = sorted({item.place for item in items if item.place})
    rows = []
    for policy in policies:
        for more, chosen in [
            ({}, items),
            *(({"place": p}, [i for i in items if i.place == p]) for p in places),
        ]:
            values = [counted(item, policy) for item in chosen]
            rows.append(long_row({**group, **more}, policy, "accuracy", [i.video for i in chosen], values))
    return rows


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole video compared with the scene alone, on the questions answered in both settings."""

    n: int
    both: int
    only_scene: int
    only_whole: int
    neither: int
    difference: float | None
    """Accuracy with the whole video minus accuracy with the scene."""
    low: float | None
    high: float | None
    p: float | None
    """Two-sided exact test of `only_scene` against `only_whole` (McNemar)."""


def compare_settings(scene: Sequence[RrItem], whole: Sequence[RrItem], policy: str = "published") -> Settings:
    """Pair items by name; an item that the policy excludes on either side is excluded."""
    others = {item.name: value for item in scene if (value := counted(item, policy)) is not None}
    pairs = [
        (item.video, others[item.name], value)
        for item in whole
        if item.name in others and (value := counted(item, policy)) is not None
    ]
    found = mean_of([video for video, _, _ in pairs], [after - before for _, before, after in pairs])
    tally = {key: 0 for key in ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))}
    for _, before, after in pairs:
        tally[before, after] += 1
    only_scene, only_whole = tally[1.0, 0.0], tally[0.0, 1.0]
    return Settings(
        len(pairs),
        tally[1.0, 1.0],
        only_scene,
        only_whole,
        tally[0.0, 0.0],
        found.value,
        found.low,
        found.high,
        _exact(only_scene, only_whole),
    )


def _exact(one: int, other: int) -> float | None:
    """Two-sided binomial test of one against the other, with equal probabilities."""
    n = one + other
    if not n:
        return None
    tail = sum(comb(n, k) for k in range(min(one, other) + 1)) / float(2**n)
    return min(1.0, 2 * tail)
