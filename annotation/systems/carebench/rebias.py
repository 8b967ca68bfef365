"""ReBias: the bias of a model's retrieval to spatial over temporal descriptions; and the unified score.

The paper's formula is `B = |1 - T/S|`, with S and T the mean recall of spatial and temporal retrieval. The
figure printed for CARE matches the inverse ratio, `|1 - S/T|`: with the recalls of the leaderboard the
formula gives 14.84 %, the inverse 17.43 %, and the paper prints 17.53. Both are reported, by name.

The unified score is the mean of retrieval R@1 (over both directions) and captioning F1 (over events and
objects): 78.0 and 33.4 give 55.7.
Source: CaReBench (ICLR 2026), sections on ReBias and the ablation of two-stage training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation.scores.means_with_intervals import NOTHING, Estimate, Floats, drawn_videos, with_interval
from annotation.systems.carebench.recall_at_k import DIRECTIONS, KS, Direction, Ranked, Ties

Orientation = Literal["temporal_over_spatial", "spatial_over_temporal"]
ORIENTATIONS: Mapping[Orientation, str] = {
    "temporal_over_spatial": "|1 - T/S|, as the paper's formula is written",
    "spatial_over_temporal": "|1 - S/T|, which gives the paper's printed figures",
}


def rebias(spatial: float, temporal: float, orientation: Orientation) -> float | None:
    """From two mean recalls in the same unit, as a share (0.1484 is 14.84 %); None if the divisor is 0."""
    up, down = (temporal, spatial) if orientation == "temporal_over_spatial" else (spatial, temporal)
    return abs(1 - up / down) if down else None


def unified(recall_at_1: float, captioning_f1: float) -> float:
    """Both values in the same unit. `recall_at_1` is the mean over both directions."""
    return (recall_at_1 + captioning_f1) / 2


@dataclass(frozen=True, slots=True)
class Hits:
    """Hits per video, so that the bootstrap draws videos with all of their queries."""

    sums: Floats
    """(V,)"""
    numbers: Floats
    """(V,) number of queries."""

    def mean(self, weights: Floats) -> Floats:
        """(B,) means under weights (B, V)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((weights @ self.sums) / (weights @ self.numbers))


def hits_per_video(found: Ranked, direction: Direction, k: int, ties: Ties, videos: Sequence[str]) -> Hits:
    """In the order of `videos`, which may contain videos outside the setting."""
    order = {name: n for n, name in enumerate(videos)}
    at = np.array([order[name] for name in found.videos], dtype=np.int64)
    hits, places = found.of(direction).hits(k, ties), found.places(direction)
    asked = ~np.isnan(hits) & (places >= 0)
    where = at[places[asked]]
    size = len(videos)
    return Hits(
        np.bincount(where, weights=hits[asked], minlength=size).astype(float),
        np.bincount(where, minlength=size).astype(float),
    )


def recall_estimate(found: Ranked, direction: Direction, k: int, ties: Ties) -> Estimate:
    """R@k with a bootstrap interval over videos, 0 to 1."""
    hits = hits_per_video(found, direction, k, ties, found.videos)
    once, drawn = _weights(len(found.videos))
    return _estimate(hits.mean(once), hits.mean(drawn), len(found.videos))


def mean_recall_estimate(found: Ranked, ties: Ties) -> Estimate:
    """The mean of R@1, 5, 10 in both directions."""
    once, drawn = _weights(len(found.videos))
    means = [_mean_recall(found, found.videos, w, ties) for w in (once, drawn)]
    return _estimate(means[0], means[1], len(found.videos))


def rebias_estimate(spatial: Ranked, temporal: Ranked, orientation: Orientation, ties: Ties) -> Estimate:
    """With an interval over videos, each drawn with its spatial and its temporal queries."""
    videos = sorted({*spatial.videos, *temporal.videos})
    values: list[Floats] = []
    for weights in _weights(len(videos)):
        s, t = (_mean_recall(found, videos, weights, ties) for found in (spatial, temporal))
        up, down = (t, s) if orientation == "temporal_over_spatial" else (s, t)
        with np.errstate(invalid="ignore", divide="ignore"):
            values.append(np.where(down == 0, np.nan, np.abs(1 - up / down)))
    return _estimate(values[0], values[1], len(videos))


def _mean_recall(found: Ranked, videos: Sequence[str], weights: Floats, ties: Ties) -> Floats:
    each = [
        hits_per_video(found, direction, k, ties, videos).mean(weights)
        for direction in DIRECTIONS
        for k in KS
    ]
    return np.asarray(np.mean(each, axis=0), dtype=float)


def _weights(videos: int) -> tuple[Floats, Floats]:
    return np.ones((1, videos)), drawn_videos(videos)


def _estimate(value: Floats, drawn: Floats, videos: int) -> Estimate:
    if np.isnan(value[0]):
        return NOTHING
    return with_interval(float(value[0]), drawn if videos > 1 else np.empty(0))


@dataclass(frozen=True, slots=True)
class Missed:
    """A video that its spatial text retrieves and its temporal text does not."""

    video: str
    spatial: float
    """Rank of the video for its spatial text, from 1."""
    temporal: float


def missed_in_time(spatial: Ranked, temporal: Ranked, k: int, ties: Ties) -> list[Missed]:
    """Videos that the spatial text ranks among the first k and the temporal text does not, worst first."""
    near, far = (_ranks_by_video(found, ties) for found in (spatial, temporal))
    found = [
        Missed(video, near[video], far[video])
        for video in near
        if video in far and near[video] <= k < far[video]
    ]
    return sorted(found, key=lambda one: (-one.temporal, one.video))


def _ranks_by_video(found: Ranked, ties: Ties) -> dict[str, float]:
    """The best rank of each video over its texts."""
    best: dict[str, float] = {}
    for rank, home in zip(found.t2v.rank(ties), found.home, strict=True):
        if home >= 0 and not np.isnan(rank):
            video = found.videos[home]
            best[video] = min(float(rank), best.get(video, np.inf))
    return best
