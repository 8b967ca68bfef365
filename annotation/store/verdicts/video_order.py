"""The order of videos, shared by the Library, the list of Verdicts and the API.

An order is named after its sort key. Videos with equal keys are sorted by title in natural order.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from annotation.store.store import Store
from annotation.store.verdicts.figures_per_video import lowest_means, video_means
from annotation.store.verdicts.verdict_columns_cache import index_of
from annotation.store.verdicts.verdict_table import Table
from annotation.store.videos.library_index import Videos, videos_of

VideoSort = Literal["need", "mean", "aspect", "title"]
"""`mean`: lowest mean score of the video's verdicts first. `aspect`: lowest mean score of its worst aspect
first. `need` (needs review): videos whose latest run of a stage failed or was stopped first, then as `mean`.
Videos without a readable verdict come last."""


def video_order(store: Store, videos: Videos, evaluation_id: str, sort: VideoSort) -> NDArray[np.intp]:
    """Return positions in `videos` in this order. Without an evaluation, videos have no score."""
    return _order(videos, index_of(store).table(evaluation_id) if evaluation_id else None, sort)


def video_ranks(store: Store, table: Table, sort: VideoSort) -> NDArray[np.int64]:
    """Return the rank of each video code of `table` in that order; removed videos rank last."""
    videos = videos_of(store)

    def make() -> NDArray[np.int64]:
        ranks = np.full(len(videos) + 1, len(videos), np.int64)
        ranks[_order(videos, table, sort)] = np.arange(len(videos))
        places = videos.places()
        names = table.words["video"].names
        return ranks[np.fromiter((places.get(name, -1) for name in names), np.int64, len(names))]

    return table.remember(("video ranks", sort, videos.number), make)


def _order(videos: Videos, table: Table | None, sort: VideoSort) -> NDArray[np.intp]:
    """Sort by the keys, the most important last. Equal videos keep their order by title."""
    if sort == "title":
        return np.arange(len(videos))
    keys: list[NDArray[Any]] = [_scores(videos, table, sort)] if table is not None else []
    if sort == "need":
        keys.append(~videos.flags("broken"))
    return np.lexsort(keys) if keys else np.arange(len(videos))


def _scores(videos: Videos, table: Table, sort: VideoSort) -> NDArray[np.float64]:
    """Return the score of each video for sorting; inf if it has none."""

    def make() -> NDArray[np.float64]:
        means = lowest_means(table) if sort == "aspect" else video_means(table)
        words = table.words["video"]
        codes = np.fromiter((words.find(video_id) for video_id in videos.ids), np.int64, len(videos))
        return np.append(means, np.inf)[np.where(codes < len(means), codes, -1)]

    return table.remember(("video scores", sort, videos.number), make)
