"""Estimates the mean that people would give for an evaluation's verdicts, and detectable differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.scores.compare_two_evaluations import METRICS, Metric
from annotation.scores.next_to_label import people_mean
from annotation.store.store import Store
from annotation.store.verdicts.cached_score_items import kept_items


def people_means(store: Store, evaluation_id: str) -> dict[str, dict[str, Any]]:
    """Return `{"estimate", "judge", "labelled", "of", "smallest", "for_half", "tells_apart"}` per metric.

    The fields are those of `Corrected`; accuracy is 0 to 1, score 0 to 5. Raises NotFound.
    """
    state = kept_items(store, evaluation_id)

    def found(metric: Metric) -> dict[str, Any]:
        mean = people_mean(state.items, metric)
        estimate = mean.estimate
        return {
            "estimate": {"value": estimate.value, "low": estimate.low, "high": estimate.high},
            "judge": mean.judge,
            "labelled": mean.labelled,
            "of": mean.of,
            "smallest": mean.smallest,
            "for_half": mean.for_half,
            "tells_apart": mean.tells_apart,
        }

    kept: dict[str, dict[str, Any]] = state.remember("people", lambda: {m: found(m) for m in METRICS})
    return kept


def people_lines(means: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Format one line per metric, or one line stating that there are too few labels."""
    few = next(iter(means.values()))
    if few["estimate"]["value"] is None:
        return [f"{few['labelled']} of {few['of']:,} verdicts have a person's label: too few for an estimate"]
    return [f"{metric} {_words(mean)}" for metric, mean in means.items()]


def _words(mean: Mapping[str, Any]) -> str:
    estimate = mean["estimate"]
    blunt = (
        "; these labels do not narrow the interval of the judge's mean"
        if mean["tells_apart"] is False
        else ""
    )
    smallest = mean["smallest"]
    could = f"; detectable difference with {mean['labelled']} labels {smallest:.3f}" if smallest else ""
    half = f", half of it with {mean['for_half']:,} labels" if mean["for_half"] else ""
    return (
        f"{estimate['value']:.3f} ({estimate['low']:.3f} to {estimate['high']:.3f}) as people would judge, "
        f"{mean['judge']:.3f} as the judge did{blunt}{could}{half}"
    )
