"""Compare the verdicts of two evaluations on the same questions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from annotation.store.verdicts.verdict_table import Table


def partner(table: Table, other: Table) -> NDArray[np.int64]:
    """Return for each row the row of the same question in another evaluation, or -1."""

    def find() -> tuple[NDArray[np.int64], Table]:
        rows = other.row_of_question()
        found = (rows.get(question, -1) if question else -1 for question in table["question"])
        return np.fromiter(found, np.int64, len(table)), other

    return table.remember(("partner", id(other)), find, of=("question",))[0]


def differs(table: Table, other: Table) -> NDArray[np.bool_]:
    """Return the rows where both have a verdict and the verdicts differ."""
    rows = partner(table, other)
    if not len(other):
        return np.zeros(len(table), bool)
    same = (table["label"] == other["label"][rows]) & (table["state"] == other["state"][rows])
    found: NDArray[np.bool_] = (rows >= 0) & ~same
    return found


def gap(table: Table, other: Table) -> NDArray[np.float64]:
    """Return the difference between the two scores in points, or -1 if one is missing."""
    rows = partner(table, other)
    if not len(other):
        return np.full(len(table), -1.0)
    points = np.abs(table["score"] - other["score"][rows])
    return np.where((rows >= 0) & ~np.isnan(points), points, -1.0)
