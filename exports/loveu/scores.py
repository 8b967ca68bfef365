"""Scores of an evaluation as required by LOVEU track 1A, with their denominators.

Policy: per video the mean over its questions with a readable verdict, then the mean over videos, per aspect.
Unreadable, failed and missing verdicts are counted but not scored. Questions that a person excluded are not
scored either, unless the machine's values are requested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.ids import Json
from annotation.scores.score_table import Row, table
from annotation.scores.scored_item import Item
from annotation.systems.video_mmlu.scores import mmlu_table
from annotation.texts.which_text_counts import Values

POLICIES: Mapping[Values, str] = {"current": "corrected", "machine": "parsed"}
STATES = ("unparsed", "failed", "missing")
FIGURES = ("score", "accuracy", "n", "of", "videos", *STATES)
POLICY = "parsed verdicts only; mean per video, then over videos"


def scores(items: Sequence[Item], values: Values) -> dict[str, Any]:
    """Return `{"aspects": {aspect: {...}}, "overall": {...}}` of `score_items`.

    `score` is 0 to 5 and `accuracy` the share of "yes", 0 to 1; None if no verdict is readable. `n` of `of`
    questions in `videos` videos are scored. Overall is the mean over aspects.
    """
    metrics: dict[str, dict[str, Row]] = {}
    for row in table(items, [POLICIES[values]]):
        metrics.setdefault(row.group.get("aspect", ""), {})[row.metric] = row
    # With a single aspect there is no row for the mean over aspects.
    overall = metrics.pop("", None) or next(iter(metrics.values()), None)
    order = [aspect for aspect in (*VDC_ASPECTS, *metrics) if aspect in metrics]
    aspects = {aspect: _figures(metrics[aspect]) for aspect in dict.fromkeys(order)}
    scored = sum(found["score"] is not None for found in aspects.values())
    whole = _figures(overall) if overall else dict.fromkeys(FIGURES, 0) | {"score": None, "accuracy": None}
    return {"aspects": aspects, "overall": {**whole, "aspects": scored}}


def _figures(metrics: Mapping[str, Row]) -> dict[str, Any]:
    row = metrics["score_macro"]
    return {
        "score": row.value,
        "accuracy": metrics["accuracy_macro"].value,
        "n": row.n,
        "of": row.of,
        "videos": row.videos,
        **{state: row.dropped.get(state, 0) for state in STATES},
        **({"excluded": row.dropped["excluded"]} if "excluded" in row.dropped else {}),
    }


def mmlu_scores(items: Sequence[Item], values: Values) -> list[Json]:
    """Return caption, QA and final score of Video-MMLU by discipline: means per video, then over videos.

    The overall figures of `scores` average aspects; track 1B does not rank by them.
    """
    return [
        {
            **row.group,
            "metric": row.metric.removesuffix("_macro"),
            "value": row.value,
            "n": row.n,
            "of": row.of,
            "note": row.note,
        }
        for row in mmlu_table(items, [POLICIES[values]])
        if row.metric.endswith("_macro")
    ]
