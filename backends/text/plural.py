"""Counts with a noun."""

from __future__ import annotations


def plural(n: int, noun: str) -> str:
    """Return a count with its noun: `1 video`, `1,200 videos`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
