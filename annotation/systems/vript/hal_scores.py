"""Vript-HAL: words of a caption that occur in the reference (Vript, section 5.1 and its released scorer).

The words of a text are the lemmas of its verbs, nouns and proper nouns. The words of both references
are pooled, stop words are removed, and the remaining words are lemmatised again. A predicted word is
matched if its vector is closer than 0.5 (cosine) to that of any reference word. Precision and recall
share one numerator, the matched predicted words: many of them may match one reference word, so recall
can exceed 1. Tagger and vectors are arguments, so the rule does not depend on an engine.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.scores.score_rows import long_row

Vectors = NDArray[np.float64]
POLICIES: Mapping[str, str] = {
    "published": "as the released scorer: matched words of the caption, above both denominators"
}
PARTS = ("VERB", "NOUN", "PROPN")
"""Universal parts of speech that are counted, in this order."""
THRESHOLD = 0.5
MATCHED, INVENTED = "matched", "invented"


def content_words(tokens: Iterable[tuple[str, str]], lemma: Callable[[str], str]) -> dict[str, str]:
    """`{lemma: part of speech}` of (word, part) pairs; a lemma with two parts keeps the first.

    Each word is lemmatised separately; the case of letters is preserved.
    """
    pairs = list(tokens)
    found: dict[str, str] = {}
    for part in PARTS:
        for word, tag in pairs:
            if tag == part:
                found.setdefault(lemma(word), part)
    return found


def counted_words(
    texts: Sequence[Mapping[str, str]], stop_words: Collection[str], lemma: Callable[[str], str]
) -> dict[str, str]:
    """The counted words of one or more texts' `content_words`, pooled."""
    found: dict[str, str] = {}
    for words in texts:
        for word, part in words.items():
            if word not in stop_words:
                found.setdefault(lemma(word), part)
    return found


@dataclass(frozen=True, slots=True)
class WordMatch:
    """One predicted word."""

    word: str
    best: str
    """The nearest reference word; empty if there is none."""
    similarity: float
    matched: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """The words of one caption compared with those of its references."""

    words: tuple[WordMatch, ...]
    missed: tuple[str, ...]
    """Reference words that are not close to any predicted word. The published figures do not use them."""
    references: int


def compare_words(
    predicted: Sequence[str],
    reference: Sequence[str],
    vectors: Vectors,
    reference_vectors: Vectors,
    threshold: float = THRESHOLD,
) -> Compared:
    """`vectors` are (words, d), `reference_vectors` (references, d), of any length."""
    if not predicted or not reference:
        words = tuple(WordMatch(word, "", 0.0, False) for word in predicted)
        return Compared(words, tuple(reference), len(reference))
    near = _unit(vectors) @ _unit(reference_vectors).T
    best = near.argmax(axis=1)
    matches = tuple(
        WordMatch(word, reference[n], float(near[i, n]), bool(near[i, n] > threshold))
        for i, (word, n) in enumerate(zip(predicted, best.tolist(), strict=True))
    )
    missed = tuple(word for word, most in zip(reference, near.max(axis=0), strict=True) if most <= threshold)
    return Compared(matches, missed, len(reference))


def _unit(rows: Vectors) -> Vectors:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, norms, out=np.zeros_like(rows, dtype=np.float64), where=norms > 0)
    return unit


@dataclass(frozen=True, slots=True)
class ClipScore:
    """Precision, recall and F1 of one clip, from 0; recall may exceed 1."""

    precision: float
    recall: float
    f1: float


def clip_score(matched: int, predicted: int, references: int) -> ClipScore | None:
    """Returns None if one side has no words: the released scorer fails with a division by zero there."""
    if not predicted or not references:
        return None
    precision, recall = matched / predicted, matched / references
    return ClipScore(precision, recall, harmonic(precision, recall))


def harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def many_to_one(words: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Reference words matched by several words, from pairs (matched word, its nearest reference word)."""
    found: dict[str, list[str]] = defaultdict(list)
    for word, best in words:
        found[best].append(word)
    return {best: sorted(several) for best, several in found.items() if len(several) > 1}


def why_above_one(matched: int, references: int, shared: Mapping[str, Sequence[str]]) -> str:
    """One-line reason why recall exceeds 1; empty if it does not."""
    if matched <= references or not references:
        return ""
    most = sorted(shared.items(), key=lambda pair: -len(pair[1]))[:2]
    examples = "; ".join(f"{', '.join(words)} all match “{best}”" for best, words in most)
    return f"recall above 1: {matched} matched words of the caption over {references} of the references" + (
        f" ({examples})" if examples else ""
    )


@dataclass(frozen=True, slots=True)
class HalItem:
    """The current state of one clip."""

    video: str
    matched: int
    predicted: int
    references: int

    @property
    def score(self) -> ClipScore | None:
        return clip_score(self.matched, self.predicted, self.references)


def hal_table(items: Sequence[HalItem]) -> list[dict[str, Any]]:
    """Rows `precision`, `recall`, `f1_mean_of_clips` and `f1_of_means`.

    The released scorer prints the mean of the clips' F1. Every F1 in the paper is the harmonic mean of
    mean precision and mean recall. The two differ, so each has a separate name.
    """
    videos, scores = [item.video for item in items], [item.score for item in items]

    def row(metric: str, values: Sequence[float | None]) -> dict[str, Any]:
        return long_row({}, "published", metric, videos, values)

    precision = row("precision", [score.precision if score else None for score in scores])
    recall = row("recall", [score.recall if score else None for score in scores])
    both = None
    if precision["value"] is not None and recall["value"] is not None:
        both = harmonic(precision["value"], recall["value"])
    f1 = row("f1_mean_of_clips", [score.f1 if score else None for score in scores])
    of_means = {**f1, "metric": "f1_of_means", "value": both, "low": None, "high": None}
    above = row("recall_above_1", [float(score.recall > 1) if score else None for score in scores])
    return [precision, recall, f1, of_means, above]
