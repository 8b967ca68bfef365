"""Speech during a time range."""

from __future__ import annotations

from collections.abc import Sequence


def voice_over(segments: Sequence[tuple[float, float, str]], start_s: float, end_s: float) -> str:
    """Return the speech in [start_s, end_s), joined by spaces.

    `segments` are (start_s, end_s, text) of segments or of words, in order. Each belongs to the scene that
    contains its middle, so that nothing is repeated. Pass words if they are known, because a long segment
    may cross a cut.
    """
    inside = (text.strip() for start, end, text in segments if start_s <= (start + end) / 2 < end_s)
    return " ".join(text for text in inside if text)
