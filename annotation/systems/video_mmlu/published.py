"""Published scores for comparison. They were made with other judges, frames and prompts.

Source: the rows of the leading, the smallest and the blind models on Video-MMLU's project page, August 2025.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("published.csv")


@dataclass(frozen=True, slots=True)
class PublishedMmlu:
    """One row of Video-MMLU's table. Accuracies in percent, means over the three disciplines."""

    model: str
    frames: int
    """Frames per video; 0 for a model that saw none."""
    final: float
    caption: float
    qa: float


@cache
def published_mmlu() -> tuple[PublishedMmlu, ...]:
    """Return the rows, best final score first."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            PublishedMmlu(
                row["model"], int(row["frames"]), float(row["final"]), float(row["caption"]), float(row["qa"])
            )
            for row in csv.DictReader(file)
        )
