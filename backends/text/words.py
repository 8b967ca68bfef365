"""The words of a text with their offsets, and a key for each.

Keys are rough stems of English words, the same on both sides of a comparison.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(
    rf"[{_CJK}]|\d+(?:[.,:]\d+)*|[^\W\d_{_CJK}](?:[^\W_{_CJK}]|[\u0300-\u036f]|['’](?=[^\W\d_]))*"
)


def word_set(words: str) -> frozenset[str]:
    """Return the words of `words`, which are separated by white space."""
    return frozenset(words.split())


# "up", "down", "under", "over", "no", "not" and "one" are left out: they carry meaning.
STOPWORDS = word_set(
    """a an the this that these those some any each every of in on at by to from with for into onto
    as and or but nor so than then there here it its is are was were be been being am do does did has
    have had having will would can could may might shall should must he she they them his her their
    him hers theirs we us our you your i me my who whom whose which what where when why how s t also
    just very while during after before about out off ones"""
)
_NUMBERS = {
    "zero": "0",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
    "thirteen": "13",
    "fourteen": "14",
    "fifteen": "15",
    "sixteen": "16",
    "seventeen": "17",
    "eighteen": "18",
    "nineteen": "19",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "hundred": "100",
}

_SAME = {
    "colour": "color",
    "grey": "gray",
    "centre": "center",
    "closeup": "close",
    "upwards": "up",
    "upward": "up",
    "downwards": "down",
    "downward": "down",
    "leftwards": "left",
    "leftward": "left",
    "rightwards": "right",
    "rightward": "right",
    "men": "man",
    "women": "woman",
    "children": "child",
    "people": "person",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
}


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text."""

    start: int
    end: int
    text: str
    key: str
    """Rough stem: equal for spellings, plurals, number words and simple verb forms."""


@lru_cache(maxsize=2_000)
def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text, in order. Kept: the same caption is searched for every question."""
    return tuple(Token(m.start(), m.end(), m[0], word_key(m[0])) for m in _WORD.finditer(text))


def content(text: str) -> list[Token]:
    """The words that carry meaning."""
    return [token for token in tokens(text) if token.text.casefold() not in STOPWORDS]


def keys(text: str) -> set[str]:
    """The keys of the words that carry meaning."""
    return {token.key for token in content(text)}


@lru_cache(maxsize=20_000)
def word_key(word: str) -> str:
    """The key of one word."""
    folded = unicodedata.normalize("NFKD", word).casefold()
    folded = "".join(char for char in folded if not unicodedata.combining(char)).replace("’", "'")
    folded = re.sub(r"'(?:s|re|ve|ll|d)$", "", folded)
    if folded[:1].isdecimal():
        return _plain_number(folded)
    folded = _SAME.get(folded, folded)
    return _NUMBERS.get(folded) or _stem(folded)


def _plain_number(digits: str) -> str:
    """`12.0` is `12`, `1,200` is `1200`; a clock such as `4:30` stays."""
    plain = digits.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits) else digits
    return plain.rstrip("0").rstrip(".") if re.fullmatch(r"\d+\.\d+", plain) else plain


def _stem(word: str) -> str:
    word = _singular(word)
    word = _SAME.get(word, word)
    for suffix in ("ing", "ed"):
        stem = word.removesuffix(suffix)
        if stem != word and len(stem) >= 3 and re.search(r"[aeiouy]", stem) and not word.endswith("eed"):
            doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return (stem[:-1] if doubled else stem).removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


def _singular(word: str) -> str:
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1]
