"""Small edits of prose that leave it well formed: spaces, commas, articles, capitals."""

from __future__ import annotations

import re

from backends.chat.rules.language import sentences

_LINK = re.compile(r"^(?:and then|and|but|while|then|as|whereas|with)\s+", re.IGNORECASE)
_VOWEL = re.compile(r"(?:[aeio]|u(?!n[i]|se|ti))", re.IGNORECASE)
_ENDS = ".!?…。！？"


def cut(text: str, start: int, end: int) -> str:
    """The text without a stretch: no double spaces, no orphaned commas, sentences begin with a capital."""
    left, right = text[:start], text[end:]
    right = right.lstrip()
    at_start = not left.strip() or left.rstrip()[-1] in _ENDS
    if at_start:
        right = re.sub(r"^[\s,;:.]+", "", right)
        right = _LINK.sub("", right)
        return left.rstrip() + (" " if left.strip() and right else "") + capital(right)
    left = left.rstrip()
    if not right or right[0] in _ENDS:
        left = re.sub(r"[\s,;:]+$|,?\s+(?:and|but|while|then|as)$", "", left)
        return left + (right or ".")
    if right[0] in ",;:":
        left = left.rstrip(",;:")
        return left + right
    return f"{left} {right}"


def cut_word(text: str, start: int, end: int) -> str:
    """The text without an adjective; the article before it fits what follows now."""
    left, right = text[:start].rstrip(), text[end:].lstrip()
    article = re.search(r"(?<!\w)(an?)$", left, re.IGNORECASE)
    if article and right:
        fitting = "an" if _VOWEL.match(right) else "a"
        fitting = fitting.capitalize() if article[1][0].isupper() else fitting
        left = left[: article.start()] + fitting
    if not left or left[-1] in _ENDS:
        right = capital(right)
    return f"{left} {right}" if left and right and right[0] not in ",;.:" else left + right


def put(text: str, start: int, end: int, words: str) -> str:
    """The text with other words in a place; a capital where a sentence begins."""
    first = not text[:start].strip() or text[:start].rstrip()[-1] in _ENDS
    return text[:start] + (capital(words) if first else words) + text[end:]


def sentence(words: str) -> str:
    """A clause as a sentence of its own."""
    words = _LINK.sub("", words.strip(" ,;:"))
    return capital(words) + ("" if not words or words[-1] in _ENDS + "\"”'" else ".")


def added(text: str, words: str, first: bool = False) -> str:
    """The text with a sentence at its end, or at its beginning."""
    parts = [sentence(words), text.strip()] if first else [text.strip(), sentence(words)]
    return " ".join(part for part in parts if part)


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def sentence_around(text: str, start: int) -> tuple[int, int]:
    """Where the sentence that holds a place begins and ends."""
    for row in sentences(text):
        if row.start <= start < max(row.end, row.start + 1):
            return row.start, row.end
    return 0, len(text)
