"""What one source says of the moments of a video."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vote:
    """What a source says of one moment."""

    score: float
    """Only its order counts."""
    words: str
    """The reason as the page says it."""
    at_s: float | None = None
    """When within the moment, where the source knows it."""


Votes = dict[int, Vote]
"""By number of the moment."""
