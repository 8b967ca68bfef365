"""Kinds and what belongs to them: a split may call a poodle a dog, and a dog a poodle.

Two of one kind are not the same: salmon is no tuna, though both are fish.
"""

from __future__ import annotations

from pathlib import Path

from backends.text.word_list_files import rows
from backends.text.words import word_key


def kinds() -> dict[str, frozenset[str]]:
    """For each word the kinds it belongs to and the ones that are of its kind, as keys."""
    found: dict[str, frozenset[str]] = {}
    for kind, members in rows(Path(__file__).parent / "words" / "kinds.txt"):
        general = word_key(kind)
        special = frozenset(word_key(word) for word in members.split())
        found[general] = found.get(general, frozenset()) | special
        for key in special:
            found[key] = found.get(key, frozenset()) | {general}
    return found
