"""Words that a split may use for one another: what people, places and things are called, and common verbs.

Only words that say the same of a scene stand together; those that would contradict it do not.
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
"""The keys that may stand for a key: other words for the same, its kind, and what is of its kind."""
