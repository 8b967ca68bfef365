"""Types for the results of the checks of a split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

Side = Literal["full", "spatial", "temporal"]
Check = Literal[
    "action_in_spatial",
    "static_in_temporal",
    "lost",
    "invented",
    "no_overview",
    "length",
    "script",
    "meta_wording",
]
CHECKS: tuple[Check, ...] = get_args(Check)


@dataclass(frozen=True, slots=True)
class Texts:
    """The three texts of a split; texts that are not written are empty."""

    full: str
    spatial: str
    temporal: str

    def of(self, side: Side) -> str:
        return {"full": self.full, "spatial": self.spatial, "temporal": self.temporal}[side]


@dataclass(frozen=True, slots=True)
class Fix:
    """The edit that one key applies to a finding."""

    what: str
    """Label of its button, such as "delete the clause"."""
    texts: Mapping[Side, str]
    """The new text of each side that changes."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place of one text, or (`start` = `end`) the text as a whole."""

    check: Check
    side: Side
    start: int
    """Code points from the beginning of the text."""
    end: int
    text: str
    """text[start:end] of the side."""
    why: str
    """One-line message for the person who writes the split."""


def at(check: Check, side: Side, text: str, start: int, end: int, why: str) -> Finding:
    """A finding for the words in the given range of the text."""
    return Finding(check, side, start, end, text[start:end], why)
