"""The sentences and clauses of a text, with their offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from backends.text.words import word_set

_ABBREVIATIONS = word_set(
    """mr mrs ms dr prof st sr jr vs no fig e.g i.e cf approx ca dept est inc ltd co gen col capt lt sgt
    rev hon jan feb mar apr jun jul aug sep sept oct nov dec"""
)
_LOOSE_ABBREVIATIONS = word_set("etc a.m p.m u.s u.k al")
"""These may also end a sentence: they do when a capital follows."""

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[”’」』）]*|\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
_QUOTED = re.compile(r"\"[^\"\n]{1,2000}\"|“[^”\n]{1,2000}”|「[^」\n]{1,2000}」")


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of a text: `text` is text[start:end] of the whole."""

    start: int
    end: int
    text: str


def sentences(text: str) -> list[Clause]:
    """The sentences of a text: abbreviations, initials, decimals and closing quotes stay inside.

    White space between sentences belongs to none. A blank line or a list mark ends one.
    """
    return list(_sentences(text))


@lru_cache(maxsize=64)
def _sentences(text: str) -> tuple[Clause, ...]:
    found: list[Clause] = []
    start = 0
    quotes = [match.span() for match in _QUOTED.finditer(text)]
    for match in _END.finditer(text):
        inside = any(left < match.start() and match.end() < right for left, right in quotes)
        if not inside and _ends_sentence(text, match):
            found += _trimmed(text, start, match.end())
            start = match.end()
    return (*found, *_trimmed(text, start, len(text)))


_AROUND = 100
"""Characters before and after a full stop that decide what it is; the script of a film may lie around."""


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    mark, rest = match[0], text[match.end() : match.end() + _AROUND].lstrip()
    if mark.startswith("\n") or mark[0] in "。！？" or not rest:
        return True
    opens = rest.lstrip("\"'“‘«([")[:1]
    if opens.islower():
        return False
    if mark != ".":
        return True
    before = re.search(r"(\w(?:[\w.]*\w)?)$", text[max(0, match.start() - _AROUND) : match.start()])
    word = before[1].casefold() if before else ""
    if word in _LOOSE_ABBREVIATIONS:
        return opens.isupper()
    return word not in _ABBREVIATIONS and not _initial(word, text, match.start())


def _initial(word: str, text: str, end: int) -> bool:
    """Whether `word` is a capital letter alone, as in "J. Smith" (but not the "I" of a sentence end)."""
    return len(word) == 1 and text[end - 1].isupper() and text[end - 1] != "I"


_BREAK = re.compile(
    r";\s+|:\s+(?=\w)|,\s+(?:and\s+|but\s+|while\s+|then\s+|as\s+|where\s+|which\s+|with\s+|before\s+|after\s+)?"
    r"|\s+(?=(?:and then|then|while|whereas|before|after|as (?:he|she|it|they|the|a))\s)|[，；、]"
)


def clauses(text: str) -> list[Clause]:
    """Sentences cut further at commas, semicolons and conjunctions; quoted speech stays whole."""
    return list(_clauses(text))


@lru_cache(maxsize=64)
def _clauses(text: str) -> tuple[Clause, ...]:
    """Kept for the last few texts: one caption is asked some twenty questions."""
    return tuple(part for sentence in _sentences(text) for part in _cut(text, sentence))


def _cut(text: str, sentence: Clause) -> list[Clause]:
    quotes = [match.span() for match in _QUOTED.finditer(sentence.text)]
    parts: list[Clause] = []
    start = 0
    for match in _BREAK.finditer(sentence.text):
        if any(left < match.start() < right for left, right in quotes):
            continue
        parts += _trimmed(text, sentence.start + start, sentence.start + match.start())
        start = match.end()
    return parts + _trimmed(text, sentence.start + start, sentence.end)


def _trimmed(text: str, start: int, end: int) -> list[Clause]:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = start + len(piece.rstrip())
    return [Clause(left, right, text[left:right])] if left < right else []
