"""Rows of the long table of scores for items with one number each, with intervals over videos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.scores.means_with_intervals import NOTHING, Estimate, estimate, per_video


def mean_of(videos: Sequence[str], values: Sequence[float | None]) -> Estimate:
    """Return the mean over items whose value is not None. The bootstrap draws whole videos."""
    names = {video: code for code, video in enumerate(sorted(set(videos)))}
    if not names or all(value is None for value in values):
        return NOTHING
    codes = [names[video] for video in videos]
    return estimate([per_video(codes, values, len(names))], "micro")


def long_row(
    group: Mapping[str, str], policy: str, metric: str, videos: Sequence[str], values: Sequence[float | None]
) -> dict[str, Any]:
    """Return one row. `values`: one per item in `videos`, None if the policy leaves the item out."""
    found = mean_of(videos, values)
    counted = sum(value is not None for value in values)
    return {
        "group": dict(group),
        "policy": policy,
        "metric": metric,
        "value": found.value,
        "n": counted,
        "of": len(values),
        "low": found.low,
        "high": found.high,
    }
