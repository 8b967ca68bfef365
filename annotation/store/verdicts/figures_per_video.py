"""Figures per video of an evaluation, computed from the same columns as its list."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.store.store import Store
from annotation.store.verdicts.verdict_columns_cache import index_of
from annotation.store.verdicts.verdict_table import Table

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class AspectScore:
    """Mean score of one aspect of one video in one evaluation, over verdicts with a score."""

    video_id: str
    kind: str
    """The aspect; empty for all aspects together."""
    score: float
    accuracy: float | None
    """None if a log contains only a mean score."""
    n: int
    """Number of verdicts with a score."""
    of: int
    """Number of all verdicts of the aspect."""


def aspect_scores(
    store: Store, evaluation_id: str, videos: Collection[str] | None = None
) -> list[AspectScore]:
    """Return the mean score per video (these, or all) and aspect, over parsed verdicts."""
    table = index_of(store).table(evaluation_id)
    names = table.words["kind"].names
    if videos is not None:
        return _aspect_scores(table, _rows_of(table, videos), names)
    return table.remember("aspect_scores", lambda: _aspect_scores(table, slice(None), names))


def video_scores(store: Store, evaluation_id: str, videos: Collection[str]) -> list[AspectScore]:
    """Return the mean score of each of these videos over all aspects."""
    table = index_of(store).table(evaluation_id)
    return _aspect_scores(table, _rows_of(table, videos), [""])


def _rows_of(table: Table, videos: Collection[str]) -> Rows:
    return table.rows_of_videos([table.words["video"].find(video) for video in videos])


def _aspect_scores(table: Table, rows: Rows | slice, names: Sequence[str]) -> list[AspectScore]:
    """Compute the means. `names`: aspects by code; a single name stands for all aspects together."""
    kinds = len(names)
    means, n, of = _means(table, rows, kinds)
    yes = _yes(table, rows, kinds)
    videos = table.words["video"].names
    return [
        AspectScore(
            videos[at // kinds],
            names[at % kinds],
            float(means[at]),
            None if np.isnan(yes[at]) else float(yes[at]),
            int(n[at]),
            int(of[at]),
        )
        for at in np.flatnonzero(n).tolist()
    ]


def _places(table: Table, rows: Rows | slice, kinds: int) -> tuple[NDArray[np.int64], int]:
    """Return the number of each row's group, and the number of groups.

    A group is a video and aspect, or only a video if `kinds` is 1.
    """
    place = table["video"][rows].astype(np.int64) * kinds + (table["kind"][rows] if kinds > 1 else 0)
    return place, len(table.words["video"].names) * kinds


def _means(
    table: Table, rows: Rows | slice, kinds: int
) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[Any]]:
    """Return per video and aspect: mean score, number of scored verdicts, number of all verdicts."""
    place, size = _places(table, rows, kinds)
    readable = (table.has("state", "done") & ~np.isnan(table["score"]))[rows]
    sums = np.bincount(place[readable], table["score"][rows][readable], minlength=size)
    n, of = np.bincount(place[readable], minlength=size), np.bincount(place, minlength=size)
    return np.divide(sums, n, out=np.full(size, np.nan), where=n > 0), n, of


def _yes(table: Table, rows: Rows | slice, kinds: int) -> NDArray[np.float64]:
    """Return the share of yes per video and aspect; nan for means from logs, which have no label."""
    place, size = _places(table, rows, kinds)
    said = (table.has("state", "done") & ~np.isnan(table["score"]) & ~table.has("label", ""))[rows]
    yes = said & table.has("label", "yes")[rows]
    of = np.bincount(place[said], minlength=size)
    share = np.bincount(place[yes], minlength=size)
    found: NDArray[np.float64] = np.divide(share, of, out=np.full(size, np.nan), where=of > 0)
    return found


def lowest_means(table: Table) -> NDArray[np.float64]:
    """Return by code of video the mean score of its worst aspect; inf without readable verdicts."""

    def find(rows: Rows | slice) -> NDArray[np.float64]:
        kinds = max(1, len(table.words["kind"].names))
        means = _means(table, rows, kinds)[0].reshape(-1, kinds)
        found: NDArray[np.float64] = np.where(np.isnan(means), np.inf, means).min(axis=1, initial=np.inf)
        return found

    def renew(old: NDArray[np.float64], changed: Rows) -> NDArray[np.float64]:
        rows = table.rows_beside(changed)
        found, codes = find(rows), np.unique(table["video"][rows])
        found[: len(old)] = np.where(np.isin(np.arange(len(old)), codes), found[: len(old)], old)
        return found

    return table.remember("lowest_means", lambda: find(slice(None)), renew=renew)


def video_means(table: Table) -> NDArray[np.float64]:
    """Return by code of video the mean score of its readable verdicts; inf without any."""

    def make() -> NDArray[np.float64]:
        means = _means(table, slice(None), 1)[0]
        return np.where(np.isnan(means), np.inf, means)

    return table.remember("video_means", make)


def verdict_counts(
    store: Store, evaluation_id: str, videos: Collection[str] | None = None
) -> dict[str, dict[str, int]]:
    """Return `{video: {"no": n, "unparsed": n, ...}}` over the current verdicts on questions."""
    table = index_of(store).table(evaluation_id)
    if videos is not None:
        return _verdict_counts(table, _rows_of(table, videos))
    return table.remember("verdict_counts", lambda: _verdict_counts(table, slice(None)))


def _verdict_counts(table: Table, rows: Rows | slice) -> dict[str, dict[str, int]]:
    asked = (table["question"] != "")[rows]
    columns = np.stack([table[name][rows][asked] for name in ("video", "state", "label")])
    found: dict[str, dict[str, int]] = {}
    places, numbers = np.unique(columns, axis=1, return_counts=True)
    for (video, state, label), n in zip(places.T.tolist(), numbers.tolist(), strict=True):
        word = table.words["state"].names[state]
        each = found.setdefault(table.words["video"].names[video], {})
        each[table.words["label"].names[label] if word == "done" else word] = n
    return found


def facets(store: Store, evaluation_id: str) -> dict[str, list[str]]:
    """Return the values of an evaluation that filters can select, by name of the filter."""
    table = index_of(store).table(evaluation_id)

    def find() -> dict[str, list[str]]:
        columns = {"aspect": "kind", "source": "source", "discipline": "discipline"}
        return {name: _words_of(table, column) for name, column in columns.items()}

    return table.remember("facets", find, of=("kind", "source", "discipline"))


def _words_of(table: Table, column: str) -> list[str]:
    names = table.words[column].names
    return sorted(names[code] for code in np.unique(table[column]).tolist() if names[code])
