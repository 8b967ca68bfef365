"""`score video-mmlu`: the report on an evaluation of Video-MMLU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotation.reports.evaluation_report import lines
from annotation.reports.report_on_questions import reports_on_questions
from annotation.reports.report_type import Options
from annotation.store.store import Store
from annotation.systems.video_mmlu.published import published_mmlu


def mmlu_reports(store: Store, options: Options) -> list[dict[str, Any]]:
    """With the published figures beside one's own. Raises NotFound, UsageError."""
    published = {"published": [asdict(row) for row in published_mmlu()]}
    return [found | published for found in reports_on_questions(store, options, "video-mmlu", "discipline")]


def mmlu_lines(found: Mapping[str, Any]) -> list[str]:
    head = "published, in percent: final, caption, QA (32 frames, judge Qwen2.5-72B; prompts differ)"
    rows = [
        f"  {row['model']:20} {row['final']:6.2f} {row['caption']:6.2f} {row['qa']:6.2f}"
        for row in found["published"]
    ]
    return [*lines(found), "", head, *rows]
