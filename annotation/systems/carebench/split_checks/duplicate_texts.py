"""Checks that look beyond the three texts: parts that are not written, and videos told in the same words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from backends.text.words import content

NEAR = 0.5
"""Share of the shorter caption's word pairs that two captions have in common to be near-duplicates."""
LEAST = 12
"""Word pairs below which a share says little."""


def missing_aspects(parts: Mapping[str, str]) -> list[str]:
    """The parts of a full caption that are empty, where at least one is written."""
    written = [name for name, text in parts.items() if text.strip()]
    return [name for name, text in parts.items() if not text.strip()] if written else []


def near_duplicates(full: str, others: Mapping[str, str]) -> list[tuple[str, float]]:
    """(name, share of word pairs) of other captions told in nearly the same words, the nearest first."""
    mine = _pairs(full)
    shares = [(name, _common(mine, _pairs(text))) for name, text in others.items()]
    return sorted(((n, share) for n, share in shares if share >= NEAR), key=lambda one: (-one[1], one[0]))


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(token.key for token in content(text)))


def _common(one: frozenset[tuple[str, str]], other: Iterable[tuple[str, str]]) -> float:
    other = frozenset(other)
    least = min(len(one), len(other))
    return len(one & other) / least if least >= LEAST else 0.0
