"""Length of a text in words, or in characters for scripts without spaces between words.

All checks of limits use this module. The pages count the same way (`textLength` in
ui/lib/parts/words.js).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

UNSPACED = (
    "\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese syllables and marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""Letters of scripts without spaces, as the content of a regular expression's character class."""
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Vowel signs and tone marks combine with a letter and are not counted.
_MARKS = re.compile("[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd]")
_WORD = re.compile(r"\S+")
_LETTER = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class Length:
    """A count and its unit."""

    n: int
    unit: str
    """`words`, or `characters` if most of the text has no spaces."""

    def __str__(self) -> str:
        return f"{self.n:,} {self.unit if self.n != 1 else self.unit[:-1]}"


def text_length(text: str) -> Length:
    """Count words between spaces, and each letter of scripts without spaces.

    Mixed texts count both: "iPhone の箱" is one word and two characters, together 3.
    """
    letters = len(_UNSPACED.findall(_MARKS.sub("", text)))
    if not letters:
        return Length(len(_WORD.findall(text)), "words")
    # Punctuation between such letters is not a word.
    rest = [word for word in _WORD.findall(_UNSPACED.sub(" ", text)) if _LETTER.search(word)]
    return Length(letters + len(rest), "characters" if letters > len(rest) else "words")


def is_unspaced(text: str) -> bool:
    """Whether most of the text is in a script without spaces."""
    return text_length(text).unit == "characters"
