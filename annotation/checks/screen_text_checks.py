"""Compares quotes in a text with the text that was read in the picture.

Pure functions: they take words and return findings. Only quotes next to a word for writing ("a sign that
reads ...") are checked. Speech, and quotes for other reasons, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

ScreenTextCheck = Literal["text_not_shown", "text_misquoted"]
ALIKE = 0.9
"""Minimum share of letters, in order, for a quote and a line to match, because either may have a wrong
letter.
"""
NEAR = 0.6
"""From this value on, the line is the one that the quote refers to."""
OTHER_NUMBERS = 0.89
"""Maximum value if the numbers differ, so that they never match."""
BESIDE = 40
"""Characters before and after a quote that are searched for a word for writing."""

_QUOTE = re.compile(
    r"[\"“„«「『]([^\"“”„«»「」『』\n]{2,120})[\"”“»」』]"
    r"|(?<!\w)[‘']([^‘’'\n]{2,80})[’'](?!\w)"
)
_WRITING = re.compile(
    r"\b(?:reads?|reading|written|writing|text|words?|letters|lettering|label(?:l?ed|s)?|titled?"
    r"|caption|subtitles?|logo|sign|poster|banner|headline|heading|slide|screen|board|inscription|printed"
    r"|displays?|displayed|displaying|spell(?:s|ed)?)\b",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"\b(?:voice|narrator|speaker|he|she|they|sings?|shouts?|asks?|whispers?)\b[^.]*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ScreenTextFinding:
    """A quote that does not match, with its position in the text."""

    check: ScreenTextCheck
    start: int
    end: int
    why: str


def check_quotes(text: str, lines: Sequence[str]) -> Iterator[ScreenTextFinding]:
    """Yield quotes of writing in `text` that do not match any of the `lines` read in the picture.

    Call it only if the picture was read: without lines, the picture is taken to show no text.
    """
    for match in _QUOTE.finditer(text):
        group = 1 if match[1] is not None else 2
        quote, (start, end) = match[group], match.span(group)
        if not _is_writing(text, *match.span()):
            continue
        closest = max(lines, key=lambda line: likeness(quote, line), default="")
        like = likeness(quote, closest)
        if like >= ALIKE:
            continue
        if like >= NEAR:
            yield ScreenTextFinding("text_misquoted", start, end, f"the picture shows “{closest}”")
        else:
            shown = ", ".join(f"“{line}”" for line in lines[:3]) or "none"
            why = f"not read in the picture; text there: {shown}"
            yield ScreenTextFinding("text_not_shown", start, end, why)


def likeness(quote: str, line: str) -> float:
    """Return 0 to 1; 1 if the line contains the quote, ignoring case, spaces and punctuation."""
    wanted, there = _plain(quote), _plain(line)
    if not wanted or not there:
        return 0.0
    if wanted in there:
        return 1.0
    like = SequenceMatcher(None, wanted, there, autojunk=False).ratio()
    return like if _digits(wanted) == _digits(there) else min(like, OTHER_NUMBERS)


def _plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def _is_writing(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - BESIDE) : start], text[end : end + BESIDE]
    before = re.split(r"[.!?]\s", before)[-1]
    after = re.split(r"[.!?](?:\s|$)", after)[0]
    spoken = _SPOKEN.search(before) and not _WRITING.search(before)
    return not spoken and bool(_WRITING.search(before) or _WRITING.search(after))
