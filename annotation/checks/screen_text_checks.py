"""What a text quotes against what was read in the picture.

Pure: words in, findings out. Careful: only words in quotation marks beside a word for writing ("a sign that
reads ...") are looked at; what is spoken, or quoted for another reason, is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

ScreenTextCheck = Literal["text_not_shown", "text_misquoted"]
ALIKE = 0.9
"""Of letters in order that a quote and a line have in common: from here on they are the same words, since
either may have a letter wrong."""
NEAR = 0.6
"""From here on the line is what the quote means."""
OTHER_NUMBERS = 0.89
"""At most so alike are words with other numbers: never the same."""
BESIDE = 40
"""Characters before and after a quote in which a word for writing makes it one."""

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
    """A quote that does not fit, with its place in the text."""

    check: ScreenTextCheck
    start: int
    end: int
    why: str


def check_quotes(text: str, lines: Sequence[str]) -> Iterator[ScreenTextFinding]:
    """Quotes of writing in `text` that none of the `lines` read in the picture has.

    Pass lines only where the picture was looked at: no line then means that it shows none.
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
    """0 to 1; 1 when the line holds the quote, whatever its case, spaces and punctuation."""
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
    said = _SPOKEN.search(before) and not _WRITING.search(before)
    return not said and bool(_WRITING.search(before) or _WRITING.search(after))
