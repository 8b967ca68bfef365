"""In which order videos stand: the one function for the Library, the list of Verdicts and the API.

An order is named after what it sorts by. Videos that are equal in it stand by title, as people sort titles.
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
"""`mean`: the lowest mean score of a video's verdicts first. `aspect`: the lowest mean score of its worst
aspect. `need`, needs review: the latest run of a stage failed or was stopped, then `mean`. Videos without a
readable verdict come last."""


def video_order(store: Store, videos: Videos, evaluation_id: str, sort: VideoSort) -> NDArray[np.intp]:
    """Places in `videos`, in this order; without an evaluation no video has a score."""
    return _order(videos, index_of(store).table(evaluation_id) if evaluation_id else None, sort)


def video_ranks(store: Store, table: Table, sort: VideoSort) -> NDArray[np.int64]:
    """Per code of a video in `table` its place in that order; of a video that was removed the last."""
    videos = videos_of(store)

    def make() -> NDArray[np.int64]:
        ranks = np.full(len(videos) + 1, len(videos), np.int64)
        ranks[_order(videos, table, sort)] = np.arange(len(videos))
        places = videos.places()
        names = table.words["video"].names
        return ranks[np.fromiter((places.get(name, -1) for name in names), np.int64, len(names))]

    return table.remember(("video ranks", sort, videos.number), make)


def _order(videos: Videos, table: Table | None, sort: VideoSort) -> NDArray[np.intp]:
    """By the keys, the most important last; what is equal keeps its place, which is by title."""
    if sort == "title":
        return np.arange(len(videos))
    keys: list[NDArray[Any]] = [_scores(videos, table, sort)] if table is not None else []
    if sort == "need":
        keys.append(~videos.flags("broken"))
    return np.lexsort(keys) if keys else np.arange(len(videos))


def _scores(videos: Videos, table: Table, sort: VideoSort) -> NDArray[np.float64]:
    """Per video the score that it is sorted by; inf where it has none."""

    def make() -> NDArray[np.float64]:
        means = lowest_means(table) if sort == "aspect" else video_means(table)
        words = table.words["video"]
        codes = np.fromiter((words.find(video_id) for video_id in videos.ids), np.int64, len(videos))
        return np.append(means, np.inf)[np.where(codes < len(means), codes, -1)]

    return table.remember(("video scores", sort, videos.number), make)
