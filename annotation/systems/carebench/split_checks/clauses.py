"""The clauses of a caption: units assigned to the spatial side, the temporal side, both or neither.

A sentence is cut before another main verb ("fills the kettle, | sets it on the stove | and waits")
and before a modifier after a comma ("..., | wearing a red coat"). Lists are not cut.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from annotation.systems.carebench.split_checks.tagging import Sentence, tagged
from annotation.systems.carebench.split_checks.which_words_are_verbs import VERBS, is_verb
from backends.text.sentences import Clause

_SEPARATE = ("conj", "advcl", "ccomp", "dep", "parataxis")
_HUNG_ON = ("acl", "relcl", "prep")
_OPENERS = frozenset(("with", "where", "which", "who", "whose", "without", "under", "below", "above"))
_LINKS = frozenset(
    ("and", "but", "or", ",", ";", "while", "then", "as", "before", "after", "until", "whereas", ":")
)
_MARKS = frozenset((",", ";", ":"))
LEAST = 2
"""Minimum number of words of a clause; a shorter piece is merged with its neighbour."""


@lru_cache(maxsize=64)
def clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of a text in order, with their places; a mark at a clause's end belongs to the clause."""
    return tuple(piece for sentence in tagged(text) for piece in _of_sentence(text, sentence))


def _of_sentence(text: str, sentence: Sentence) -> Iterable[Clause]:
    cuts = sorted(_cuts(sentence))
    kept: list[int] = []
    for cut in cuts:
        if _long_enough(sentence, kept[-1] if kept else 0, cut) and _long_enough(
            sentence, cut, len(sentence.words)
        ):
            kept.append(cut)
    edges = [0, *kept, len(sentence.words)]
    for first, after in pairwise(edges):
        while first < after - 1 and sentence.words[first].low in _MARKS:
            first += 1  # a mark at the cut belongs to neither clause
        start = sentence.start + sentence.words[first].start
        if after < len(sentence.words) and sentence.words[after].low in _MARKS:
            after += 1
        end = sentence.start + sentence.words[after - 1].end
        yield Clause(start, end, text[start:end])


def _cuts(sentence: Sentence) -> set[int]:
    """Indices of the words before which the sentence is cut; a link ("and") belongs to the next clause."""
    words, found = sentence.words, set[int]()
    firsts = _leftmost(sentence)
    for index, word in enumerate(words):
        left = firsts[index]
        if left == 0:
            continue
        before = words[left - 1].low
        own = _is_statement(sentence, index) and _starts_after(before, words[left].low)
        hung = word.dep in _HUNG_ON and before == "," and (word.tag in VERBS or words[left].low in _OPENERS)
        if own or hung:
            found.add(_with_link(sentence, left))
    found |= {i + 1 for i, w in enumerate(words[:-1]) if w.low == ";"}
    return found


def _is_statement(sentence: Sentence, index: int) -> bool:
    word = sentence.words[index]
    if not is_verb(sentence, index) or word.dep not in _SEPARATE:
        return False
    return word.dep != "conj" or is_verb(sentence, word.head)  # "a green frame and worn tyres"


def _starts_after(before: str, first: str) -> bool:
    return before in _LINKS or first in _LINKS


def _leftmost(sentence: Sentence) -> list[int]:
    """For each word, the first word of its dependency subtree.

    Each word climbs towards its root and stops at a node that an earlier word has visited: text without
    punctuation is one sentence of thousands of words.
    """
    found = list(range(len(sentence.words)))
    for index in range(len(found)):
        at, head = index, sentence.words[index].head
        while head != at and found[head] > index:
            found[head] = index
            at, head = head, sentence.words[head].head
    return found


def _with_link(sentence: Sentence, left: int) -> int:
    while left > 1 and sentence.words[left - 1].low in _LINKS - _MARKS:
        left -= 1
    return left


def _long_enough(sentence: Sentence, first: int, after: int) -> bool:
    return sum(w.text[:1].isalnum() for w in sentence.words[first:after]) >= LEAST
