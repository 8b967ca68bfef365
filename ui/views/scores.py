"""The Scores page as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from annotation.records import Question, Video
from annotation.scores.items import Item
from annotation.scores.labelling import next_labels, people_mean
from annotation.scores.published import published, published_mmlu
from annotation.store.score_items import mmlu_evaluations, score_items
from annotation.store.store import Store
from exports.score_report import comparison, report

NEXT = 12
FLIPS = 200
"""Flips that are shown; the count is of all."""


def scores_page_json(
    store: Store, evaluation_id: str, by: Sequence[str], *, suspects: bool
) -> dict[str, Any]:
    """The table, the judge against people, and whom to ask about next. Raises NotFound, UsageError.

    Without `by`, the groups that are usual for the evaluation's benchmark.
    """
    of_mmlu = evaluation_id in mmlu_evaluations(store)
    usual = "discipline" if of_mmlu else "aspect"
    groups = list(by) or [usual]
    found = report(store, evaluation_id, by=groups, suspects=suspects)
    items = score_items(store, evaluation_id)
    upcoming = next_labels(items, NEXT)
    return found | {
        "id": evaluation_id, "by": ",".join(groups), "usual": usual,
        "people": {measure: asdict(people_mean(items, measure)) for measure in ("accuracy", "score")},
        "next": _named(store, upcoming),
        "published": [asdict(row) for row in (published_mmlu() if of_mmlu else published())],
    }  # fmt: skip


def comparison_json(store: Store, a: str, b: str, policy: str) -> dict[str, Any]:
    """As `comparison`, with the words of the questions that flipped."""
    found = comparison(store, a, b, policy)
    flips = found["flips"][:FLIPS]
    words, titles = _words(store, [f["question"] for f in flips]), _titles(store, [f["video"] for f in flips])
    return found | {
        "flipped": len(found["flips"]),
        "flips": [
            f | {"text": words.get(f["question"], ""), "title": titles.get(f["video"], "")} for f in flips
        ],
    }  # fmt: skip


def _named(store: Store, items: Sequence[Item]) -> list[dict[str, Any]]:
    words, titles = _words(store, [i.question for i in items]), _titles(store, [i.video for i in items])
    return [
        {
            "judgement": i.judgement, "video": i.video, "title": titles.get(i.video, ""), "aspect": i.aspect,
            "text": words.get(i.question, ""), "label": "yes" if i.accuracy else "no", "score": i.score,
        }
        for i in items
    ]  # fmt: skip


def _words(store: Store, question_ids: Sequence[str]) -> dict[str, str]:
    known = [q for q in set(question_ids) if q]
    return {q.id: q.text for q in store.find(Question, id=known)} if known else {}


def _titles(store: Store, video_ids: Sequence[str]) -> dict[str, str]:
    return {v.id: v.title for v in store.find(Video, id=sorted(set(video_ids)))} if video_ids else {}
