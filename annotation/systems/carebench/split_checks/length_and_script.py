"""Checks that do not need the content: length, letters of another script, wording about the frames."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from annotation.systems.carebench.split_checks.finding import Finding, Side, Texts, at
from backends.text.text_length import text_length

WORDS = (150, 300)
"""Number of words of a full caption (CaReBench, annotation stage I)."""
SIDES: tuple[Side, ...] = ("full", "spatial", "temporal")

_QUOTED = re.compile(
    r"\"[^\"\n]{1,500}\"|“[^”\n]{1,500}”|‘[^’\n]{1,500}’|«[^»\n]{1,500}»|「[^」\n]{1,500}」"
    r"|(?<!\w)'[^'\n]{1,500}'(?!\w)"
)
_GAP = re.compile(r"[\s\d\W]*")
_WIDE = re.compile(r"[，。、；：？！（）【】《》]")


@dataclass(frozen=True, slots=True)
class SeenText:
    """Quoted words in another script: text visible in the video, which may be kept."""

    side: Side
    start: int
    end: int
    text: str


def word_count(text: str) -> int:
    """Number of words as on the page; number of letters for scripts without spaces between words."""
    return text_length(text).n


def word_range_missed(full: str) -> str:
    """How far a full caption is outside `WORDS`; empty if it is within the range or has no text."""
    count = word_count(full)
    least, most = WORDS
    if not count or least <= count <= most:
        return ""
    how = f"{least - count} short of {least}" if count < least else f"{count - most} over {most}"
    return f"{text_length(full)}: {how}"


def length(texts: Texts) -> Iterator[Finding]:
    """A full caption outside of 150 to 300 words; a side that is empty or longer than the full caption."""
    count = word_count(texts.full)
    if missed := word_range_missed(texts.full):
        yield Finding("length", "full", 0, 0, "", missed)
    for side in ("spatial", "temporal"):
        have = word_count(texts.of(side))
        if count and have > count:
            yield Finding(
                "length", side, 0, 0, "", f"{text_length(texts.of(side))}: longer than the full caption"
            )


# --- scripts --------------------------------------------------------------------------


def script(texts: Texts) -> Iterator[Finding]:
    """Letters of a script other than the caption's main script, outside quotation marks."""
    own = _own_script(texts.full or texts.spatial + texts.temporal)
    for side in SIDES:
        text = texts.of(side)
        quoted = [match.span() for match in _QUOTED.finditer(text)]
        for start, end in _foreign(text, own):
            if not _inside(start, quoted):
                why = f"“{text[start:end]}” is in another script; quote it if it is text in the video"
                yield at("script", side, text, start, end, why)


def seen_texts(texts: Texts) -> list[SeenText]:
    """Quoted text in another script, to be marked: the annotation keeps readable text of the video."""
    own = _own_script(texts.full or texts.spatial + texts.temporal)
    found = []
    for side in SIDES:
        text = texts.of(side)
        quoted = [match.span() for match in _QUOTED.finditer(text)]
        found += [SeenText(side, a, b, text[a:b]) for a, b in _foreign(text, own) if _inside(a, quoted)]
    return found


def _own_script(text: str) -> str:
    counts = Counter(filter(None, map(_script_of, text)))
    return counts.most_common(1)[0][0] if counts else "LATIN"


def _foreign(text: str, own: str) -> list[tuple[int, int]]:
    """Ranges of letters of other scripts; Latin names are allowed in every script."""
    spans: list[tuple[int, int]] = []
    for index, char in enumerate(text):
        name = _script_of(char)
        wide = own == "LATIN" and bool(_WIDE.match(char))
        if not wide and (not name or name in (own, "LATIN")):
            continue
        if spans and _GAP.fullmatch(text[spans[-1][1] : index]) and _script_like(text[spans[-1][1] : index]):
            spans[-1] = (spans[-1][0], index + 1)
        else:
            spans.append((index, index + 1))
    return spans


def _script_like(gap: str) -> bool:
    """Whether the gap may separate two words of one range: white space and digits, not quotation marks."""
    return not re.search(r"[\"“”‘’«»'「」]", gap) and len(gap) <= 3


def _script_of(char: str) -> str:
    """LATIN, CJK, CYRILLIC ...; empty for other characters (combining marks, digits, signs)."""
    if char < "\u0080":
        return "LATIN" if char.isalpha() else ""
    if unicodedata.category(char)[0] != "L" or char in "µªº":
        return ""
    first = unicodedata.name(char, "").split(" ")[0].split("-")[0]
    return "CJK" if first in ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO") else first


def _inside(start: int, spans: list[tuple[int, int]]) -> bool:
    return any(left <= start < right for left, right in spans)


# --- wording about the frames ---------------------------------------------------------

_WHICH = (
    "first|second|third|fourth|fifth|last|final|next|previous|following|opening|initial|closing|middle|"
    "earlier|later"
)
_PICTURES = r"(?:frames?|images?|pictures?|photos?|screenshots?|snapshots?|stills?)"
_SHOW = (
    "(?:show|depict|captur|display|portray|reveal|illustrat|present|featur|contain|focus|highlight|seem|"
    r"appear)\w*"
)
_PART = (
    "(?:left|right|upper|lower|top|bottom|centre|center|middle|edge|edges|side|corner|half|part|third|rest)"
)
_ALL = r"(?:(?:the|this|these|all|each|every|both)\s+)*"
_META = re.compile(
    rf"""\b(?:
    (?:enters?|(?:comes?|walks?|steps?|moves?|runs?)\s+into)\s+(?:the\s+)?frame\b
    |(?:leaves?|exits?|(?:walks?|steps?|moves?|runs?)\s+out\s+of)\s+(?:the\s+)?frame\b
    |(?:in|by|from|throughout|across|over|of|between|within|at|on|until)\s+{_ALL}(?:(?:{_WHICH})\s+)?
       (?:(?:two|three|four|five|six|video|few)\s+)?
       (?:frames\b(?!\s+of\b)|screenshots?\b|frame\s+\d+\b|(?<=this\ )(?:frame|image|picture|photo)\b)
    |(?:(?:the|this|in|by|from|until|at|an?)\s+)*(?:{_WHICH})\s+(?:frames?|images?|pictures?|screenshots?)\b
    |(?:from\s+)?frame\s+(?:to|by|after)\s+frame\b
    |frames?\s+(?:\d+|one|two|three|four|five|six)\b
    |(?:the|this|these|each|every|all)\s+(?:provided\s+|given\s+)?{_PICTURES}\s+{_SHOW}
    |(?:in|within|inside|across)\s+(?:the|this|each|every)\s+frame\b(?!\s+of\b)
    |(?:(?:on|at|in|to|from|out)\s+)?(?:the\s+)?(?:{_PART}\s+)+of\s+(?:the|this|each|every)\s+
       (?:frame|image|picture|photo|screenshot)\b(?!\s+(?:of|on)\b)
    |(?:in|within)\s+(?:the|this)\s+(?:image|picture|photo|photograph|screenshot)(?=,|\s+(?:is|are|there|we)\b)
    |(?:sequence|series|set)\s+of\s+(?:images|frames|pictures|photos|stills)\b
    |the\s+frames\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)


_GAME = re.compile(r"\b(?:wins?|won|loses?|lost)\s+$", re.IGNORECASE)
"""Snooker and bowling are played in frames."""


def meta_wording(texts: Texts) -> Iterator[Finding]:
    """Wording about frames or pictures instead of the video; window and bed frames are allowed."""
    for side in SIDES:
        text = texts.of(side)
        for match in _META.finditer(text):
            if _GAME.search(text, 0, match.start()):
                continue
            start, end = match.span()
            why = f"“{match[0]}” refers to frames; a caption describes the video"
            yield at("meta_wording", side, text, start, end, why)
