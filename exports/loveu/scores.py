"""The score of an evaluation as LOVEU track 1A asks for it, with what stands behind it.

Policy: per video the mean over its questions with a readable verdict, then the mean over
videos, per aspect. Unreadable, failed and missing verdicts are counted, never scored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.ids import Json
from annotation.store.store import Store
from annotation.store.verdicts.score_items import score_items
from annotation.systems.video_mmlu.scores import mmlu_table
from exports.files.batch import Values
from exports.logs.aspect_verdicts import AspectVerdict
from exports.logs.evaluation_rows import Row

COUNTS = ("n", "of", "unparsed", "failed", "missing")
POLICY = "parsed verdicts only; mean per video, then over videos"


def scores(rows: Iterable[Row], values: Values, whole: Iterable[AspectVerdict] = ()) -> dict[str, Any]:
    """`{"aspects": {aspect: {...}}, "overall": {...}}`.

    `score` is 0 to 5 and `accuracy` the share of "yes", 0 to 1; None where no verdict is readable.
    `n` questions of `of` are behind them, over `videos` videos. Overall is the mean over aspects. `whole`
    is what a log holds per video and aspect only; the questions behind such a mean are in it.
    """
    groups: dict[str, list[Row]] = defaultdict(list)
    means: dict[str, list[AspectVerdict]] = defaultdict(list)
    for verdict in whole:
        means[verdict.aspect].append(verdict)
    summed_up = {verdict.place for each in means.values() for verdict in each if verdict.is_mean}
    for row in rows:
        if (row.question.video_id, row.question.kind) not in summed_up:
            groups[row.aspect].append(row)
    here = groups.keys() | means.keys()
    order = [*VDC_ASPECTS, *sorted(here - set(VDC_ASPECTS))]
    aspects = {aspect: _aspect(groups[aspect], means[aspect], values) for aspect in order if aspect in here}
    return {"aspects": aspects, "overall": _overall(aspects)}


def _aspect(rows: Iterable[Row], whole: Iterable[AspectVerdict], values: Values) -> dict[str, Any]:
    videos: dict[str, list[tuple[float, float]]] = defaultdict(list)
    states: Counter[str] = Counter()
    counted = 0
    for verdict in whole:
        state, score, accuracy = verdict.state(values), verdict.score(values), verdict.accuracy(values)
        states[state] += verdict.questions or 1
        if state == "done" and score is not None and accuracy is not None:
            videos[verdict.place[0]].append((score, accuracy))
            counted += verdict.questions or 1
    for row in rows:
        state, score = row.state(values), row.score(values)
        states[state] += 1
        if state == "done" and score is not None:
            videos[row.question.video_id].append((score, float(row.label(values) == "yes")))
            counted += 1
    means = [(fmean(s for s, _ in found), fmean(yes for _, yes in found)) for found in videos.values()]
    return {
        "score": fmean(score for score, _ in means) if means else None,
        "accuracy": fmean(yes for _, yes in means) if means else None,
        "n": counted,
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
        {
            **row.group,
            "metric": row.metric.removesuffix("_macro"),
            "value": row.value,
            "n": row.n,
            "of": row.of,
            "note": row.note,
        }
        for row in rows
        if row.metric.endswith("_macro")
    ]
