"""Keys of words and phrases of a text, and the share of a clause that another text contains.

Words are compared by rough stems. A word that is frequent in the full caption has less weight: if "the man"
is on a side, his actions may still be missing. Words that a split often rewords have less weight too: verbs
(with many synonyms), verbs of standing and having, looks, and adverbs of manner.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from annotation.systems.carebench.split_checks import word_lists as v
from annotation.systems.carebench.split_checks.phrases_for_one_word import in_plain_words
from annotation.systems.carebench.split_checks.synonyms import SAME
from annotation.systems.carebench.split_checks.tagging import tagged
from backends.text.lemmas import PAST
from backends.text.sentences import Clause
from backends.text.words import Token, content, tokens, word_key

VERB, STILL, HOW, LOOKS, WHO = 0.8, 0.2, 0.4, 0.7, 0.5
"""Weights of verbs, of verbs of standing or having, of adverbs, of adjectives, and of words for people; the
weight of other nouns is 1."""

_NONE: frozenset[str] = frozenset()
_BASE = {word_key(form): word_key(base) for form, base in PAST.items()}


def stems(words: str) -> frozenset[str]:
    return frozenset(word_key(word) for word in words.split())


_LINKS = stems("""finally next overall again both all while there upon within once more anew too still
    already now meanwhile later afterwards then become get begin initially eventually also another start""")
_STILL = stems("""wear have stand sit lie hang lean rest hold be look carry contain include show feature see
    visible dress seat place take make give get do let put set go come keep use""")
_PEOPLE = stems("man woman person people boy girl child kid one other another both all each")
_AGE = re.compile(r"\byears?[- ]old\b", re.IGNORECASE)
_AGES = stems("year old age aged")
_REFERS = re.compile(r"\b(?:it|them)\b|\b(?:him|her|so|this|that)\b[,.;]*$", re.IGNORECASE)
_FIGURE = re.compile(r"\d+")


def base(key: str) -> str:
    """The key of a verb's base form: "threw" as "throw"."""
    return _BASE.get(key, key)


@lru_cache(maxsize=128)
def keys_of(text: str) -> frozenset[str]:
    """The keys of all words of a text, in the original wording and in one-word equivalents."""
    plain = in_plain_words(text)
    every = [*tokens(text), *(tokens(plain) if plain != text else ())]
    return frozenset(base(token.key) for token in every)


def content_words(text: str) -> list[Token]:
    """The content words, without words that only link."""
    idle = _LINKS | _AGES if _AGE.search(text) else _LINKS  # "a boy of eight": the number gives the age
    return [token for token in content(text) if token.key not in idle]


def refers(text: str) -> bool:
    """ "inflates it": its object was mentioned before."""
    return bool(_REFERS.search(text))


def exact(low: str, key: str) -> bool:
    """Words that contradict the full caption if they are misplaced: colours, numbers, directions."""
    number = bool(_FIGURE.fullmatch(key)) and low not in ("one", "ones")
    return low in v.COLOURS or number or low in ("left", "right", "up", "down")


@lru_cache(maxsize=64)
def tags_of(text: str) -> Mapping[int, str]:
    """The part of speech of the word at each place of a text."""
    return {row.start + word.start: word.tag for row in tagged(text) for word in row.words}


@lru_cache(maxsize=16)
def weights_of(text: str) -> Mapping[str, float]:
    """The weight of each key of a text: lower for frequent keys."""
    counts = Counter(base(token.key) for token in content_words(text))
    return {key: 1.0 / n for key, n in counts.items()}


def share(
    clause: Clause, text: str, held: frozenset[str], weights: Mapping[str, float], *, alike: float = 1.0
) -> float | None:
    """Share of a clause of `text` that is in `held`, from 0 to 1; a word held as a synonym counts `alike`.

    None if the clause has no content words.
    """
    every = content_words(clause.text)
    asked = [t for t in every if not exact(t.text.lower(), t.key)] or every
    tags, total, got = tags_of(text), 0.0, 0.0
    phrases = keys_of(clause.text) - {base(t.key) for t in tokens(clause.text)}
    phrase_held = bool(phrases) and any(has(key, held) for key in phrases)
    for key, tag in {base(t.key): tags.get(clause.start + t.start, "NN") for t in asked}.items():
        weight = weights.get(key, 1.0) * _part(key, tag)
        total += weight
        in_phrase = phrase_held and tag.startswith(("VB", "RP", "RB", "IN"))
        got += weight * (1.0 if in_phrase else _held(key, held, alike))
    return got / total if total else None


def evenly(words: str, held: frozenset[str], *, alike: float = 1.0) -> float | None:
    """The same share with equal weights for all words of the clause."""
    every = content_words(words)
    asked = {base(t.key) for t in every if not exact(t.text.lower(), t.key)} or {base(t.key) for t in every}
    return sum(_held(key, held, alike) for key in asked) / len(asked) if asked else None


def _part(key: str, tag: str) -> float:
    if key in _STILL:
        return STILL
    if key in _PEOPLE:
        return WHO
    if tag.startswith("VB"):
        return VERB
    if tag.startswith(("RB", "RP", "IN")):
        return HOW
    return LOOKS if tag.startswith("JJ") else 1.0


def _held(key: str, held: frozenset[str], alike: float) -> float:
    if key in held or any(kin(key, other) for other in held):
        return 1.0
    return alike if has(key, held) else 0.0


def has(key: str, held: Iterable[str]) -> bool:
    """Whether these keys contain the word, a synonym, or a word of its family."""
    held = held if isinstance(held, frozenset) else frozenset(held)
    key = base(key)
    if key in held or not SAME.get(key, _NONE).isdisjoint(held):
        return True
    return any(kin(key, other) for other in held)


@lru_cache(maxsize=50_000)
def kin(one: str, other: str) -> bool:
    """ "rehearsal" and "rehears", "serve" and "service": a common beginning, and short endings."""
    short = min(len(one), len(other))
    if short < 4 or one[:3] != other[:3]:
        return False
    same = next((i for i in range(short) if one[i] != other[i]), short)
    return (same >= 5 and same >= max(len(one), len(other)) - 4) or (
        same == short >= 4 and (abs(len(one) - len(other)) <= 2 or max(one, other, key=len).endswith("en"))
    )
