"""Checks beyond the three texts: empty parts, and videos with nearly the same captions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from backends.text.words import content

NEAR = 0.5
"""Minimum share of the shorter caption's word pairs that near-duplicates have in common."""
LEAST = 12
"""Minimum number of word pairs for a reliable share."""


def missing_aspects(parts: Mapping[str, str]) -> list[str]:
    """The empty parts of a full caption, if at least one part is written."""
    written = [name for name, text in parts.items() if text.strip()]
    return [name for name, text in parts.items() if not text.strip()] if written else []


def near_duplicates(full: str, others: Mapping[str, str]) -> list[tuple[str, float]]:
    """(name, share of word pairs) of other captions with nearly the same words, the nearest first."""
    mine = _pairs(full)
    shares = [(name, _common(mine, _pairs(text))) for name, text in others.items()]
    return sorted(((n, share) for n, share in shares if share >= NEAR), key=lambda one: (-one[1], one[0]))


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(token.key for token in content(text)))


def _common(one: frozenset[tuple[str, str]], other: Iterable[tuple[str, str]]) -> float:
    other = frozenset(other)
    least = min(len(one), len(other))
    return len(one & other) / least if least >= LEAST else 0.0
