"""The Scores page as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from annotation.pipeline.question_chains import chain_of_evaluation, kinds_of
from annotation.records.captions_to_verdicts import Question
from annotation.records.videos import Video
from annotation.reports.cached_error_source_proposals import WAIT_S
from annotation.reports.evaluation_report import comparison, report
from annotation.reports.points_by_cause import CAUSES, points_by_cause
from annotation.reports.several_evaluations_report import ceiling_of, run_facts, same_answers, side_by_side
from annotation.scores.next_to_label import next_labels
from annotation.scores.scored_item import Item
from annotation.store.store import Store
from annotation.store.verdicts.cached_score_items import kept_items
from ui.lib.question_system import QuestionSystem
from ui.pages.scores.comparison_wire_types import EvaluationDifference, EvaluationsBeside
from ui.pages.scores.wire_types import CausesTable, NextLabel, RoleRuns, ScoresPage, SoundFigures
from ui.systems.system_list import QUESTION_SYSTEMS

NEXT = 12
MOST_GROUPS = 24
"""Most groups that the page shows: the largest, or those that match the search.

The published questions have 1,394 categories.
"""
FLIPS = 200
"""Most flipped verdicts that are shown; the total counts all of them."""


def scores_page_json(
    store: Store, evaluation_id: str, by: Sequence[str], *, suspects: bool = True, words: str = ""
) -> ScoresPage:
    """The table, the judge's agreement with people, and the next verdicts to label.

    Without `by`, the evaluation's benchmark sets the groups. If there are many groups, the largest are
    returned, and the rest as one; groups whose names contain `words` come first. Raises NotFound, UsageError.
    """
    benchmark = _benchmark(store, evaluation_id)
    usual = benchmark.chain.group
    groups = list(by) or [usual]
    found = rounded(
        report(store, evaluation_id, by=groups, suspects=suspects, most=MOST_GROUPS, words=_plain(words))
    )
    runs = _runs(store, evaluation_id)
    return {
        "benchmark": benchmark.chain.benchmark,
        "metric": benchmark.chain.metric,
        "evaluation": found["evaluation"],
        "baseline": found["baseline"],
        "judges": found["judges"],
        "prompts": found["prompts"],
        "flags": found["flags"],
        "rows": found["rows"],
        "policies": found["policies"],
        "suspects": found["suspects"],
        "opinions": found["opinions"],
        "agreement": found["agreement"],
        "repeats": found["repeats"],
        "id": evaluation_id,
        "by": ",".join(groups),
        "usual": usual,
        "groups": list(benchmark.groups),
        "kinds": _kinds(benchmark),
        "policy_labels": dict(benchmark.policy_labels),
        "versioned": dict(benchmark.prompts),
        "ceiling": rounded(ceiling_of(store, evaluation_id)),
        "runs": runs,
        "same_answers": same_answers(store, evaluation_id),
        "people": found["people"],
        "next": next_to_label_json(store, evaluation_id),
        "published": benchmark.published(runs, found["judges"]),
    }


def _runs(store: Store, evaluation_id: str) -> dict[str, RoleRuns]:
    return {
        role: {
            "ids": facts["ids"],
            "model": facts["model"],
            "prompt": facts["prompt"],
            "frames": facts["frames"],
        }
        for role, facts in run_facts(store, evaluation_id).items()
    }


def _benchmark(store: Store, evaluation_id: str) -> QuestionSystem:
    """The system of an evaluation of questions."""
    chain = chain_of_evaluation(store, evaluation_id)
    return next(system for system in QUESTION_SYSTEMS if system.chain is chain)


def _kinds(benchmark: QuestionSystem) -> dict[str, dict[str, str]]:
    """Kinds by aspect and task. An evaluation may also have questions of other systems."""
    chains = [system.chain for system in (*QUESTION_SYSTEMS, benchmark)]
    kinds = [kind for chain in chains for kind in kinds_of(chain)]
    return {
        "aspect": {kind.partition(":")[2]: kind for kind in kinds},
        "task": dict(benchmark.task_kinds),
    }


def sound_json(store: Store, evaluation_id: str, by: Sequence[str], words: str = "") -> SoundFigures:
    """The same rows without questions flagged by a check or a person, with figures only.

    A separate request: checking all questions takes longer than the first figures may.
    """
    groups = list(by) or [_benchmark(store, evaluation_id).chain.group]
    found = report(store, evaluation_id, by=groups, suspects=False, most=MOST_GROUPS, words=_plain(words))
    names = ("group", "policy", "metric", "value", "low", "high", "n", "of", "partial")
    rows = [{name: row[name] for name in names} for row in found["rows"]]
    return {"rows": rounded(rows), "suspects": found["suspects"]}


def beside_json(store: Store, evaluation_ids: Sequence[str], policy: str) -> EvaluationsBeside:
    """Several evaluations under one policy. Raises NotFound, UsageError."""
    found = rounded(side_by_side(store, evaluation_ids, policy))
    return {"policy": found["policy"], "rows": found["rows"], "pairs": found["pairs"]}


def causes_json(store: Store, evaluation_id: str, by: str) -> CausesTable:
    """Lost points by cause; `waiting` counts videos that take too long to check now.

    Raises NotFound, UsageError.
    """
    found = points_by_cause(store, evaluation_id, by, WAIT_S)
    return {
        "rows": [
            replace(one, accuracy=round(one.accuracy, 5), score=round(one.score, 5)) for one in found.rows
        ],
        "groups": list(found.groups),
        "groups_left": found.groups_left,
        "waiting": found.waiting,
        "causes": dict(CAUSES),
    }


def _plain(words: str) -> str:
    return words.strip().lower()


def rounded(value: Any) -> Any:
    """Round figures to five places: more precision is not shown, and makes the response longer."""
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items() if not (key == "note" and not each)}
    return [rounded(each) for each in value] if isinstance(value, list) else value


def comparison_json(store: Store, a: str, b: str, policy: str) -> EvaluationDifference:
    """As `comparison`, with the texts of the questions whose verdicts flipped."""
    found = comparison(store, a, b, policy)
    flips = found["flips"][:FLIPS]
    words, titles = _words(store, [f["question"] for f in flips]), _titles(store, [f["video"] for f in flips])
    return {
        "a": found["a"],
        "b": found["b"],
        "policy": found["policy"],
        "judges": found["judges"],
        "prompts": found["prompts"],
        "people": rounded(found["people"]),
        "rows": found["rows"],
        "flips": [
            {
                "question": f["question"],
                "verdict": f["verdict"],
                "video": f["video"],
                "aspect": f["aspect"],
                "before": f["before"],
                "after": f["after"],
                "score_before": f["score_before"],
                "score_after": f["score_after"],
                "text": words.get(f["question"], ""),
                "title": titles.get(f["video"], ""),
            }
            for f in flips
        ],
        "flipped": len(found["flips"]),
    }


def next_to_label_json(store: Store, evaluation_id: str, count: int = NEXT) -> list[NextLabel]:
    """The verdicts whose labels would add the most information, best first.

    Only the page's `NEXT` are cached.
    """
    state = kept_items(store, evaluation_id)
    if count == NEXT:
        return _next(store, state.remember("next", lambda: next_labels(state.items, NEXT)))
    return _next(store, next_labels(state.items, count))


def _next(store: Store, items: Sequence[Item]) -> list[NextLabel]:
    words, titles = _words(store, [i.question for i in items]), _titles(store, [i.video for i in items])
    return [
        {
            "verdict": i.verdict,
            "video": i.video,
            "title": titles.get(i.video, ""),
            "aspect": i.aspect,
            "text": words.get(i.question, ""),
            "label": "yes" if i.accuracy else "no",
            "score": i.score,
        }
        for i in items
    ]


def _words(store: Store, question_ids: Sequence[str]) -> dict[str, str]:
    known = [q for q in set(question_ids) if q]
    return {q.id: q.text for q in store.find(Question, id=known)} if known else {}


def _titles(store: Store, video_ids: Sequence[str]) -> dict[str, str]:
    return {v.id: v.title for v in store.find(Video, id=sorted(set(video_ids)))} if video_ids else {}
