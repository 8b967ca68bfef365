"""A page of the list of verdicts, as a test looks at it."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.store.store import Store
from annotation.store.verdicts.filter_and_order import (
    PAGE,
    FlaggedQuestions,
    VerdictFilter,
    VerdictRow,
    View,
)


@dataclass(frozen=True, slots=True)
class VerdictPage:
    rows: tuple[VerdictRow, ...]
    total: int
    """Rows that the filter lets through."""
    counts: dict[str, int]
    """Over the whole evaluation (or its video), before states and words narrow it."""
    groups: tuple[int, ...]
    """Rows per video, in the order of the list; empty where the sort does not group by video."""


def verdicts(
    store: Store,
    wanted: VerdictFilter,
    offset: int = 0,
    limit: int = PAGE,
    flagged: FlaggedQuestions | None = None,
) -> VerdictPage:
    """A page of verdicts, worst first unless asked otherwise."""
    view = View(store, wanted, flagged or FlaggedQuestions())
    rows = tuple(view.row(int(n)) for n in view.rows[offset : offset + limit])
    return VerdictPage(rows, len(view.rows), view.counts(), view.groups())
