"""Published scores for comparison. They were made with other judges, frames and prompts.

Source: the leaderboard on AuroraCap's project page, 3 July 2025, unchanged.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("published.csv")


@dataclass(frozen=True, slots=True)
class Published:
    """One row of the leaderboard."""

    model: str
    frames: str
    """Frames per video; empty if not stated."""
    tokens_per_frame: str
    accuracy: dict[str, float]
    """Percent of "yes" by aspect, and as `average`."""
    score: dict[str, float]
    """Score from 0 to 5 by aspect, and as `average`."""


@cache
def published() -> tuple[Published, ...]:
    """Return the rows in the order of the page, best average first."""
    rows: dict[tuple[str, str, str], dict[str, tuple[float, float | None]]] = defaultdict(dict)
    with FILE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = row["model"], row["frames"], row["tokens_per_frame"]
            rows[key][row["aspect"]] = float(row["accuracy"]), float(row["score"]) if row["score"] else None
    return tuple(
        Published(
            *key,
            {aspect: accuracy for aspect, (accuracy, _) in cells.items()},
            {aspect: score for aspect, (_, score) in cells.items() if score is not None},
        )
        for key, cells in rows.items()
    )
