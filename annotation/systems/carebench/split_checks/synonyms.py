"""Synonyms that a split may use: names of people, places and things, and common verbs.

Only words with the same meaning in a scene form a group; contradicting words do not.
"""

from __future__ import annotations

from pathlib import Path

from annotation.systems.carebench.split_checks.kinds_of_things import kinds
from backends.text.word_list_files import groups
from backends.text.words import word_key


def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in groups(Path(__file__).parent / "words" / "synonyms.txt"):
        same = frozenset(word_key(word) for word in line.split())
        for key in same:
            found[key] = found.get(key, frozenset()) | same
    for key, others in kinds().items():
        found[key] = found.get(key, frozenset()) | others
    return found


SAME = _groups()
"""The keys that may replace a key: synonyms, its kind, and members of its kind."""
