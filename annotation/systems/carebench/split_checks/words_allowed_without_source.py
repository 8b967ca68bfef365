"""Words that a split may use without a source in the full caption: they name kinds, places in the picture,
actions, or what goes without saying."""

from __future__ import annotations

from pathlib import Path

from annotation.systems.carebench.split_checks.word_coverage import stems
from backends.text.word_list_files import headed_lists, rows

_FOLDER = Path(__file__).parent / "words"
_WORDS = headed_lists(_FOLDER / "words_without_source.txt")

GENERIC = stems(_WORDS["generic"])
"""Words that a split may need and that tell nothing new."""

PEOPLE = stems(_WORDS["people"])
"""Words for somebody or something, whoever they are: that there are two of them may be counted."""

PARTS_OF_BODY = stems(_WORDS["parts of body"])
"""Somebody who is told of has them."""

IMPLIED = {word: stems(source) for name, source in rows(_FOLDER / "implied.txt") for word in stems(name)}
"""What goes without saying where one of these is told of: a kitchen where somebody stands at a stove."""
