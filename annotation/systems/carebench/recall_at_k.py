"""Retrieval: R@k in both directions from similarities, with several positives and ties.

A query is a hit at k if at least one of its positives is among the k most similar candidates.
Source: CaReBench `tasks/retrieval.py` (MCG-NJU/CaReBench f67d9aa), which takes whatever order its sort
gives to equal similarities. Here ties follow a named rule:

- `expected` (default): the probability of a hit if candidates of equal similarity are in random
  order. A model that gives all candidates the same value gets k of n, not 0 or 1.
- `pessimistic`: tied candidates that are not positive come first.
- `optimistic`: tied positives come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from backends.errors import UsageError

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Ints = NDArray[np.int64]
Ties = Literal["expected", "pessimistic", "optimistic"]
TIES: tuple[Ties, ...] = get_args(Ties)
Direction = Literal["t2v", "v2t"]
"""`t2v`: texts query videos. CaReBench prints it as `image_retrieval_recall`, the other direction as
`text_retrieval_recall`."""
DIRECTIONS: tuple[Direction, ...] = ("t2v", "v2t")
KS = (1, 5, 10)


@dataclass(frozen=True, slots=True)
class Ranks:
    """Rank of the best positive of each query. All arrays are (queries,).

    The best positive is the one most similar to the query. Of the equally similar candidates, `tied` are
    not positive and `positives` are, including itself. A query without a positive has `positives` 0.
    """

    above: Ints
    """Number of candidates that are strictly more similar to the query."""
    tied: Ints
    positives: Ints

    @property
    def asked(self) -> Mask:
        """Queries that have a positive."""
        found: Mask = self.positives > 0
        return found

    def rank(self, ties: Ties = "expected") -> Floats:
        """Rank from 1; the mean rank under `expected`. NaN without a positive."""
        behind = {
            "optimistic": np.zeros(len(self.above)),
            "pessimistic": self.tied.astype(float),
            "expected": self.tied / (self.positives + 1.0),
        }[ties]
        return np.where(self.asked, self.above + behind + 1.0, np.nan)

    def hits(self, k: int, ties: Ties = "expected") -> Floats:
        """1 for a hit at k, 0 for a miss, the probability in between for ties; NaN without a positive."""
        if ties == "expected":
            found = self._chances(k)
        else:
            worse = self.tied if ties == "pessimistic" else 0
            found = (self.above + worse < k).astype(float)
        return np.where(self.asked, found, np.nan)

    def _chances(self, k: int) -> Floats:
        """Probability that one of `positives` gets one of the remaining places among `tied`."""
        places = k - self.above
        found = np.where(places > 0, 1.0, 0.0)
        unsure = (places > 0) & (places <= self.tied)
        for query in np.flatnonzero(unsure):
            found[query] = _chance(int(places[query]), int(self.tied[query]), int(self.positives[query]))
        return found


@lru_cache(maxsize=4096)
def _chance(places: int, tied: int, positives: int) -> float:
    """1 minus the probability that all `places` are filled from the `tied` non-positives."""
    missed = 1.0
    for n in range(places):
        missed *= (tied - n) / (tied + positives - n)
    return 1.0 - missed


def ranks(similarity: Floats, positive: Mask) -> Ranks:
    """`similarity` and `positive` are (queries, candidates). Raises UsageError for unordered values."""
    if similarity.shape != positive.shape or similarity.ndim != 2:
        raise UsageError(
            f"similarities are {similarity.shape} and positives {positive.shape}; make them equal"
        )
    if np.isnan(similarity).any():
        raise UsageError("a similarity is not a number; such values have no order")
    best = np.max(similarity, axis=1, initial=-np.inf, where=positive)[:, None]
    above = np.count_nonzero(similarity > best, axis=1)
    equal = similarity == best
    positives = np.count_nonzero(equal & positive, axis=1)
    tied = np.count_nonzero(equal, axis=1) - positives
    none = ~positive.any(axis=1)
    return Ranks(*(np.where(none, 0, x).astype(np.int64) for x in (above, tied, positives)))


def cosine(texts: Floats, videos: Floats) -> Floats:
    """(T, V) of embeddings (T, D) and (V, D). Raises UsageError if lengths differ or a row is 0."""
    if texts.ndim != 2 or videos.ndim != 2 or texts.shape[1] != videos.shape[1]:
        raise UsageError(
            f"text embeddings are {texts.shape} and those of videos {videos.shape}; both need "
            "(rows, the same length)"
        )
    return np.asarray(_unit(texts, "text") @ _unit(videos, "video").T, dtype=np.float64)


def _unit(rows: Floats, name: str) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise UsageError(f"a {name} embedding is zero or not finite; it has no direction")
    return np.asarray(rows / lengths, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Setting:
    """One retrieval: texts of one kind (general, spatial, temporal) against videos."""

    name: str
    similarity: Floats
    """(T, V)"""
    positive: Mask
    """(T, V)"""
    texts: tuple[str, ...]
    """Ids of the texts, T."""
    videos: tuple[str, ...]
    """Ids of the videos, V."""

    @property
    def video_of_text(self) -> Ints:
        """(T,) the first matching video of each text; -1 if there is none."""
        return np.where(self.positive.any(axis=1), self.positive.argmax(axis=1), -1).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A setting's ranks in both directions, from which all figures are computed."""

    name: str
    videos: tuple[str, ...]
    t2v: Ranks
    v2t: Ranks
    home: Ints
    """(T,) index of the video that each text belongs to; -1 for a text without one."""

    def of(self, direction: Direction) -> Ranks:
        return self.t2v if direction == "t2v" else self.v2t

    def places(self, direction: Direction) -> Ints:
        """(queries,) index of the video that each query counts for."""
        return self.home if direction == "t2v" else np.arange(len(self.videos))


def ranked(setting: Setting) -> Ranked:
    """Ranks of every text among the videos, and of every video among the texts."""
    back = np.ascontiguousarray(setting.similarity.T)
    return Ranked(
        setting.name,
        setting.videos,
        ranks(setting.similarity, setting.positive),
        ranks(back, np.ascontiguousarray(setting.positive.T)),
        setting.video_of_text,
    )


def recalls(found: Ranked, ks: Sequence[int] = KS) -> dict[tuple[Direction, int], float]:
    """`{(direction, k): R@k}`, 0 to 1, over the queries that have a positive; NaN if there are none.

    Ties follow the rule `expected`.
    """
    result: dict[tuple[Direction, int], float] = {}
    for direction in DIRECTIONS:
        for k in ks:
            hits = found.of(direction).hits(k, "expected")
            result[direction, k] = float(np.nanmean(hits)) if (~np.isnan(hits)).any() else float("nan")
    return result
