"""Words that a split may use without a source in the full caption: they name kinds, places in the picture,
actions, or implied things."""

from __future__ import annotations

from pathlib import Path

from annotation.systems.carebench.split_checks.word_coverage import stems
from backends.text.word_list_files import headed_lists, rows

_FOLDER = Path(__file__).parent / "words"
_WORDS = headed_lists(_FOLDER / "words_without_source.txt")

GENERIC = stems(_WORDS["generic"])
"""Words that a split may need and that add no new detail."""

PEOPLE = stems(_WORDS["people"])
"""Words for any person or thing; their number may be checked."""

PARTS_OF_BODY = stems(_WORDS["parts of body"])
"""Implied by any mention of a person."""

IMPLIED = {word: stems(source) for name, source in rows(_FOLDER / "implied.txt") for word in stems(name)}
"""Things implied by a mention of others: a kitchen by a person at a stove."""
