"""What is said during a stretch of time."""

from __future__ import annotations

from collections.abc import Sequence


def voice_over(segments: Sequence[tuple[float, float, str]], start_s: float, end_s: float) -> str:
    """What is said in [start_s, end_s), joined by spaces.

    `segments` are (start_s, end_s, text) of segments or of words, in order. Each
    belongs to the one scene that holds its middle, so nothing is said twice; pass
    words where they are known, since a long segment may run across a cut.
    """
    inside = (text.strip() for start, end, text in segments if start_s <= (start + end) / 2 < end_s)
    return " ".join(text for text in inside if text)
