"""Figures per video of an evaluation, from the same columns as its list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.store.store import Store
from annotation.store.verdicts.column_cache import Table, index_of

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class AspectScore:
    """Mean score of one aspect of one video in one evaluation, over readable verdicts."""

    video_id: str
    kind: str
    score: float
    accuracy: float | None
    """None where a log holds nothing but a mean score."""
    n: int
    """Verdicts with a score."""
    of: int
    """All verdicts of the aspect."""


def aspect_scores(store: Store, evaluation_id: str) -> list[AspectScore]:
    """Per video and aspect: parsed only, with its denominator."""
    table = index_of(store).table(evaluation_id)
    return table.remember("aspect_scores", lambda: _aspect_scores(table))


def _aspect_scores(table: Table) -> list[AspectScore]:
    kinds = len(table.words["kind"].names)
    place = table["video"].astype(np.int64) * kinds + table["kind"]
    readable = table.has("state", "done") & ~np.isnan(table["score"])
    said = readable & ~table.has("label", "")  # a log's mean has a score and no label
    yes = said & table.has("label", "yes")
    size = len(table.words["video"].names) * kinds

    def count(mask: Mask) -> NDArray[Any]:
        return np.bincount(place[mask], minlength=size)

    n, of, said_of, yes_of = count(readable), count(np.ones_like(readable)), count(said), count(yes)
    sums = np.bincount(place[readable], table["score"][readable], minlength=size)
    names = table.words["video"].names, table.words["kind"].names
    return [
        AspectScore(
            names[0][at // kinds],
            names[1][at % kinds],
            float(sums[at] / n[at]),
            float(yes_of[at] / said_of[at]) if said_of[at] else None,
            int(n[at]),
            int(of[at]),
        )
        for at in np.flatnonzero(n).tolist()
    ]


def verdict_counts(store: Store, evaluation_id: str) -> dict[str, dict[str, int]]:
    """`{video: {"no": n, "unparsed": n, ...}}` over verdicts on questions that nothing newer replaces."""
    table = index_of(store).table(evaluation_id)
    return table.remember("verdict_counts", lambda: _verdict_counts(table))


def _verdict_counts(table: Table) -> dict[str, dict[str, int]]:
    asked = table["question"] != ""
    columns = np.stack([table[name][asked] for name in ("video", "state", "label")])
    found: dict[str, dict[str, int]] = {}
    places, numbers = np.unique(columns, axis=1, return_counts=True)
    for (video, state, label), n in zip(places.T.tolist(), numbers.tolist(), strict=True):
        word = table.words["state"].names[state]
        each = found.setdefault(table.words["video"].names[video], {})
        each[table.words["label"].names[label] if word == "done" else word] = n
    return found


def facets(store: Store, evaluation_id: str) -> dict[str, list[str]]:
    """The words that there are to choose from in an evaluation."""
    table = index_of(store).table(evaluation_id)

    def find() -> dict[str, list[str]]:
        columns = {"aspect": "kind", "source": "source", "discipline": "discipline"}
        return {name: _words_of(table, column) for name, column in columns.items()}

    return table.remember("facets", find)


def _words_of(table: Table, column: str) -> list[str]:
    names = table.words[column].names
    return sorted(names[code] for code in np.unique(table[column]).tolist() if names[code])
