"""Reads the word lists of the split checks: text files in `words/`, each for one module.

Lines that begin with # are comments. Lists stand under [headings], or each on a line of its own after
a word and a colon.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent / "words"


def headed_lists(name: str) -> dict[str, str]:
    """Heading -> its words, of `words/NAME.txt`."""
    found: dict[str, str] = {}
    heading = ""
    for line in _lines(name):
        if line.startswith("["):
            heading = line.strip("[]")
        else:
            found[heading] = f"{found.get(heading, '')} {line}".strip()
    return found


def rows(name: str) -> list[tuple[str, str]]:
    """(word, its words) of every line of `words/NAME.txt`; a word may have several lines."""
    return [(word, words.strip()) for word, _, words in (line.partition(":") for line in _lines(name))]


def groups(name: str) -> list[str]:
    """The words of every line of `words/NAME.txt`."""
    return list(_lines(name))


def _lines(name: str) -> Iterator[str]:
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()
