"""Small edits that keep prose well formed: spaces, commas, articles, capitals."""

from __future__ import annotations

import re

from backends.text.sentences import sentences

_LINK = re.compile(r"^(?:and then|and|but|while|then|as|whereas|with)\s+", re.IGNORECASE)
_VOWEL = re.compile(r"(?:[aeio]|u(?!n[i]|se|ti))", re.IGNORECASE)
_ENDS = ".!?…。！？"
_HANGING = re.compile(
    r"[\s,;:]+$|(?:[\s,;:]+(?:and|but|or|while|then|as|of|with|an?|the))+[\s,;:]*$", re.IGNORECASE
)
"""Words that cannot end a sentence; "on" and "in" may belong to the verb ("puts it on")."""


def cut(text: str, start: int, end: int) -> str:
    """Remove a range: no double spaces or orphaned commas remain, and sentences begin with a capital."""
    left, right = text[:start], text[end:]
    right = right.lstrip()
    at_start = not left.strip() or left.rstrip()[-1] in _ENDS
    if at_start:
        right = re.sub(r"^[\s,;:.]+", "", right)
        right = _LINK.sub("", right)
        return left.rstrip() + (" " if left.strip() and right else "") + capital(right)
    left, gone = left.rstrip(), text[start:end].rstrip()
    if right and gone and gone[-1] in _ENDS:
        return f"{_HANGING.sub('', left)}{gone[-1]} {capital(right)}"  # the sentence still ends
    if not right or right[0] in _ENDS:
        return _HANGING.sub("", left) + (right or ".")
    if right[0] in ",;:":
        return _HANGING.sub("", left) + right
    return f"{left} {right}"


def cut_word(text: str, start: int, end: int) -> str:
    """Remove an adjective and adapt the article before it to the next word."""
    left, right = text[:start].rstrip(), text[end:].lstrip()
    article = re.search(r"(?<!\w)(an?)$", left, re.IGNORECASE)
    if article and right:
        fitting = "an" if _VOWEL.match(right) else "a"
        fitting = fitting.capitalize() if article[1][0].isupper() else fitting
        left = left[: article.start()] + fitting
    if not left or left[-1] in _ENDS:
        right = capital(right)
    elif not right or right[0] in _ENDS:
        left = _HANGING.sub("", left)
    return f"{left} {right}" if left and right and right[0] not in ",;.:" else left + right


def put(text: str, start: int, end: int, words: str) -> str:
    """Replace a range with other words, capitalised at the start of a sentence."""
    first = not text[:start].strip() or text[:start].rstrip()[-1] in _ENDS
    return text[:start] + (capital(words) if first else words) + text[end:]


def sentence(words: str) -> str:
    """Turn a clause into a sentence."""
    words = _HANGING.sub("", _LINK.sub("", words.strip(" ,;:")))
    return capital(words) + ("" if not words or words[-1] in _ENDS + "\"”'" else ".")


def added(text: str, words: str, first: bool = False) -> str:
    """Append a sentence to the text, or prepend it."""
    parts = [sentence(words), text.strip()] if first else [text.strip(), sentence(words)]
    return " ".join(part for part in parts if part)


def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def sentence_around(text: str, start: int) -> tuple[int, int]:
    """Start and end of the sentence that contains a place."""
    for row in sentences(text):
        if row.start <= start < max(row.end, row.start + 1):
            return row.start, row.end
    return 0, len(text)


def with_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """The range including the comma before it, if a comma also follows it."""
    before = re.search(r",\s*$", text[:start])
    after = re.match(r"\s*,", text[end:])
    if before and after:
        return before.start(), end + after.end()
    return start, end
