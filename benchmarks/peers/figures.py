"""What is compared: a figure of a peer beside ours, and the differences that the documentation explains."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FORMATS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "formats.md"
SAME = 5e-5
"""Figures that are closer than this agree to four digits."""
ENDS = "its run ends"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure on one file."""

    peer: str
    file: str
    what: str
    theirs: float | str | None
    """A text says why there is none."""
    ours: float | None
    explained: str = ""
    """Heading of the difference in docs/formats.md, where one is expected."""

    @property
    def size(self) -> float | None:
        """Ours less theirs; None where one of them has no figure."""
        if isinstance(self.theirs, str) or self.theirs is None or self.ours is None:
            return None
        return self.ours - self.theirs

    @property
    def agrees(self) -> bool:
        if self.size is None:
            return _nothing(self.theirs) and _nothing(self.ours)
        return abs(self.size) < SAME or (math.isinf(self.ours or 0) and self.ours == self.theirs)


@dataclass(frozen=True, slots=True)
class NotRun:
    """A peer that could not be run, and why."""

    peer: str
    why: str


def _nothing(value: float | str | None) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def explained_headings(page: Path = FORMATS_PAGE) -> set[str]:
    """Of the section "Where figures differ from a peer's"."""
    section = page.read_text(encoding="utf-8").partition("\n## Where figures differ")[2].partition("\n## ")[0]
    return set(re.findall(r"^- \*\*(.+?)\*\*", section, re.MULTILINE))


def unexplained(figures: Iterable[Figure], headings: set[str]) -> list[Figure]:
    return [one for one in figures if not one.agrees and one.explained not in headings]


def table(figures: Iterable[Figure]) -> list[str]:
    """Markdown, a row per figure."""
    rows = ["| peer | file | figure | peer's | ours | difference |", "|---|---|---|---|---|---|"]
    for one in figures:
        size = "0" if one.agrees else "-" if one.size is None else f"{one.size:+.4f}"
        why = f" ({one.explained})" if not one.agrees and one.explained else ""
        cells = (one.peer, one.file, one.what, _shown(one.theirs), _shown(one.ours), f"{size}{why}")
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _shown(value: float | str | None) -> str:
    if isinstance(value, str):
        return value
    return "none" if _nothing(value) else f"{value:.4f}"
