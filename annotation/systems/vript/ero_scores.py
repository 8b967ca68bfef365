"""Vript-ERO: how many of three scenes stand in their place (Vript, section 5.3 and its released scorer).

@k counts an item when at least k of the three positions are right. Of a true order of three scenes
never exactly two positions can be right, so @2 equals @3; where published figures differ, a reply
was read as no order at all (B, C, B). So such a reading is never scored in silence: every policy
says what it does with it, and the share of such readings is a row of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.scores.score_rows import long_row
from annotation.systems.vript.hard_replies import is_permutation

POLICIES: Mapping[str, str] = {
    "published": "as the released scorer: any three letters are an order, fewer are wrong; empty ones go",
    "permutations": "only readings that are an order of the three scenes are counted",
    "strict": "a reading that is no order of the three scenes is wrong, as is a reply that cannot be read",
}
KS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class EroItem:
    """One item as it counts now."""

    video: str
    order: str
    """As it was read, or as a person corrected it; empty when there is none."""
    answer: str
    """The right order; empty when it is not known here."""
    replied: bool = True
    """Whether there is a reply at all."""
    corrected: bool = False


def hits(order: str, answer: str) -> int:
    """Positions that are right; 0 for an order of fewer than three letters."""
    if len(order) != len(answer):
        return 0
    return sum(mine == right for mine, right in zip(order, answer, strict=True))


def counted(item: EroItem, policy: str, k: int) -> float | None:
    """1 or 0; None when the policy leaves the item out."""
    if not item.answer or (policy == "published" and not item.replied):
        return None
    if not is_permutation(item.order) and policy != "published":
        return 0.0 if policy == "strict" else None
    return float(hits(item.order, item.answer) >= k)


def ero_table(items: Sequence[EroItem], policies: Sequence[str] = tuple(POLICIES)) -> list[dict[str, Any]]:
    """Rows `at_1`, `at_2`, `at_3` of every policy, and the share of readings that are no order."""
    videos = [item.video for item in items]
    rows = [
        long_row({}, policy, f"at_{k}", videos, [counted(item, policy, k) for item in items])
        for policy in policies
        for k in KS
    ]
    read = [float(not is_permutation(i.order)) if len(i.order) == len(KS) else None for i in items]
    return [*rows, long_row({}, "readings", "not_an_order", videos, read)]
