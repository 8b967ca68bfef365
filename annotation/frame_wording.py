"""Frame captions that speak of other frames.

The ProgressCaptioner prompt asks that every description be "specific to the corresponding
frame, not referencing to other frames"; about a fifth of the published captions do so all
the same, and often name the wrong frame.
"""

from __future__ import annotations

import re

_WHICH = (
    r"previous|prior|preceding|earlier|next|following|subsequent|later|first|second|third|fourth|fifth|sixth"
    r"|last|final|other|another|both|two|three|four|five|six|all|these|adjacent|neighbou?ring"
)
_FRAMES = re.compile(
    rf"\b(?:{_WHICH})\s+(?:(?:of\s+)?the\s+)?(?:(?:two|three|four|few|video)\s+)?frames?\b"
    r"|\b(?:previous|preceding|next|earlier|first|second|last|other)\s+(?:image|picture|shot)\b"
    r"|\bframes?\s+(?:\d+|one|two|three|four|five|six)\b"
    r"|\b(?:than|as|from|to|like|since)\s+(?:in\s+)?(?:the\s+one\s+)?before\b"
    r"|\bacross\s+(?:the\s+)?frames\b",
    re.IGNORECASE,
)


def other_frames(caption: str) -> list[tuple[int, int]]:
    """(start, end) of every phrase that names a frame other than the one described, in order."""
    return [match.span() for match in _FRAMES.finditer(caption)]
