"""Kinds and their members: a split may call a poodle a dog, and a dog a poodle.

Two members of one kind differ: salmon is not tuna, though both are fish.
"""

from __future__ import annotations

from pathlib import Path

from backends.text.word_list_files import rows
from backends.text.words import word_key


def kinds() -> dict[str, frozenset[str]]:
    """For each word, the kinds it belongs to and the members of the kind it names, as keys."""
    found: dict[str, frozenset[str]] = {}
    for kind, members in rows(Path(__file__).parent / "words" / "kinds.txt"):
        general = word_key(kind)
        special = frozenset(word_key(word) for word in members.split())
        found[general] = found.get(general, frozenset()) | special
        for key in special:
            found[key] = found.get(key, frozenset()) | {general}
    return found
