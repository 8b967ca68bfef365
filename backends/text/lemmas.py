"""Lemmas of English words: irregular forms from lists, the rest by `word_key`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from backends.text.word_list_files import groups, rows
from backends.text.words import word_key

_FOLDER = Path(__file__).parent

PAST = {form: verb for verb, forms in rows(_FOLDER / "past_forms.txt") for form in forms.split()}
"""The plain form of each irregular past and participle."""
_IRREGULAR = {
    form: verb for verb, forms in rows(_FOLDER / "irregular_forms.txt") for form in forms.split()
} | PAST
_OWN_STEMS = {
    form: f"{noun}."
    for line in groups(_FOLDER / "own_stems.txt")
    for noun in line.split()
    for form in (noun, noun + "s")
}
_KEEP = frozenset(("be", "have", "lie", "lead", "leave", "see"))


@lru_cache(maxsize=20_000)
def lemma(word: str) -> str:
    """One form for the forms of a verb or noun, rough: the same on both sides of a comparison."""
    base = _IRREGULAR.get(word, word)
    return base if base in _KEEP else _OWN_STEMS.get(base) or word_key(base)
