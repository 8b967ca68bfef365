"""`score vdc` and `score video-mmlu`: the reports on evaluations that are made of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotation.scores.published import published_mmlu
from annotation.store.benchmark_of_evaluation import find_of_questions, plain_evaluations
from annotation.store.store import Store
from annotation.store.verdicts.score_items import mmlu_evaluations
from backends.errors import UsageError
from exports.reports.evaluation_report import lines, report
from exports.reports.points_by_cause import BY, cause_lines, cause_report
from exports.reports.report_type import Options

__all__ = ["mmlu_lines", "mmlu_reports", "vdc_lines", "vdc_reports"]


def vdc_reports(store: Store, options: Options) -> list[dict[str, Any]]:
    """Raises NotFound, UsageError."""
    if BY in options.by:
        chosen = _evaluations(store, "vdc", options.evaluation, bool(options.files))
        return [{"system": "vdc"} | cause_report(store, each, options.by) for each in chosen]
    return _reports(store, options, "vdc", "aspect")


def vdc_lines(found: Mapping[str, Any]) -> list[str]:
    return cause_lines(found) if found.get("by") == BY else lines(found)


def mmlu_reports(store: Store, options: Options) -> list[dict[str, Any]]:
    """With the published figures beside one's own. Raises NotFound, UsageError."""
    published = {"published": [asdict(row) for row in published_mmlu()]}
    return [found | published for found in _reports(store, options, "video-mmlu", "discipline")]


def mmlu_lines(found: Mapping[str, Any]) -> list[str]:
    head = "published, in percent: final, caption, QA (32 frames, judge Qwen2.5-72B; prompts differ)"
    rows = [
        f"  {row['model']:20} {row['final']:6.2f} {row['caption']:6.2f} {row['qa']:6.2f}"
        for row in found["published"]
    ]
    return [*lines(found), "", head, *rows]


def _reports(store: Store, options: Options, system: str, by: str) -> list[dict[str, Any]]:
    chosen = _evaluations(store, system, options.evaluation, bool(options.files))
    policies = list(options.policies) or None
    return [
        {"system": system} | report(store, each, policies, options.by or (by,), suspects=options.suspects)
        for each in chosen
    ]


def _evaluations(store: Store, system: str, wanted: str | None, every: bool) -> Sequence[str]:
    if wanted:
        return [find_of_questions(store, wanted)]
    of_mmlu = mmlu_evaluations(store)
    everything = sorted(plain_evaluations(store), key=lambda e: (not e.baseline, e.created_at))
    found = [e.id for e in everything if (e.id in of_mmlu) == (system == "video-mmlu")]
    found = found if every else found[-1:]
    if not any(found):
        raise UsageError(
            f"there is no evaluation of {system}; make one with: python app.py run, or import a log"
        )
    return found
