"""Reads files of words.

Lines that begin with # are comments. Words stand under [headings], or each row on a line of its own after
a word and a colon.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def headed_lists(file: Path) -> dict[str, str]:
    """Heading -> its words."""
    found: dict[str, str] = {}
    heading = ""
    for line in _lines(file):
        if line.startswith("["):
            heading = line.strip("[]")
        else:
            found[heading] = f"{found.get(heading, '')} {line}".strip()
    return found


def rows(file: Path) -> list[tuple[str, str]]:
    """(word, its words) of every line; a word may have several lines."""
    return [(word, words.strip()) for word, _, words in (line.partition(":") for line in _lines(file))]


def groups(file: Path) -> list[str]:
    """The words of every line."""
    return list(_lines(file))


def _lines(file: Path) -> Iterator[str]:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.strip()
