"""The score of an evaluation as LOVEU track 1A asks for it, with what stands behind it.

Policy: per video the mean over its questions with a readable verdict, then the mean over
videos, per aspect. Unreadable, failed and missing verdicts are counted, never scored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from annotation.records import VDC_ASPECTS, Json
from annotation.scores.video_mmlu import mmlu_table
from annotation.store.score_items import score_items
from annotation.store.store import Store
from exports.batch import Values
from exports.chain import Row

COUNTS = ("n", "of", "unparsed", "failed", "missing")
POLICY = "parsed verdicts only; mean per video, then over videos"


def scores(rows: Iterable[Row], values: Values) -> dict[str, Any]:
    """`{"aspects": {aspect: {...}}, "overall": {...}}`.

    `score` is 0 to 5 and `accuracy` the share of "yes", 0 to 1; None where no verdict is readable.
    `n` questions of `of` are behind them, over `videos` videos. Overall is the mean over aspects.
    """
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.aspect].append(row)
    order = [*VDC_ASPECTS, *sorted(groups.keys() - set(VDC_ASPECTS))]
    aspects = {aspect: _aspect(groups[aspect], values) for aspect in order if aspect in groups}
    return {"aspects": aspects, "overall": _overall(aspects)}


def _aspect(rows: Iterable[Row], values: Values) -> dict[str, Any]:
    videos: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    states: Counter[str] = Counter()
    for row in rows:
        state, score = row.state(values), row.score(values)
        states[state] += 1
        if state == "done" and score is not None:
            videos[row.question.video_id].append((score, row.label(values) == "yes"))
    means = [(fmean(s for s, _ in found), fmean(yes for _, yes in found)) for found in videos.values()]
    return {
        "score": fmean(score for score, _ in means) if means else None,
        "accuracy": fmean(yes for _, yes in means) if means else None,
        "n": sum(len(found) for found in videos.values()),
        "of": states.total(),
        "videos": len(videos),
        **{state: states[state] for state in ("unparsed", "failed", "missing")},
    }


def _overall(aspects: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    scored = [a for a in aspects.values() if a["score"] is not None]
    return {
        "score": fmean(a["score"] for a in scored) if scored else None,
        "accuracy": fmean(a["accuracy"] for a in scored) if scored else None,
        "aspects": len(scored),
        **{key: sum(a[key] for a in aspects.values()) for key in COUNTS},
    }


def mmlu_scores(store: Store, evaluation_id: str, values: Values) -> list[Json]:
    """Caption, QA and final score of Video-MMLU by discipline, mean per video, then over videos.

    The overall figures above are over aspects, and not what track 1B ranks by.
    """
    policy = "corrected" if values == "current" else "parsed"
    rows = mmlu_table(score_items(store, evaluation_id), [policy])
    return [
        {**row.group, "metric": row.metric.removesuffix("_macro"), "value": row.value, "n": row.n,
         "of": row.of, "note": row.note}
        for row in rows if row.metric.endswith("_macro")
    ]  # fmt: skip
