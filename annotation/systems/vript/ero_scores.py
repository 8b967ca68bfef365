"""Vript-ERO: how many of three scenes are in their place (Vript, section 5.3 and its released scorer).

@k counts an item if at least k of the three positions are right. In a permutation of three scenes,
exactly two positions can never be right, so @2 equals @3. If published figures differ, a reply
was read as an invalid order (B, C, B). Such readings are never scored silently: every policy
defines how it scores them, and their share is reported in a separate row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.scores.score_rows import long_row
from annotation.systems.vript.hard_replies import is_permutation

POLICIES: Mapping[str, str] = {
    "published": (
        "as the released scorer: any three letters are an order, fewer are wrong; empty replies are skipped"
    ),
    "permutations": "only readings that are an order of the three scenes are counted",
    "strict": "a reading that does not order the three scenes is wrong, as is an unreadable reply",
}
KS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class EroItem:
    """The current state of one item."""

    video: str
    order: str
    """The order that was read, or a person's correction; empty if there is none."""
    answer: str
    """The right order; empty if it is unknown."""
    replied: bool = True
    """Whether there is a reply."""
    corrected: bool = False


def hits(order: str, answer: str) -> int:
    """Number of right positions; 0 for an order of fewer than three letters."""
    if len(order) != len(answer):
        return 0
    return sum(mine == right for mine, right in zip(order, answer, strict=True))


def counted(item: EroItem, policy: str, k: int) -> float | None:
    """1 or 0; None if the policy excludes the item."""
    if not item.answer or (policy == "published" and not item.replied):
        return None
    if not is_permutation(item.order) and policy != "published":
        return 0.0 if policy == "strict" else None
    return float(hits(item.order, item.answer) >= k)


def ero_table(items: Sequence[EroItem], policies: Sequence[str] = tuple(POLICIES)) -> list[dict[str, Any]]:
    """Rows `at_1`, `at_2`, `at_3` of every policy, and the share of readings that are not an order."""
    videos = [item.video for item in items]
    rows = [
        long_row({}, policy, f"at_{k}", videos, [counted(item, policy, k) for item in items])
        for policy in policies
        for k in KS
    ]
    read = [float(not is_permutation(i.order)) if len(i.order) == len(KS) else None for i in items]
    return [*rows, long_row({}, "readings", "not_an_order", videos, read)]
