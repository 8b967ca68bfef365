"""Finds frame captions that refer to other frames.

The ProgressCaptioner prompt asks that every description be "specific to the corresponding frame, not
referencing to other frames". Nevertheless 73 of 410 published captions (COIN) and 49 of 255 (HowToChange) say
"previous frame", "first frame" or "two frames", and often the reference is wrong: "identical to the first
frame" where the frame before is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_WHICH = (
    r"previous|prior|preceding|earlier|next|following|subsequent|later|first|second|third|fourth|fifth|sixth"
    r"|last|final|other|another|both|two|three|four|five|six|all|these|adjacent|neighbou?ring"
)
_ALIKE = (
    r"identical|similar|same|different|differs?|unlike|changed|continu(?:es|ing|ed)|compared|contrary|opposed"
)
_FRAMES = re.compile(
    rf"\b(?:{_WHICH})\s+(?:(?:of\s+)?the\s+)?(?:(?:two|three|four|few|video)\s+)?frames?\b"
    r"|\b(?:previous|preceding|next|earlier|first|second|last|other)\s+(?:image|picture|shot)\b"
    r"|\bframes?\s+(?:\d+|one|two|three|four|five|six)\b"
    rf"|\b(?:{_ALIKE})\s+(?:as|from|to|than|with)?\s*(?:in\s+)?the\s+"
    r"(?:first|second|third|previous|last|other|earlier|preceding)\s+one\b"
    r"|\b(?:than|as|from|to|like|since)\s+(?:in\s+)?(?:the\s+one\s+)?before\b"
    r"|\bacross\s+(?:the\s+)?frames\b",
    re.IGNORECASE,
)
_ORDINALS: Mapping[str, int] = {
    "first": 0,
    "second": 1,
    "third": 2,
    "fourth": 3,
    "fifth": 4,
    "sixth": 5,
    "one": 0,
    "two": 1,
    "three": 2,
    "four": 3,
    "five": 4,
    "six": 5,
}
_ORDINAL = re.compile(r"\b(first|second|third|fourth|fifth|sixth)\b(?!\s+(?:two|three|four|few))", re.I)
_NUMBERED = re.compile(r"\bframes?\s+(\d{1,3}|one|two|three|four|five|six)\b", re.I)
_PREVIOUS = re.compile(r"\b(?:previous|prior|preceding|before)\b", re.I)


@dataclass(frozen=True, slots=True)
class Reference:
    """A phrase of a caption that refers to another frame."""

    start: int
    end: int
    """Position after its last character."""
    place: int | None
    """The frame it names, counted from 0 in the sequence shown to the model; None: outside the sequence."""
    why: str
    """Explanation for people, in one line."""


def other_frames(caption: str) -> list[tuple[int, int]]:
    """Return (start, end) of every phrase that refers to a frame other than the described one, in order."""
    return [match.span() for match in _FRAMES.finditer(caption)]


def references(caption: str, place: int) -> list[Reference]:
    """Return the phrases and the frames they refer to, for the caption of frame `place` (from 0)."""
    return [_reference(match, place) for match in _FRAMES.finditer(caption)]


def _reference(match: re.Match[str], place: int) -> Reference:
    named = _named(match[0], place)
    why = "refers to another frame"
    if named == place:
        why = "uses a frame number that only the model saw"
    elif named is not None and named != place - 1:
        why = f"refers to frame {named + 1} of those sent to the model, not to the previous frame"
    return Reference(*match.span(), named, why)


def _named(phrase: str, place: int) -> int | None:
    if numbered := _NUMBERED.search(phrase):
        word = numbered[1].lower()
        return _ORDINALS[word] if word in _ORDINALS else int(word) - 1
    if ordinal := _ORDINAL.search(phrase):
        return _ORDINALS[ordinal[1].lower()]
    return place - 1 if place and _PREVIOUS.search(phrase) else None
