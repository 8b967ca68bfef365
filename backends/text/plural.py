"""Numbers of things in words."""

from __future__ import annotations


def plural(n: int, noun: str) -> str:
    """`1 video`, `1,200 videos`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
