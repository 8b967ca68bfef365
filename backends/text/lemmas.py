"""Lemmas of English words: irregular forms from lists, the rest by `word_key`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from backends.text.word_list_files import rows
from backends.text.words import word_key, word_set

_FOLDER = Path(__file__).parent

PAST = {form: verb for verb, forms in rows(_FOLDER / "past_forms.txt") for form in forms.split()}
"""The plain form of each irregular past and participle."""
_IRREGULAR = {
    form: verb for verb, forms in rows(_FOLDER / "irregular_forms.txt") for form in forms.split()
} | PAST
_OWN_STEMS = {
    form: f"{noun}."
    for noun in word_set(
        """mane cube pine robe cape stripe pane kite cane vane tube pipe dune tune cone
        bone wine fir shin mat hat star scar huge ripe cute bare"""
    )
    for form in (noun, noun + "s")
}
"""Nouns and adjectives whose stem is that of another word: "mane" is not "man", "firs" do not "fire"."""
_KEEP = frozenset(("be", "have", "lie", "lead", "leave", "see"))


@lru_cache(maxsize=20_000)
def lemma(word: str) -> str:
    """One form for the forms of a verb or noun, rough: the same on both sides of a comparison."""
    base = _IRREGULAR.get(word, word)
    return base if base in _KEEP else _OWN_STEMS.get(base) or word_key(base)
